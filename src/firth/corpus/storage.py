"""The files of a corpus folder, written and read.

`ids.bin` (int32) and `offsets.bin` (int64), little-endian; `vocabulary.txt`, a word a line, with backslash and line
feed escaped; `counts.bin` (int64); and `corpus.json`, written last: what the corpus holds, the options it was built
with, and what it was built from. `firth.storage.integrity` verifies them by their checksums, and `check_contents`
checks that ids, offsets and counts agree: kernels use them as places in memory.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.cache import writing
from firth.errors import CorpusError, FormatError
from firth.kernels.scan import count_ids, renumber
from firth.storage.files import release_pages
from firth.storage.integrity import verify
from firth.storage.untrusted import parse_json
from firth.text.tokenise import encode
from firth.vocabulary import Vocabulary

FORMAT, VERSION = "firth corpus", 1
MANIFEST = "corpus.json"
_IDS, _OFFSETS, _WORDS, _COUNTS = "ids.bin", "offsets.bin", "vocabulary.txt", "counts.bin"
VOCABULARY = (_WORDS, _COUNTS)
AGAIN = "build the corpus again"
_BLOCK = 1 << 20  # ids that are renumbered at once
_PIECE = 1 << 22  # numbers of a file that are checked together
_MOST_TOKENS = 1 << 62


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
    """Make the first call of the kernels that writing and opening a corpus use."""
    numbers, ends, digest = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(1, np.uint64)
    renumber(numbers, numbers, numbers, ends, 0, 0, False, digest)
    mapped = numbers.view()
    mapped.flags.writeable = False  # another type to the compiler
    count_ids(mapped, ends)


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


def is_built(folder: Path) -> bool:
    """Return whether a folder is that of a corpus, perhaps a damaged one, and not one of texts."""
    return any((folder / name).is_file() for name in (MANIFEST, _IDS))


def open_manifest(folder: Path) -> dict[str, Any]:
    """Return what `write_manifest` wrote, after verifying the folder.

    Raises:
        CorpusError: there is no corpus.
        FormatError: it is damaged, or of a newer version.
    """
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing"
        raise CorpusError(f"{folder}: found {found}; expected the folder of a built corpus; make one with Corpus.build")
    if not is_built(folder):
        raise CorpusError(
            f"{folder}: holds no {MANIFEST}; expected the folder of a built corpus; use Corpus.build on text"
        )
    verify(folder, AGAIN, check_contents)
    return read_manifest(folder)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what `write_manifest` wrote, after checking that the files are as long as it says.

    Raises:
        CorpusError: there is no corpus.
        FormatError: it is damaged, or of a newer version.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise CorpusError(
            f"{folder}: holds no {MANIFEST}; expected the folder of a built corpus; use Corpus.build on text"
        )
    try:
        facts = parse_json(path.read_bytes())
        known = facts["format"] == FORMAT and facts["version"] == VERSION
        tokens, sentences, words, total = (int(facts[name]) for name in ("tokens", "sentences", "words", "total"))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise FormatError(f"{path}: damaged ({error}); {AGAIN}") from error
    if not known:
        raise FormatError(
            f"{path}: {facts['format']!r} version {facts['version']}; expected {FORMAT!r} version {VERSION}; build the "
            "corpus again, or use the version of firth that wrote it"
        )
    if min(tokens, sentences, words) < 1 or not tokens <= total < _MOST_TOKENS:
        raise FormatError(
            f"{path}: {tokens:,} tokens of {total:,} in {sentences:,} sentences, {words:,} words; expected at least "
            f"one of each; {AGAIN}"
        )
    for name, size in ((_IDS, 4 * tokens), (_OFFSETS, 8 * (sentences + 1)), (_COUNTS, 8 * words), (_WORDS, None)):
        file = folder / name
        if not file.is_file():
            raise FormatError(f"{file}: missing; expected it beside {MANIFEST}; {AGAIN}")
        if size is not None and file.stat().st_size != size:
            raise FormatError(f"{file}: {file.stat().st_size:,} bytes, expected {size:,}; {AGAIN}")
    return dict(facts)


def check_contents(folder: Path) -> None:
    """Check what kernels trust: words differ, sentences follow one another, and each word occurs as often as counted.

    Raises:
        FormatError: they do not; the message names the file.
    """
    facts = read_manifest(folder)
    vocabulary = read_vocabulary(folder, int(facts["words"]), int(facts["total"]), AGAIN)
    check_words(folder, vocabulary.words, AGAIN)
    _check_offsets(folder / _OFFSETS, read_offsets(folder), int(facts["tokens"]))
    ids, counts = read_ids(folder), np.zeros(len(vocabulary), dtype=np.int64)
    for first in range(0, len(ids), _PIECE):
        piece = ids[first : first + _PIECE]
        if (place := count_ids(piece, counts)) < len(piece):
            raise FormatError(
                f"{folder / _IDS}: token {first + place:,} is word {piece[place]} of {len(vocabulary):,}; {AGAIN}"
            )
        release_pages(ids)
    if len(wrong := np.flatnonzero(counts != vocabulary.counts)):
        word = int(wrong[0])
        said, found = int(vocabulary.counts[word]), int(counts[word])
        raise FormatError(f"{folder / _COUNTS}: word {word} {said:,} times, expected {found:,} as in {_IDS}; {AGAIN}")


def _check_offsets(file: Path, offsets: npt.NDArray[np.int64], tokens: int) -> None:
    if offsets[0] != 0 or offsets[-1] != tokens:
        raise FormatError(f"{file}: from {offsets[0]} to {offsets[-1]}, expected 0 to {tokens}; {AGAIN}")
    for first in range(0, len(offsets), _PIECE):
        piece = offsets[first : first + _PIECE + 1]
        if len(wrong := np.flatnonzero(piece[1:] < piece[:-1])):
            raise FormatError(f"{file}: sentence {first + int(wrong[0]):,} ends before it begins; {AGAIN}")
        release_pages(offsets)


def read_vocabulary(folder: Path, words: int, total: int, cure: str) -> Vocabulary:
    """Return the vocabulary.

    Args:
        folder: of a corpus, or of counts.
        words: how many there should be.
        total: tokens that were counted.
        cure: what to do about damage, as the end of the message.

    Raises:
        FormatError: there are not as many words as there should be, they are no text, or the counts are not
            possible; the message names the file, and the line.
    """
    path, content = folder / _WORDS, (folder / _WORDS).read_bytes()
    try:
        text = content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{path} line {line}: not UTF-8 text at byte {error.start:,}; {cure}") from None
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != words or not text.endswith("\n"):
        raise FormatError(f"{path}: {len(lines):,} lines, expected {words:,}; {cure}")
    named = _unescaped(path, lines, cure) if "\\" in text else lines
    counts = np.fromfile(folder / _COUNTS, dtype="<i8").astype(np.int64, copy=False)
    if len(counts) != words:
        raise FormatError(f"{folder / _COUNTS}: {len(counts):,} counts, expected {words:,}; {cure}")
    # As floats first: the sum of counts made by somebody else may pass the largest integer.
    if counts.min(initial=0) < 0 or counts.sum(dtype=np.float64) > 2.0**62 or counts.sum() > total:
        raise FormatError(f"{folder / _COUNTS}: counts below 0, or above {total:,} in all; {cure}")
    return Vocabulary(named, counts, total)


def check_words(folder: Path, words: Sequence[str], cure: str) -> None:
    """Check that no word is in a vocabulary twice.

    Raises:
        FormatError: one is; the message names the file and the line.
    """
    places = {word: i for i, word in enumerate(words)}
    if len(places) != len(words):
        line = next(i for i, word in enumerate(words) if places[word] != i)
        again = places[words[line]] + 1
        raise FormatError(f"{folder / _WORDS} line {again}: {words[line]!r} is in line {line + 1}, too; {cure}")


def _unescaped(path: Path, lines: Sequence[str], cure: str) -> list[str]:
    words = []
    for number, line in enumerate(lines, 1):
        parts = [part.replace("\\n", "\n") for part in line.split("\\\\")]
        if any("\\" in part for part in parts):
            raise FormatError(
                f"{path} line {number}: a backslash before something else than a backslash or an n; {cure}"
            )
        words.append("\\".join(parts))
    return words


def read_ids(folder: Path) -> npt.NDArray[np.int32]:
    """Return the ids, memory-mapped."""
    return np.asarray(np.memmap(folder / _IDS, dtype="<i4", mode="r"))


def read_offsets(folder: Path) -> npt.NDArray[np.int64]:
    """Return where sentences start, memory-mapped."""
    return np.asarray(np.memmap(folder / _OFFSETS, dtype="<i8", mode="r"))
