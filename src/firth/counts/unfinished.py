"""Counts that are being written: two files that grow, and, with a checkpoint, a state from which a later call resumes.

What is written is never changed, so that a state is a number of rows, their sizes and a checksum of what was written
up to there; anything after it, left by a kill, is cut off. One process at a time writes to a checkpoint.
"""

import contextlib
import logging
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError, OptionError
from firth.storage.checkpoints import FILE, FORMER, Checkpoint, make_folder, restore_state, write_state
from firth.storage.partial import lock
from firth.timing import Stopwatch

NAMES = ("columns.bin", "values.bin")
KEPT = "counting."  # begins the names of all files in a checkpoint, a folder of the caller's
LOCK = f"{KEPT}lock"
BYTES = 4  # bytes of a column, and of a value
PIECE = 1 << 24  # bytes read at once
_log = logging.getLogger("firth.checkpoints")


class UnfinishedRows:
    """The cells of a matrix, row after row; a context manager.

    Args:
        words: V, the number of rows.
        checkpoint: where a state is kept, or None.
        identity: the run that a state must belong to.

    Attributes:
        sizes: (V,) int64, their numbers of cells.

    Raises:
        CorpusError: the checkpoint cannot be written.
        OptionError: on entering: the state is another run's, its path cannot be a folder, or another process writes
            there.
        FormatError: on entering: the state is damaged.
    """

    def __init__(self, folder: Path, words: int, checkpoint: Checkpoint | None, identity: Mapping[str, Any]) -> None:
        self._target, self._checkpoint, self._identity = folder, checkpoint, dict(identity)
        self._kept = None if checkpoint is None else Path(checkpoint)
        self.sizes = np.zeros(words, dtype=np.int64)
        self._state = 0, [0, 0]  # rows and checksums, one value: an interrupt comes before or after it is set
        self._open = contextlib.ExitStack()
        self._files: list[BinaryIO] = []
        self._since, self._waited = Stopwatch(), 0.0

    @property
    def done(self) -> int:
        """Rows that are written."""
        return self._state[0]

    def __enter__(self) -> "UnfinishedRows":
        with self._open, self._saving():
            if self._kept is not None:
                make_folder(self._kept)
                if not self._open.enter_context(lock(self._kept / LOCK)):
                    raise OptionError(
                        f"checkpoint={str(self._kept)!r}: another process counts there now; expected a folder for "
                        "each, or wait for it"
                    )
                restore_state(self._kept, self._identity, self._restore)
            size = BYTES * int(self.sizes[: self.done].sum())
            for path in self._paths():
                file = self._open.enter_context(path.open("r+b" if size else "wb"))
                file.truncate(size)
                file.seek(size)
                self._files.append(file)
            self._open = self._open.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        with self._open:
            if kind is None or issubclass(kind, KeyboardInterrupt):
                self.save()
            if kind is not None and issubclass(kind, KeyboardInterrupt) and self._kept is not None:
                _log.info("counting was interrupted: the same call goes on from the checkpoint in %s", self._kept)

    @contextlib.contextmanager
    def _saving(self) -> Iterator[None]:
        """Say which disk is full, or cannot be written: that of the checkpoint."""
        try:
            yield
        except OSError as error:
            if self._kept is None:
                raise
            raise CorpusError(
                f"checkpoint={str(self._kept)!r}: what is counted cannot be written there ({error.strerror or error}); "
                "expected room for all counts; free some and count again, or name another folder"
            ) from error

    def _paths(self) -> list[Path]:
        """Return the paths of both files while they grow."""
        return [self._target / name if self._kept is None else self._kept / f"{KEPT}{name}" for name in NAMES]

    def write(self, columns: npt.NDArray[np.int32], values: npt.NDArray[np.float32], sizes: npt.NDArray[Any]) -> None:
        """Append rows; save the state if the last one is old enough.

        Args:
            columns: (n,) of the cells.
            values: (n,) of the cells.
            sizes: number of cells of each row.
        """
        done, checksums = self._state
        new = []
        with self._saving():
            for file, array, before in zip(
                self._files,
                (columns.astype("<i4", copy=False), values.astype("<f4", copy=False)),
                checksums,
                strict=True,
            ):
                file.write(array.data)
                new.append(before if self._kept is None else zlib.crc32(array.data, before))
        self.sizes[done : done + len(sizes)] = sizes
        self._state = done + len(sizes), new
        self._waited += self._since.lap()
        if self._checkpoint is not None and self._waited >= self._checkpoint.interval:
            self.save()

    def save(self) -> None:
        """Write the state, if there is a checkpoint."""
        if self._kept is None:
            return
        done, checksums = self._state
        facts = {"identity": self._identity, "done": done, "checksums": checksums}
        with self._saving():
            for file in self._files:
                file.flush()
                os.fsync(file.fileno())
            write_state(self._kept / FILE, {"sizes": self.sizes[:done]}, facts)
        self._since.lap()
        self._waited = 0.0

    def copy(self) -> None:
        """Copy the files to the folder of the matrix, if they were written elsewhere."""
        if self._kept is not None:
            for path, name in zip(self._paths(), NAMES, strict=True):
                shutil.copyfile(path, self._target / name)

    def remove(self) -> None:
        """Remove the checkpoint, for the matrix is where it belongs; other files in its folder stay."""
        if self._kept is not None:
            with contextlib.suppress(OSError):  # a file that remains is harmless
                for path in (self._kept / FILE, self._kept / FORMER, *self._paths(), self._kept / LOCK):
                    path.unlink(missing_ok=True)
                self._kept.rmdir()

    def _restore(self, facts: dict[str, Any], file: Any) -> None:
        """Take a state.

        Raises:
            ValueError: it is impossible, or the files have changed.
        """
        done, sizes = facts["done"], file.get_tensor("sizes")
        if type(done) is not int or not 0 <= done <= len(self.sizes) or sizes.shape != (done,) or sizes.dtype != "<i8":
            raise ValueError(f"{done!r} rows of {len(self.sizes)}")
        if (sizes < 0).any() or (sizes > len(self.sizes)).any():
            raise ValueError("rows of impossible sizes")
        for path, expected in zip(self._paths(), facts["checksums"], strict=True):
            if _checksum(path, BYTES * int(sizes.sum())) != expected:
                raise ValueError(f"{path.name} is not what was written")
        self.sizes[:done] = sizes
        self._state = done, list(facts["checksums"])


def _checksum(path: Path, size: int) -> int:
    """Return the checksum of the first bytes of a file."""
    total = 0
    if not path.is_file():
        raise ValueError(f"{path.name} is missing")
    with path.open("rb") as file:
        while size:
            piece = file.read(min(size, PIECE))
            if not piece:
                raise ValueError(f"{path.name} is too short")
            total, size = zlib.crc32(piece, total), size - len(piece)
    return total
