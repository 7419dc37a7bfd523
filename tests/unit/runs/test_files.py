"""Folders of runs: each run on its own, so that a damaged one spoils no other."""

import shutil

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError
from firth.storage import checksums


@pytest.fixture
def own(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "own.firth")


def damage(folder):
    file = folder / "model.safetensors"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def test_saved_and_loaded(runs, tmp_path):
    runs.save(tmp_path / "copy")
    again = firth.load(tmp_path / "copy", firth.Runs)
    assert again.most_similar("w1") == runs.most_similar("w1")
    assert again.metadata == runs.metadata
    assert [run.counts.tolist() for run in again] == [run.counts.tolist() for run in runs]
    assert firth.Runs.load(tmp_path / "copy").words == runs.words


def test_saved_in_place_of_others(runs, corpus, model, tmp_path):
    firth.bootstrap(model, corpus, runs=7, seed=9).save(tmp_path / "r")
    runs.save(tmp_path / "r")
    assert len(firth.load(tmp_path / "r")) == 5
    firth.load(tmp_path / "r").save(tmp_path / "r")  # onto itself
    assert firth.load(tmp_path / "r").most_similar("w1") == runs.most_similar("w1")


def test_a_run_is_a_folder_of_word_vectors(runs, own):
    vectors = firth.load(own / "run-02")
    assert isinstance(vectors, firth.WordVectors)
    assert vectors.similarity("w1", "w5") == pytest.approx(runs[1].similarity("w1", "w5"))


def test_a_damaged_run_is_named_and_the_others_are_used(own, runs):
    damage(own / "run-03")
    with pytest.warns(UserWarning, match=r"run-03.model\.safetensors: altered.*run 3 is left out, and the others are"):
        rest = firth.load(own)
    assert rest.numbers == [1, 2, 4, 5]
    assert np.array_equal(rest[2].vectors, runs[3].vectors)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "checksums.json"])
def test_a_run_with_a_file_missing(own, name):
    (own / "run-03" / name).unlink()
    if name == "checksums.json":
        assert len(firth.load(own)) == 5  # nothing else is known to be wrong
        return
    with pytest.warns(UserWarning, match="run 3 is left out"):
        assert firth.load(own).numbers == [1, 2, 4, 5]


def test_a_run_of_another_training(own, corpus, model, tmp_path):
    firth.bootstrap(model, corpus, runs=2, seed=9, checkpoint=tmp_path / "other")
    shutil.rmtree(own / "run-02")
    shutil.copytree(tmp_path / "other" / "run-02", own / "run-02")
    with pytest.warns(UserWarning, match="run-02: a run of another training.*run 2 is left out"):
        assert firth.load(own).numbers == [1, 3, 4, 5]


def test_a_damaged_run_is_trained_again(own, corpus, model, runs):
    damage(own / "run-03")
    with pytest.warns(UserWarning, match="run 3 is left out"):
        again = firth.bootstrap(model, corpus, runs=5, seed=3, checkpoint=own)
    assert np.array_equal(again[2].vectors, runs[2].vectors)
    assert again.numbers == firth.load(own).numbers == [1, 2, 3, 4, 5]


def test_no_run_is_left(own):
    for run in own.glob("run-*"):
        shutil.rmtree(run)
    with pytest.raises(FormatError, match="no run is finished; train again"):
        firth.load(own)


def test_the_checksums_of_the_whole_cover_no_run(own):
    assert not any("run-" in name for name in checksums.read(own, "").files)


def test_what_is_said_where_word_vectors_are_expected(own):
    with pytest.raises(OptionError, match=r"holds runs, expected word vectors.*firth convert.*consensus"):
        firth.loading.load_vectors(own)


def test_size_on_disk(own, runs):
    """V (D + 12) bytes a run, besides words and facts."""
    size = (own / "run-01" / "model.safetensors").stat().st_size
    assert size - len(runs.words) * (8 + 12) < 600
