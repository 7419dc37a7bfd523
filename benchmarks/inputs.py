"""What the contenders read: one whitespace-tokenised file, and one file of text as it was written.

Both are made once, in the cache folder, from the Wikipedia articles of the public data folder (`FIRTH_DATA`).
"""

import json
import lzma
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

DIGITS = dict(
    zip("0123456789", ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], strict=True)
)
WIKIPEDIA = Path("corpus") / "wiki.txt.xz"


@dataclass(frozen=True)
class TextFile:
    """A file, and what a table must say of it.

    Attributes:
        path: where it lies; never written to the results.
        name: what the results call it.
        words: pieces between spaces.
        bytes: its size.
    """

    path: Path
    name: str
    words: int
    bytes: int

    def described(self) -> dict[str, object]:
        """What the results keep."""
        return {"text": self.name, "words": self.words, "bytes": self.bytes}


def public_data() -> Path | None:
    """The folder of public data sets: FIRTH_DATA, else shared/data beside the checkout; None where neither is there."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("FIRTH_DATA", beside))
    return folder if folder.is_dir() else None


def tokenised(cache: Path, given: Path | None) -> TextFile:
    """The file of words and spaces, one paragraph a line: `given`, or Wikipedia in the manner of text8.

    Raises:
        SystemExit: neither is there.
    """
    return _measured(given, cache) if given else _measured(_made(cache / "wikipedia-text8.txt", _write_text8), cache)


def written(cache: Path, given: Path | None) -> TextFile:
    """The file of text with capitals and punctuation: `given`, or Wikipedia as it is.

    Raises:
        SystemExit: neither is there.
    """
    return _measured(given, cache) if given else _measured(_made(cache / "wikipedia.txt", _write_plain), cache)


def _made(path: Path, write: Callable[[Path, Path], None]) -> Path:
    if path.exists():
        return path
    folder = public_data()
    if folder is None or not (folder / WIKIPEDIA).exists():
        raise SystemExit(
            f"no text: set FIRTH_DATA to a folder that holds {WIKIPEDIA}, or name a file with --corpus or --text"
        )
    aside = path.with_suffix(".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    write(folder / WIKIPEDIA, aside)
    aside.replace(path)
    return path


def _write_plain(source: Path, target: Path) -> None:
    with lzma.open(source, "rb") as packed, target.open("wb") as file:
        shutil.copyfileobj(packed, file, 1 << 20)


def _write_text8(source: Path, target: Path) -> None:
    """Matt Mahoney's text8: lower-case letters and single spaces, digits spelled out; here one paragraph a line."""
    digit, other = re.compile("[0-9]"), re.compile("[^a-z]+")
    with lzma.open(source, "rt", encoding="utf-8") as packed, target.open("w", encoding="utf-8") as file:
        for line in packed:
            spelled = digit.sub(lambda match: f" {DIGITS[match[0]]} ", line.lower())
            file.write(other.sub(" ", spelled).strip() + "\n")


def _measured(path: Path, cache: Path) -> TextFile:
    size = path.stat().st_size
    note = cache / "words" / f"{path.name}-{size}-{path.stat().st_mtime_ns}.json"
    if not note.exists():
        with path.open("rb") as file:
            words = sum(len(line.split()) for line in file)
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps(words), encoding="utf-8")
    return TextFile(path, path.name, json.loads(note.read_text(encoding="utf-8")), size)
