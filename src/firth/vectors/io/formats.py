"""The file formats of vectors, which one a file name stands for, and how vectors are saved in each.

    firth             a folder: `firth.vectors.io.folder`
    word2vec          text with a first line "V D": word2vec, gensim, fastText's .vec
    word2vec-binary   the same with binary numbers
    glove             text without a first line
    fasttext          fastText's .bin and .ftz models: words and n-grams, or a classifier
    floret            floret's table of n-grams
    npy               NumPy's matrix, and a file of words beside it
    parquet           a table with columns of words, vectors and attributes
    projector         a folder for the Embedding Projector and TensorBoard
    sentence-transformers    a folder for sentence-transformers
    spacy             a folder for spaCy

Where no format is given, the name of the output decides: .txt and .vec mean word2vec, .bin word2vec-binary (fasttext
for vectors with subwords), .ftz fasttext, .floret floret, .npy npy, .parquet parquet; the endings of files that firth
does not write, such as .csv, are refused; anything else is a folder. A further .gz, .bz2, .xz or .zip packs a file of
the word2vec family or of floret. Input is recognised by its content, whatever its name.
"""

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, brief
from firth.options import check_path
from firth.storage.files import as_path, replacing_file
from firth.storage.model_folder import CONFIG
from firth.storage.untrusted import DAMAGE, file_bytes, parse_json
from firth.vectors.io import (
    binary,
    fasttext,
    fasttext_vectors,
    floret,
    folder,
    npy,
    parquet,
    projector,
    sentence_transformers,
    spacy,
    text,
)
from firth.vectors.io.detect import check_file, opened, packed, packing_of
from firth.vectors.io.table import Contents, Reading, check_fits, stored_dtype
from firth.vectors.space import Path as PathLike
from firth.vectors.space import SubwordSpace, VectorSpace


class Exchange(Protocol):
    """The module of a format that other programs read: a folder, or a file that is never packed."""

    def check(self, path: Path) -> None:
        """Check that writing destroys nothing of the user's."""

    def write(self, space: VectorSpace, path: Path, dtype: np.dtype[Any]) -> None:
        """Write vectors."""

    def read(self, path: Path, reading: Reading) -> Contents:
        """Read vectors."""


EXCHANGES: dict[str, Exchange] = {
    "npy": npy,
    "parquet": parquet,
    "projector": projector,
    "sentence-transformers": sentence_transformers,
    "spacy": spacy,
}
_FOLDERS = {"sentence-transformers": sentence_transformers, "spacy": spacy, "projector": projector}  # to be recognised
FORMATS = ("firth", "word2vec", "word2vec-binary", "glove", "fasttext", "floret", *EXCHANGES)
SUFFIXES = {
    ".bin": "word2vec-binary",
    ".txt": "word2vec",
    ".vec": "word2vec",
    ".ftz": "fasttext",
    ".floret": "floret",
    ".npy": "npy",
    ".parquet": "parquet",
}
# Endings of files; nobody who gives one expects a folder.
REFUSED = {
    ".csv": ".txt for text, or .parquet for a table",
    ".tsv": "the name of a folder and the format projector, for the Embedding Projector's .tsv files",
    ".npz": ".npy",
    ".safetensors": "the name of a folder, which holds model.safetensors",
    **dict.fromkeys((".json", ".jsonl", ".arrow", ".feather", ".h5", ".hdf5"), ".parquet for a table"),
    **dict.fromkeys((".pt", ".pth", ".pkl", ".pickle", ".joblib"), "the name of a folder; firth writes no pickles"),
}


def format_of(path: str | os.PathLike[str], *, subwords: bool = False) -> str:
    """Return the format that vectors are saved in under a name, where none is given.

    Raises:
        OptionError: the name asks for a packed folder, or ends like a file that firth does not write.
    """
    name = Path(path).name
    packing = packing_of(name)
    suffix = Path(name[: len(name) - len(packing)]).suffix.lower()
    if suffix in REFUSED:
        raise OptionError(f"{path}: vectors are not saved as {suffix}; expected {REFUSED[suffix]}, or a format")
    format = SUFFIXES.get(suffix, "firth")
    if subwords and format == "word2vec-binary":
        format = "fasttext"
    if packing and format == "firth":
        raise OptionError(f"{path}: a folder cannot be packed; expected a name such as {Path(name).stem}.vec{packing}")
    return format


def check_format(format: str) -> None:
    """Check the name of a format.

    Raises:
        OptionError: there is no such format.
    """
    if format not in FORMATS:
        raise OptionError(f"format={brief(format)}: expected one of {', '.join(FORMATS)}")


def folder_format(path: Path) -> str | None:
    """Return the format of a folder in the layout of another program; None if it has none of them."""
    return next((name for name, module in _FOLDERS.items() if module.is_folder(path)), None)


def is_transformers_folder(path: Path) -> bool:
    """Return whether a folder holds a model of Hugging Face's transformers, of whatever kind; encoders read it."""
    try:
        config = parse_json(file_bytes(path / CONFIG))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and isinstance(config.get("model_type"), str)


