"""Quantised vectors in firth's own folder."""

import json

import numpy as np
import pytest
import safetensors.numpy

from firth.errors import FormatError, OptionError
from firth.loading import load
from firth.vectors.word_vectors import WordVectors
from tests.unit.vectors.io.subwords import same
from tests.unit.vectors.io.subwords import some as some_subwords


def some(dim=7):
    rows = np.random.default_rng(0).normal(size=(400, dim)).astype(np.float32)
    return WordVectors([f"w{i}" for i in range(400)], rows, counts=np.arange(400, 0, -1), metadata={"name": "some"})


@pytest.mark.parametrize("how", [{"kind": "int8"}, *({"kind": "product", "width": w} for w in (1, 2, 3, 5, 7))])
def test_codes_come_back(how, tmp_path):
    """Parts of 5 of 7 numbers are as many as parts of 4: the width has to be written down."""
    small = some().quantise(**how)
    small.save(tmp_path / "v")
    again = load(tmp_path / "v")
    assert np.array_equal(again.vectors, small.vectors)
    assert np.array_equal(again.codes.codes, small.codes.codes)
    assert again.counts.tolist() == small.counts.tolist()
    again.save(tmp_path / "w")
    assert (tmp_path / "w/model.safetensors").read_bytes() == (tmp_path / "v/model.safetensors").read_bytes()


def test_what_is_in_the_file(tmp_path):
    some().quantise("int8").save(tmp_path / "v")
    tensors = safetensors.numpy.load_file(tmp_path / "v/model.safetensors")
    assert {name: (array.dtype.str, array.shape) for name, array in tensors.items()} == {
        "codes": ("|i1", (400, 7)),
        "scales": ("<f4", (400,)),
        "counts": ("<i8", (400,)),
    }


def test_a_precision_asked_for_undoes_codes(tmp_path):
    small = some().quantise("int8")
    small.save(tmp_path / "v", dtype="float32")
    again = load(tmp_path / "v")
    assert again.codes is None
    assert np.array_equal(again.vectors, small.vectors)


def test_other_formats_take_the_numbers(tmp_path):
    small = some().quantise("int8")
    small.save(tmp_path / "v.bin", format="word2vec-binary")
    assert np.array_equal(load(tmp_path / "v.bin").vectors, small.vectors)


def test_subwords_as_int8(tmp_path):
    vectors = some_subwords()
    small = vectors.quantise("int8")
    assert small["never-seen"] == pytest.approx(vectors["never-seen"], abs=0.01)
    small.save(tmp_path / "v")
    again = load(tmp_path / "v")
    same(small, again)
    again.save(tmp_path / "w")
    same(load(tmp_path / "w"), small)
    with pytest.raises(OptionError, match="int8 codes have no place in fastText's files"):
        small.save(tmp_path / "v.bin", format="fasttext")


def test_the_first_words_of_quantised_subwords(tmp_path):
    vectors = some_subwords()
    for small in (vectors, vectors.quantise("int8"), vectors.quantise("product")):
        first = small.first(2)
        assert first.words == vectors.words[:2]
        assert np.array_equal(first["never-seen"], small["never-seen"])
        first.save(tmp_path / "v")
        same(load(tmp_path / "v"), first)


def edit(folder, **changes):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | changes), encoding="utf-8")


@pytest.mark.usefixtures("without_checksums")
@pytest.mark.parametrize("kind", ["int8", "product"])
@pytest.mark.parametrize("change", [{"dim": 5}, {"dim": 300}, {"dim": None}, {"count": 4}])
def test_damage(kind, change, tmp_path):
    some().quantise(kind).save(tmp_path / "v")
    edit(tmp_path / "v", **change)
    with pytest.raises(FormatError, match="the folder is damaged"):
        load(tmp_path / "v")


@pytest.mark.usefixtures("without_checksums")
@pytest.mark.parametrize("width", [0, 3, 50, "two"])
def test_a_damaged_width(width, tmp_path):
    some().quantise("product").save(tmp_path / "v")
    edit(tmp_path / "v", code_width=width)
    with pytest.raises(FormatError, match="the folder is damaged"):
        load(tmp_path / "v")
