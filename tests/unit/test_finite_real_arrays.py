"""Arrays of real numbers from lists, arrays and tensors."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from firth.errors import ArgumentTypeError
from firth.finite import check_real, given_array, single_array


def test_arrays_keep_their_type_or_become_single():
    assert given_array("x", [[1, 2]], "").dtype.kind == "i"
    assert single_array("x", [[1, 2]], "").dtype == np.float32
    given = np.ones(3, np.float32)
    assert single_array("x", given, "") is given
    check_real("x", csr_array(np.eye(2)))


def test_tensors_may_have_gradients():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert given_array("x", torch.ones(2, requires_grad=True), "").tolist() == [1, 1]
    with pytest.raises(ArgumentTypeError, match=r"x: .* expected numbers"):
        given_array("x", torch.eye(2).to_sparse(), "numbers")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1], [1, 2]], "x: .*expected numbers"),
        (["a"], "x: could not convert .*expected numbers"),
        ([1j], "x: complex numbers; expected real ones"),
        (np.ma.masked_equal([1, 2], 2), "x: a masked array; expected all numbers"),
    ],
)
def test_what_has_no_real_numbers(values, message):
    with pytest.raises(ArgumentTypeError, match=message):
        single_array("x", values, "numbers")
    if isinstance(values[0], complex):
        with pytest.raises(ArgumentTypeError, match=message):
            check_real("x", csr_array([values]))
