"""Products of large matrices by either library."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.kernels.threads import one_blas_thread
from firth.neural.layers import products
from firth.neural.layers.products import LARGE, product

N, K = 300, 700


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def factors(columns, dtype=torch.float32):
    torch.manual_seed(8)
    return torch.randn(N, K, dtype=dtype), torch.randn(columns, K, dtype=dtype).T


def by_numpy(a, b):
    with one_blas_thread():  # two threads have other sums
        return torch.from_numpy(a.numpy() @ b.numpy())


@pytest.mark.parametrize("slow", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_large_ones_by_the_faster_library(monkeypatch, slow, dtype):
    """To the bit what the library gives, so that a library that is not asked shows."""
    monkeypatch.setattr(products, "has_slow_mkl", lambda: slow)
    a, b = factors(1 + LARGE // (N * K), dtype)
    assert torch.equal(product(a, b), by_numpy(a, b) if slow else torch.mm(a, b))
    out = torch.full((N, b.shape[1]), torch.nan, dtype=dtype)
    assert product(a, b, out=out) is out
    assert torch.equal(out, product(a, b))
    torch.testing.assert_close(by_numpy(a, b), torch.mm(a, b), rtol=0, atol=2 * K * torch.finfo(dtype).eps)


def test_others_by_torch(monkeypatch):
    """Small ones, those in half precision, and all where torch may use several threads."""
    monkeypatch.setattr(products, "has_slow_mkl", lambda: True)
    monkeypatch.setattr(np, "matmul", None)
    small, large = factors(LARGE // (N * K)), factors(1 + LARGE // (N * K))
    assert torch.equal(product(*small), torch.mm(*small))
    half = [part.bfloat16() for part in large]
    assert torch.equal(product(*half), torch.mm(*half))
    torch.set_num_threads(2)
    torch.testing.assert_close(product(*large), torch.mm(*large), rtol=0, atol=1e-4)


@pytest.mark.parametrize("columns", [1 + LARGE // (N * K), 3])
def test_gradients_are_not_followed(monkeypatch, columns):
    """Neither by NumPy, which has no graph, nor by torch, which does the small ones."""
    monkeypatch.setattr(products, "has_slow_mkl", lambda: True)
    a, b = factors(columns)
    assert not product(a.requires_grad_(), b).requires_grad


@pytest.mark.parametrize(("maker", "mkl", "slow"), [("AuthenticAMD", True, True), ("AuthenticAMD", False, False),
                                                    ("GenuineIntel", True, False), ("", True, False)])  # fmt: skip
def test_whom_a_library_was_made_for(monkeypatch, maker, mkl, slow):
    monkeypatch.setattr(products, "processor", lambda: f"processor\t: 0\nvendor_id\t: {maker}")
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: mkl)
    assert products.has_slow_mkl.__wrapped__() is slow


def test_a_processor_says_something():
    assert products.processor()
