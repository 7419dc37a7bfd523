"""word2vec files with gensim's arguments."""

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.vectors.word_vectors import WordVectors


@pytest.fixture
def vectors() -> WordVectors:
    return WordVectors(["a", "b", "c"], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]], counts=[1, 9, 5])


@pytest.mark.parametrize("binary", [False, True])
def test_sorted_by_count_as_gensim_writes(vectors, tmp_path, binary):
    path = tmp_path / "v"
    vectors.save_word2vec_format(path, fvocab=tmp_path / "counts", binary=binary)
    assert (tmp_path / "counts").read_text() == "b 9\nc 5\na 1\n"
    again = WordVectors.load_word2vec_format(path, fvocab=tmp_path / "counts", binary=binary)
    assert again.words == ["b", "c", "a"]
    assert again.vectors.tolist() == [[3, 4], [5, 6.5], [1, 2]]
    assert again.counts.tolist() == [9, 5, 1]


def test_text(vectors, tmp_path):
    vectors.save_word2vec_format(tmp_path / "v", total_vec=7, prefix="*", sort_attr="none")
    assert (tmp_path / "v").read_text() == "7 2\n*a 1 2\n*b 3 4\n*c 5 6.5\n"
    vectors.save_word2vec_format(tmp_path / "v", append=True, write_header=False)
    assert (tmp_path / "v").read_text().endswith("*c 5 6.5\nb 3 4\nc 5 6.5\na 1 2\n")


def test_no_header(vectors, tmp_path):
    vectors.save_word2vec_format(tmp_path / "v.gz", write_header=False)
    again = WordVectors.load_word2vec_format(tmp_path / "v.gz", no_header=True, limit=2, datatype=np.float16)
    assert again.words == ["b", "c"]
    assert again.vectors.dtype == np.float16


def test_no_attribute_to_write(vectors, tmp_path):
    with pytest.raises(OptionError, match="no attribute 'rank' to write"):
        vectors.save_word2vec_format(tmp_path / "v", fvocab=tmp_path / "c", sort_attr="rank")


def test_wrong_arguments_and_files(vectors, tmp_path):
    vectors.save_word2vec_format(tmp_path / "v")
    with pytest.raises(OptionError, match="no_header=True with binary=True"):
        WordVectors.load_word2vec_format(tmp_path / "v", binary=True, no_header=True)
    for count in ("many", "9" * 19, "9" * 400):
        (tmp_path / "counts").write_text(f"b 9\nc {count}\n")
        with pytest.raises(FormatError, match=f"counts line 2: b'c {count[:4]}"):
            WordVectors.load_word2vec_format(tmp_path / "v", fvocab=tmp_path / "counts")
    (tmp_path / "counts").write_text("b 9\nc 5\n")
    with pytest.warns(UserWarning, match="no count for 1 of 3 words, such as 'a'; they count 0"):
        assert WordVectors.load_word2vec_format(tmp_path / "v", fvocab=tmp_path / "counts").counts.tolist() == [9, 5, 0]


def test_a_word_twice_keeps_its_first_vector(tmp_path):
    (tmp_path / "v").write_text("3 1\na 1\nb 2\na 3\n")
    with pytest.warns(UserWarning, match="'a' for the second time"):
        vectors = WordVectors.load_word2vec_format(tmp_path / "v")
    assert (vectors.words, vectors.vectors.tolist()) == (["a", "b"], [[1], [2]])