def read_matrix(path: Path, format: str, reading: Reading) -> tuple[list[str], npt.NDArray[Any]]:
    """Return the words and vectors of a file: "word2vec", "word2vec-binary" or "glove"."""
    try:
        # A number too large for the precision becomes infinite, and is reported with its place.
        with opened(path) as file, np.errstate(over="ignore"):
            if format == "word2vec-binary":
                return binary.read(file, str(path), reading)
            return text.read(file, str(path), format == "word2vec", reading)
    except (*DAMAGE, OSError) as error:
        raise damaged_archive(path, error) from None


def damaged_archive(path: Path, error: Exception) -> Exception:
    """Return the error for a file that cannot be unpacked, or the system's own error."""
    if isinstance(error, OSError) and error.errno is not None:
        return error
    return FormatError(f"{path}: damaged packed data ({error}); copy it again")


def save_words(
    vectors: VectorSpace, path: PathLike, format: str | None = None, *, dtype: npt.DTypeLike | None = None
) -> None:
    """Save vectors as a folder that `firth.load` maps, or as a file of another program.

    The output is written aside first: the old file or folder stays whole until the new one is.

    Args:
        path: the folder or file to write or replace; a file whose name ends in .gz, .bz2, .xz or .zip is packed.
        format: "firth", "word2vec", "word2vec-binary", "glove", "fasttext", "npy", "parquet", "projector",
            "sentence-transformers" or "spacy"; None goes by the name, see `firth.vectors.io.formats`.
        dtype: the precision to store: float32, float16 or float64; None keeps the present one. word2vec-binary,
            fasttext, sentence-transformers and spacy always store float32.

    Raises:
        OptionError: there is no such format or precision, or something else is there, which is never replaced.
        FormatError: a word cannot be written in this format, or a vector is not finite.
        MissingExtraError: the format needs a package that is not installed.
        OSError: the file cannot be written.
    """
    target, format = _target(path, format, subwords=False)
    if format == "firth":
        folder.save(vectors, target, dtype)
    elif format == "fasttext":
        fasttext.write(fasttext_vectors.to_file(vectors, None), target)
    elif format == "floret":
        raise OptionError("these vectors have no n-grams, and floret's files hold nothing else; save them as word2vec")
    else:
        _write_matrix(vectors, target, format, dtype)


def save_subwords(
    vectors: SubwordSpace, path: PathLike, format: str | None = None, *, dtype: npt.DTypeLike | None = None
) -> None:
    """Save vectors with subwords as a folder that `firth.load` maps, or as a file of another program.

    Args:
        path: the folder or file to write or replace, as in `WordVectors.save`.
        format: "firth", "fasttext" or "floret", or "spacy" for n-grams hashed by floret's method; all others keep the
            known words only, and warn. None goes by the name, see `firth.vectors.io.formats`.
        dtype: the precision to store: float32, float16 or float64; None keeps the present one. word2vec-binary,
            fasttext and floret always store float32.

    Raises:
        OptionError: there is no such format or precision, or something else is there, which is never replaced.
        FormatError: a word cannot be written in this format, or a vector is not finite.
        OSError: the file cannot be written.
    """
    target, format = _target(path, format, subwords=True)
    if format == "firth":
        folder.save_with_ngrams(vectors, target, dtype)
    elif format == "fasttext":
        fasttext.write(fasttext_vectors.to_file(vectors.known, vectors), target)
    elif format == "floret":
        with replacing_file(target) as file, packed(file, target) as content:
            floret.write(content, vectors.ngrams)
    elif format == "spacy" and vectors.ngrams.hashing.hashes:
        spacy.write_ngrams(vectors.ngrams, vectors.known.words, vectors.known.metadata, target)
    else:
        warnings.warn(
            f"{path}: {format} has no place for n-grams, so the file gives no vectors to words that it does not list; "
            "a folder of firth's or fastText's .bin keeps them",
            UserWarning,
            stacklevel=2,
        )
        _write_matrix(vectors.known, target, format, dtype)


def _target(path: PathLike, format: str | None, *, subwords: bool) -> tuple[Path, str]:
    """Return the path and the format to write, checked."""
    check_path(path)
    target = as_path(path)
    format = format_of(target, subwords=subwords) if format is None else format
    check_format(format)
    if format in EXCHANGES:
        if packing_of(target):
            raise OptionError(f"{path}: {format} is not packed; leave {packing_of(target)} out")
        EXCHANGES[format].check(target)
    elif format != "firth":
        if target.is_dir():
            raise OptionError(f"{path} is a folder; expected the name of a file to write as {format}")
        check_file(target)
    if format == "fasttext" and packing_of(target):
        raise OptionError(f"{path}: fastText's models are not packed; leave {packing_of(target)} out")
    return target, format


def _write_matrix(vectors: VectorSpace, path: Path, format: str, dtype: npt.DTypeLike | None) -> None:
    precision = stored_dtype(vectors.vectors, np.float32 if format == "word2vec-binary" else dtype)
    check_fits(vectors.words, vectors.vectors, precision)
    if format in EXCHANGES:
        EXCHANGES[format].write(vectors, path, precision)
        return
    rows = (row.astype(precision, copy=False) for row in vectors.vectors)
    header = None if format == "glove" else f"{len(vectors)} {vectors.dim}"
    write: Callable[..., None] = binary.write if format == "word2vec-binary" else text.write
    with replacing_file(path) as file, packed(file, path) as content:
        write(content, vectors.words, rows, header, str(path))
