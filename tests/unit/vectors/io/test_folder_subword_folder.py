"""Vectors with subwords in firth's own folder."""

import json

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.loading import load, load_words
from firth.vectors.character_ngrams import Hashing
from firth.vectors.subword_vectors import SubwordVectors
from tests.unit.vectors.io.subwords import same, some

HOWS = {"fasttext": Hashing(2, 4, 500), "floret": Hashing(2, 4, 50, 2), "no n-grams": Hashing(3, 0, 500)}


@pytest.mark.parametrize("how", HOWS)
def test_everything_comes_back(how, tmp_path):
    vectors = some(HOWS[how])
    vectors.save(tmp_path / "v")
    again = SubwordVectors.load(tmp_path / "v")
    same(vectors, again)
    assert again.ngrams.hashing == HOWS[how]
    assert again.counts.tolist() == vectors.counts.tolist()
    assert np.array_equal(again.output_vectors, vectors.output_vectors)
    assert again.metadata == vectors.metadata
    assert (again.own is None) == (vectors.own is None)
    assert not again.vectors.flags.owndata


@pytest.mark.parametrize("how", ["fasttext", "floret"])
@pytest.mark.parametrize("lengths", [False, True])
def test_codes_come_back(how, lengths, tmp_path):
    codes = some(HOWS[how]).quantise(lengths=lengths)
    codes.save(tmp_path / "v")
    again = load(tmp_path / "v")
    same(codes, again)
    assert np.array_equal(again.codes.codes, codes.codes.codes)
    assert (again.codes.length_codes is None) != lengths
    again.save(tmp_path / "w")
    same(load(tmp_path / "w"), codes)


def test_half_precision(tmp_path):
    vectors = some()
    vectors.save(tmp_path / "v", dtype="float16")
    again = load(tmp_path / "v")
    assert again.vectors.dtype == again.ngrams.matrix.dtype == np.float16
    assert again["walked"] == pytest.approx(vectors["walked"], abs=2e-3)


def test_a_number_that_is_not_finite(tmp_path):
    vectors = some()
    vectors.ngrams.matrix[3, 1] = np.nan
    with pytest.raises(FormatError, match="the vector of 3: number 2 is nan"):
        vectors.save(tmp_path / "v")
    assert not (tmp_path / "v").exists()


def test_only_word_vectors_are_cut_short_or_asked_for(tmp_path):
    some().save(tmp_path / "v")
    with pytest.raises(OptionError, match="holds subword vectors: limit and dtype are for word vectors alone"):
        load(tmp_path / "v", limit=2)
    with pytest.raises(OptionError, match="holds subword vectors, expected word vectors"):
        load_words(tmp_path / "v")


def edit(**changes):
    def do(folder):
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        (folder / "config.json").write_text(json.dumps(config | changes), encoding="utf-8")

    return do


def fewer_words(folder):
    words = json.loads((folder / "vocab.json").read_bytes())
    (folder / "vocab.json").write_text(json.dumps(words[:-1]))


HOW = {"min_n": 2, "max_n": 4, "hashes": 0, "seed": 1, "pruned": False}
DAMAGES = {
    "another count": (edit(count=9), "5 words, and 9 of width 6 in config.json"),
    "no width": (edit(dim=None), "of width None in config.json"),
    "fewer words": (fewer_words, "4 words, and 5"),
    "no n-grams": (edit(ngrams=None), "n-grams None in config.json; expected whole numbers for buckets"),
    "n-grams of text": (edit(ngrams={**HOW, "buckets": "many"}), "expected whole numbers"),
    "n-grams below zero": (edit(ngrams={**HOW, "buckets": -5}), "expected whole numbers"),
    "another width": (edit(dim=7), r"tensor 'ngram_rows' is float32 of shape|expected the same"),
}


@pytest.mark.usefixtures("without_checksums")
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage(damage, tmp_path):
    do, told = DAMAGES[damage]
    some().save(tmp_path / "v")
    do(tmp_path / "v")
    with pytest.raises(FormatError, match=told):
        load(tmp_path / "v")


@pytest.mark.usefixtures("without_checksums")
@pytest.mark.parametrize("change", [{"dim": 5}, {"dim": 20}, {"own_rows": False}, {"count": 4}])
def test_damaged_codes(change, tmp_path):
    some().quantise().save(tmp_path / "v")
    edit(**change)(tmp_path / "v")
    with pytest.raises(FormatError, match="the folder is damaged"):
        load(tmp_path / "v")
