"""`firth subwords` as a user runs it: round trips, and bad input in one sentence, exit status 1."""

import json

import pytest

from tests.robustness.command import Command

pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")

TEXT = "the cat sat on the mat\nthe dog sat on the log\n"


@pytest.fixture
def small(firth: Command) -> Command:
    (firth.folder / "text.txt").write_text(TEXT * 3, encoding="utf-8")
    (firth.folder / "empty.txt").write_text("", encoding="utf-8")
    (firth.folder / "lists.jsonl").write_text('{"text": ["the", "cat"]}\n', encoding="utf-8")
    return firth


@pytest.fixture
def pieces(small: Command) -> Command:
    made = small("subwords", "train", "text.txt", "-o", "pieces.json", "--size", "270", "--json")
    assert json.loads(made.out) == {"subwords": "pieces.json", "kind": "bpe", "pieces": 270}
    return small


def test_there_and_back(pieces: Command):
    for flags in ([], ["--ids"], ["--sample", "0.5"]):
        cut = pieces("subwords", "encode", "pieces.json", "text.txt", *flags)
        back = pieces("subwords", "decode", "pieces.json", *[flag for flag in flags if flag == "--ids"], stdin=cut.out)
        assert back.out == TEXT * 3
        assert cut.out != TEXT * 3


def test_json(pieces: Command):
    told = json.loads(pieces("subwords", "encode", "pieces.json", "--json", stdin="the mat\n").out)
    assert "".join(told["pieces"]) == "theĠmat"
    back = pieces("subwords", "decode", "pieces.json", "--ids", "--json", stdin=" ".join(map(str, told["ids"])))
    assert json.loads(back.out) == {"text": "the mat"}


def test_training_by_a_file_of_pieces(pieces: Command):
    trained = pieces("train", "skipgram", "text.txt", "-o", "v.firth", "--tokens", "pieces.json", "--min-count", "1",
                     "--dim", "4", "--epochs", "1", "--quiet")  # fmt: skip
    assert trained.status == 0, trained.err
    assert pieces("neighbours", "v.firth", "Ġthe").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "empty.txt"], "the texts are empty"),
        (["train", "nowhere.txt"], "no such file"),
        (["train", "lists.jsonl"], "expected"),
        (["train", "text.txt", "--size", "256"], "--size 256: expected at least 257"),
        (["train", "text.txt", "--kind", "words"], "--kind words: expected one of bpe, wordpiece, unigram"),
        (["train", "text.txt", "-"], "expected it alone"),
    ],
)
def test_nothing_to_learn_from(small: Command, arguments, message):
    assert message in small("subwords", *arguments, "-o", "out.json").complaint
    assert not (small.folder / "out.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encode", "text.txt", "text.txt"], "text.txt: not a tokeniser"),
        (["encode", "nowhere.json", "text.txt"], "nowhere.json: No such file"),
        (["encode", "pieces.json", "nowhere.txt"], "nowhere.txt: cannot be read"),
        (["encode", "pieces.json", "text.txt", "--sample", "2"], "expected a probability from 0 to 1"),
        (["decode", "pieces.json", "text.txt", "--ids"], "line 1 is 'the cat sat on the mat': expected numbers"),
    ],
)
def test_nothing_to_cut(pieces: Command, arguments, message):
    assert message in pieces("subwords", *arguments).complaint


def test_numbers_of_no_piece(pieces: Command):
    assert (
        "subword id 270: expected ids from 0 to 269"
        in pieces("subwords", "decode", "pieces.json", "--ids", stdin="270\n").complaint
    )


def test_pieces_that_are_none(pieces: Command):
    assert "'東'" in pieces("subwords", "decode", "pieces.json", stdin="the 東\n").complaint


def test_a_file_of_tokens_that_is_none(small: Command):
    (small.folder / "bad.json").write_text("{}", encoding="utf-8")
    ended = small("train", "skipgram", "text.txt", "-o", "v", "--tokens", "bad.json")
    assert "bad.json: not a tokeniser" in ended.complaint
