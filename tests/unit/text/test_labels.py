"""Labels in lists, arrays and columns of tables, as plain values."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from firth.errors import KindError
from firth.text.labels import plain_labels


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["a", 1, True, 1.5], ["a", 1, True, 1.5]),
        ([None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.float32("nan")], [None] * 6),
        (np.array([1, -1]), [1, -1]),
        (np.ma.masked_equal([1, 2], 2), [1, None]),
        (np.array(["a", "b"]), ["a", "b"]),
        ([np.str_("a"), np.int64(3)], ["a", 3]),
        (pd.Series(["a", pd.NA], dtype="string"), ["a", None]),
        (pd.Series(["a", None], dtype="category"), ["a", None]),
        (pa.array(["a", None]), ["a", None]),
        (("a", "b"), ["a", "b"]),
        ([], []),
    ],
)
def test_labels(labels, expected):
    found = plain_labels(labels)
    assert found == expected
    assert not any(isinstance(each, np.generic) for each in found)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("ab", "labels: found 'ab', expected a list with the label of each text"),
        (b"ab", "labels: found b'ab'"),
        ({"a": 1}, "labels: found {'a': 1}"),
        ({"a"}, "labels: found {'a'}"),
        (3, "labels: found 3"),
        (np.zeros((2, 2)), r"an array of the shape \(2, 2\).*one dimension"),
        (np.array("a"), r"an array of the shape \(\)"),
        (pd.DataFrame({"a": [1]}), r"an array of the shape \(1, 1\)"),
        ([["a"]], r"labels\[0\]=\['a'\] is a list; expected a string or a number"),
        (["a", b"b"], r"labels\[1\]=b'b' is bytes; expected a string or a number: decode it"),
        ([np.zeros(2)], r"labels\[0\]=.* is a ndarray"),
        ([Decimal(1)], r"labels\[0\]=.* is a Decimal"),
        ([pd.Timestamp(0)], r"labels\[0\]=.* is a Timestamp"),
    ],
)
def test_what_is_no_list_of_labels(labels, message):
    with pytest.raises(KindError, match=message):
        plain_labels(labels)
