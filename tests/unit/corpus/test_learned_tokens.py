"""Tokens learned from the text that is read: what they are, how many, and that every kind of source is read twice."""

import io
import os
import sys
import threading
from pathlib import Path

import pytest

import firth
from firth.corpus import learned_tokens
from firth.corpus.learned_tokens import sample_evenly, vocabulary_size
from firth.errors import CorpusError, OptionError
from firth.text.subwords import Subwords

pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "english"
LINES = (GOLDEN / "text.txt").read_text(encoding="utf-8").splitlines()[:400]


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_subwords_are_those_of_a_tokeniser_trained_on_the_same_lines():
    """With counts of at least 3, and 256 + 2 sqrt(characters) of them."""
    corpus = firth.Corpus.build(LINES, tokens="subwords", min_count=3)
    size = vocabulary_size(sum(map(len, LINES)))
    expected = Subwords.train(LINES, size, min_count=3)
    assert Subwords(corpus.options.described()["tokens"]) == expected
    assert list(corpus) == [expected.tokenize(line) for line in LINES if line]
    assert expected.join(next(iter(corpus))) == LINES[0]
    assert corpus.vocabulary.oov_share == 0
    assert corpus.characters == sum(map(len, LINES))


def test_the_size_can_be_given():
    corpus = firth.Corpus.build(LINES, tokens="subwords", max_size=300)
    assert len(Subwords(corpus.options.described()["tokens"])) == 300
    for tokens in ("subwords", "characters"):
        with pytest.raises(OptionError, match=f"max_size=256 with tokens='{tokens}': expected at least 257"):
            firth.Corpus.build(LINES, tokens=tokens, max_size=256)


def test_characters_are_tokens_and_rare_ones_bytes():
    """Of é, 東 and 😀 the first two occur twice: a token each; the last stays four bytes."""
    corpus = firth.Corpus.build(["né été 東", "東 😀!"], tokens="characters", min_count=2)
    tokens = Subwords(corpus.options.described()["tokens"])
    assert tokens.unit == "characters"
    first, second = corpus
    assert [tokens.join([token]) for token in first] == list("né été 東")
    assert [tokens.join([token]) for token in second[:2]] == ["東", " "]
    assert len(second) == 2 + 4 + 1
    assert tokens.join(second) == "東 😀!"


def _fill(pipe: int, text: str) -> None:
    with os.fdopen(pipe, "w", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.parametrize("tokens", ["subwords", "characters"])
def test_every_source_gives_the_same_corpus(tokens, monkeypatch):
    text = "\n".join(LINES)
    Path("text.txt").write_text(text, encoding="utf-8")
    expected = firth.Corpus.build("text.txt", tokens=tokens)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    sources = [LINES, (line for line in LINES), {"text": LINES}, "-", [text]]
    if Path("/dev/fd").exists():  # what the shell's <(...) hands over
        pipe, end = os.pipe()
        threading.Thread(target=_fill, args=(end, text)).start()
        sources.append(f"/dev/fd/{pipe}")
    for source in sources:
        found = firth.Corpus.build(source, tokens=tokens)
        assert list(found) == list(expected)
        assert found.options == expected.options


def test_a_second_build_learns_nothing(monkeypatch):
    Path("text.txt").write_text("\n".join(LINES), encoding="utf-8")
    first = firth.Corpus.build("text.txt", tokens="subwords")
    monkeypatch.setattr(learned_tokens, "_learned", None)
    assert firth.Corpus.build("text.txt", tokens="subwords").path == first.path


def test_lists_of_tokens_keep_their_tokens():
    corpus = firth.Corpus.build([["a b", "c"], ["a b", "d"]], tokens="subwords", min_count=1)
    assert list(corpus) == [["a b", "c"], ["a b", "d"]]


def test_names_in_any_case_and_words_that_do_not_fit():
    assert firth.Corpus.build(LINES, tokens="Subwords", max_size=300).characters
    with pytest.raises(OptionError, match="stop_words with tokens='subwords', which are no words"):
        firth.Corpus.build(LINES, tokens="subwords", stop_words=["the"])
    with pytest.raises(CorpusError, match="empty"):
        firth.Corpus.build([""], tokens="subwords")
    with pytest.raises(OptionError, match="max_size=68 with tokens='cased-wordpieces': expected at least 69"):
        firth.Corpus.build(LINES, tokens="cased-wordpieces", max_size=68)


@pytest.mark.parametrize(
    ("characters", "size"), [(0, 257), (10_000, 456), (10**6, 2256), (10**8, 20_256), (10**10, 32_000)]
)
def test_sizes(characters, size):
    assert vocabulary_size(characters) == size


def test_a_long_text_is_learned_from_in_part():
    """A hundred texts of ten characters, of which at most 250 characters are kept: every fourth text."""
    texts = [f"{i:010}" for i in range(100)]
    assert sample_evenly(iter(texts), 250) == (texts[::4], 1000)
    assert sample_evenly(iter(texts), 1000) == (texts, 1000)
    assert sample_evenly(iter(["long" * 100]), 10) == (["long" * 100], 400)
