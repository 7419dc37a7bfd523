"""`firth annotate` interrupted or killed in the middle of long texts: what is finished is kept, and it goes on."""

import json
import signal
from pathlib import Path

import pytest

from firth.documents.unfinished import finished
from tests.robustness.command import Command, end_by, wait_until

pytestmark = pytest.mark.slow
PARAGRAPHS = 8_000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("processes", [1, 2])
def test_what_is_finished_is_kept(tmp_path: Path, number: signal.Signals, processes: int):
    firth = Command(tmp_path)
    for name in ("a", "b"):
        text = "".join(f"Mr. Hill of {name} saw {i} boats. He left.\n\n" for i in range(PARAGRAPHS))
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    assert firth("annotate", "a.txt", "b.txt", "-o", "whole.conllu").status == 0
    arguments = ("annotate", "a.txt", "b.txt", "-o", "out.conllu", "--processes", str(processes))
    part, target = tmp_path / "out.conllu.part.jsonl", tmp_path / "out.conllu"
    process = firth.start(*arguments, real=True)
    wait_until(lambda: part.exists() and part.stat().st_size > 500_000, process)
    ended = end_by(process, number)
    assert not target.exists()
    assert "Traceback" not in ended.err
    if number != signal.SIGKILL:
        assert ended.status == 128 + number
        assert "the same command goes on" in ended.err
        assert finished(target) is not None
    again = firth(*arguments, "--json")
    assert again.status == 0, again.err
    facts = json.loads(again.out)
    assert facts["sentences"] == 4 * PARAGRAPHS
    assert 0 < facts["resumed"] < facts["tokens"]
    assert target.read_bytes() == (tmp_path / "whole.conllu").read_bytes()
    assert not list(tmp_path.glob("*.part*"))
