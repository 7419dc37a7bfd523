"""Read and write the files of a corpus folder.

`ids.bin` (int32) and `offsets.bin` (int64), little-endian; `documents.bin` (int64), where the source has several
documents; `vocabulary.txt`, one word per line, with backslash and line feed escaped; `counts.bin` (int64); and
`corpus.json`, written last: the sizes, options and source of the corpus.
`firth.storage.integrity` verifies the files by their checksums, and `check_contents` checks that ids, offsets and
counts agree, because kernels use them as memory offsets.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.corpus.cache import writing
from firth.errors import CorpusError, FormatError
from firth.kernels.scan import count_ids, renumber
from firth.storage.files import release_pages
from firth.storage.integrity import verify
from firth.storage.snapshots import snapshot
from firth.storage.untrusted import file_bytes, mapped_numbers, parse_json
from firth.text.tokenise import encode
from firth.vocabulary import Vocabulary

FORMAT, VERSION = "firth corpus", 1
MANIFEST = "corpus.json"
_IDS, _OFFSETS, _WORDS, _COUNTS = "ids.bin", "offsets.bin", "vocabulary.txt", "counts.bin"
_DOCUMENTS = "documents.bin"
SENTENCE_END, DOCUMENT_END = -1, -2  # among provisional ids; a sentence ends before its document does
VOCABULARY = (_WORDS, _COUNTS)
AGAIN = "build the corpus again"
_BLOCK = 1 << 20  # ids renumbered at once
_CHUNK = 1 << 22  # numbers of a file checked at once
_MOST_TOKENS = 1 << 62


class Spill:
    """Provisional word ids on disk, in the file that becomes the ids of the corpus, or in one of a part of it.

    Args:
        name: of the file, for a part; None for the whole.
        new: whether to begin a file; otherwise one that is there is read.

    Raises:
        CorpusError: the file cannot be written.
    """

    def __init__(self, folder: Path, name: str | None = None, *, new: bool = True) -> None:
        self._folder, self._path = folder, folder / (name or _IDS)
        with writing(folder.parent):
            self._file = self._path.open("w+b" if new else "rb", buffering=0)

    def write(self, numbers: npt.NDArray[np.int32]) -> None:
        """Append ids."""
        with writing(self._folder.parent):
            _write_whole(self._file, numbers)

    def renumber(self, final: npt.NDArray[np.int32], *, keep_empty: bool = False) -> "Renumbered":
        """Replace provisional ids by final ones in place, and write the offsets of sentences and of several documents.

        In place, because ids only move to the left: words left out and the ends of sentences and documents are dropped.
        """
        spilled, ids = np.empty(_BLOCK, dtype=np.int32), np.empty(_BLOCK, dtype=np.int32)
        ends = np.empty(_BLOCK, dtype=np.int64)
        tokens = sentences = last_end = position = 0
        borders = Borders(final, keep_empty)
        digest = np.full(1, 0xCBF29CE484222325, dtype=np.uint64)
        with writing(self._folder.parent), (self._folder / _OFFSETS).open("wb") as offsets:
            offsets.write(np.zeros(1, dtype="<i8").tobytes())
            while True:
                self._file.seek(4 * position)
                size = self._file.readinto(spilled.data.cast("B")) // 4
                if not size:
                    break
                position += size
                block, marks = borders.take(spilled[:size])
                n, ended = renumber(block, final, ids, ends, tokens, last_end, keep_empty, digest)
                borders.add(marks, tokens, sentences, ends[:ended])
                self._file.seek(4 * tokens)
                _write_whole(self._file, ids[:n])
                offsets.write(ends[:ended].data)
                tokens, sentences = tokens + n, sentences + ended
                last_end = int(ends[ended - 1]) if ended else last_end
            self._file.truncate(4 * tokens)
        content, documents = f"{digest[0]:016x}", borders.ends(sentences)
        if len(documents) < 2:
            return Renumbered(tokens, sentences, 0, content, "")
        numbers = np.append(0, documents).astype("<i8").tobytes()
        with writing(self._folder.parent):
            (self._folder / _DOCUMENTS).write_bytes(numbers)
        return Renumbered(tokens, sentences, len(documents), content, f"{zlib.crc32(numbers):08x}")

    def blocks(self) -> Iterator[npt.NDArray[np.int32]]:
        """Yield the ids, block by block; the array is reused."""
        block = np.empty(_BLOCK, dtype=np.int32)
        self._file.seek(0)
        while size := self._file.readinto(block.data.cast("B")) // 4:
            yield block[:size]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def remove(self) -> None:
        """Close the file and delete it."""
        self.close()
        self._path.unlink(missing_ok=True)


class Renumbered(NamedTuple):
    """What `Spill.renumber` has written.

    Attributes:
        tokens, sentences: their numbers.
        documents: their number; 0 where it is not known.
        content: a digest of ids and offsets.
        division: a digest of where documents end; empty where it is not known.
    """

    tokens: int
    sentences: int
    documents: int
    content: str
    division: str


class Borders:
    """Finds after which sentence each document ends, while provisional ids become final ones block by block.

    Args:
        final: as of `Spill.renumber`.
        keep_empty: whether sentences without words are kept.
    """

    def __init__(self, final: npt.NDArray[np.int32], keep_empty: bool) -> None:
        self._final, self._keep_empty = final, keep_empty
        self._ends: list[npt.NDArray[np.int64]] = []

    def take(self, block: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return a block without its ends of documents, and how many kept words, or sentences, stand before each."""
        is_mark = block == DOCUMENT_END
        if not is_mark.any():
            return block, np.empty(0, dtype=np.int64)
        counted = block == SENTENCE_END if self._keep_empty else block >= 0
        if not self._keep_empty:
            counted[counted] = self._final[block[counted]] >= 0
        return block[~is_mark], np.cumsum(counted)[is_mark]

    def add(self, marks: npt.NDArray[np.int64], tokens: int, sentences: int, ends: npt.NDArray[np.int64]) -> None:
        """Note the documents that end in a block.

        Args:
            marks: of the block, from `take`.
            tokens, sentences: before the block.
            ends: of the sentences in the block, in tokens from the start of the corpus.
        """
        if len(marks):
            inside = marks if self._keep_empty else np.searchsorted(ends, tokens + marks, side="right")
            self._ends.append(sentences + inside)

    def ends(self, sentences: int) -> npt.NDArray[np.int64]:
        """Return the number of sentences up to the end of each document that has any; none if nothing was marked."""
        if not self._ends:
            return np.empty(0, dtype=np.int64)
        marked = np.unique(np.append(np.concatenate(self._ends), sentences))
        return marked[marked > 0]


