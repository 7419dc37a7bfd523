"""Checkpoints: the state of a run in one file, written atomically and refused if damaged or from another run.

The file is a safetensors file of arrays; its metadata hold what JSON can, the run's identity among it, and a checksum.
"""

import contextlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from firth.errors import FormatError, OptionError, brief
from firth.storage.files import replacing_file
from firth.storage.untrusted import parse_json

FILE = "training.safetensors"
DAMAGE = (
    SafetensorError, OSError, AttributeError, KeyError, IndexError, TypeError, ValueError, RuntimeError, OverflowError,
)  # fmt: skip


def make_folder(folder: Path) -> None:
    """Make the folder of a checkpoint now, and not when hours of training are to be saved.

    Raises:
        OptionError: it cannot be a folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"checkpoint={str(folder)!r}: expected a folder or a place for one ({error})") from error


def write_state(path: Path, arrays: Mapping[str, npt.NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write the state of a run; an error, a full disk or a kill in the middle leaves the state before it.

    Args:
        path: the file.
        arrays: by name.
        facts: what JSON holds; "identity" says what must be equal for a run to go on from here.

    Raises:
        OSError: the file cannot be written.
    """
    whole = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()}
    text = json.dumps(facts)
    checksum = _checksum(text, ((name, whole[name]) for name in sorted(whole)))
    with replacing_file(path) as out:
        out.write(save(whole, metadata={"firth": text, "checksum": str(checksum)}))


@contextlib.contextmanager
def reading_state(
    path: Path, identity: Mapping[str, Any], current: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Open the state of a run; any error while it is read is reported as damage of the file.

    Args:
        path: the file.
        identity: of the run that resumes.
        current: translates an identity of an earlier version of firth.

    Yields:
        The facts, and the open file: `keys()` and `get_tensor(name)` give the arrays.

    Raises:
        OptionError: the state is another run's; the message names what differs.
        FormatError: the file is damaged.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            metadata, names = file.metadata(), sorted(file.keys())
            facts: dict[str, Any] = parse_json(metadata["firth"])
            check_identity(current(facts["identity"]), parse_json(json.dumps(identity)), path.parent)
            checksum = _checksum(metadata["firth"], ((name, file.get_tensor(name)) for name in names))
            if metadata["checksum"] != str(checksum):
                raise ValueError("its contents are not those that were written")
            yield facts, file
    except OptionError:
        raise
    except DAMAGE as error:
        raise FormatError(f"{path} is not a whole checkpoint ({error}): remove it to start anew") from error


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
        verb = "is"
        if isinstance(value, dict) and isinstance(there, dict):
            parts = [k for k in {**value, **there} if there.get(k) != value.get(k)]
            verb = "have" if key.endswith("s") else "has"
            there, here = (", ".join(_shown(k, each.get(k)) for k in parts) for each in (there, value))
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
