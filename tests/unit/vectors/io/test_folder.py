"""firth's own folder: what is in it, that it is mapped, that others open it, and what is said when it is damaged."""

import json
import shutil

import numpy as np
import pytest
import safetensors.numpy

from firth.errors import FormatError, MissingFileError, OptionError
from firth.loading import load
from firth.vectors.word_vectors import WordVectors


@pytest.fixture
def vectors() -> WordVectors:
    made = WordVectors(
        ["the", "a\nb", "", " ", "\udce9", "東京"],
        np.arange(18, dtype=np.float32).reshape(6, 3),
        counts=[9, 5, 4, 3, 2, 1],
        output_vectors=-np.arange(18, dtype=np.float32).reshape(6, 3),
        metadata={"name": "test", "training": {"epochs": 5}, "π": [1.5, None]},
    )
    made.set_vecattr("the", "length", 3)
    made.set_vecattr("the", "note", "article")
    return made


@pytest.fixture
def folder(vectors, tmp_path):
    vectors.save(tmp_path / "v.firth")
    return tmp_path / "v.firth"


def test_everything_comes_back(vectors, folder):
    again = load(folder)
    assert again.words == vectors.words
    assert np.array_equal(again.vectors, vectors.vectors)
    assert np.array_equal(again.output_vectors, vectors.output_vectors)
    assert again.metadata == vectors.metadata
    assert {name: values.tolist() for name, values in again.attributes.items()} == {
        "count": [9, 5, 4, 3, 2, 1],
        "length": [3, 0, 0, 0, 0, 0],
        "note": ["article", "", "", "", "", ""],
    }


def test_vectors_are_mapped_and_aligned(folder):
    again = load(folder)
    assert not again.vectors.flags.writeable
    assert not again.vectors.flags.owndata
    assert again.vectors.ctypes.data % 64 == 0


def test_the_safetensors_library_reads_it(vectors, folder):
    tensors = safetensors.numpy.load_file(folder / "model.safetensors")
    assert sorted(tensors) == ["attribute.length", "counts", "embeddings", "output_embeddings"]
    assert np.array_equal(tensors["embeddings"], vectors.vectors)
    assert tensors["counts"].dtype == np.int64


@pytest.mark.usefixtures("without_checksums")
def test_we_read_what_the_safetensors_library_writes(vectors, folder):
    tensors = safetensors.numpy.load_file(folder / "model.safetensors")
    safetensors.numpy.save_file(tensors, folder / "model.safetensors")
    assert np.array_equal(load(folder).vectors, vectors.vectors)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_precisions(vectors, tmp_path, dtype):
    vectors.save(tmp_path / "v", dtype=dtype)
    again = load(tmp_path / "v")
    assert again.vectors.dtype == again.output_vectors.dtype == dtype
    assert np.array_equal(again.vectors, vectors.vectors)


def test_a_part_of_a_folder(vectors, folder):
    part = load(folder, limit=2, dtype="float16")
    assert part.words == vectors.words[:2]
    assert part.vectors.dtype == part.output_vectors.dtype == np.float16
    assert part.counts.tolist() == [9, 5]


def test_no_words(tmp_path):
    WordVectors([], np.empty((0, 4), dtype=np.float32)).save(tmp_path / "v")
    assert load(tmp_path / "v").vectors.shape == (0, 4)


def test_nothing_to_run_inside(folder):
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md",
        "attributes.json",
        "checksums.json",
        "config.json",
        "model.safetensors",
        "vocab.json",
    ]
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert (config["format"], config["format_version"], config["count"], config["dim"]) == ("firth-vectors", 1, 6, 3)


def test_model_card(folder):
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nlibrary_name: firth\n")
    assert "# test\n" in card
    assert "| words | 6 |" in card
    assert '| training | {"epochs": 5} |' in card


def test_saving_over_itself(folder):
    """The matrix is mapped from the very folder that is replaced."""
    again = load(folder)
    again.metadata["round"] = 2
    again.save(folder)
    assert load(folder).metadata["round"] == 2
    assert load(folder).vectors[5].tolist() == again.vectors[5].tolist() == [15, 16, 17]
    assert [path.name for path in folder.parent.iterdir()] == ["v.firth"]


