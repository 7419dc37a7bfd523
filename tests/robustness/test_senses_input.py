"""Bad input to senses: one sentence, exit status 1; what can be answered is answered."""

import json

import numpy as np
import pytest

from firth.vectors.sense_readers import Centroids
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command


@pytest.fixture
def folder(firth: Command):
    rows = np.eye(3, dtype=np.float32)
    reader = Centroids(rows[:2], np.ones(2, np.float32), rows)
    SenseVectors(["bank", "river"], [0, 2, 3], rows, priors=[0.75, 0.25, 1], reader=reader).save(
        firth.folder / "s.firth"
    )
    return firth.folder / "s.firth"


def test_unknown_words(firth: Command, folder):
    assert "'bnak' is not in the vocabulary; did you mean bank?" in firth("senses", folder, "bnak").complaint
    ended = firth("senses", folder, "bank", "shore", "--json")
    assert (ended.status, json.loads(ended.out)["word"]) == (1, "bank")
    assert "'shore' is not in the vocabulary" in ended.err
    assert "'shore'" in firth("plot", "senses", folder, "shore", "-o", "map.png").complaint


@pytest.mark.parametrize("text", ["", "  ", "bank", "nothing that is known"])
def test_a_context_that_tells_nothing_leaves_the_prior(firth: Command, folder, text):
    ended = firth("senses", folder, "bank", "--context", text, "--json")
    assert [one["probability"] for one in json.loads(ended.out)["senses"]] == [0.75, 0.25]


def test_senses_that_no_context_tells(firth: Command):
    SenseVectors(["bank", "river"], [0, 2, 3], np.eye(3), priors=[0.75, 0.25, 1]).save(firth.folder / "s.firth")
    assert "they cannot be disambiguated" in firth("senses", "s.firth", "bank", "--context", "river").complaint


def test_other_vectors(firth: Command):
    WordVectors(["bank"], np.ones((1, 2))).save(firth.folder / "v.firth")
    told = firth("senses", "v.firth", "bank").complaint
    assert "v.firth holds word vectors, expected sense vectors; train some with `firth train sense-clusters" in told


def test_senses_are_no_word_vectors(firth: Command, folder):
    assert (
        "holds sense vectors, expected word vectors; one vector per word is"
        in firth("neighbours", folder, "bank").complaint
    )


def test_out_of_range(firth: Command, folder):
    assert "-n 0: expected a whole number of at least 1" in firth("senses", folder, "bank", "-n", "0").complaint


def test_damaged_folders(firth: Command, folder):
    model = folder / "model.safetensors"
    whole = model.read_bytes()
    model.write_bytes(whole[:-4])
    expected = f"{model}: {len(whole) - 4:,} bytes, expected {len(whole):,}; "
    assert firth("senses", folder, "bank").complaint.startswith(expected)
    (folder / "checksums.json").unlink()
    assert "the file is cut short" in firth("senses", folder, "bank").complaint
    broken = whole.replace(np.float32(1).tobytes() * 1, np.float32(np.nan).tobytes())
    model.write_bytes(broken)
    told = firth("senses", folder, "bank").complaint
    assert "holds NaN or infinity in row 0, expected finite numbers" in told
    model.write_bytes(whole)
    (folder / "vocab.json").unlink()
    assert "vocab.json" in firth("senses", folder, "bank").complaint


def test_nothing_is_trained_of_nothing(firth: Command):
    (firth.folder / "text.txt").write_text("a few words that make no senses at all\n" * 9)
    ended = firth(
        "train", "sense-clusters", "text.txt", "-o", "s.firth", "--threads", "1", "--epochs", "1", "--dim", "8"
    )
    assert ended.status == 0, ended.err
    assert "0 words have several senses" in ended.out
    ended = firth("senses", "s.firth", "words")
    assert "'words' occurs 9 times in the text; the model looks for senses from 200 times on" in ended.err
    complaint = firth("train", "sense-clusters", "text.txt", "-o", "t.firth", "--senses", "many").complaint
    assert "--senses many: expected one of adaptive, fixed" in complaint


def test_ready_vectors_that_cannot_be_split(firth: Command):
    """No WordNet: how to get one. NaN: where. Fewer words than atoms: how many there are. Nothing is written."""
    rows = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32)
    WordVectors([f"w{i}" for i in range(20)], rows).save(firth.folder / "v.firth")
    by_wordnet = ("split-senses", "v.firth", "--by", "wordnet", "-o", "s")
    assert "git clone https://github.com/globalwordnet/english-wordnet" in firth(*by_wordnet).complaint
    assert "git clone https://" in firth(*by_wordnet, "--wordnet", "nowhere").complaint
    (firth.folder / "empty").mkdir()
    assert "0 words and 0 synsets;" in firth(*by_wordnet, "--wordnet", "empty").complaint
    assert "2,000 atoms from 20 words" in firth("split-senses", "v.firth", "-o", "s").complaint
    rows[7, 2] = np.nan
    lines = [f"w{i} " + " ".join(map(str, row)) for i, row in enumerate(rows)]
    (firth.folder / "v.txt").write_text("20 4\n" + "\n".join(lines) + "\n")
    assert "line 9: number 3 is nan" in firth("split-senses", "v.txt", "--atoms", 5, "-o", "s").complaint
    assert not (firth.folder / "s").exists()
