"""The sample text: Python's own documentation, which every installation has. Nothing is downloaded.

It depends on the version of Python alone: about 45,000 words of the language reference and 250,000 words of docstrings
of the standard library, one paragraph per line, without code.
"""

import functools
import os
from collections.abc import Mapping
from pathlib import Path

from firth.data.documentation import language_paragraphs, library_paragraphs
from firth.errors import OptionError
from firth.storage.files import check_replaceable, replacing_file
from firth.storage.untrusted import file_bytes

LICENCE = "PSF-2.0"
DESCRIPTION = "Python's documentation, made on the spot"


def sample(words: int | None = None) -> dict[str, list[str]]:
    """Return the sample text.

    Args:
        words: about how many words of it, in paragraphs that are spread evenly over the text; by default all.

    Returns:
        Paragraphs, by the name of the file that `get` writes them to: `language.txt` and `library.txt`.

    Raises:
        OptionError: `words` is below 1.
    """
    if words is not None and words < 1:
        raise OptionError(f"words={words}: expected a whole number of at least 1")
    return _spread(_paragraphs(), words)


def write_sample(folder: str | os.PathLike[str], words: int | None = None) -> list[Path]:
    """Write the sample text as plain text files, one paragraph per line.

    Args:
        folder: the folder to write to; it is made if it is missing.
        words: as in `sample`.

    Returns:
        The files: `language.txt` and `library.txt`.

    Raises:
        OptionError: `words` is below 1, or a file of this name is there and holds something else.
        OSError: the files cannot be written.
    """
    files = []
    for name, paragraphs in sample(words).items():
        files.append(Path(folder) / name)
        write_once(files[-1], "".join(f"{line}\n" for line in paragraphs).encode())
    return files


def write_once(path: Path, content: bytes) -> None:
    """Write a file, unless one with another content is there.

    Raises:
        OptionError: there is.
        OSError: the file cannot be written.
    """

    def is_same(file: Path) -> bool:
        return file_bytes(file) == content

    check_replaceable(path, is_same, "files with the same content")
    with replacing_file(path) as file:
        file.write(content)


@functools.cache
def _paragraphs() -> Mapping[str, tuple[str, ...]]:
    language = dict.fromkeys(language_paragraphs())
    library = [line for line in library_paragraphs() if line not in language]
    return {"language.txt": tuple(language), "library.txt": tuple(library)}


def _spread(texts: Mapping[str, tuple[str, ...]], words: int | None) -> dict[str, list[str]]:
    """Keep paragraphs spread evenly: the kept share of any stretch is that of the whole."""
    total = sum(len(line.split()) for lines in texts.values() for line in lines)
    share = 1.0 if words is None else min(1.0, words / total)
    lines_of: dict[str, list[str]] = {}
    read = written = 0
    for name, lines in texts.items():
        lines_of[name] = []
        for line in lines:
            size = len(line.split())
            read += size
            if written + size / 2 <= share * read:
                lines_of[name].append(line)
                written += size
    return lines_of
