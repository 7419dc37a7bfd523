"""Products of large matrices by either library."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.kernels.threads import one_blas_thread
from firth.neural.layers import products
from firth.neural.layers.products import LARGE, STEADY_ROWS, PreparedLinear, linear, product, step_product

N, K = 300, 700


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """One thread, and no oneDNN unless a test asks for it."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield monkeypatch.setattr(products, "has_fast_onednn", lambda: False)
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


def test_products_through_onednn(monkeypatch):
    """What torch gives but for rounding, whatever the strides, with and without `out`."""
    monkeypatch.setattr(products, "has_fast_onednn", lambda: True)
    a, b = factors(50)
    x, addend = torch.randn(N, 2 * K)[:, :K], torch.randn(N, 50)
    limits = {"rtol": 0, "atol": 2 * K * torch.finfo().eps}
    torch.testing.assert_close(product(a, b), torch.mm(a, b), **limits)
    out = torch.empty(N, 50)
    assert product(a, b, out=out) is out
    assert torch.equal(out, product(a.T.contiguous().T, b.contiguous()))
    step_product(addend, x, b.T, out)
    torch.testing.assert_close(out, addend + x @ b, **limits)
    with torch.no_grad():
        torch.testing.assert_close(linear(x[None], b.T, addend[0]), (x @ b + addend[0])[None], **limits)
        assert linear(x[:0], b.T).shape == (0, 50)
    assert linear(x, b.T.clone().requires_grad_()).requires_grad


def test_onednn_gets_factors_without_gaps(monkeypatch):
    """With gaps between rows it takes a path that is hundreds of times slower."""
    given, real = [], torch.ops.mkldnn._linear_pointwise

    def operation(x, weight, *rest):
        given.extend([x, weight])
        return real(x, weight, *rest)

    monkeypatch.setattr(products, "has_fast_onednn", lambda: True)
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", operation)
    a, b = factors(50)
    assert product(a[:, 10:], b[10:]).shape == (N, 50)
    assert product(a.T[:, 10:], a[10:, :]).shape == (K, K)
    step_product(torch.zeros(N, 50), a[:, :20], b.T[:, :20], torch.empty(N, 50))
    with torch.no_grad():
        linear(a.expand(2, N, K).transpose(0, 1)[:, :, 10:], b.T[:, 10:])
    assert len(given) == 8
    assert all(each.is_contiguous() or each.mT.is_contiguous() for each in given)


@pytest.mark.parametrize("fast", [False, True])
@torch.no_grad()
def test_rows_do_not_depend_on_their_number(monkeypatch, fast):
    """In one thread, from `STEADY_ROWS` on: searches over many texts give the bits of those over one."""
    monkeypatch.setattr(products, "has_fast_onednn", lambda: fast)
    for width, rows in ((64, 300), (256, 40)):
        x, weight, bias = torch.randn(70, width), torch.randn(rows, width), torch.randn(rows)
        addend, stepped = torch.randn(70, rows), torch.empty(70, rows)
        whole = linear(x, weight, bias)
        step_product(addend, x, weight, stepped)
        for count in (STEADY_ROWS, 5, 7, 8, 16, 33, 64):
            assert torch.equal(linear(x[:count], weight, bias), whole[:count])
            part = torch.empty(count, rows)
            step_product(addend[:count], x[:count], weight, part)
            assert torch.equal(part, stepped[:count])


def test_a_processor_says_something():
    assert products.processor()


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("rows", [2, 9])
def test_a_prepared_weight_is_the_weight_as_it_was(monkeypatch, fast, rows):
    monkeypatch.setattr(products, "has_fast_onednn", lambda: fast)
    torch.manual_seed(5)
    weight, bias, x = torch.randn(37, 12), torch.randn(37), torch.randn(rows, 24)[:, :12]
    prepared, expected = PreparedLinear(weight.t().contiguous().t(), bias), x @ weight.T + bias
    weight.zero_()
    torch.testing.assert_close(prepared(x), expected)
    if fast:  # the same bits for any number of rows
        assert torch.equal(prepared(x[:2]), prepared(x)[:2])


def test_a_weight_prepared_under_autocast_has_its_precision():
    weight, x = torch.randn(4, 3), torch.randn(2, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        prepared = PreparedLinear(weight)
        assert prepared(x).dtype == torch.bfloat16
