import numpy as np
import pytest

from firth.errors import OptionError, ShapeError
from firth.vectors.attributes import Attributes


def test_new_columns_are_blank_elsewhere():
    attributes = Attributes(3)
    attributes.write("n", 1, 5)
    attributes.write("x", 0, 0.5)
    attributes.write("flag", 2, True)
    attributes.write("note", 1, "hm")
    assert {name: values.tolist() for name, values in attributes.items()} == {
        "n": [0, 5, 0],
        "x": [0.5, 0, 0],
        "flag": [False, False, True],
        "note": ["", "hm", ""],
    }


def test_growing_and_taking():
    attributes = Attributes(2)
    attributes.put("n", np.array([7, 8]))
    attributes.write("note", 0, "a")
    attributes.grow(1)
    taken = attributes.take(np.array([2, 0]))
    assert taken["n"].tolist() == [0, 7]
    assert taken["note"].tolist() == ["", "a"]


def test_a_mapped_column_is_copied_when_written():
    mapped = np.array([1, 2])
    mapped.setflags(write=False)
    attributes = Attributes(2)
    attributes.put("n", mapped)
    attributes.write("n", 0, 9)
    assert (attributes["n"].tolist(), mapped.tolist()) == ([9, 2], [1, 2])


def test_wrong_values():
    attributes = Attributes(2)
    with pytest.raises(ShapeError, match="expected one value per word"):
        attributes.put("n", np.zeros(3))
    attributes.write("note", 0, "a")
    with pytest.raises(OptionError, match="attribute 'note' holds text: expected such a value, not 5"):
        attributes.write("note", 0, 5)
    with pytest.raises(OptionError, match="no attribute 'n': the words have note"):
        attributes.column("n")
