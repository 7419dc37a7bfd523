"""What a corpus holds equals what a few lines of plain Python say it should."""

import gzip
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firth import Corpus
from firth.errors import CorpusError
from firth.text.tokenise import REFERENCES

SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Few words, so that counts tie and repeat; some lines are blank.
lines = st.lists(
    st.lists(st.sampled_from(["a", "b", "The", "the", "café", "cafe\u0301", "internationally", "3.14", "---"])).map(
        " ".join
    ),
    min_size=1,
    max_size=12,
)
options = st.fixed_dictionaries(
    {
        "min_count": st.integers(1, 3),
        "max_size": st.one_of(st.none(), st.integers(1, 4)),
        "stop_words": st.sampled_from([(), ("the", "a")]),
    }
)


def oracle(sentences: list[list[str]], options: dict[str, Any]) -> tuple[list[str], list[int], int, list[list[str]]]:
    counts = Counter(token for sentence in sentences for token in sentence)
    kept = [word for word in counts if counts[word] >= options["min_count"] and word not in options["stop_words"]]
    words = sorted(kept, key=lambda word: (-counts[word], word))[: options["max_size"]]
    inside = [[token for token in sentence if token in words] for sentence in sentences]
    return words, [counts[word] for word in words], counts.total(), [sentence for sentence in inside if sentence]


def check(source: Any, wanted: list[list[str]], options: dict[str, Any], texts: bool = False, **how: Any) -> None:
    words, counts, total, inside = oracle(wanted, options)
    with tempfile.TemporaryDirectory() as cache:
        # Texts of one word each are refused: they are a sentence's tokens without a list of their own.
        if not words or (texts and 1 < len(inside) == sum(map(len, inside))):
            with pytest.raises(CorpusError):
                Corpus.build(source, cache=cache, **options, **how)
            assert not list(Path(cache).iterdir())
            return
        corpus = Corpus.build(source, cache=cache, **options, **how)
        assert corpus.vocabulary.words == words
        assert corpus.vocabulary.counts.tolist() == counts
        assert corpus.vocabulary.total == total
        assert list(corpus) == inside
        assert corpus.num_tokens == sum(map(len, inside))
        assert len(corpus) == len(inside)


def tokens_of(texts: list[str], tokens: str = "unicode") -> list[list[str]]:
    return [REFERENCES[tokens](text) for text in texts]


@SETTINGS
@given(lines, options, st.sampled_from(list(REFERENCES)), st.booleans())
def test_a_file(lines: list[str], options: dict[str, Any], tokens: str, compressed: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("text.txt.gz" if compressed else "text.txt")
        data = "\n".join(lines).encode()
        path.write_bytes(gzip.compress(data) if compressed else data)
        check(path, tokens_of(lines, tokens), options, tokens=tokens)


@SETTINGS
@given(lines, options)
def test_texts_and_functions_as_tokenisers(lines: list[str], options: dict[str, Any]) -> None:
    # The same rules as a function of the caller's take another way through the code.
    check(lines, tokens_of(lines), options, texts=True)
    check(lines, tokens_of(lines), options, texts=True, tokens=REFERENCES["unicode"])


@SETTINGS
@given(lines, options)
def test_token_lists(lines: list[str], options: dict[str, Any]) -> None:
    sentences = [line.split() for line in lines]
    check(iter(sentences), sentences, options)


@SETTINGS
@given(lines, options, st.sampled_from(["unicode", REFERENCES["unicode"]]), st.booleans())
def test_paragraphs(
    lines: list[str], options: dict[str, Any], tokens: str | Callable[[str], list[str]], in_memory: bool
) -> None:
    def paragraphs() -> Iterator[list[str]]:
        paragraph: list[str] = []
        for line in [*lines, ""]:
            if line.strip():
                paragraph += REFERENCES["unicode"](line)
            else:
                yield paragraph
                paragraph = []

    how: dict[str, Any] = {"tokens": tokens, "sentences": "paragraph"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text("\n".join(lines), encoding="utf-8")
        check(["\n".join(lines)] if in_memory else path, list(paragraphs()), options, texts=in_memory, **how)


@SETTINGS
@given(lines, options, st.sampled_from(["unicode", REFERENCES["unicode"]]))
def test_a_splitter(lines: list[str], options: dict[str, Any], tokens: Any) -> None:
    text = ". ".join(lines)
    wanted = tokens_of(text.split(". "))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text(text, encoding="utf-8")
        check(path, wanted, options, tokens=tokens, sentences=lambda text: text.split(". "))
