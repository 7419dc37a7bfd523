"""Folders that hold a trained model: word vectors, a classifier, a language model.

    model.safetensors    arrays, mapped into memory when the folder is opened
    vocab.json           lists of strings, such as the words in row order: JSON with one entry per line
    config.json          format (the kind of model), format version, the kind's own settings, the user's metadata
    checksums.json       checksums of all files except the card; `firth.storage.integrity` verifies them
    README.md            a model card
    model-0/ ...         models inside the model, each a folder like this one

`firth.storage.kinds` lists the kinds, and `firth.registry` rebuilds the model of a folder. A folder holds no code and
no pickle. It is written aside, synced and renamed, so a full disk or a killed process leaves the old folder whole, and
it is read as it was at one time, models inside included, though others save there meanwhile.
"""

import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError, OptionError
from firth.options import check_path
from firth.storage import checksums, tensors
from firth.storage.files import json_bytes, replacing_folder
from firth.storage.integrity import verify
from firth.storage.kinds import CHECKS, LOADERS, PREFIX, resolve
from firth.storage.partial import is_empty
from firth.storage.snapshots import snapshot
from firth.storage.untrusted import file_bytes, parse_json

VERSION = 1
CHECKED = 2**16  # numbers checked at once: they stay in the cache
MODEL, CONFIG, CARD = "model.safetensors", "config.json", "README.md"
_LISTS = ("vocab", "attributes", "labels", "names", "types")
TEXTS = (
    *_LISTS,
    "pivots",
    "tokens",
    "tags",
    "lemmas",
    "removals",
    "tokenizer",
    "tokenizer_config",
    *(f"{side}-{name}" for side in ("source", "target") for name in _LISTS),
)  # JSON files
SUBFOLDER = re.compile(r"model-\d+")


@dataclass(frozen=True, kw_only=True)
class ModelFolder:
    """The contents of a folder, to be written or as read.

    Attributes:
        kind: the kind of model, such as "firth-vectors".
        arrays: arrays by name; mapped and read-only after reading.
        dtypes: the precision to store an array in, where it differs from the array's own.
        texts: contents of the JSON files by file name without ".json": a list of words, or any other JSON value.
        config: the kind's own settings in config.json.
        metadata: the user's.
        card: the text of README.md; not read back.
        path: the folder that was read, for messages: another may be there now.
        subfolders: the function that writes each subfolder.
        parts: the contents of the subfolders after reading.
    """

    kind: str
    arrays: Mapping[str, npt.NDArray[Any]]
    dtypes: Mapping[str, npt.DTypeLike] = field(default_factory=dict)
    texts: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    card: str = ""
    path: Path = Path()
    subfolders: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)
    parts: Mapping[str, "ModelFolder"] = field(default_factory=dict)

    def array(
        self, name: str, shape: tuple[int | None, ...], kind: str = "f", *, dtype: npt.DTypeLike | None = None
    ) -> npt.NDArray[Any]:
        """Return an array that must be there.

        Args:
            shape: its sides; None for one that may have any length.
            kind: NumPy's letter for what it holds: "f" for fractions, "i" for whole numbers.
            dtype: the type it must have; None for any of the kind.

        Raises:
            FormatError: it is missing, has another shape, or holds something else.
        """
        array = self.arrays.get(name)
        if array is None:
            raise self.damaged(f"tensors {', '.join(self.arrays) or 'none'}; expected {name!r}")
        fits = len(array.shape) == len(shape) and all(
            b is None or a == b for a, b in zip(array.shape, shape, strict=True)
        )
        if not fits or array.dtype.kind != kind or (dtype is not None and array.dtype != dtype):
            expected = repr(kind) if dtype is None else np.dtype(dtype)
            raise self.damaged(
                f"tensor {name!r} is {array.dtype} of shape {array.shape}; expected {expected} of {shape}"
            )
        return array

    def numbers(self, name: str, shape: tuple[int | None, ...], end: int, *, start: int = 0) -> npt.NDArray[Any]:
        """Return whole numbers that must be there, such as rows of another array.

        Raises:
            FormatError: it is missing, has another shape, or a number is out of its range.
        """
        array = self.array(name, shape, "i")
        if array.size and not start <= int(array.min()) <= int(array.max()) < end:
            there = f"numbers from {array.min():,} to {array.max():,}"
            raise self.damaged(f"tensor {name!r} holds {there}; expected {start:,} to {end - 1:,}")
        return array

    def counts(self, name: str, size: int, least: int = 0) -> npt.NDArray[np.int64]:
        """Return how often each of some words, or labels, was counted.

        Raises:
            FormatError: there are no such counts, one is negative, or they are too large to add up.
        """
        array = self.numbers(name, (size,), 2**63, start=least)
        if size and float(array.sum(dtype=np.float64)) >= 2**62:
            raise self.damaged(
                f"tensor {name!r} holds counts up to {array.max():,}; expected them to add up to less than 2^62"
            )
        return array.astype(np.int64, copy=False)

    def offsets(self, name: str, size: int, end: int) -> npt.NDArray[np.int64]:
        """Return where each of `size` lists begins in one long array of `end` entries, and where the last one ends.

        Raises:
            FormatError: there are none, or the lists do not follow one another from 0 to `end`.
        """
        array = self.array(name, (size + 1,), "i").astype(np.int64, copy=False)
        if array[0] != 0 or array[-1] != end or (array[1:] < array[:-1]).any():
            raise self.damaged(f"tensor {name!r} does not rise from 0 to {end:,}")
        return array

    def words(self, name: str = "vocab") -> list[str]:
        """Return a list of words that must be there.

        Raises:
            FormatError: there is no such list.
        """
        if name not in self.texts:
            raise FormatError(f"{self.path}: no {name}.json; the folder is damaged, copy or save it again")
        words = self.texts[name]
        if not isinstance(words, list) or not set(map(type, words)) <= {str}:
            raise FormatError(f"{self.path / f'{name}.json'}: expected a list of words; copy or save the folder again")
        return words

    def part(self, name: str) -> "ModelFolder":
        """Return the contents of a subfolder that must be there.

        Raises:
            FormatError: there is none.
        """
        if name not in self.parts:
            raise self.damaged(f"no model in {name}")
        return self.parts[name]

    def damaged(self, problem: str) -> FormatError:
        """Return the error for a folder that does not hold what its kind promises."""
        return FormatError(f"{self.path}: {problem}; the folder is damaged, copy or save it again")


