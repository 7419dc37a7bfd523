"""The files of a corpus folder, written and read.

`ids.bin` (int32) and `offsets.bin` (int64), little-endian; `vocabulary.txt`, a word a line, with backslash and line
feed escaped; `counts.bin` (int64); and `corpus.json`, written last: what the corpus holds, the options it was built
with, and what it was built from.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.cache import writing
from firth.errors import CorpusError, FormatError
from firth.kernels.scan import renumber
from firth.reading import parse_json
from firth.text.tokenise import encode
from firth.vocabulary import Vocabulary

FORMAT, VERSION = "firth corpus", 1
MANIFEST = "corpus.json"
_IDS, _OFFSETS, _WORDS, _COUNTS = "ids.bin", "offsets.bin", "vocabulary.txt", "counts.bin"
VOCABULARY = (_WORDS, _COUNTS)
_BLOCK = 1 << 20  # ids that are renumbered at once


class Spill:
    """Provisional word numbers on disk, in the file that becomes the corpus's ids."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = (folder / _IDS).open("w+b", buffering=0)

    def write(self, numbers: npt.NDArray[np.int32]) -> None:
        """Append numbers."""
        with writing(self._folder.parent):
            _write_whole(self._file, numbers)

    def renumber(self, final: npt.NDArray[np.int32], *, keep_empty: bool = False) -> tuple[int, int, str]:
        """Replace provisional numbers by final ids in place, and write where sentences end.

        Nothing moves to the right: the words that are left out and the sentence ends fall away.

        Returns:
            How many tokens and how many sentences there are, and a digest of both files.
        """
        spilled, ids = np.empty(_BLOCK, dtype=np.int32), np.empty(_BLOCK, dtype=np.int32)
        ends = np.empty(_BLOCK, dtype=np.int64)
        tokens = sentences = last_end = read = 0
        digest = np.full(1, 0xCBF29CE484222325, dtype=np.uint64)
        with writing(self._folder.parent), (self._folder / _OFFSETS).open("wb") as offsets:
            offsets.write(np.zeros(1, dtype="<i8").tobytes())
            while True:
                self._file.seek(4 * read)
                size = self._file.readinto(spilled.data.cast("B")) // 4
                if not size:
                    break
                read += size
                n, ended = renumber(spilled[:size], final, ids, ends, tokens, last_end, keep_empty, digest)
                self._file.seek(4 * tokens)
                _write_whole(self._file, ids[:n])
                offsets.write(ends[:ended].data)
                tokens, sentences = tokens + n, sentences + ended
                last_end = int(ends[ended - 1]) if ended else last_end
            self._file.truncate(4 * tokens)
        return tokens, sentences, f"{digest[0]:016x}"

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def compile_kernels() -> None:
    """Make the first call of the kernel that `Spill.renumber` uses."""
    numbers, ends, digest = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(1, np.uint64)
    renumber(numbers, numbers, numbers, ends, 0, 0, False, digest)


def _write_whole(file: Any, numbers: npt.NDArray[Any]) -> None:
    view = numbers.data.cast("B")
    while view:  # a raw file may take less than it is given
        view = view[file.write(view) :]


def write_vocabulary(folder: Path, vocabulary: Vocabulary) -> None:
    """Write words and counts."""
    text = "\n".join(vocabulary.words)
    if "\\" in text or text.count("\n") != len(vocabulary) - 1:
        text = "\n".join(word.replace("\\", "\\\\").replace("\n", "\\n") for word in vocabulary.words)
    with writing(folder.parent):
        (folder / _WORDS).write_bytes(encode(text + "\n"))
        (folder / _COUNTS).write_bytes(vocabulary.counts.astype("<i8").tobytes())


def write_manifest(folder: Path, facts: dict[str, Any]) -> None:
    """Write what the corpus holds and comes from; its presence says that the rest is there."""
    with writing(folder.parent):
        (folder / MANIFEST).write_text(json.dumps({"format": FORMAT, "version": VERSION, **facts}, indent=2), "utf-8")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what `write_manifest` wrote, after checking that the files are as long as it says.

    Raises:
        CorpusError: there is no corpus.
        FormatError: it is damaged, or of a newer version.
    """
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing"
        raise CorpusError(f"{folder}: found {found}; expected the folder of a built corpus; make one with Corpus.build")
    path = folder / MANIFEST
    if not path.is_file():
        raise CorpusError(
            f"{folder}: holds no {MANIFEST}; expected the folder of a built corpus; use Corpus.build on text"
        )
    try:
        facts = parse_json(path.read_bytes())
        known = facts["format"] == FORMAT and facts["version"] == VERSION
        tokens, sentences, words = (int(facts[name]) for name in ("tokens", "sentences", "words"))
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path}: damaged ({error}); build the corpus again") from error
    if not known:
        raise FormatError(
            f"{path}: {facts['format']!r} version {facts['version']}; expected {FORMAT!r} version {VERSION}; build the "
            "corpus again, or use the version of firth that wrote it"
        )
    for name, size in ((_IDS, 4 * tokens), (_OFFSETS, 8 * (sentences + 1)), (_COUNTS, 8 * words), (_WORDS, None)):
        file = folder / name
        if not file.is_file():
            raise FormatError(f"{file}: missing; expected it beside {MANIFEST}; build the corpus again")
        if size is not None and file.stat().st_size != size:
            raise FormatError(f"{file}: {file.stat().st_size:,} bytes, expected {size:,}; build the corpus again")
    return dict(facts)


def read_vocabulary(folder: Path, words: int, total: int) -> Vocabulary:
    """Return the vocabulary.

    Raises:
        FormatError: there are not as many words as there should be.
    """
    text = (folder / _WORDS).read_bytes().decode("utf-8", "surrogatepass")
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != words or not text.endswith("\n"):
        raise FormatError(f"{folder / _WORDS}: {len(lines):,} lines, expected {words:,}; build the corpus again")
    counts = np.fromfile(folder / _COUNTS, dtype="<i8").astype(np.int64, copy=False)
    return Vocabulary(_unescaped(lines) if "\\" in text else lines, counts, total)


def _unescaped(lines: Sequence[str]) -> list[str]:
    return ["\\".join(part.replace("\\n", "\n") for part in line.split("\\\\")) for line in lines]


def read_ids(folder: Path) -> npt.NDArray[np.int32]:
    """Return the ids, memory-mapped."""
    return np.asarray(np.memmap(folder / _IDS, dtype="<i4", mode="r"))


def read_offsets(folder: Path) -> npt.NDArray[np.int64]:
    """Return where sentences start, memory-mapped."""
    return np.asarray(np.memmap(folder / _OFFSETS, dtype="<i8", mode="r"))
