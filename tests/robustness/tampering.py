"""Folders and files whose numbers were changed on purpose: nothing is left that a checksum could tell."""

from pathlib import Path
from typing import Any

import numpy as np

from firth.storage import tensors


def change(folder: Path, **arrays: Any) -> None:
    """Put other arrays into a folder that firth wrote; None takes one out."""
    file = folder / "model.safetensors"
    kept = {name: np.array(array) for name, array in tensors.mapped(file).items()} | arrays
    whole = {name: np.asarray(array) for name, array in kept.items() if array is not None}
    with file.open("wb") as out:
        tensors.write(out, whole, {name: array.dtype for name, array in whole.items()})
    (folder / "checksums.json").unlink(missing_ok=True)


def array_of(folder: Path, name: str) -> Any:
    """Return a copy of an array of a folder."""
    return np.array(tensors.mapped(folder / "model.safetensors")[name])


def with_number(array: Any, place: Any, number: Any) -> Any:
    """Return an array with one number changed."""
    changed = np.array(array)
    changed[place] = number
    return changed
