"""Messages show what a user gave, on one line and never all of something long."""

import json
import pickle
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np
import pytest

import firth
from firth import errors
from firth.alignment.semantic_change import SemanticChange
from firth.errors import LONGEST, FirthError, UnknownWordError, brief, brief_repr
from firth.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a", "'a'"),
        (b"a", "b'a'"),
        (1.5, "1.5"),
        (None, "None"),
        (["a", 2], "['a', 2]"),
        ("two  spaces", "'two  spaces'"),
        (np.zeros((2, 2)), "array([[0., 0.], [0., 0.]])"),
    ],
)
def test_short_values_stand_as_python_writes_them(value, shown):
    assert brief(value) == shown


@pytest.mark.parametrize(
    "value", ["word " * 900, b"word " * 900, [["a", "b"]] * 900, np.ones((90, 90)), {"a" * 90: ["b" * 90] * 9}, 10**400]
)
def test_long_values_are_cut(value):
    assert len(brief(value)) <= LONGEST
    assert "..." in brief(value)
    assert "\n" not in brief(value)


@dataclass
class Result:
    first: Any
    second: Any = 0.5
    third: Any = None

    __repr__ = brief_repr


def test_the_repr_of_a_result_is_pythons_while_it_is_short():
    assert repr(Result([1, 2], "a  b", {"x": (1.5, None)})) == (
        "Result(first=[1, 2], second='a  b', third={'x': (1.5, None)})"
    )


@pytest.mark.parametrize(
    "values",
    [list(range(10**5)), {str(n): [n] * 100 for n in range(10**4)}, np.arange(900.0).reshape(30, 30), "x" * 10**5,
     [np.arange(900.0)] * 50, tuple({"a": ["b" * 500] * 50} for _ in range(50))],
)  # fmt: skip
def test_the_repr_of_a_result_fits_a_screen(values):
    shown = repr(Result(values, values, Result(values)))
    assert len(shown) < 600
    assert "\n" not in shown


def test_reprs_of_results_that_hold_a_vocabulary():
    words = [f"word{number}" for number in range(20_000)]
    vocabulary = Vocabulary(words, np.full(20_000, 3), 60_000)
    vectors = firth.WordVectors(words, np.ones((20_000, 3), np.float32))
    averages = firth.SentenceAverages(vectors, direction=np.ones(3) / 3**0.5)
    changes = SemanticChange().measure(vectors.first(100), vectors.first(100))
    for result in (vocabulary, averages, changes):
        assert repr(result).startswith(f"{type(result).__name__}(")
        assert len(repr(result)) < 1600


def test_messages_stay_short_whatever_is_given():
    sentences, rows = [["one", "two"] * 99] * 9, np.ones((3, 900))
    attempts = [
        lambda: firth.Corpus.build(["one two"], sentences=sentences),
        lambda: firth.Word2Vec(dim=sentences),
        lambda: firth.WordVectors(rows, ["a", "b", "c"]),
        lambda: firth.WordVectors(["a"], [[1.0]])["word " * 900],
    ]
    for attempt in attempts:
        with pytest.raises(FirthError) as caught:
            attempt()
        assert len(str(caught.value)) < 400


def test_an_unknown_word_keeps_all_of_itself_beside_the_message():
    assert UnknownWordError("w" * 900).word == "w" * 900


def test_all_errors_travel_between_processes():
    """As they are, whatever their constructors take."""
    for error in (
        errors.MissingExtraError("pandas", "tables", "read Parquet"),
        errors.LostWorkersError(["a"], "gone"),
        errors.OptionError("x=1"),
        errors.CorpusError("no text"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


class Distribution:
    """The record of an installation."""

    def __init__(self, origin):
        self.origin = origin

    def read_text(self, name):
        assert name == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)


class TestInstallCommand:
    """An extra comes from where firth came from, as PEP 610 records it."""

    @pytest.fixture(autouse=True)
    def not_on_an_index(self, monkeypatch):
        monkeypatch.setattr(errors, "ON_INDEX", False)

    @staticmethod
    def command(monkeypatch, origin):
        monkeypatch.setattr("importlib.metadata.distribution", lambda name: Distribution(origin))
        return errors.install_command("plots")

    def test_from_a_folder_or_a_wheel(self, monkeypatch, tmp_path):
        folder = tmp_path / "my source"
        folder.mkdir()
        origin = {"url": folder.as_uri(), "dir_info": {}}
        assert self.command(monkeypatch, origin) == f'pip install "{folder}[plots]"'
        assert self.command(monkeypatch, origin | {"dir_info": {"editable": True}}).startswith('pip install -e "')

    def test_from_a_repository_or_an_address(self, monkeypatch):
        origin = {"url": "https://example.org/firth.git", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}}
        expected = 'pip install "firth[plots] @ git+https://example.org/firth.git@0a1b"'
        assert self.command(monkeypatch, origin) == expected
        origin = {"url": "https://example.org/firth.whl", "archive_info": {}}
        assert self.command(monkeypatch, origin) == 'pip install "firth[plots] @ https://example.org/firth.whl"'

    def test_from_what_is_gone_or_elsewhere(self, monkeypatch, tmp_path):
        general = 'pip install ".[plots]" in the folder of firth\'s source'
        for origin in (None, {"url": (tmp_path / "gone.whl").as_uri()}, {"url": "https://example.org/firth.git"}):
            assert self.command(monkeypatch, origin) == general

    def test_not_installed(self, monkeypatch):
        monkeypatch.setattr("importlib.metadata.Distribution.from_name", raise_not_found)
        assert errors.install_command("plots").startswith('pip install ".[plots]" in the folder')

    def test_from_the_index_once_it_is_there(self, monkeypatch):
        monkeypatch.setattr(errors, "ON_INDEX", True)
        error = errors.MissingExtraError("matplotlib", "plots", "draw")
        assert str(error) == 'matplotlib is needed to draw: pip install "firth[plots]"'


def raise_not_found(name):
    raise metadata.PackageNotFoundError(name)


def test_a_python_that_is_too_old_or_too_narrow_is_refused():
    program = f"import sys\n{{}}\nexec(open({firth.__file__!r}).read())"
    for change, found in (
        ("sys.version_info, sys.version = (3, 10, 4), '3.10.4 (main)'", "this is Python 3.10.4, 64 bits"),
        ("sys.maxsize = 2**31 - 1", "32 bits"),
    ):
        run = subprocess.run([sys.executable, "-Sc", program.format(change)], capture_output=True, text=True)
        assert "ImportError: firth needs a 64-bit Python of version 3.11 or newer" in run.stderr
        assert found in run.stderr