def compile_kernels() -> None:
    """Compile the kernels for writing and opening a corpus."""
    numbers, ends, digest = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(1, np.uint64)
    renumber(numbers, numbers, numbers, ends, 0, 0, False, digest)
    mapped = numbers.view()
    mapped.flags.writeable = False  # a different type for the compiler
    count_ids(mapped, ends)


def _write_whole(file: Any, numbers: npt.NDArray[Any]) -> None:
    view = numbers.data.cast("B")
    while view:  # a raw file may write fewer bytes
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
    """Write the manifest; it is written last and marks the folder as complete."""
    with writing(folder.parent):
        (folder / MANIFEST).write_text(json.dumps({"format": FORMAT, "version": VERSION, **facts}, indent=2), "utf-8")


def is_built(folder: Path) -> bool:
    """Whether a folder is a corpus, perhaps a damaged one, rather than a folder of texts."""
    return snapshot(folder, lambda target: any((target / name).is_file() for name in (MANIFEST, _IDS)))


def open_manifest(folder: Path) -> dict[str, Any]:
    """Verify the folder and return its manifest."""
    if not folder.is_dir():
        kind = "a file" if folder.exists() else "nothing"
        raise CorpusError(f"{folder}: found {kind}; expected the folder of a built corpus; make one with Corpus.build")
    if not is_built(folder):
        raise CorpusError(
            f"{folder}: holds no {MANIFEST}; expected the folder of a built corpus; use Corpus.build on text"
        )
    verify(folder, AGAIN, check_contents)
    return read_manifest(folder)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest after checking the sizes of all files."""
    path = folder / MANIFEST
    if not path.is_file():
        raise CorpusError(
            f"{folder}: holds no {MANIFEST}; expected the folder of a built corpus; use Corpus.build on text"
        )
    try:
        facts = parse_json(file_bytes(path))
        supported = facts["format"] == FORMAT and facts["version"] == VERSION
        tokens, sentences, words, total = (int(facts[name]) for name in ("tokens", "sentences", "words", "total"))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise FormatError(f"{path}: damaged ({error}); {AGAIN}") from error
    if not supported:
        raise FormatError(
            f"{path}: {facts['format']!r} version {facts['version']}; expected {FORMAT!r} version {VERSION}; build the "
            "corpus again, or use the version of firth that wrote it"
        )
    if min(tokens, sentences, words) < 1 or not tokens <= total < _MOST_TOKENS:
        raise FormatError(
            f"{path}: {tokens:,} tokens of {total:,} in {sentences:,} sentences, {words:,} words; expected at least "
            f"one of each; {AGAIN}"
        )
    documents = facts.get("documents")
    sizes: list[tuple[str, int | None]] = [
        (_IDS, 4 * tokens), (_OFFSETS, 8 * (sentences + 1)), (_COUNTS, 8 * words), (_WORDS, None)
    ]  # fmt: skip
    if isinstance(documents, int) and documents:
        sizes.append((_DOCUMENTS, 8 * (documents + 1)))
    for name, size in sizes:
        file = folder / name
        if not file.is_file():
            raise FormatError(f"{file}: missing; expected it beside {MANIFEST}; {AGAIN}")
        if size is not None and file.stat().st_size != size:
            raise FormatError(f"{file}: {file.stat().st_size:,} bytes, expected {size:,}; {AGAIN}")
    return dict(facts)


def check_contents(folder: Path) -> None:
    """Check what kernels rely on: distinct words, ascending offsets, and ids that agree with the counts."""
    facts = read_manifest(folder)
    vocabulary = read_vocabulary(folder, int(facts["words"]), int(facts["total"]), AGAIN)
    check_words(folder, vocabulary.words, AGAIN)
    _check_offsets(folder / _OFFSETS, read_offsets(folder), int(facts["tokens"]))
    if (documents := read_documents(folder)) is not None:
        _check_offsets(folder / _DOCUMENTS, documents, int(facts["sentences"]), "document")
    ids, counts = read_ids(folder), np.zeros(len(vocabulary), dtype=np.int64)
    for first in range(0, len(ids), _CHUNK):
        piece = ids[first : first + _CHUNK]
        if (position := count_ids(piece, counts)) < len(piece):
            raise FormatError(
                f"{folder / _IDS}: token {first + position:,} is word {piece[position]} of {len(vocabulary):,}; {AGAIN}"
            )
        release_pages(ids)
    if len(wrong := np.flatnonzero(counts != vocabulary.counts)):
        word = int(wrong[0])
        count, real = int(vocabulary.counts[word]), int(counts[word])
        raise FormatError(f"{folder / _COUNTS}: word {word} {count:,} times, expected {real:,} as in {_IDS}; {AGAIN}")


def _check_offsets(file: Path, offsets: npt.NDArray[np.int64], tokens: int, unit: str = "sentence") -> None:
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != tokens:
        if not len(offsets):
            raise FormatError(f"{file}: empty, expected numbers from 0 to {tokens}; {AGAIN}")
        raise FormatError(f"{file}: from {offsets[0]} to {offsets[-1]}, expected 0 to {tokens}; {AGAIN}")
    for first in range(0, len(offsets), _CHUNK):
        piece = offsets[first : first + _CHUNK + 1]
        if len(wrong := np.flatnonzero(piece[1:] < piece[:-1])):
            raise FormatError(f"{file}: {unit} {first + int(wrong[0]):,} ends before it begins; {AGAIN}")
        release_pages(offsets)


def read_vocabulary(folder: Path, words: int, total: int, cure: str) -> Vocabulary:
    """Return the vocabulary.

    Args:
        folder: folder of a corpus or of co-occurrence counts.
        cure: what to do about damage; end of the error message.
    """
    path, content = folder / _WORDS, file_bytes(folder / _WORDS)
    try:
        text = content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{path} line {line}: not UTF-8 text at byte {error.start:,}; {cure}") from None
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != words or not text.endswith("\n"):
        raise FormatError(f"{path}: {len(lines):,} lines, expected {words:,}; {cure}")
    entries = _unescaped(path, lines, cure) if "\\" in text else lines
    counts = np.frombuffer(file_bytes(folder / _COUNTS), dtype="<i8").astype(np.int64)
    if len(counts) != words:
        raise FormatError(f"{folder / _COUNTS}: {len(counts):,} counts, expected {words:,}; {cure}")
    # As floats first: the sum of counts in a damaged file may overflow.
    if counts.min(initial=0) < 0 or counts.sum(dtype=np.float64) > 2.0**62 or counts.sum() > total:
        raise FormatError(f"{folder / _COUNTS}: counts below 0, or above {total:,} in all; {cure}")
    return Vocabulary(entries, counts, total)


def check_words(folder: Path, words: Sequence[str], cure: str) -> None:
    """Check that the words of a vocabulary are distinct."""
    ids = {word: i for i, word in enumerate(words)}
    if len(ids) != len(words):
        line = next(i for i, word in enumerate(words) if ids[word] != i)
        again = ids[words[line]] + 1
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
    return mapped_numbers(folder / _IDS, "<i4")


def read_documents(folder: Path) -> npt.NDArray[np.int64] | None:
    """Return the first sentence of each document and the number of all sentences, mapped; None if it is not known."""
    return mapped_numbers(folder / _DOCUMENTS, "<i8") if (folder / _DOCUMENTS).is_file() else None


def read_offsets(folder: Path) -> npt.NDArray[np.int64]:
    """Return the offsets of the sentences, memory-mapped."""
    return mapped_numbers(folder / _OFFSETS, "<i8")
