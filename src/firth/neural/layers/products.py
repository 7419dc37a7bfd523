"""Products of large matrices, by the faster of two libraries that are there anyway: torch's and NumPy's.

torch's builds for x86 bring Intel's MKL. On an AMD EPYC (Zen 4) it reaches 60 to 90 billion operations a second in one
thread where NumPy's OpenBLAS reaches 90 to 102, most of all in the products of a softmax's gradient: 700 x 650 x 10,000
takes 146 ms there and 91 here. The choice hangs on the processor and on sizes, never on a clock, so that a seed gives
the same bits on the same machine.
"""

import functools
import platform
from pathlib import Path
from typing import Any

import numpy as np
import torch

from firth.kernels.threads import one_blas_thread

LARGE = 2**27  # multiplications; below, the two are level


@torch.no_grad()
def product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Return a b, outside of torch's graph, whichever library gives it.

    Args:
        a: (N, K).
        b: (K, M).
        out: (N, M) to write to, or None.
    """
    alone = a.device.type == "cpu" and a.dtype in {torch.float32, torch.float64} and torch.get_num_threads() == 1
    if not alone or a.numel() * b.shape[1] < LARGE or not slow_here():
        return torch.mm(a, b, out=out)
    result = a.new_empty(len(a), b.shape[1]) if out is None else out
    with one_blas_thread():
        np.matmul(a.detach().numpy(), b.detach().numpy(), out=result.detach().numpy())
    return result


@functools.cache
def slow_here() -> bool:
    """Whether torch's products come of a library that was made for others' processors."""
    mkl: Any = torch.backends.mkl  # which has no annotations
    return mkl.is_available() and "AuthenticAMD" in processor()


def processor() -> str:
    """Return what the system says of its processor, the maker's name in it."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0]
    except OSError:  # not Linux
        return platform.processor()
