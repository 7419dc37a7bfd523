"""Word vectors through fastText's models and back; what fastText itself makes of them is a peer's test."""

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.loading import load, load_vectors
from firth.vectors.character_ngrams import Hashing
from firth.vectors.io import fasttext
from firth.vectors.io.detect import detect
from firth.vectors.io.fasttext import Arguments, FastTextFile
from firth.vectors.restore import from_fasttext
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors
from tests.unit.vectors.io.subwords import same, some


def test_there_and_back(tmp_path):
    vectors = some()
    vectors.save(tmp_path / "m.bin", "fasttext")
    assert detect(tmp_path / "m.bin") == "fasttext"
    again = load(tmp_path / "m.bin")
    same(vectors, again)
    assert again.counts.tolist() == vectors.counts.tolist()
    assert np.array_equal(again.output_vectors, vectors.output_vectors)
    assert again.ngrams.used is None
    assert again.metadata["name"] == "m"


def test_what_fasttext_would_do_with_options_is_kept(tmp_path):
    """The options of a model that came from a file go into the next; those of a training go where there is room."""
    vectors = some()
    vectors.metadata["training"] = {"options": {"architecture": "cbow", "window": 7, "objective": "softmax"}}
    vectors.save(tmp_path / "m.bin", "fasttext")
    arguments = fasttext.read(tmp_path / "m.bin").arguments
    assert (arguments.model, arguments.window, arguments.loss) == ("cbow", 7, "softmax")
    assert (arguments.min_n, arguments.max_n, arguments.buckets) == (2, 4, 500)
    load(tmp_path / "m.bin").save(tmp_path / "again.bin", "fasttext")
    assert (tmp_path / "again.bin").read_bytes() == (tmp_path / "m.bin").read_bytes()


def test_through_a_folder_of_ours(tmp_path):
    some().save(tmp_path / "m.bin", "fasttext")
    load(tmp_path / "m.bin").save(tmp_path / "v.firth")
    assert len(load(tmp_path / "v.firth").ngrams.matrix) == len(some().ngrams.matrix)  # no rows of zeros
    load(tmp_path / "v.firth").save(tmp_path / "again.bin", "fasttext")
    assert (tmp_path / "again.bin").read_bytes() == (tmp_path / "m.bin").read_bytes()


@pytest.mark.parametrize("lengths", [False, True])
def test_codes_there_and_back(lengths, tmp_path):
    """Buckets out of order in the file, as fastText writes them, are put in order."""
    codes = some().quantise(lengths=lengths)
    codes.save(tmp_path / "m.ftz", "fasttext")
    same(codes, load(tmp_path / "m.ftz"))
    file = fasttext.read(tmp_path / "m.ftz")
    turned = file.pruned[::-1].copy()
    order = np.concatenate([np.arange(5), 5 + turned[:, 1]])
    turned[:, 1] = np.arange(len(turned))
    parts = {**vars(file), "pruned": turned, "input": file.input.part(order)}
    fasttext.write(FastTextFile(**parts), tmp_path / "turned.ftz")
    same(codes, load(tmp_path / "turned.ftz"))


def test_words_without_n_grams(tmp_path):
    plain = WordVectors(["a", "b"], np.array([[1, 2], [3, 4]], dtype=np.float32))
    plain.save(tmp_path / "m.bin", "fasttext")
    again = load_vectors(tmp_path / "m.bin")
    assert again["b"].tolist() == [3, 4]
    assert "c" not in again
    assert fasttext.read(tmp_path / "m.bin").counts.tolist() == [1, 1]


@pytest.mark.parametrize("format", ["word2vec", "glove", "word2vec-binary"])
def test_formats_without_a_place_for_n_grams_take_the_words_and_say_so(tmp_path, format):
    vectors = some(words=["the", "walking"])
    with pytest.warns(UserWarning, match=f"{format} has no place for n-grams.*fastText's .bin keeps them") as told:
        vectors.save(tmp_path / "v.txt", format)
    assert len(told) == 1
    again = load(tmp_path / "v.txt")
    assert isinstance(again, WordVectors)
    assert np.array_equal(again.vectors, vectors.vectors)


def test_a_name_in_bin_means_fasttexts_own_format_where_there_are_subwords(tmp_path):
    vectors = some(words=["the", "walking"])
    vectors.save(tmp_path / "m.bin")
    assert np.allclose(load(tmp_path / "m.bin")["walked"], vectors["walked"], atol=1e-6)
    vectors.known.save(tmp_path / "w.bin")
    assert isinstance(load(tmp_path / "w.bin"), WordVectors)


def test_what_cannot_be_a_model(tmp_path):
    with pytest.raises(OptionError, match="table of floret's, which fastText cannot read"):
        some(Hashing(2, 3, 50, 2)).save(tmp_path / "m.bin", "fasttext")
    with pytest.raises(FormatError, match="no words: fastText opens no model without any"):
        WordVectors([], np.empty((0, 3), dtype=np.float32)).save(tmp_path / "m.bin", "fasttext")
    with pytest.raises(OptionError, match="is a folder; expected the name of a file to write as fasttext"):
        some().save(tmp_path, "fasttext")
    assert list(tmp_path.iterdir()) == []


def test_numbers_that_are_not_finite(tmp_path):
    """A file may hold anything; a vector of a word may not."""
    vectors = some()
    vectors.own[2, 1] = np.inf
    vectors.save(tmp_path / "m.bin", "fasttext")
    with pytest.raises(FormatError, match="the vector of '東京': number 2 is inf"):
        load(tmp_path / "m.bin")


def test_a_model_packed_with_gzip_is_not_mapped(tmp_path):
    import gzip

    some().save(tmp_path / "m.bin", "fasttext")
    (tmp_path / "m.bin.gz").write_bytes(gzip.compress((tmp_path / "m.bin").read_bytes()))
    with pytest.raises(FormatError, match="a compressed fastText model; unpack it"):
        load(tmp_path / "m.bin.gz")


def test_an_empty_range_of_n_grams_is_none():
    """fastText's maxn below minn means words alone."""
    file = FastTextFile(
        arguments=Arguments(dim=1, min_n=3, max_n=2, buckets=0), words=["a"], counts=np.ones(1, np.int64), labels=[],
        label_counts=np.zeros(0, np.int64), tokens=1, input=np.ones((1, 1), np.float32),
        output=np.ones((1, 1), np.float32),
    )  # fmt: skip
    found = from_fasttext(file, "m")
    assert isinstance(found, SubwordVectors)
    assert found["a"].tolist() == [1]