def check_finite(folder: Path) -> None:
    """Check that no tensor of a folder holds NaN or infinity; attributes of words, which are the user's, may.

    Raises:
        FormatError: one does; the message names the tensor and the first row.
    """
    if not (folder / MODEL).is_file():
        return  # the reader says what is missing
    for name, array in tensors.mapped(folder / MODEL).items():
        if array.dtype.kind != "f" or not array.size or "attribute." in name:
            continue
        flat = array.reshape(-1)
        for start in range(0, len(flat), CHECKED):
            finite = np.isfinite(flat[start : start + CHECKED])
            if not finite.all():
                row = (start + int(np.argmin(finite))) // max(array.size // max(len(array), 1), 1) if array.ndim else 0
                raise FormatError(
                    f"{folder / MODEL}: tensor {name!r} holds NaN or infinity in row {row:,}, expected finite numbers; "
                    "train or save the model again"
                )


def is_model_folder(folder: Path) -> bool:
    """Return whether a folder holds a model of a kind that this version of firth knows, and may replace."""
    return kind_of(folder) in LOADERS


def kind_of(folder: Path) -> str:
    """Return the kind of model that a folder holds, perhaps one of a newer version; "" if firth did not write it."""
    return snapshot(folder, _kind_of)


def _kind_of(folder: Path) -> str:
    try:
        config = parse_json(file_bytes(folder / CONFIG))
    except (OSError, ValueError):
        return ""
    kind = config.get("format") if isinstance(config, dict) else None
    return kind if isinstance(kind, str) and kind.startswith(PREFIX) else ""


def may_be_model_folder(folder: Path) -> bool:
    """Return whether firth wrote a folder, perhaps one whose config.json is damaged now."""
    return (folder / checksums.FILE).is_file() or bool(kind_of(folder))


@names_files
def check_target(path: str | os.PathLike[str]) -> Path:
    """Return the path of a folder that may be written.

    Raises:
        OptionError: it is a file, or a folder of something else, which is never replaced.
    """
    check_path(path)
    target = Path(path)
    if target.exists() and not target.is_dir():
        raise OptionError(
            f"{target} is a file; expected the name of a folder: give a new name, or delete the file first"
        )
    if target.is_dir() and not is_model_folder(target) and not is_empty(target):
        raise OptionError(f"{target} is a folder of something else; expected a new name, or a folder that firth wrote")
    return target


