"""The file formats of vectors, and which one a file name stands for.

    firth             a folder: `firth.vectors.io.folder`
    word2vec          text with a first line "V D": word2vec, gensim, fastText's .vec
    word2vec-binary   the same with binary numbers
    glove             text without a first line
    fasttext          fastText's .bin and .ftz models: words and n-grams, or a classifier
    floret            floret's table of n-grams

Where no format is given, the name of the output decides: .txt and .vec mean word2vec, .bin word2vec-binary (fasttext
for vectors with subwords), .ftz fasttext, .floret floret; anything else is a folder. A further .gz, .bz2, .xz or .zip
packs the file; fastText's models are never packed. Input is recognised by its content, whatever its name.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, brief
from firth.storage.untrusted import DAMAGE
from firth.vectors.io import binary, text
from firth.vectors.io.detect import opened, packing_of
from firth.vectors.io.table import Reading

FORMATS = ("firth", "word2vec", "word2vec-binary", "glove", "fasttext", "floret")
SUFFIXES = {".bin": "word2vec-binary", ".txt": "word2vec", ".vec": "word2vec", ".ftz": "fasttext", ".floret": "floret"}


def format_of(path: str | os.PathLike[str], *, subwords: bool = False) -> str:
    """Return the format that vectors are saved in under a name, where none is given.

    Args:
        path: the name.
        subwords: whether the vectors have subwords.

    Raises:
        OptionError: the name asks for a packed folder.
    """
    name = Path(path).name
    packing = packing_of(name)
    format = SUFFIXES.get(Path(name[: len(name) - len(packing)]).suffix.lower(), "firth")
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


def read_matrix(path: Path, format: str, reading: Reading) -> tuple[list[str], npt.NDArray[Any]]:
    """Return the words and vectors of a file: "word2vec", "word2vec-binary" or "glove".

    Raises:
        FormatError: the content is not what the format promises; the message names the line or record.
        OSError: the file cannot be read.
    """
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
