"""Vectors that were written come back: any words, any finite numbers, every format and precision."""

import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from firth.errors import FormatError
from firth.loading import load
from firth.vectors.word_vectors import WordVectors

NUMBER_AT_THE_END = re.compile(r" [+-]?(\d+\.\d*|\.\d+|\d+(\.\d*)?e[+-]?\d+|nan|inf)$", re.IGNORECASE)
WRITABLE = {  # the formats of words and vectors alone; those of n-grams have tests of their own
    "firth": lambda word: True,
    "word2vec": lambda word: "\n" not in word and not NUMBER_AT_THE_END.search(word),
    "glove": lambda word: "\n" not in word and " " not in word,
    "word2vec-binary": lambda word: "\n" not in word and " " not in word,
}
# Digits and spaces are likelier than chance would have them: they are what a reader can stumble over.
WORD = st.text(
    st.one_of(st.sampled_from(" 0.5e-\t\r\N{NO-BREAK SPACE}"), st.characters(exclude_categories=["Cs"])), max_size=8
)


@st.composite
def vectors(draw, dtypes=(np.float16, np.float32, np.float64)):
    words = draw(st.lists(WORD, unique=True, min_size=1, max_size=6))
    dtype = draw(st.sampled_from(dtypes))
    width = np.dtype(dtype).itemsize * 8
    finite = st.floats(allow_nan=False, allow_infinity=False, width=width)
    matrix = draw(arrays.arrays(dtype, (len(words), draw(st.integers(1, 5))), elements=finite))
    return WordVectors(words, matrix)


def round_trip(made: WordVectors, format: str, packed: bool) -> WordVectors:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("v.gz" if packed and format != "firth" else "v")
        made.save(path, format)
        again = load(path, format=format, dtype=made.vectors.dtype, dim=made.dim if format == "glove" else None)
        return WordVectors(list(again.words), np.array(again.vectors))


@pytest.mark.parametrize("format", WRITABLE)
@given(made=vectors(), packed=st.booleans())
@settings(max_examples=80, deadline=None)
def test_round_trip_to_the_bit(format, made, packed):
    keep = [row for row, word in enumerate(made.words) if WRITABLE[format](word)]
    made = WordVectors([made.words[row] for row in keep], made.vectors[keep].reshape(len(keep), made.dim))
    if not keep and format == "glove":
        return  # an empty file is no GloVe file
    if format == "word2vec-binary":  # which has single precision only
        with np.errstate(over="ignore"):
            single = made.vectors.astype(np.float32)
        made = WordVectors(made.words, np.where(np.isfinite(single), single, 0))
    again = round_trip(made, format, packed)
    assert again.words == made.words
    assert again.vectors.tobytes() == made.vectors.tobytes()


@pytest.mark.parametrize("format", [format for format in WRITABLE if format != "firth"])
@given(made=vectors(dtypes=(np.float32,)))
@settings(max_examples=60, deadline=None)
def test_words_that_do_not_fit_are_refused_before_anything_is_written(format, made):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "v"
        if all(map(WRITABLE[format], made.words)):
            made.save(path, format)
            assert path.exists()
        else:
            with pytest.raises(FormatError, match="which"):
                made.save(path, format)
            assert list(Path(folder).iterdir()) == []


def read_or_refuse(path: Path, format: str | None) -> WordVectors | str:
    try:
        return load(path, format=format)
    except FormatError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore:.* ends the word on each line")
@given(
    content=st.one_of(st.binary(max_size=200), st.text(st.sampled_from("ab 01.-\n\te"), max_size=80).map(str.encode))
)
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read_or_refused_in_one_sentence(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "v"
        path.write_bytes(content)
        for format in (None, "word2vec", "word2vec-binary", "glove"):
            read = read_or_refuse(path, format)
            if isinstance(read, WordVectors):
                assert np.isfinite(read.vectors).all()
                assert len(set(read.words)) == len(read.words) == len(read.vectors)
            else:
                assert str(path) in read
                assert "\n" not in read


@given(made=vectors(dtypes=(np.float32,)), format=st.sampled_from(["word2vec", "word2vec-binary"]), data=st.data())
@settings(max_examples=80, deadline=None)
def test_no_part_of_a_file_passes_for_the_whole(made, format, data):
    """Cut before its last number a text file is refused, and a binary one anywhere."""
    keep = [row for row, word in enumerate(made.words) if WRITABLE[format](word)]
    made = WordVectors([made.words[row] for row in keep], made.vectors[keep].reshape(len(keep), made.dim))
    if not keep:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "v"
        made.save(path, format)
        whole = path.read_bytes()
        last = len(whole) - 1 if format == "word2vec-binary" else whole.rindex(b" ")
        path.write_bytes(whole[: data.draw(st.integers(0, last))])
        with pytest.raises(FormatError):
            load(path, format=format)
