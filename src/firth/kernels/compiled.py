"""The decorator of kernels that Numba caches on disk, and the memory that the compiler leaves behind.

Numba's cache checks only the file of the cached function: after a change in a function that a kernel calls, it would
run the old code, and after the renaming of a type it cannot read its own index. The name of a cached kernel therefore
contains a digest of its own file and of every file in this package, so a change in one of them makes a new entry.

Numba runs what it finds in its cache, which is next to the sources, in the user's cache folder, or in
`NUMBA_CACHE_DIR`. A folder named there that other users can write to is refused: they could put their own code into it.
"""

import functools
import hashlib
import mmap
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.core import event

from firth.errors import OptionError
from firth.progress import tell_of_compiler
from firth.storage.files import others_can_write

T = TypeVar("T", bound=np.generic)


def check_cache() -> None:
    """Refuse a cache that other users can write to."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder and others_can_write(Path(folder)):
        raise OptionError(
            f"NUMBA_CACHE_DIR={folder}: other users can write to this folder, whose content is run as code; expected a "
            "folder of your own: name another one, or remove their permission (chmod go-w)"
        )


check_cache()


class _CompilerListener(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Hears when a kernel is compiled, not when it is read from the cache."""

    def on_start(self, event: Any) -> None:
        dispatcher = (event.data or {}).get("dispatcher")
        if dispatcher is not None and dispatcher.py_func.__module__.startswith("firth."):
            tell_of_compiler()

    def on_end(self, event: Any) -> None:
        """Do nothing."""


event.register("numba:compile", _CompilerListener())


def compiled(function: Callable[..., Any]) -> Any:
    """Return a function compiled without the GIL, cached on disk until its file or this package changes."""
    own = Path(function.__code__.co_filename).read_bytes()
    state = hashlib.blake2b(digest(Path(__file__).parent).encode() + own, digest_size=6)
    function.__qualname__ += f"-{state.hexdigest()}"
    return njit(nogil=True, cache=True)(function)


def read_only(array: npt.NDArray[T]) -> npt.NDArray[T]:
    """Return a view that cannot be written to.

    The compiler has two types of array. Those of mapped files cannot be written to; a kernel that reads arrays of both
    kinds would be compiled twice.
    """
    view = array.view()
    view.flags.writeable = False
    return view


@functools.cache
def digest(folder: Path) -> str:
    """Return a short digest of the names and contents of a folder's Python files."""
    state = hashlib.blake2b(digest_size=6)
    for file in sorted(folder.glob("*.py")):
        state.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return state.hexdigest()


def release_memory() -> None:
    """Return memory to the system that a training does not need: the compiler's code, and freed allocations.

    Numba's first call loads about 50 MB of LLVM code, which would count as this process's memory for the whole
    training, and reading a vocabulary of 200,000 words leaves 20 MB in the allocator of the C library. Only read-only
    code is released, which is read again if the compiler runs again, and all of this only on Linux.
    """
    if sys.platform != "linux":
        return
    import ctypes

    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):  # glibc only
        library.malloc_trim(0)
    madvise = library.madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    try:
        maps = Path("/proc/self/maps").read_text("utf-8", "replace")
    except OSError:  # there are systems without /proc
        return
    for line in maps.splitlines():
        if "llvmlite" in line and " r-xp " in line:
            first, last = (int(part, 16) for part in line.split(maxsplit=1)[0].split("-"))
            madvise(first, last - first, mmap.MADV_DONTNEED)