class TestNeverReplaced:
    def test_a_folder_of_something_else(self, vectors, tmp_path):
        (tmp_path / "photos").mkdir()
        (tmp_path / "photos" / "cat.jpg").write_text("cat")
        with pytest.raises(OptionError, match="photos is a folder of something else"):
            vectors.save(tmp_path / "photos")
        assert (tmp_path / "photos" / "cat.jpg").read_text() == "cat"

    def test_a_folder_where_a_file_was_meant(self, vectors, tmp_path):
        with pytest.raises(OptionError, match="is a folder; expected the name of a file to write as glove"):
            vectors.save(tmp_path, "glove")

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_by_vectors_that_are_not_finite(self, folder, bad):
        vectors = WordVectors(["a", "b"], np.array([[1, 2], [3, bad]], dtype=np.float32))
        with pytest.raises(FormatError, match=f"the vector of 'b': number 2 is {bad} as float32"):
            vectors.save(folder)
        assert len(load(folder)) == 6

    def test_by_vectors_too_large_for_the_precision(self, folder):
        with pytest.raises(FormatError, match="the vector of 'a': number 1 is inf as float16"):
            WordVectors(["a"], [[1e6]]).save(folder, dtype="float16")
        assert len(load(folder)) == 6

    def test_by_metadata_that_is_no_json(self, folder):
        with pytest.raises(OptionError, match="the metadata cannot be written as JSON"):
            WordVectors(["a"], [[1.0]], metadata={"when": object()}).save(folder)
        assert len(load(folder)) == 6

    @pytest.mark.parametrize("dtype", ["int8", "complex64"])
    def test_in_a_precision_that_is_none(self, vectors, folder, dtype):
        with pytest.raises(OptionError, match=f"dtype={dtype}: expected float32, float16 or float64"):
            vectors.save(folder, dtype=dtype)


def edit(folder, **changes):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | changes), encoding="utf-8")


def cut(path, size):
    path.write_bytes(path.read_bytes()[:size])


DAMAGES = {
    "a newer version": (
        lambda folder: edit(folder, format_version=99),
        "format version 99, expected at most 1: install a newer firth",
    ),
    "another format": (lambda folder: edit(folder, format="other"), "is a folder without firth vectors"),
    "another count": (lambda folder: edit(folder, count=7), r"6 words, vectors \(6, 3\), and \(7, 3\) in config.json"),
    "no matrix": (
        lambda folder: (folder / "model.safetensors").unlink(),
        "no model.safetensors; the folder is damaged",
    ),
    "no words": (lambda folder: (folder / "vocab.json").unlink(), "no vocab.json; the folder is damaged"),
    "no config": (lambda folder: (folder / "config.json").unlink(), "is a folder without firth vectors"),
    "a short matrix": (
        lambda folder: cut(folder / "model.safetensors", -1),
        "bytes, expected [0-9,]+; the file is cut",
    ),
    "a short header": (lambda folder: cut(folder / "model.safetensors", 40), "40 bytes without a safetensors header"),
    "an empty matrix": (lambda folder: cut(folder / "model.safetensors", 0), "0 bytes without a safetensors header"),
    "no header": (
        lambda folder: (folder / "model.safetensors").write_bytes(b"\x10" + bytes(7) + b"x" * 100),
        "a damaged safetensors header",
    ),
    "short words": (lambda folder: cut(folder / "vocab.json", 9), "vocab.json: damaged JSON"),
    "fewer words": (lambda folder: (folder / "vocab.json").write_text('["a"]'), "1 words, vectors"),
    "words that are none": (
        lambda folder: (folder / "vocab.json").write_text("[1,2,3,4,5,6]"),
        "expected a list of words",
    ),
    "words that are no list": (lambda folder: (folder / "vocab.json").write_text("{}"), "expected a list of words"),
    "a folder in its place": (
        lambda folder: (shutil.rmtree(folder), folder.mkdir()),
        "is a folder without firth vectors",
    ),
}


@pytest.mark.usefixtures("without_checksums")
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage(folder, damage):
    do, told = DAMAGES[damage]
    do(folder)
    with pytest.raises(FormatError, match=told):
        load(folder)


@pytest.mark.usefixtures("without_checksums")
def test_a_word_twice_is_found_at_the_first_query(folder):
    (folder / "vocab.json").write_text('["a","b","c","d","b","f"]')
    with pytest.raises(FormatError, match="'b' is word 1 and word 4"):
        load(folder).most_similar("a")


def test_nothing_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")
    with pytest.raises(MissingFileError, match="nothing: No such file or directory; expected a model or vectors"):
        load(tmp_path / "nothing", format="firth")