def write(path: str | os.PathLike[str], folder: ModelFolder) -> None:
    """Write a folder, or replace one of firth's; files that firth did not write stay in it."""
    assert set(folder.texts) <= set(TEXTS), "a text that would not be found again"
    assert all(SUBFOLDER.fullmatch(name) for name in folder.subfolders), "a folder that would not be replaced"
    target, config = check_target(path), _config(folder)
    dtypes = {name: folder.dtypes.get(name, array.dtype) for name, array in folder.arrays.items()}
    with replacing_folder(target, _own) as aside:
        with (aside / MODEL).open("wb") as file:
            tensors.write(file, folder.arrays, dtypes)
        for name, value in folder.texts.items():
            (aside / f"{name}.json").write_bytes(_json_lines(value))
        for name, write_part in folder.subfolders.items():
            write_part(aside / name)
        (aside / CARD).write_bytes(folder.card.encode("utf-8", "backslashreplace"))
        (aside / CONFIG).write_bytes(config)


def _own(folder: Path) -> set[str]:
    """Return the files in a folder that firth writes, relative to it."""
    names = {MODEL, CONFIG, CARD, checksums.FILE, *(f"{name}.json" for name in TEXTS)}
    for part in folder.iterdir():
        if SUBFOLDER.fullmatch(part.name) and is_model_folder(part):
            names |= {str(Path(part.name, name)) for name in _own(part)}
    return names


def _config(folder: ModelFolder) -> bytes:
    from firth import __version__

    head = {"format": folder.kind, "format_version": VERSION, "firth_version": __version__}
    config = {**head, **folder.config, "metadata": dict(folder.metadata)}
    try:
        return json_bytes(config, indent=2, allow_nan=False) + b"\n"
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"the metadata cannot be written as JSON ({error}): expected texts, numbers, lists, dicts"
        ) from None


def _json_lines(value: Any) -> bytes:
    return json_bytes(value, separators=(",\n", ":") if isinstance(value, list) else (", ", ": "))


def read(path: str | os.PathLike[str]) -> ModelFolder:
    """Return what a folder holds, models inside included, its arrays mapped."""
    return snapshot(Path(path), _read)


def _read(folder: Path) -> ModelFolder:
    covered = verify(folder, check=check_finite)
    config = _read_config(folder)
    try:
        arrays = tensors.mapped(folder / MODEL)
        texts = {name: _read_json(folder / f"{name}.json") for name in TEXTS if _is_there(folder, name, covered)}
    except FileNotFoundError as error:
        raise FormatError(
            f"{folder}: no {Path(error.filename).name}; the folder is damaged, copy or save it again"
        ) from None
    metadata = config.get("metadata")
    content = ModelFolder(
        kind=config["format"],
        arrays=arrays,
        texts=texts,
        config=config,
        metadata=metadata if isinstance(metadata, dict) else {},
        path=folder,
        parts={name: _read(folder / name) for name in _parts(folder, covered)},
    )
    _check_kind(content)
    return content


def _check_kind(content: ModelFolder) -> None:
    """Do the check of a kind whose contents are trusted by kernels, unless it was done since the folder changed."""
    if location := CHECKS.get(content.kind):
        verify(content.path, check=lambda _: resolve(location)(content))


def _parts(folder: Path, covered: Collection[str] | None) -> list[str]:
    """Return the names of the folders inside that hold models, without those that a user has put there."""
    if covered is None:
        return [entry.name for entry in folder.iterdir() if SUBFOLDER.fullmatch(entry.name) and _kind_of(entry)]
    inside = (name.removesuffix(f"/{CONFIG}") for name in covered if name.endswith(f"/{CONFIG}"))
    return [name for name in inside if SUBFOLDER.fullmatch(name)]


def _is_there(folder: Path, text: str, covered: Collection[str] | None) -> bool:
    """Return whether a folder has a text of the model, not one that a user has put there."""
    name = f"{text}.json"
    return (folder / name).is_file() if covered is None else name in covered


def _read_config(folder: Path) -> dict[str, Any]:
    if not _kind_of(folder):
        raise FormatError(
            f"{folder}: no model of firth's; expected a folder that firth wrote, with {CONFIG} and {MODEL}"
        )
    config = cast("dict[str, Any]", _read_json(folder / CONFIG))
    if not isinstance(version := config.get("format_version"), int) or version > VERSION:
        raise FormatError(f"{folder}: format version {version}, expected at most {VERSION}: install a newer firth")
    return config


def _read_json(path: Path) -> Any:
    content = file_bytes(path)
    try:
        return parse_json(content)
    except ValueError as error:
        raise FormatError(f"{path}: damaged JSON ({error}); copy or save the folder again") from None


def precision(arrays: Mapping[str, npt.NDArray[Any]], dtype: np.dtype[Any]) -> dict[str, np.dtype[Any]]:
    """Return the precision to store arrays in: `dtype` for fractions, their own for everything else."""
    return {name: dtype if array.dtype.kind == "f" else array.dtype for name, array in arrays.items()}
