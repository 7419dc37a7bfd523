import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError

VECTORS = firth.WordVectors(["a", "b c", "naïve"], np.arange(6, dtype=np.float32).reshape(3, 2))


def test_the_name_gives_a_real_npy_with_words_beside_it(tmp_path):
    VECTORS.save(tmp_path / "v.npy")
    assert np.load(tmp_path / "v.npy").tolist() == VECTORS.vectors.tolist()
    assert (tmp_path / "v.words.txt").read_text(encoding="utf-8") == "a\nb c\nnaïve\n"
    back = firth.load(tmp_path / "v.npy")
    assert back.words == VECTORS.words
    np.testing.assert_array_equal(back.vectors, VECTORS.vectors)
    assert not back.vectors.flags.writeable  # it is mapped
    assert firth.load(tmp_path / "v.npy", limit=2).words == ["a", "b c"]
    VECTORS.save(tmp_path / "v.npy", dtype="float16")  # replaces its own
    assert np.load(tmp_path / "v.npy").dtype == np.float16


def test_nothing_else_is_replaced(tmp_path):
    np.save(tmp_path / "labels.npy", np.ones(3))
    with pytest.raises(OptionError, match="holds something else"):
        VECTORS.save(tmp_path / "labels.npy")
    (tmp_path / "v.words.txt").write_text("my own list")
    with pytest.raises(OptionError, match="holds something else"):
        VECTORS.save(tmp_path / "v.npy")
    with pytest.raises(OptionError, match=r"npy is not packed; leave \.gz out"):
        VECTORS.save(tmp_path / "v.npy.gz")


def test_damage(tmp_path):
    np.save(tmp_path / "v.npy", VECTORS.vectors)
    with pytest.raises(FormatError, match=r"expected v\.words\.txt beside it"):
        firth.load(tmp_path / "v.npy")
    (tmp_path / "v.words.txt").write_text("a\nb\n")
    with pytest.raises(FormatError, match="3 rows for the 2 words of"):
        firth.load(tmp_path / "v.npy")
    np.save(tmp_path / "v.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(FormatError, match="not a matrix of numbers"):
        firth.load(tmp_path / "v.npy")
    (tmp_path / "v.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', (" + b" " * 100)
    with pytest.raises(FormatError, match="not a matrix of numbers"):
        firth.load(tmp_path / "v.npy")
    with pytest.raises(FormatError, match="contains a newline"):
        firth.WordVectors(["a\nb"], [[1.0]]).save(tmp_path / "w.npy")
    assert not (tmp_path / "w.npy").exists()
