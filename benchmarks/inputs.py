"""The input of the contenders: a whitespace-tokenised file, and a file of raw text.

Both are built once, in the cache folder, from the Wikipedia articles of the public data folder (`FIRTH_DATA`).
"""

import itertools
import json
import lzma
import os
import random
import re
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

DIGITS = dict(
    zip("0123456789", ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], strict=True)
)
WIKIPEDIA = Path("corpus") / "wiki.txt.xz"
PROS_CONS = Path("sentence") / "pros_cons.zip"
SENTENCES = Path("sentence") / "sentclass"
REVIEWS = Path("sentence") / "movie_reviews" / "movie_reviews.zip"
REUTERS = Path("documents") / "r8.tar.gz"


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


def first_lines(cache: Path, text: TextFile, lines: int) -> TextFile:
    """The first lines of a text, as a file of their own."""
    path = cache / f"{text.path.stem}-{lines}.txt"
    if not path.exists():
        with text.path.open("rb") as whole, path.with_suffix(".part").open("wb") as part:
            part.writelines(itertools.islice(whole, lines))
        path.with_suffix(".part").replace(path)
    return _measured(path, cache)


def classified(cache: Path) -> tuple[TextFile, TextFile]:
    """Product reviews' pros and cons: 45,875 lines with fastText's labels, and 100,000 lines without.

    Raises:
        SystemExit: the public data folder lacks them.
    """
    labelled, lines = cache / "pros-cons-labelled.txt", cache / "pros-cons-100000.txt"
    if not (labelled.exists() and lines.exists()):
        folder = public_data()
        if folder is None or not (folder / PROS_CONS).exists():
            raise SystemExit(f"no texts with labels: set FIRTH_DATA to a folder that holds {PROS_CONS}")
        texts = list(_pros_and_cons(folder / PROS_CONS))
        random.Random(0).shuffle(texts)
        lines.write_text("".join(f"{text}\n" for _, text in (texts * 3)[:100_000]), encoding="utf-8")
        labelled.write_text("".join(f"__label__{label} {text}\n" for label, text in texts), encoding="utf-8")
    return _measured(labelled, cache), _measured(lines, cache)


def _pros_and_cons(archive: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(archive) as packed:
        for label in ("pros", "cons"):
            name = next(name for name in packed.namelist() if name.endswith(f"Integrated{label.capitalize()}.txt"))
            for line in packed.read(name).decode("latin-1").splitlines():
                text = re.sub(r"</?(Pros|Cons)>", "", line).strip()
                if text:
                    yield label, " ".join(text.lower().split())


@dataclass(frozen=True)
class Labelled:
    """Texts with labels, in two parts.

    Attributes:
        name: as the tables show it.
        train: (label, text), tokens between spaces.
        test: likewise.
    """

    name: str
    train: list[tuple[str, str]]
    test: list[tuple[str, str]]

    def written(self, folder: Path) -> dict[str, str]:
        """Write both parts in fastText's form; return the files by the parts' names."""
        paths = {part: folder / f"{part}.txt" for part in ("train", "test")}
        for part, rows in (("train", self.train), ("test", self.test)):
            paths[part].write_text("".join(f"__label__{label} {text}\n" for label, text in rows), encoding="utf-8")
        return {part: str(path) for part, path in paths.items()}


def _public(path: Path) -> Path:
    folder = public_data()
    if folder is None or not (folder / path).exists():
        raise SystemExit(f"no texts with labels: set FIRTH_DATA to a folder that holds {path}")
    return folder / path


def _shuffled(rows: list[tuple[str, str]], seed: int) -> list[tuple[str, str]]:
    random.Random(seed).shuffle(rows)
    return rows


def short_texts() -> list[Labelled]:
    """TREC's questions, MR (a random tenth for test), SST-2, and pros and cons (5,000 of a random split for test).

    Raises:
        SystemExit: the public data folder lacks them.
    """

    def read(name: str) -> list[tuple[str, str]]:
        lines = (_public(SENTENCES) / name).read_bytes().decode("latin-1").splitlines()
        pairs = ((label, " ".join(text.split())) for label, _, text in (line.partition(" ") for line in lines))
        return [(label, text) for label, text in pairs if text]

    polarity, sides = _shuffled(read("rt-polarity.all"), 0), _shuffled(list(_pros_and_cons(_public(PROS_CONS))), 0)
    return [
        Labelled("TREC", read("TREC.train.all"), read("TREC.test.all")),
        Labelled("MR", polarity[:-1066], polarity[-1066:]),
        Labelled("SST-2", read("stsa.binary.train"), read("stsa.binary.test")),
        Labelled("pros and cons", sides[:-5000], sides[-5000:]),
    ]


def articles() -> Labelled:
    """R8: Reuters' articles of eight classes, 5,485 to train on and 2,189 for test.

    Raises:
        SystemExit: the public data folder lacks them.
    """
    parts = []
    with tarfile.open(_public(REUTERS)) as files:
        for part in ("train", "test"):
            file = files.extractfile(f"data/R8/{part}.txt")
            assert file is not None
            rows = (line.partition("\t") for line in file.read().decode().splitlines())
            parts.append([(label, " ".join(text.split())) for label, _, text in rows])
    return Labelled("R8", parts[0], parts[1])


def reviews(seed: int) -> Labelled:
    """2,000 movie reviews, half of them drawn for test.

    Args:
        seed: of the split.

    Raises:
        SystemExit: the public data folder lacks them.
    """
    with zipfile.ZipFile(_public(REVIEWS)) as packed:
        names = sorted(name for name in packed.namelist() if name.endswith(".txt") and "/cv" in name)
        rows = [(name.split("/")[-2], " ".join(packed.read(name).decode("latin-1").split())) for name in names]
    rows = _shuffled(rows, seed)
    return Labelled("movie reviews", rows[:1000], rows[1000:])
