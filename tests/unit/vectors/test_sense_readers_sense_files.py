"""Senses in a folder: back as they were, and damaged ones refused."""

import json

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError
from firth.kernels.trees import huffman
from firth.loading import load_vectors
from firth.vectors.sense_readers import Centroids, Likelihood
from firth.vectors.sense_vectors import SenseVectors

COUNTS = [9, 5, 3, 2]
READERS = {
    "none": None,
    "centroids": Centroids(
        np.eye(4, 3, dtype=np.float32), np.ones(4, np.float32), np.ones((6, 3), np.float32), 0.25, 1.0
    ),
    "rows": Likelihood(np.eye(4, 2, dtype=np.float32)),
    "tree": Likelihood(np.eye(3, 2, dtype=np.float32), huffman(np.array(COUNTS)), decay=0.5),
}


def made(reader="centroids", **how):
    random = np.random.default_rng(0)
    return SenseVectors(
        ["bank", "a b", "café", "one"],
        [0, 2, 3, 5, 6],
        random.normal(size=(6, 2)).astype(np.float32),
        priors=[0.7, 0.3, 1, 0.5, 0.5, 1],
        reader=READERS[reader],
        counts=COUNTS,
        **how,
    )


@pytest.mark.parametrize("reader", READERS)
def test_there_and_back(reader, tmp_path):
    labels = ["a", "b", "c", "d", "é", "f"]
    senses = made(reader, labels=labels, global_vectors=np.ones((4, 2), np.float32), metadata={"note": "kept"})
    senses.save(tmp_path / "senses")
    again = firth.load(tmp_path / "senses")
    assert isinstance(again, SenseVectors)
    assert (again.words, again.labels, again.metadata) == (senses.words, labels, {"note": "kept"})
    for name in ("vectors", "offsets", "priors", "counts", "global_vectors"):
        assert getattr(again, name).tobytes() == getattr(senses, name).tobytes()
    contexts = [[], ["one"], ["café", "a b", "unheard"]]
    if reader == "none":
        assert again.reader is None
    else:
        assert again.disambiguate("bank", contexts).tolist() == senses.disambiguate("bank", contexts).tolist()
        assert again.reader.decay == senses.reader.decay


def test_is_mapped_and_replaced(tmp_path):
    made().save(tmp_path / "senses")
    assert not firth.load(tmp_path / "senses").vectors.flags.writeable
    made("rows").save(tmp_path / "senses")
    assert isinstance(firth.load(tmp_path / "senses").reader, Likelihood)
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "thesis.txt").write_text("years of work")
    with pytest.raises(OptionError, match="a folder of something else"):
        made().save(tmp_path / "else")


def test_the_card_tells_what_it_is(tmp_path):
    made().save(tmp_path / "senses")
    card = (tmp_path / "senses" / "README.md").read_text()
    assert "| words with several senses | 2 |" in card
    assert 'senses.senses("bank")' in card


def test_is_not_taken_for_word_vectors(tmp_path):
    made().save(tmp_path / "senses")
    with pytest.raises(
        OptionError, match=r"holds sense vectors, expected word vectors; one vector per word is .*single"
    ):
        load_vectors(tmp_path / "senses")


def test_nan_is_not_saved(tmp_path):
    senses = made()
    senses.vectors[4, 1] = np.nan
    with pytest.raises(FormatError, match="'senses, row 4': number 2 is nan"):
        senses.save(tmp_path / "senses")
    assert not (tmp_path / "senses").exists()


def damage(folder, **facts):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **facts}))


@pytest.mark.usefixtures("without_checksums")
@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"dim": 7}, r"tensor 'senses' is float32 of shape \(6, 2\)"),
        ({"reader": {"kind": "crystal ball"}}, "reader .*crystal ball"),
        ({"reader": None}, "reader None in config.json"),
        ({"reader": {"kind": "centroids"}}, "expected one of none, centroids, likelihood"),
        ({"reader": {"kind": "centroids", "temperature": -1.0, "decay": 0.0}}, "temperature=-1.0"),
        ({"reader": {"kind": "likelihood", "decay": 0.0}}, "expected 'outputs'"),
    ],
)
def test_damaged_facts(facts, message, tmp_path):
    made().save(tmp_path / "senses")
    damage(tmp_path / "senses", **facts)
    with pytest.raises(FormatError, match=message):
        firth.load(tmp_path / "senses")


@pytest.mark.usefixtures("without_checksums")
def test_damaged_files(tmp_path):
    made().save(tmp_path / "senses")
    words = tmp_path / "senses" / "vocab.json"
    words.write_text('["bank"]')
    with pytest.raises(FormatError, match=r"tensor 'offsets' .* the folder is damaged"):
        firth.load(tmp_path / "senses")
    model = tmp_path / "senses" / "model.safetensors"
    model.write_bytes(model.read_bytes()[:-9])
    with pytest.raises(FormatError, match="the file is cut short"):
        firth.load(tmp_path / "senses")
    words.unlink()
    with pytest.raises(FormatError, match=r"no vocab.json|cut short"):
        firth.load(tmp_path / "senses")
