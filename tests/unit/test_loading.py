"""`firth.load` with a class returns that class, and says what is there otherwise."""

import errno
import pickle

import numpy as np
import pytest

import firth
from firth.errors import ArgumentTypeError, FirthError, MissingFileError, OptionError


@pytest.fixture
def folder(tmp_path):
    firth.WordVectors(["red", "green"], np.eye(2, dtype=np.float32)).save(tmp_path / "colours.firth")
    return tmp_path


def test_the_class_that_is_there(folder):
    vectors = firth.load(folder / "colours.firth", firth.WordVectors)
    assert vectors.words == firth.load(folder / "colours.firth").words == ["red", "green"]
    assert firth.load(folder / "colours.firth", kind=firth.WordVectors, limit=1).words == ["red"]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (firth.Classifier, r"colours\.firth holds WordVectors, expected Classifier; firth\.load\(path\) opens it"),
        (firth.Word2Vec, "expected Word2Vec, which trains models; expected the class of a model"),
    ],
)
def test_another_class(folder, kind, message):
    with pytest.raises(OptionError, match=message):
        firth.load(folder / "colours.firth", kind)


def test_a_format_in_place_of_a_class(folder):
    with pytest.raises(
        ArgumentTypeError, match=r"kind='glove': expected a class, .*; a file format .*: format='glove'"
    ):
        firth.load(folder / "colours.firth", "glove")


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("https://example.org/cc.en.300.bin", "an address is not opened: download the file first"),
        ("someone/model-1", r"firth\.from_hub\('someone/model-1'\) opens a model on the Hugging Face hub"),
    ],
)
def test_an_address_or_a_name_on_the_hub(tmp_path, monkeypatch, path, advice):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingFileError, match=advice):
        firth.load(path)


def test_nothing_at_the_path(folder):
    with pytest.raises(MissingFileError) as caught:
        firth.load(folder / "colors.firth")
    error = caught.value
    assert isinstance(error, FirthError)
    assert isinstance(error, FileNotFoundError)
    assert error.errno == errno.ENOENT
    sentence = "No such file or directory; expected a model or vectors"
    assert str(error) == f"{folder / 'colors.firth'}: {sentence}; did you mean colours.firth?"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    with pytest.raises(MissingFileError, match=f"{sentence}$"):
        firth.load(folder / "colours.firth" / "config.json" / "no")
