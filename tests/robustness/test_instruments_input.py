"""Bad input to instruments that have files of their own: one sentence, exit status 1."""

import numpy as np
import pytest

from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command


@pytest.mark.parametrize(
    ("content", "flags", "message"),
    [
        (b"", [], "text.txt: empty"),
        (b"\n \n", [], "text.txt: empty"),
        (bytes(range(128, 256)) + b"\n", [], "text.txt line 1: not UTF-8"),
        (b"one two\n", ["--patterns", "3"], "--patterns 3: none in 1 examples"),
        (b"one two\n", ["--patterns", "words"], "--patterns words: expected line, or a whole number"),
        (b"one two\n", ["--patterns", "0"], "--patterns 0"),
        (b"one two\n", ["--tokens", "letters", "--patterns", "1"], "--tokens letters: expected one of"),
        (b"one two\n", ["--resamples", "0"], "--resamples 0"),
    ],
)
def test_diversity_of_what_is_none(firth: Command, content, flags, message):
    (firth.folder / "text.txt").write_bytes(content)
    assert message in firth("diversity", "text.txt", *flags).complaint


def test_diversity_of_a_file_that_is_not_there(firth: Command):
    assert "none.txt" in firth("diversity", "none.txt").complaint


CONTEXTS = {
    "mine.data.txt": "bank\tN\t0-0\tbank loan\tbank river\n",
    "mine.gold.txt": "F\n",
    "train.data.txt": "bank\tN\t0-0\tbank loan\tbank river\n",
    "train.gold.txt": "F\n",
}
SUBSTITUTES = {"mine.gold": "bank.n 1 :: shore 2;side 1;\n", "mine.preprocessed": "bank.n\t1\t1\tthe bank of rivers\n"}


@pytest.fixture
def judge(firth: Command):
    """Judge vectors that know three words, or none of a set's, by a suite's file."""

    def judge(item: str, files: dict[str, str], words: tuple[str, ...] = ("x", "y", "z")):
        for name, text in files.items():
            (firth.folder / name).write_text(text, encoding="utf-8")
        WordVectors(words, np.eye(3, dtype=np.float32)).save(firth.folder / "v.firth")
        return firth("evaluate", "v.firth", "--suite", item)

    return judge


@pytest.mark.parametrize("policy", ["skip", "count"])
@pytest.mark.parametrize(
    ("item", "files"), [("context:mine.data.txt", CONTEXTS), ("substitution:mine.gold", SUBSTITUTES)]
)
def test_a_set_without_a_known_word_is_no_figure(firth: Command, judge, item, files, policy):
    judge(item, files)
    ended = firth("evaluate", "v.firth", "--suite", item, "--unknown", policy)
    assert (ended.status, bool(ended.err)) == (0, True)
    assert all("no item has all its words in" in line for line in ended.err.splitlines())
    assert "0/1" in ended.out
    assert ("-" in ended.out.splitlines()[1].split()) == (policy == "skip")


@pytest.mark.parametrize(
    ("item", "files", "message"),
    [
        ("context:mine.data.txt", {**CONTEXTS, "mine.gold.txt": "F\nT\n"}, "mine.gold.txt: 2 answers for 1 pairs"),
        (
            "context:mine.data.txt",
            {**CONTEXTS, "train.gold.txt": "no\n"},
            "train.gold.txt line 1: 'no', expected T or F",
        ),
        ("context:mine.data.txt", {"mine.data.txt": CONTEXTS["mine.data.txt"]}, "no mine.gold.txt beside it"),
        ("substitution:mine.gold", {"mine.gold": SUBSTITUTES["mine.gold"]}, "mine.preprocessed beside it"),
        ("substitution:mine.gold", {**SUBSTITUTES, "mine.gold": "bank.n 1 shore\n"}, "mine.gold line 1: expected"),
    ],
)
def test_a_malformed_set_says_where(judge, item, files, message):
    assert message in judge(item, files).complaint
