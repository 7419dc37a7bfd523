"""Checkpoints: the state of a run in one file, written atomically and refused if damaged or from another run.

The file is a safetensors file of arrays; its metadata hold what JSON can, the run's identity among it, and a checksum.
The state before the last one is kept beside it, for the case that the disk damages the last one.
"""

import contextlib
import json
import logging
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from firth.arguments import explained_class, names_files
from firth.errors import FormatError, OptionError, brief, warn_caller
from firth.options import check_path
from firth.storage.files import replacing_file
from firth.storage.untrusted import parse_json
from firth.storage.user_files import check_file

FILE, FORMER = "training.safetensors", "training.former.safetensors"
EVERY = 300.0  # seconds
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
MOST = 1e12  # seconds
_log = logging.getLogger("firth.checkpoints")
DIGEST = re.compile(r"[0-9a-f]{32,}")
DAMAGE = (
    SafetensorError, OSError, AttributeError, KeyError, IndexError, TypeError, ValueError, RuntimeError, OverflowError,
)  # fmt: skip


@explained_class
@dataclass(frozen=True)
class Checkpoint(os.PathLike[str]):
    """A folder for checkpoints of a training, and how often one is written; for the argument `checkpoint` of `train`.

    Args:
        folder: a folder, or a place for one. It holds the last two states of the run, each as large as the parameters
            and the statistics of an optimiser, and while one is written a third.
        every: time of training between two checkpoints inside an epoch: seconds, text such as "30s", "5m" and "1.5h",
            or a `datetime.timedelta`. After each epoch or evaluation there is one more, unless writing would take over
            a twentieth of the time.

    Attributes:
        every: in seconds.

    Raises:
        ArgumentTypeError: the folder is not a path.
        OptionError: the folder has no name, or `every` is not a time.
    """

    folder: str | os.PathLike[str]
    every: float | str | timedelta = EVERY

    def __post_init__(self) -> None:
        check_path(self.folder, "checkpoint")
        if not os.fspath(self.folder):
            raise OptionError("checkpoint='': expected the name of a folder")
        object.__setattr__(self, "folder", os.path.expanduser(self.folder))  # noqa: PTH111  raises for no "~x"
        object.__setattr__(self, "every", seconds_of(self.every))

    def __fspath__(self) -> str:
        return os.fspath(self.folder)

    @property
    def interval(self) -> float:
        """Seconds of training between two checkpoints."""
        return seconds_of(self.every)

    def below(self, name: str) -> "Checkpoint":
        """Return a folder in this one, for one of several trainings in a row."""
        return Checkpoint(Path(self.folder) / name, self.every)


def checkpoint_of(given: str | os.PathLike[str] | None) -> Checkpoint | None:
    """Return the argument `checkpoint` of a training as one, or None.

    Raises:
        ArgumentTypeError: it is not a path.
    """
    return given if given is None or isinstance(given, Checkpoint) else Checkpoint(given)


def seconds_of(time: float | str | timedelta) -> float:
    """Return a time in seconds, given as a number, as text with a unit, or as a span of time.

    Raises:
        OptionError: it is not a time.
    """
    if isinstance(time, timedelta):
        time = time.total_seconds()
    pattern = r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([smh]?)\s*"
    match = re.fullmatch(pattern, time, re.ASCII) if isinstance(time, str) else None
    number = float(match[1]) * UNITS[match[2] or "s"] if match else time
    if isinstance(number, str | bool) or not isinstance(number, int | float) or not 0 <= number < MOST:
        raise OptionError(f"every={brief(time)}: expected seconds, or a time such as '30s', '5m' or '1.5h'")
    return float(number)


def make_folder(folder: Path) -> None:
    """Make the folder of a checkpoint now, and not when hours of training are to be saved.

    Raises:
        OptionError: it cannot be a folder, or not be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:  # ValueError: a NUL character
        reason = error.strerror if isinstance(error, OSError) else error
        raise OptionError(
            f"checkpoint={str(folder)!r}: expected a folder that can be written, or a place for one ({reason})"
        ) from error


def write_state(path: Path, arrays: Mapping[str, npt.NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write the state of a run; an error, a full disk or a kill in the middle leaves the state before it.

    Args:
        path: the file. One named `FILE` keeps the state before it as `FORMER`.
        arrays: by name.
        facts: what JSON holds; "identity" says what must be equal for a run to go on from here.

    Raises:
        OSError: the file cannot be written.
    """
    whole = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()}
    text = json.dumps(facts)
    checksum = _checksum(text, ((name, whole[name]) for name in sorted(whole)))
    with replacing_file(path, path.with_name(FORMER) if path.name == FILE else None) as out:
        out.write(save(whole, metadata={"firth": text, "checksum": str(checksum)}))


