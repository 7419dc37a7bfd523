"""NumPy's .npy: the matrix in one file, the words beside it in another, one per line in row order.

vectors.npy          (V, D), opened by `numpy.load`; firth maps it
vectors.words.txt    V lines of UTF-8
"""

import contextlib
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, brief
from firth.storage.files import check_replaceable, replacing_file, resolved
from firth.storage.mapping import is_copying
from firth.storage.partial import in_steps
from firth.storage.untrusted import file_bytes, is_packed
from firth.storage.user_files import check_file, open_file
from firth.vectors.io.table import Contents, Reading, check_file_target, settle
from firth.vectors.io.text import encoded
from firth.vectors.space import VectorSpace

MAGIC = b"\x93NUMPY"


def words_file(path: Path) -> Path:
    """Return the path of the words of a matrix: `v.words.txt` for `v.npy`."""
    return path.with_suffix(".words.txt")


def write(space: VectorSpace, path: Path, dtype: np.dtype[Any]) -> None:
    """Write the matrix to `path` and the words beside it.

    Raises:
        FormatError: a word contains a newline or is not valid text.
    """
    lines = [encoded(word, str(path)) for word in space.words]
    for line, word in zip(lines, space.words, strict=True):
        if b"\n" in line:
            raise FormatError(
                f"{path}: the word {brief(word)} contains a newline; save the vectors in the firth format"
            )
    words = words_file(path)
    check_replaceable(words, lambda _: path.is_file() and is_matrix(path), "the words of a matrix")
    with contextlib.ExitStack() as both, replacing_file(path) as file:
        np.save(file, np.asarray(space.vectors, dtype=dtype), allow_pickle=False)
        file.flush()
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            os.fsync(file.fileno())  # which may take long, and fail, before either is replaced
        with replacing_file(words) as beside:
            beside.write(b"".join(line + b"\n" for line in lines))
            both.enter_context(in_steps(resolved(path)))


def is_matrix(path: Path) -> bool:
    """Return whether a file is NumPy's and has words beside it."""
    with open_file(path) as file:
        return file.read(len(MAGIC)) == MAGIC and words_file(path).is_file()


def read(path: Path, reading: Reading) -> Contents:
    """Return the words and the mapped matrix.

    Raises:
        FormatError: there are no words beside it, not as many as rows, or the file is damaged or not a matrix.
    """
    if is_packed(path):
        raise FormatError(f"{path}: a packed .npy file; unpack it, because it is mapped")
    words = words_file(path)
    if not words.is_file():
        raise FormatError(
            f"{path}: a matrix without words; expected {words.name} beside it, with one word per line in row order"
        )
    matrix, content = mapped(path), file_bytes(words)
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    if len(matrix) != len(lines):
        raise FormatError(
            f"{path}: {len(matrix):,} rows for the {len(lines):,} words of {words.name}; expected as many"
        )
    tokens = [reading.word(line, f"{words} line {row + 1}") for row, line in enumerate(lines[: reading.limit])]
    return settle(tokens, matrix, lambda row: f"{path} row {row}", reading)


def mapped(path: Path) -> npt.NDArray[Any]:
    """Return the matrix of a .npy file, mapped.

    Raises:
        FormatError: the file is damaged, or holds something else, such as objects, which would be a pickle.
    """
    check_file(path)
    try:
        matrix: npt.NDArray[Any] = np.load(path, mmap_mode=None if is_copying() else "r", allow_pickle=False)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # NumPy reads the head of the file as Python's syntax, with all its errors
        raise FormatError(f"{path}: not a matrix of numbers ({error}); copy or save it again") from None
    if matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise FormatError(f"{path}: {matrix.dtype} of shape {matrix.shape}; expected a matrix of fractions")
    return matrix


def check(path: Path) -> None:
    """Check that writing replaces nothing but vectors; see `check_file_target`."""
    check_file_target(path, "npy", is_matrix, "matrices with words beside them")
