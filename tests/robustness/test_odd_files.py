"""Every command with something odd in place of a file: a sentence that names it, in bounded time and memory.

The readers of the library are swept likewise by `tests/fuzz`: see `tests/fuzz/odd_files.py`.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import firth as library
from tests.fuzz.odd_files import FILES, FORBIDDEN, LONG
from tests.robustness.command import Command, sentences

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the files and the limits are those of Linux")
TEXTS = (  # commands that read a text, a table or a list; ODD stands for it
    "train skipgram ODD -o out -q", "train skipgram text.txt -o out -q --phrases ODD", "phrases ODD -o out -q",
    "train skipgram text.txt -o out -q --start ODD", "train skipgram text.txt -o out -q --stop-words ODD",
    "compare ODD -o out -q", "lm train kneser-ney ODD -o out -q", "classify train ODD -o out -q",
    "subwords train ODD -o out -q", "encode model ODD -o out.npy -q", "search model ODD cat", "duplicates model ODD",
    "clusters model ODD", "diversity ODD", "evaluate model --similarity ODD -q", "evaluate model --analogies ODD -q",
    "bias model --query X,Y:A,B --sets ODD", "postprocess model retrofit -o out --synonyms ODD",
    "align model model -o out --dictionary ODD", "plot map model -o out.html --words ODD", "axis model --pairs ODD",
    "annotate ODD -o out.jsonl", "tag train ODD -o out -q", "parse train ODD -o out -q", "coref train ODD -o out -q",
    "translate train ODD -o out -q", "summarize train ODD -o out -q", "answer train ODD -o out -q",
    "pretrain electra ODD -o out -q", "sentences train ODD -o out -q", "substitutes train ODD -o out -q",
    "split-senses model -o out --by wordnet --wordnet ODD", "debias model -o out --pairs ODD",
    "explore model --texts ODD", "explore model --evaluation ODD",
)  # fmt: skip
MODELS = (  # commands that load a model
    "info ODD", "info ODD --verify", "neighbours ODD cat", "similarity ODD cat dog", "analogy ODD a b c",
    "antonyms model cat --pairs ODD", "senses ODD cat", "translate-words ODD cat", "index ODD -o out",
    "convert ODD out.txt", "neighbours model cat --index ODD", "postprocess ODD centre -o out", "quantise ODD -o out",
    "debias ODD -o out", "split-senses ODD -o out", "distil ODD text.txt -o out", "lm score ODD text.txt",
    "lm info ODD", "lm perplexity ODD text.txt", "lm next ODD cat", "lm generate ODD",
    "lm mix ODD ODD --held-out text.txt -o out", "lm convert ODD out.arpa", "classify predict ODD text.txt",
    "classify test ODD text.txt", "classify quantise ODD -o out", "subwords encode ODD text.txt",
    "tag predict ODD text.txt", "parse predict ODD text.txt", "coref predict ODD text.txt",
    "translate predict ODD text.txt", "summarize predict ODD text.txt", "answer predict ODD who --text a",
    "substitutes predict ODD text.txt", "explain ODD cat", "serve ODD", "explore ODD", "shell ODD", "push ODD me/model",
    "plot map ODD -o out.html", "semantic-change ODD ODD",
)  # fmt: skip
RUN = """
import io, json, resource, signal, sys
from firth.cli.app import _run
from firth.cli.output import sentence
from firth.errors import FirthError

pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (1 << 30),) * 2)

def hangs(*_):
    raise SystemError("it hangs")

signal.signal(signal.SIGALRM, hangs)
found = []
for command, odd in TURNS:
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr, sys.stdin = io.StringIO(), io.StringIO(), io.StringIO()
    signal.setitimer(signal.ITIMER_REAL, 30)
    try:
        how = f"status {_run([odd if word == 'ODD' else word for word in command.split()])}"
        message = sys.stderr.getvalue()
    except (FirthError, OSError) as error:
        how, message = "refused", sentence(error)
    except BaseException as error:
        how, message = type(error).__name__, str(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout, sys.stderr = out, err
    found.append([command, odd, how, message])
print(json.dumps(found))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A text, vectors, and something odd of every kind."""
    tmp_path.chmod(0o777)
    (tmp_path / "text.txt").write_text(sentences(20), encoding="utf-8")
    words = ["cat", "dog", "cold", "hot"]
    library.WordVectors(words, np.eye(4, dtype=np.float32)).save(tmp_path / "model")
    for name, make in FILES.items():
        make(tmp_path / name.replace(" ", "_"))
    return tmp_path


@pytest.mark.parametrize("commands", [TEXTS, MODELS], ids=["texts", "models"])
def test_every_command_names_what_it_cannot_read(commands, folder: Path):
    """Two kinds for each command, in turn. `_run` is the command without the process around it."""
    odd = [*(name.replace(" ", "_") for name in FILES if name != FORBIDDEN), LONG]  # root reads what is forbidden
    turns = [(command, odd[(number + step) % len(odd)]) for number, command in enumerate(commands) for step in (0, 4)]
    ended = Command(folder).python(f"TURNS = {turns!r}\n{RUN}")
    assert ended.status == 0, ended.err
    rows = json.loads(ended.out)
    assert len(rows) == len(turns)
    wrong = [row for row in rows if row[2] != "refused" or row[1][:20] not in row[3]]
    assert not wrong, "\n".join(" | ".join(part[:200] for part in row) for row in wrong)
