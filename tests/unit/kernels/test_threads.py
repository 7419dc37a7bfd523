from contextlib import ExitStack

import numpy as np
import pytest
import scipy.linalg
from threadpoolctl import threadpool_info

from firth.errors import OptionError
from firth.kernels.threads import blas_threads, one_blas_thread, usable_threads


def pools() -> list[int]:
    """Threads of the pools that NumPy's and SciPy's products run in."""
    assert np.linalg.norm(scipy.linalg.inv(np.eye(2))) > 1  # both are loaded
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_products_stay_in_their_thread_and_then_no_longer():
    before = pools()
    with one_blas_thread():
        assert set(pools()) == {1}
    assert pools() == before


def test_products_of_two_callers_stay_so_until_the_second_is_done():
    before = pools()
    first, second = one_blas_thread(), one_blas_thread()
    with ExitStack() as outer:
        outer.enter_context(first)
        with ExitStack() as inner:
            inner.enter_context(second)
            outer.pop_all().close()  # the first to come is the first to go
            assert set(pools()) == {1}
    assert pools() == before


def test_what_the_user_says_counts(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert blas_threads() == 1
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "no number")
    assert blas_threads() == 1


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2"])
def test_no_such_number_of_threads(threads):
    with pytest.raises(OptionError, match="expected a whole number of at least 1"):
        usable_threads(threads)
