"""The decorator of kernels that Numba keeps on disk, and the memory that the compiler leaves behind.

Numba's cache looks only at the file of the function that it keeps: after an edit or an upgrade of the bricks that the
function calls, it would go on running the old ones. The name of a cached kernel therefore holds a digest of every file
of this package, and a change in one of them makes a new entry.

What Numba finds in its cache it runs. It lies beside the sources, in the user's cache folder, or where
`NUMBA_CACHE_DIR` says; a folder named there that other users can write to is refused, for they could put their own code
into it.
"""

import functools
import hashlib
import mmap
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

from firth.errors import OptionError
from firth.storage.files import others_can_write


def check_cache() -> None:
    """Refuse a cache from which the code of other users could be run.

    Raises:
        OptionError: `NUMBA_CACHE_DIR` names a folder that others can write to.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen and others_can_write(Path(chosen)):
        raise OptionError(
            f"NUMBA_CACHE_DIR={chosen}: other users can write to this folder, and what is in it is run as code; "
            "expected a folder of your own: name another one, or take the permission from them (chmod go-w)"
        )


check_cache()


def compiled(function: Callable[..., Any]) -> Any:
    """Return a function compiled without Python's lock held, kept on disk until any kernel's source changes."""
    function.__qualname__ += f"-{digest(Path(__file__).parent)}"
    return njit(nogil=True, cache=True)(function)


@functools.cache
def digest(folder: Path) -> str:
    """Return a short digest of the names and contents of a folder's Python files."""
    state = hashlib.blake2b(digest_size=6)
    for file in sorted(folder.glob("*.py")):
        state.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return state.hexdigest()


def release_compiler() -> None:
    """Let the system take back the pages of the compiler's own code; should it run again, they are read again.

    Numba's first call touches some 50 MB of LLVM, which would stay charged to this process for as long as it trains.
    Only read-only code is given back, and only on Linux; elsewhere nothing happens.
    """
    if sys.platform != "linux":
        return
    import ctypes

    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in Path("/proc/self/maps").read_text("utf-8", "replace").splitlines():
        if "llvmlite" in line and " r-xp " in line:
            first, last = (int(part, 16) for part in line.split(maxsplit=1)[0].split("-"))
            madvise(first, last - first, mmap.MADV_DONTNEED)
