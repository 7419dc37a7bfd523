"""firth's own format: a folder that opens in milliseconds, whatever its size, and in ten years.

    model.safetensors    "embeddings" (V, D); where they are known "output_embeddings" (V, D), "counts" (V,) int64, and
                         "attribute.NAME" (V,) for every other attribute of the words that is a number
    vocab.json           the V words, row by row, a JSON list with one word a line: words may hold anything
    attributes.json      attributes of the words that are text, where there are any
    config.json          format, version, sizes, and the caller's metadata
    README.md            a model card

The tensors are mapped, not read. Nothing in the folder is code or a pickle. The folder is written aside, synced and
renamed: a full disk or a killed process leaves the old one whole.
"""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, ShapeError
from firth.files import replacing_folder
from firth.vectors.io import tensors
from firth.vectors.io.card import card
from firth.vectors.io.table import check_fits, stored_dtype
from firth.vectors.lexicon import Lexicon

if TYPE_CHECKING:
    from firth.vectors.word_vectors import WordVectors

FORMAT = "firth-vectors"
VERSION = 1
MODEL, VOCAB, CONFIG, ATTRIBUTES, CARD = (
    "model.safetensors",
    "vocab.json",
    "config.json",
    "attributes.json",
    "README.md",
)


def save(vectors: "WordVectors", path: str | os.PathLike[str], dtype: npt.DTypeLike | None = None) -> None:
    """Write vectors as a folder.

    Args:
        vectors: the vectors.
        path: the folder; one of firth's that is there is replaced.
        dtype: the precision to store the vectors in; None keeps theirs.

    Raises:
        OptionError: the path is a folder of something else, which is never replaced, or the metadata is not JSON.
        FormatError: a vector is not finite, in the precision asked for.
        OSError: the folder cannot be written.
    """
    target = Path(path)
    if target.is_dir() and any(target.iterdir()) and not is_ours(target):
        raise OptionError(f"{target} is a folder of something else; expected a new name, or a folder that firth wrote")
    kept = stored_dtype(vectors.vectors, dtype)
    for matrix in (vectors.vectors, vectors.output_vectors):
        if matrix is not None:
            check_fits(vectors.words, matrix, kept)
    arrays, texts = _parts(vectors)
    dtypes = {name: kept if name.endswith("embeddings") else array.dtype for name, array in arrays.items()}
    config = _config(vectors, kept)
    with replacing_folder(target) as aside:
        with (aside / MODEL).open("wb") as file:
            tensors.write(file, arrays, dtypes)
        (aside / VOCAB).write_bytes(_json_lines(vectors.words))
        if texts:
            (aside / ATTRIBUTES).write_bytes(json.dumps(texts).encode())
        (aside / CARD).write_text(card(vectors, str(kept)), encoding="utf-8")
        (aside / CONFIG).write_text(config, encoding="utf-8")


def is_ours(folder: Path) -> bool:
    """Return whether a folder holds vectors that firth wrote."""
    try:
        config = json.loads((folder / CONFIG).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get("format") == FORMAT


def _parts(vectors: "WordVectors") -> tuple[dict[str, npt.NDArray[Any]], dict[str, list[str]]]:
    arrays = {"embeddings": vectors.vectors}
    if vectors.output_vectors is not None:
        arrays["output_embeddings"] = vectors.output_vectors
    texts = {}
    for name, values in vectors.attributes.items():
        if values.dtype == object:
            texts[name] = [str(value) for value in values]
        elif name == "count":
            arrays["counts"] = values
        elif tensors.holds(values.dtype):
            arrays[f"attribute.{name}"] = values
        else:
            raise OptionError(f"attribute {name!r} of {values.dtype} cannot be saved: expected numbers or text")
    return arrays, texts


def _config(vectors: "WordVectors", dtype: np.dtype[Any]) -> str:
    from firth import __version__

    config = {
        "format": FORMAT,
        "format_version": VERSION,
        "firth_version": __version__,
        "count": len(vectors),
        "dim": vectors.dim,
        "dtype": str(dtype),
        "metadata": vectors.metadata,
    }
    try:
        return json.dumps(config, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"the metadata cannot be written as JSON ({error}): expected texts, numbers, lists, dicts"
        ) from None


def _json_lines(words: list[str]) -> bytes:
    try:
        return json.dumps(words, ensure_ascii=False, separators=(",\n", ":")).encode()
    except UnicodeEncodeError:  # lone surrogates, which came from broken UTF-8, are written as escapes
        return json.dumps(words, separators=(",\n", ":")).encode()


def load(path: str | os.PathLike[str]) -> "WordVectors":
    """Map the vectors of a folder.

    Raises:
        FormatError: the folder is none of firth's, is damaged, or was written by a newer version.
    """
    from firth.vectors.word_vectors import WordVectors

    folder = Path(path)
    config = _read_config(folder)
    try:
        arrays = tensors.mapped(folder / MODEL)
        words = _read_json(folder / VOCAB)
        texts = _read_json(folder / ATTRIBUTES) if (folder / ATTRIBUTES).exists() else {}
    except FileNotFoundError as error:
        raise FormatError(
            f"{folder}: no {Path(error.filename).name}; the folder is damaged, copy or save it again"
        ) from None
    _check_words(folder, words, arrays, config)
    attributes = {
        name.removeprefix("attribute."): array for name, array in arrays.items() if name.startswith("attribute.")
    }
    attributes |= {name: np.array(values, dtype=object) for name, values in texts.items()}
    try:
        return WordVectors(
            Lexicon(words),
            arrays["embeddings"],
            counts=arrays.get("counts"),
            output_vectors=arrays.get("output_embeddings"),
            metadata=config.get("metadata"),
            attributes=attributes,
        )
    except ShapeError as error:
        raise FormatError(f"{folder}: {error}; the folder is damaged, copy or save it again") from None


def _read_config(folder: Path) -> dict[str, Any]:
    if not is_ours(folder):
        raise FormatError(f"{folder}: no vectors of firth's; expected a folder with {CONFIG}, {MODEL} and {VOCAB}")
    config = cast("dict[str, Any]", _read_json(folder / CONFIG))
    if not isinstance(version := config.get("format_version"), int) or version > VERSION:
        raise FormatError(
            f"{folder}: format version {version}, expected at most {VERSION}: upgrade with pip install -U firth"
        )
    return config


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise FormatError(f"{path}: damaged JSON ({error}); copy or save the folder again") from None


def _check_words(folder: Path, words: Any, arrays: dict[str, npt.NDArray[Any]], config: dict[str, Any]) -> None:
    if not isinstance(words, list) or not set(map(type, words)) <= {str}:
        raise FormatError(f"{folder / VOCAB}: expected a list of words; copy or save the folder again")
    if "embeddings" not in arrays:
        raise FormatError(f"{folder / MODEL}: tensors {', '.join(arrays) or 'none'}; expected 'embeddings'")
    shape, promised = arrays["embeddings"].shape, (config.get("count"), config.get("dim"))
    if shape != promised or len(words) != len(arrays["embeddings"]):
        raise FormatError(
            f"{folder}: {len(words):,} words, vectors {shape}, and {promised} in {CONFIG}; expected the same: "
            "the folder is damaged, copy or save it again"
        )
