"""The Brown corpus, as NLTK packs it: 500 texts of American English of 1961, each word with its part of speech."""

import os
import re
import zipfile
from collections.abc import Iterator

from firth.errors import FormatError

_TEXT = re.compile(r"(?:.*/)?c[a-r]\d\d")


def read_brown(path: str | os.PathLike[str]) -> Iterator[list[str]]:
    """Yield paragraphs as lists of words, in the order of the texts' names (ca01 ... cr09), tags taken off.

    Args:
        path: of `brown.zip`; `firth.data.path_of("brown")` is one.

    Raises:
        FormatError: the file is no such archive.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            texts = [archive.read(name).decode("ascii") for name in _texts(archive)]
    except (zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: no archive of the Brown corpus ({error}); expected NLTK's brown.zip") from error
    if not texts:
        raise FormatError(f"{path}: an archive without the texts ca01 ... cr09; expected NLTK's brown.zip")
    for text in texts:
        for paragraph in re.split(r"\n\s*\n", text):
            words = [token.rpartition("/")[0] for token in paragraph.split()]
            if words:
                yield words


def _texts(archive: zipfile.ZipFile) -> list[str]:
    return sorted(name for name in archive.namelist() if _TEXT.fullmatch(name))
