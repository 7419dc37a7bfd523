"""The processor that kernels are compiled for: the host, or the one in Numba's settings.

`NUMBA_CPU_NAME` and `NUMBA_CPU_FEATURES` apply to Numba's kernels and to those in LLVM IR. With them a process compiles
and computes as on another processor: see `tests/processors.py`.
"""

import os

import llvmlite.binding as llvm


def name() -> str:
    """Return LLVM's name of the processor."""
    return os.environ.get("NUMBA_CPU_NAME") or str(llvm.get_host_cpu_name())


def flags() -> str:
    """Return the processor's features in LLVM's format: `+avx2,-avx512f,...`."""
    return os.environ.get("NUMBA_CPU_FEATURES") or str(llvm.get_host_cpu_features().flatten())


def has(*features: str) -> bool:
    """Return whether the processor has every one of these features, by LLVM's names."""
    present = set(flags().split(","))
    return all(f"+{feature}" in present for feature in features)


def width() -> int:
    """Return the number of float32 lanes of the widest vectors: 16 (AVX-512), 8 (AVX2) or 4."""
    if has("avx512f", "avx512dq"):
        return 16
    return 8 if has("avx2", "fma") else 4


def registers(width: int) -> int:
    """Return the number of vector registers for vectors of `width` lanes: 32 with AVX-512 and on ARM, otherwise 16."""
    return 32 if width == 16 or llvm.get_process_triple().startswith(("aarch64", "arm64")) else 16
