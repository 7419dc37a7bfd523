"""The Brown corpus, as NLTK packs it: 500 texts of American English of 1961, each word with its part of speech."""

import os
import re
from collections.abc import Iterator

from firth.errors import FormatError
from firth.reading import zip_members

_TEXT = re.compile(r"(?:.*/)?c[a-r]\d\d")


def read_brown(path: str | os.PathLike[str]) -> Iterator[list[str]]:
    """Yield paragraphs as lists of words, in the order of the texts' names (ca01 ... cr09), tags taken off.

    Args:
        path: of `brown.zip`; `firth.data.path_of("brown")` is one.

    Raises:
        FormatError: the file is no such archive.
    """
    members = zip_members(path, lambda name: bool(_TEXT.fullmatch(name)), "NLTK's brown.zip")
    try:
        texts = [members[name].decode("ascii") for name in sorted(members)]
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: no archive of the Brown corpus ({error}); expected NLTK's brown.zip") from error
    if not texts:
        raise FormatError(f"{path}: an archive without the texts ca01 ... cr09; expected NLTK's brown.zip")
    for text in texts:
        for paragraph in re.split(r"\n\s*\n", text):
            words = [token.rpartition("/")[0] for token in paragraph.split()]
            if words:
                yield words
