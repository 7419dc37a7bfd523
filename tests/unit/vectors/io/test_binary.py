"""Binary word2vec vectors, byte by byte."""

import gzip

import numpy as np
import pytest

from firth.errors import FormatError
from firth.loading import load
from firth.vectors.io import binary
from firth.vectors.word_vectors import WordVectors

ONE_TWO, THREE_FOUR = (np.array(pair, dtype="<f4").tobytes() for pair in ([1, 2], [3, 4]))


def loaded(tmp_path, content: bytes, format=None, **how) -> WordVectors:
    path = tmp_path / "v.bin"
    path.write_bytes(content)
    return load(path, format=format, **how)


@pytest.mark.parametrize("newline", [b"", b"\n"], ids=["gensim", "word2vec.c"])
def test_records(tmp_path, newline):
    vectors = loaded(tmp_path, b"2 2\nthe " + ONE_TWO + newline + "café ".encode() + THREE_FOUR + newline)
    assert (vectors.words, vectors.vectors.tolist()) == (["the", "café"], [[1, 2], [3, 4]])


def test_numbers_that_look_like_spaces_and_newlines(tmp_path):
    numbers = np.frombuffer(b"  \n \n\n 1\n\n\n\n 1 1", dtype="<f4")
    vectors = WordVectors(["a", "b"], np.stack([numbers, numbers[::-1]]))
    vectors.save(tmp_path / "v.bin", "word2vec-binary")
    again = load(tmp_path / "v.bin", format="word2vec-binary")
    assert again.vectors.tobytes() == vectors.vectors.tobytes()


@pytest.mark.parametrize("block", [1, 3, 8, 1000])
def test_records_across_blocks(tmp_path, block, monkeypatch):
    monkeypatch.setattr(binary, "BLOCK", block)
    vectors = WordVectors([f"word{i}" for i in range(50)], np.arange(350, dtype=np.float32).reshape(50, 7))
    vectors.save(tmp_path / "v.bin.gz", "word2vec-binary")
    again = load(tmp_path / "v.bin.gz")
    assert again.words == vectors.words
    assert np.array_equal(again.vectors, vectors.vectors)


def test_what_is_written(tmp_path):
    WordVectors(["a", "b"], [[1.0, 2.0], [3.0, 4.0]]).save(tmp_path / "v.bin", "word2vec-binary")
    assert (tmp_path / "v.bin").read_bytes() == b"2 2\na " + ONE_TWO + b"b " + THREE_FOUR


def test_limit_and_precision(tmp_path):
    vectors = loaded(tmp_path, b"2 2\na " + ONE_TWO + b"b broken", "word2vec-binary", limit=1, dtype="float16")
    assert (vectors.words, vectors.vectors.dtype) == (["a"], np.float16)


def test_broken_text(tmp_path):
    content = b"1 2\ncaf\xc3 " + ONE_TWO
    with pytest.raises(FormatError, match=r"v\.bin record 1: the word b'caf\\xc3' is not utf-8"):
        loaded(tmp_path, content)
    assert loaded(tmp_path, content, errors="ignore").words == ["caf"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            b"2 2\na " + ONE_TWO + b"b " + THREE_FOUR[:-1],
            "v.bin: 1 whole vectors, the header states 2; the file is cut",
        ),
        (b"2 2\na " + ONE_TWO, "v.bin: 1 whole vectors, the header states 2"),
        (b"1 2\na " + ONE_TWO + b"b " + THREE_FOUR, "v.bin: 10 or more bytes after 1 vectors"),
        (b"2 2\na " + ONE_TWO + b"a " + THREE_FOUR, "v.bin record 2: the word 'a' for the second time"),
        (b"1 1\na " + np.array([np.nan], "<f4").tobytes(), "v.bin record 1: number 1 is nan as float32"),
        (b"1 1\n" + b"x" * 70_000, "v.bin record 1: no space in 65,536 bytes"),
        (b"junk\n", "v.bin line 1: b'junk"),
    ],
)
def test_wrong_content(tmp_path, content, told):
    with pytest.raises(FormatError, match=told):
        loaded(tmp_path, content, "word2vec-binary")


def test_a_damaged_gzip_file(tmp_path):
    packed = gzip.compress(b"2 2\na " + ONE_TWO + b"b " + THREE_FOUR, mtime=0)
    with pytest.raises(FormatError, match="damaged packed data"):
        loaded(tmp_path, packed[:-9])
    with pytest.raises(FormatError, match="damaged packed data"):
        loaded(tmp_path, packed[:20] + b"????" + packed[24:])


def test_numbers_too_large_for_single_precision(tmp_path):
    with pytest.raises(FormatError, match="the vector of 'a': number 1 is inf as float32"):
        WordVectors(["a"], np.array([[1e300]])).save(tmp_path / "v.bin", "word2vec-binary")


@pytest.mark.parametrize("word", ["New York", "a\nb", " "])
def test_words_that_the_format_cannot_hold(tmp_path, word):
    with pytest.raises(FormatError, match="contains a space or a newline"):
        WordVectors([word], [[1.0]]).save(tmp_path / "v.bin", "word2vec-binary")
    assert not (tmp_path / "v.bin").exists()
