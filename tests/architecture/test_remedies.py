"""Every argument and flag that a message names as a remedy exists: as a parameter, a field of options, or a flag."""

import re
from pathlib import Path

import pytest

import firth

ARGUMENT = re.compile(r"\"[^\"\n]*\b(?:pass|with|give|use|or|set) (?P<name>[a-z_]+)=")
FLAG = re.compile(r"[ (`]--(?:no-)?(?P<name>[a-z][a-z-]+)")
DECLARED = re.compile(r"\b([a-z_]+): |\"--([a-z-]+)[\"/]")
OTHERS = {"check_embedding_ctx_length", "sparse", "logdir", "inplace"}  # of openai's client, tar, TensorBoard, rsync


@pytest.fixture(scope="module")
def source():
    return "".join(path.read_text(encoding="utf-8") for path in sorted(Path(firth.__file__).parent.rglob("*.py")))


@pytest.fixture(scope="module")
def declared(source):
    return {(name or flag).replace("-", "_") for name, flag in DECLARED.findall(source)}


@pytest.mark.parametrize(("named", "least"), [(ARGUMENT, 60), (FLAG, 60)], ids=["arguments", "flags"])
def test_what_messages_name_exists(source, declared, named, least):
    names = {found["name"].replace("-", "_") for found in named.finditer(source)}
    assert len(names) > least
    missing = names - declared - OTHERS
    assert not missing
