"""Messages show what a user gave, on one line and never all of something long."""

import pickle

import numpy as np
import pytest

import firth
from firth import errors
from firth.errors import LONGEST, FirthError, UnknownWordError, brief


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
