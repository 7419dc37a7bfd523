"""The name of a file decides how it is written, its content how it is read."""

import zipfile

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError
from firth.vectors.io.detect import PACKINGS
from firth.vectors.io.formats import format_of
from firth.vectors.word_vectors import WordVectors

VECTORS = WordVectors(["a", "b"], np.eye(2, dtype=np.float32))


@pytest.mark.parametrize(
    ("name", "format"),
    [("v", "firth"), ("v.firth", "firth"), ("v.vec", "word2vec"), ("v.TXT", "word2vec"), ("v.bin", "word2vec-binary"),
     ("v.ftz", "fasttext"), ("v.floret", "floret"), ("v.vec.gz", "word2vec"), ("v.2.bin.xz", "word2vec-binary"),
     ("v.npy", "npy"), ("v.parquet", "parquet"), ("v.v2", "firth")],
)  # fmt: skip
def test_the_name_decides(name, format):
    assert format_of(name) == format


@pytest.mark.parametrize(
    ("name", "cure"),
    [("v.csv", ".parquet for a table"), ("v.pkl", "no pickles"), ("v.tsv.gz", "projector"), ("v.NPZ", ".npy")],
)
def test_a_name_of_a_file_that_we_do_not_write_is_no_folder(name, cure, tmp_path):
    with pytest.raises(OptionError, match=cure):
        VECTORS.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    VECTORS.save(tmp_path / name, format="firth")


def test_a_folder_cannot_be_packed():
    with pytest.raises(OptionError, match=r"expected a name such as v\.vec\.gz"):
        format_of("v.gz")


@pytest.mark.parametrize("packing", ["", *PACKINGS])
@pytest.mark.parametrize("suffix", [".vec", ".bin"])
def test_what_is_saved_is_read_whatever_its_name_becomes(suffix, packing, tmp_path):
    path = tmp_path / f"v{suffix}{packing}"
    VECTORS.save(path)
    first = path.read_bytes()
    VECTORS.save(path)
    assert path.read_bytes() == first
    path.rename(tmp_path / "no suffix")
    again = firth.load(tmp_path / "no suffix")
    assert again.words == ["a", "b"]
    np.testing.assert_array_equal(again.vectors, np.eye(2))


def test_an_explicit_format_goes_before(tmp_path):
    VECTORS.save(tmp_path / "v.bin", format="firth")
    assert (tmp_path / "v.bin").is_dir()
    with pytest.raises(OptionError, match=r"v\.bin is a folder"):
        VECTORS.save(tmp_path / "v.bin")


def test_archives_of_several_files_and_damaged_ones(tmp_path):
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("one.txt", "1 1\na 1\n")
        archive.writestr("two.txt", "1 1\na 1\n")
    with pytest.raises(FormatError, match=r"2 files \(one.txt, two.txt\); expected one"):
        firth.load(tmp_path / "two.zip")
    for packing in PACKINGS:
        path = tmp_path / f"v.vec{packing}"
        VECTORS.save(path)
        path.write_bytes(path.read_bytes()[:-12])
        with pytest.raises(FormatError, match=r"damaged packed data|not a readable zip archive"):
            firth.load(path)
