"""The fuzzer distinguishes crashes, hangs, tracebacks, too much memory and wrong answers from refusals."""

import ctypes
import random
import time

import pytest

from firth.errors import FormatError
from tests.fuzz import server
from tests.fuzz.mutations import mutated
from tests.fuzz.outcomes import CRASH, DIFFERENT, HANG, MEMORY, REFUSED, SAME, TRACEBACK, WRONG, Reader
from tests.fuzz.server import Server

CASES = {
    "good": SAME,
    "other": DIFFERENT,
    "refused": REFUSED,
    "missing": REFUSED,
    "raised": TRACEBACK,
    "nested": TRACEBACK,
    "memory": MEMORY,
    "crashed": CRASH,
    "hung": HANG,
    "good again": SAME,
}


def use(path):
    """Do what the file says."""
    match path.read_text():
        case "refused":
            raise FormatError("refused")
        case "missing":
            (path.parent / "nothing").read_bytes()
        case "raised":
            raise KeyError("raised")
        case "nested":
            raise RecursionError
        case "memory":
            return len(bytearray(1 << 34))
        case "crashed":
            ctypes.string_at(0)
        case "hung":
            time.sleep(1000)
        case "other":
            return 2
    return 1


def test_every_end_is_reported_for_its_input(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    monkeypatch.setattr(server, "ASLEEP", 1)
    reader = Reader(name="toy", make=lambda path: path.write_text("good"), use=use)
    toy = Server(reader, tmp_path, cases={name: {"": name.removesuffix(" again").encode()} for name in CASES})
    found = list(toy.outcomes(list(CASES)))
    assert {outcome.input: outcome.kind for outcome in found} == CASES
    assert [outcome.input for outcome in found if outcome.failed] == ["raised", "nested", "memory", "crashed", "hung"]


def test_another_answer_of_an_own_format_is_wrong_unless_it_was_sealed_again(tmp_path):
    def first_line(path):
        return path.read_bytes()[:1]

    def reader(**how):
        return Reader(name="toy", make=lambda path: path.write_bytes(bytes(range(8))), use=first_line, **how)

    def kinds(**how):
        return {outcome.kind for outcome in Server(reader(**how), tmp_path).outcomes(range(60))}

    assert kinds(own=False) == {SAME, DIFFERENT}
    assert kinds(own=True) == {SAME, WRONG}
    assert kinds(own=True, reseal=lambda path: None) == {SAME, WRONG, DIFFERENT}


def test_a_reader_with_changing_answers_is_refused(tmp_path):
    reader = Reader(name="toy", make=lambda path: path.write_text("x"), use=lambda path: random.random())
    with pytest.raises(AssertionError, match="two answers of the same seed differ"):
        Server(reader, tmp_path)


SEEDS = {
    "text": b"3 2\na 0.5 1\nb 1 2\nc 3 4\n",
    "json": b'{"a": [1, 2, {"b": "c"}], "d": 1.5}',
    "binary": bytes(range(256)),
    "empty": b"",
}


@pytest.mark.parametrize("name", SEEDS)
def test_an_input_is_its_number(name):
    def made(number):
        return mutated({"": SEEDS[name]}, random.Random(f"{name}/{number}"))

    inputs = [made(number) for number in range(300)]
    assert inputs == [made(number) for number in range(300)]
    assert len({tuple(sorted(files.items())) for files in inputs}) > 15
    assert sum(files == {"": SEEDS[name]} for files in inputs) < (30 if SEEDS[name] else 150)


def test_folders_lose_and_gain_files():
    files = {"config.json": SEEDS["json"], "model": SEEDS["binary"]}
    names = {frozenset(mutated(files, random.Random(number))) for number in range(400)}
    assert frozenset(files) in names
    assert len(names) > 4
