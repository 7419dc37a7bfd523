"""Formats are told from content."""

import gzip
import pickle

import numpy as np
import pytest

from firth.errors import FormatError
from firth.vectors.io.detect import detect


def numbers(*values: float) -> bytes:
    return np.array(values, dtype="<f4").tobytes()


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"2 3\nthe 1 2 3\nof 4 5 6\n", "word2vec"),
        (b"2 3 \nNew York 1 2 3\nof 4 5 6\n", "word2vec"),
        (b"2 3\n  1 2 3\nof 4 5 6\n", "word2vec"),
        (b"2 3\nthe 1 2\nof 4 5 6\n", "word2vec"),  # damaged, but no other format
        (b"2 3\nthe 1 x 3\nof 4 5 6\n", "word2vec"),
        (b"0 3\n", "word2vec"),
        ("1 2\n東京 1 2\n".encode(), "word2vec"),
        (b"1 2\ncaf\xe9 1 2\n", "word2vec"),
        (b"2 3\nthe " + numbers(0.1, -0.2, 0.3) + b"\nof " + numbers(1, 2, 3), "word2vec-binary"),
        (b"1 3\nthe " + numbers(0, 0, 0), "word2vec-binary"),
        (b"1 1\nthe " + numbers(0.123), "word2vec-binary"),
        (b"the 1 2 3\nof 4 5 6\n", "glove"),
        (b"1999 1 2 3\n", "glove"),
        (b"5 3\nthe 0.5\n", "glove"),
        (b"New York 1 2\n", "glove"),
        (b" 1.5 2\n", "glove"),
        (b"1999 1 2 3 4 5 0.5 6\n", "glove"),
        (b"3 2 2 3 1 2166136261 < >\n0 1 2 \n", "floret"),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_formats(tmp_path, content, format, zipped):
    path = tmp_path / "v"
    path.write_bytes(gzip.compress(content) if zipped else content)
    assert detect(path) == format


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "an empty file, expected vectors"),
        (pickle.dumps({"a": 1}), "a pickle, which could run any code"),
        (b"PK\x03\x04...", "not a readable zip archive"),
        (bytes(range(256)), "line 1: .*expected vectors"),
        (b"Call me Ishmael.\n", "line 1: 'Call me Ishmael.', expected vectors"),
    ],
)
def test_something_else(tmp_path, content, told):
    path = tmp_path / "v"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=told):
        detect(path)


def test_a_folder(tmp_path):
    with pytest.raises(FormatError, match="is a folder without firth vectors"):
        detect(tmp_path)
