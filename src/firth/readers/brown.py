"""The Brown corpus in NLTK's format: 500 American English texts of 1961, with a part-of-speech tag on each word."""

import os
import re
from collections.abc import Iterator

from firth.arguments import names_files
from firth.errors import FormatError
from firth.storage.untrusted import zip_members

_TEXT = re.compile(r"(?:.*/)?c[a-r]\d\d")


@names_files
def read_brown(path: str | os.PathLike[str]) -> Iterator[list[str]]:
    """Yield the paragraphs as lists of words without tags, text by text in the order of their names (ca01 ... cr09).

    Args:
        path: `brown.zip`, for example `firth.data.path_of("brown")`.

    Raises:
        FormatError: the file is not this archive.
    """
    members = zip_members(path, lambda name: bool(_TEXT.fullmatch(name)), "NLTK's brown.zip")
    try:
        texts = [members[name].decode("ascii") for name in sorted(members)]
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not the Brown corpus ({error}); expected NLTK's brown.zip") from error
    if not texts:
        raise FormatError(f"{path}: the archive has no texts ca01 ... cr09; expected NLTK's brown.zip")
    for text in texts:
        for paragraph in re.split(r"\n\s*\n", text):
            words = [token.rpartition("/")[0] for token in paragraph.split()]
            if words:
                yield words
