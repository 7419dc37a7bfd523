"""Products of large matrices through PyTorch's or NumPy's BLAS, whichever is faster on this processor.

PyTorch's builds for x86 use Intel's MKL. On an AMD EPYC (Zen 4) with one thread MKL reaches 60 to 90 billion operations
per second and NumPy's OpenBLAS 90 to 102. The difference is largest in the products of a softmax's gradient:
700 x 650 x 10,000 takes 146 ms with MKL and 91 ms with OpenBLAS. The choice depends on the processor and on sizes, not
on a measured time, so that a seed gives the same bits on the same machine.
"""

import functools
import platform
from pathlib import Path
from typing import Any

import numpy as np
import torch

from firth.kernels.threads import one_blas_thread

LARGE = 2**27  # multiplications; below this the two are equally fast


@torch.no_grad()
def product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Return the (N, M) product of (N, K) and (K, M), outside of autograd; `out` receives it where given."""
    one_cpu_thread = (
        a.device.type == "cpu" and a.dtype in {torch.float32, torch.float64} and torch.get_num_threads() == 1
    )
    if not one_cpu_thread or a.numel() * b.shape[1] < LARGE or not has_slow_mkl():
        return torch.mm(a, b, out=out)
    result = a.new_empty(len(a), b.shape[1]) if out is None else out
    with one_blas_thread():
        np.matmul(a.detach().numpy(), b.detach().numpy(), out=result.detach().numpy())
    return result


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
