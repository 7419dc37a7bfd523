"""Bad input to instruments that have files of their own: one sentence, exit status 1."""

import pytest

from tests.robustness.command import Command


@pytest.mark.parametrize(
    ("content", "flags", "message"),
    [
        (b"", [], "text.txt: empty"),
        (b"\n \n", [], "text.txt: empty"),
        (b"caf\xe9\n", [], "text.txt line 1: not UTF-8"),
        (b"one two\n", ["--patterns", "3"], "patterns=3: none in 1 examples"),
        (b"one two\n", ["--patterns", "words"], "patterns='words': expected line, or a whole number"),
        (b"one two\n", ["--patterns", "0"], "patterns=0"),
        (b"one two\n", ["--tokens", "letters", "--patterns", "1"], "tokens='letters': expected one of"),
        (b"one two\n", ["--resamples", "0"], "resamples=0"),
    ],
)
def test_diversity_of_what_is_none(firth: Command, content, flags, message):
    (firth.folder / "text.txt").write_bytes(content)
    assert message in firth("diversity", "text.txt", *flags).complaint


def test_diversity_of_a_file_that_is_not_there(firth: Command):
    assert "none.txt" in firth("diversity", "none.txt").complaint
