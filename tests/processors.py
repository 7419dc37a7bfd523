"""Environments in which a process compiles and computes as on a processor with narrower vectors than this one."""

import os

import llvmlite.binding as llvm

from firth.kernels import processor

LOST = {
    8: ("avx512", "avx10", "avxvnni", "amx"),
    4: ("avx", "fma", "f16c", "amx", "vaes", "vpclmul"),
}  # of LLVM's names


def environment(width, cache):
    """Return the environment of a process whose vectors have `width` float32 lanes, or None where they have here.

    Numba's settings narrow firth's kernels and Numba's own; the rest narrows what NumPy, SciPy and PyTorch call.

    Args:
        width: 8, as with AVX2, or 4.
        cache: a folder for what such a process compiles: not to be mixed with what this processor runs.
    """
    if width >= processor.width():
        return None
    features = llvm.get_host_cpu_features().items()
    flags = ",".join(f"{'+' if have and not name.startswith(LOST[width]) else '-'}{name}" for name, have in features)
    return {
        **os.environ,
        "NUMBA_CPU_NAME": "x86-64",
        "NUMBA_CPU_FEATURES": flags,
        "NUMBA_CACHE_DIR": str(cache),
        "ONEDNN_MAX_CPU_ISA": "AVX2" if width == 8 else "SSE41",
        "ATEN_CPU_CAPABILITY": "avx2" if width == 8 else "default",
        "OPENBLAS_CORETYPE": "Haswell" if width == 8 else "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "",
    }