@names_files
def restore_state(folder: Path, identity: Mapping[str, Any], restore: Callable[[dict[str, Any], Any], None]) -> None:
    """Restore a run from the last state in a folder that is whole; do nothing if there is none.

    A run that is restored is logged, at level INFO of "firth.checkpoints".

    Args:
        folder: is made where it is missing.
        identity: of the run that resumes.
        restore: takes the facts and the open file of a state, and raises what `reading_state` takes for damage.

    Raises:
        OptionError: a state is another run's, and the message names what differs; or the path cannot be a folder.
        FormatError: the states are damaged.

    Warns:
        UserWarning: the last state is damaged, and the one before it is taken.
    """
    make_folder(folder)
    states = [folder / FILE] if (folder / FILE).exists() else []
    states += [folder / FORMER] if (folder / FORMER).is_file() else []
    damage = ""
    for path in states:
        try:
            with reading_state(path, identity) as (facts, file):
                restore(facts, file)
        except FormatError as error:
            if path == states[-1]:
                raise
            damage = str(error).rpartition(": ")[0]
            continue
        if damage:
            warn_caller(f"{damage}; the run goes on from the checkpoint before it")
        if path.name == FORMER:  # the next state must not push out this one
            with contextlib.suppress(OSError):
                (folder / FILE).unlink()
        done = "" if facts.get("epoch") is None else f" (epochs done: {facts['epoch']})"
        _log.info("going on from the checkpoint in %s%s", folder, done)
        return


@contextlib.contextmanager
def reading_state(path: Path, identity: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Open the state of a run; any error while it is read is reported as damage of the file.

    Args:
        identity: of the run that resumes.

    Yields:
        The facts, and the open file: `keys()` and `get_tensor(name)` give the arrays.

    Raises:
        OptionError: the state is another run's; the message names what differs.
        FormatError: the file is damaged.
    """
    try:
        check_file(path)
        with safe_open(path, framework="numpy") as file:
            metadata, names = file.metadata(), sorted(file.keys())
            if metadata is None or "firth" not in metadata:
                raise ValueError("another program wrote it")
            facts: dict[str, Any] = parse_json(metadata["firth"])
            checksum = _checksum(metadata["firth"], ((name, file.get_tensor(name)) for name in names))
            if metadata["checksum"] != str(checksum):
                raise ValueError("its contents are not those that were written")
            check_identity(facts["identity"], parse_json(json.dumps(identity)), path.parent)
            yield facts, file
    except OptionError:
        raise
    except DAMAGE as error:
        raise FormatError(
            f"{path} is not a whole checkpoint ({error}): to start anew, name another folder, or remove {path.parent}"
        ) from error


def check_identity(identity: Mapping[str, Any], expected: Mapping[str, Any], folder: Path) -> None:
    """Check that a saved state belongs to this run.

    Args:
        identity: facts of the run that saved the state.
        expected: facts of this run.
        folder: folder of the state, for the message.

    Raises:
        OptionError: they differ; the message names the differences.
    """
    for key, value in expected.items():
        if identity.get(key) == value:
            continue
        there: Any = identity.get(key)
        here: Any = value
        if isinstance(there, str) and isinstance(here, str) and DIGEST.fullmatch(there) and DIGEST.fullmatch(here):
            more = " (the text, or an option of it such as min_count)" if key == "corpus" else ""
            raise OptionError(
                f"{folder} holds a checkpoint of another run, which had not the same {key}{more} as this one; go on "
                "with the same corpus, options, seed and threads, or name another folder"
            )
        verb = "is"
        if isinstance(value, dict) and isinstance(there, dict):
            parts = [k for k in {**value, **there} if there.get(k) != value.get(k)]
            verb = "have" if key.endswith("s") else "has"
            there, here = (", ".join(_shown(k, facts.get(k)) for k in parts) for facts in (there, value))
        raise OptionError(
            f"{folder} holds a checkpoint of another run: its {key} {verb} {there}, this run's {verb} {here}; go "
            "on with the same corpus, options, seed and threads, or name another folder"
        )


def _shown(name: str, value: Any) -> str:
    return f"no {name}" if value is None else f"{name}={brief(value)}"


def _checksum(facts: str, arrays: Iterator[tuple[str, npt.NDArray[Any]]]) -> int:
    """The CRC-32 of all that a file holds: facts, and of each array its name, type, shape and numbers."""
    total = zlib.crc32(facts.encode())
    for name, array in arrays:
        total = zlib.crc32(f"{name} {array.dtype.str} {array.shape}".encode("utf-8", "surrogatepass"), total)
        total = zlib.crc32(array.reshape(-1).view(np.uint8).data, total)
    return total
