"""Matrix products through oneDNN, NumPy's BLAS or Intel's MKL, whichever is faster on this processor.

PyTorch's builds for x86 use MKL, which on AMD processors does without AVX-512. On an AMD EPYC with AVX-512 and one
thread MKL reaches 95 to 115 billion operations per second, NumPy's OpenBLAS 120 to 130, and oneDNN, which PyTorch
contains too, 210 to 270. The choice depends on the processor and on sizes, not on a measured time, so that a seed gives
the same bits on the same machine.

With oneDNN, one thread and float32, the bits of a row of `linear`, `step_product` and `product` do not depend on the
number of rows, from 2 rows on; with MKL, from 4 (`STEADY_ROWS`).
"""

import functools
import platform
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from firth.kernels.threads import one_blas_thread

LARGE = 2**27  # multiplications; below this MKL and OpenBLAS are equally fast
STEADY_ROWS = 4
BLOCK = 256  # rows of a product that is copied


def linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """Return x W^T + b, as `torch.nn.functional.linear`; faster where no gradient is needed.

    Args:
        x: (..., K).
        weight: (M, K).
        bias: (M,) or None.
    """
    if torch.is_grad_enabled() or torch.is_autocast_enabled(x.device.type) or not _for_onednn(x, weight):
        return functional.linear(x, weight, bias)
    return _onednn(x, weight, bias)


class PreparedLinear:
    """x W^T + b of one weight for many x, without gradients; under autocast in its precision.

    oneDNN reads the weight in blocks. It is copied into them once, as it is now, and not again for every x.

    Args:
        weight: (M, K).
        bias: (M,) or None.
    """

    @torch.no_grad()
    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None) -> None:
        weight, bias, kind = weight.detach(), None if bias is None else bias.detach(), weight.device.type
        if torch.is_autocast_enabled(kind) and weight.dtype == torch.float32:
            weight = weight.to(torch.get_autocast_dtype(kind))
        self._dtype, self._in_blocks = weight.dtype, _for_onednn(weight)
        self._weight = _blocked(weight) if self._in_blocks else weight.contiguous()
        self._bias = None if bias is None else bias.to(weight.dtype)

    @torch.no_grad()
    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Return (N, M) products of (N, K) x."""
        x = x.to(self._dtype)
        if not self._in_blocks:
            return functional.linear(x, self._weight, self._bias)
        return _pointwise(x.contiguous(), self._weight, self._bias)


@torch.no_grad()
def step_product(addend: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, out: torch.Tensor) -> None:
    """Write y + x W^T, outside of autograd; the product has the precision of y.

    Args:
        addend: (B, M), y.
        x: (B, K).
        weight: (M, K), of the type of y.
        out: (B, M), of the type of x.
    """
    if addend.dtype != out.dtype:
        out.copy_(torch.addmm(addend, x.to(addend.dtype), weight.t()))
    elif _for_onednn(x, weight):
        torch.add(addend, _onednn(x, weight), out=out)
    else:
        torch.addmm(addend, x, weight.t(), out=out)


@torch.no_grad()
def product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Return the (N, M) product of (N, K) and (K, M), outside of autograd; `out` receives it where given."""
    if _for_onednn(a, b):
        if out is None:
            return _onednn(a, b.t())
        for rows, part in zip(in_blocks(a, BLOCK), in_blocks(out, BLOCK), strict=True):
            part.copy_(_onednn(rows, b.t()))  # while it is in the cache
        return out
    one_cpu_thread = (
        a.device.type == "cpu" and a.dtype in {torch.float32, torch.float64} and torch.get_num_threads() == 1
    )
    if not one_cpu_thread or a.numel() * b.shape[1] < LARGE or not has_slow_mkl():
        return torch.mm(a, b, out=out)
    result = a.new_empty(len(a), b.shape[1]) if out is None else out
    with one_blas_thread():
        np.matmul(a.detach().numpy(), b.detach().numpy(), out=result.detach().numpy())
    return result


def in_blocks(x: torch.Tensor, rows: int) -> tuple[torch.Tensor, ...]:
    """Return parts of a tensor with so many rows or up to twice as many; one part if it has fewer."""
    return torch.tensor_split(x, max(len(x) // rows, 1))


def _for_onednn(*factors: torch.Tensor) -> bool:
    fits = all(factor.device.type == "cpu" and factor.dtype == torch.float32 and factor.numel() for factor in factors)
    return fits and has_fast_onednn()


def _onednn(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    return _pointwise(_dense(x), _dense(weight), bias)


def _pointwise(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return result  # PyTorch has no public name for the operation


def _blocked(weight: torch.Tensor) -> torch.Tensor:
    """Return a weight in the blocks that oneDNN reads, which do not depend on the number of rows of x."""
    result: torch.Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), BLOCK)
    return result


def _dense(x: torch.Tensor) -> torch.Tensor:
    """Return a factor without gaps between its rows: with gaps, oneDNN is hundreds of times slower."""
    return x if x.is_contiguous() or (x.dim() == 2 and x.mT.is_contiguous()) else x.contiguous()


@functools.cache
def has_fast_onednn() -> bool:
    """Whether oneDNN's products in float32 are faster than MKL's here, and this PyTorch gives access to them."""
    if not has_slow_mkl() or torch.backends.cpu.get_cpu_capability() != "AVX512":
        return False
    try:
        ones = torch.ones(2, 2)
        return bool(torch.equal(_pointwise(ones, _blocked(ones), ones[0]), ones + 2))
    except (AttributeError, RuntimeError):  # PyTorch does not document the operation
        return False


@functools.cache
def has_slow_mkl() -> bool:
    """Whether PyTorch uses Intel's MKL on an AMD processor."""
    mkl: Any = torch.backends.mkl  # has no annotations
    return mkl.is_available() and "AuthenticAMD" in processor()


def processor() -> str:
    """Return the system's description of the processor, with the maker's name."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0]
    except OSError:  # not Linux
        return platform.processor()
