"""A file of documents that is being written, which survives a kill.

Beside the target OUT stand, until it is whole,

- `OUT.part`: the finished documents;
- `OUT.part.json`: how many they are, and of which call;
- `OUT.part.jsonl`: finished parts of documents that are not, one a line.

Every second the state is written; what stands in `OUT.part` behind it is written again.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from firth.documents.document import Document
from firth.documents.files import closing, document_bytes
from firth.documents.jsonl import document_from_json, document_json
from firth.errors import FileError, FormatError, OptionError
from firth.storage.files import followed, json_bytes, replacing_file, sync_folder
from firth.storage.partial import locked
from firth.storage.swapping import take_mode
from firth.storage.untrusted import file_bytes, parse_json

PART, STATE, JOURNAL = ".part", ".part.json", ".part.jsonl"
INTERVAL = 1.0  # seconds between two records of the state


@dataclass
class Counts:
    """What a file of documents holds.

    Attributes:
        documents: how many.
        sentences: in all.
        tokens: in all.
        entities: in all.
        chains: in all.
    """

    documents: int = 0
    sentences: int = 0
    tokens: int = 0
    entities: int = 0
    chains: int = 0

    def add(self, document: Document) -> None:
        """Count a document."""
        self.documents += 1
        self.sentences += len(document.sentences)
        self.tokens += len(document)
        self.entities += len(document.entities)
        self.chains += len(document.clusters)


class UnfinishedFile:
    """The files beside a target; see the module.

    Args:
        target: the file to write.
        format: as `firth.documents.files.check_written` returns it.
        identity: of the call, as JSON. What is there of another call is not continued.

    Attributes:
        counts: what is finished.
        parts: finished parts of the documents that come next, by the number of the document.
    """

    def __init__(self, target: Path, format: str, identity: Any) -> None:
        self._target, self._format, self._identity = followed(target), format, identity
        self.counts, self.parts = Counts(), dict[int, list[Document]]()
        self._size, self._last_part = 0, -1
        self._recorded = -INTERVAL  # never
        self._file: BinaryIO | None = None
        self._journal: BinaryIO | None = None

    def _beside(self, ending: str) -> Path:
        return self._target.with_name(self._target.name + ending)

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Continue or begin the files, and give the target its name at the end.

        An interruption, or another error, keeps what is finished.

        Raises:
            OptionError: what is there is of another call, or another process writes it.
            OSError: they cannot be written.
        """
        self._target.parent.mkdir(parents=True, exist_ok=True)
        part = self._beside(PART)
        with locked(part, self._target):
            try:
                self._continue()
            except BaseException:
                if part.exists() and not part.stat().st_size and not self._beside(STATE).exists():
                    part.unlink()  # made for the lock
                raise
            with (
                self._telling(),
                part.open("r+b" if part.exists() else "w+b") as file,
                self._beside(JOURNAL).open("ab") as journal,
            ):
                file.truncate(self._size)
                file.seek(self._size)
                self._file, self._journal = file, journal
                try:
                    yield
                    self._record()
                    file.write(closing(self._format, empty=not self.counts.documents))
                except BaseException:
                    self._keep()
                    raise
            if self._target.exists():
                take_mode(part, self._target)
            part.replace(self._target)
            self._beside(STATE).unlink(missing_ok=True)
            self._beside(JOURNAL).unlink(missing_ok=True)
            sync_folder(self._target.parent)

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Say what is kept where a disk is full."""
        state = self._beside(STATE)
        try:
            yield
        except OSError as error:
            if error.errno is None or error.filename not in (None, str(state)) or not state.exists():
                raise
            problem = f"{error.strerror}; what is finished stays in {self._beside(PART)}: the same call goes on there"
            raise FileError(error.errno, problem, str(self._target)) from error

    def _keep(self) -> None:
        """Keep what is finished, as it was recorded last if the disk is full; or nothing if nothing is."""
        if self.counts.documents or self._last_part >= 0 or self.parts:
            with contextlib.suppress(OSError):
                self._record()
            if self._beside(STATE).exists():
                return
        for ending in (PART, STATE, JOURNAL):
            self._beside(ending).unlink(missing_ok=True)

    def add(self, document: Document) -> None:
        """Write a finished document."""
        assert self._file is not None
        content = document_bytes(document, self._format, first=self.counts.documents == 0)
        self._file.write(content)
        self._size += len(content)
        self.counts.add(document)
        self._record_sometimes()

    def add_part(self, number: int, part: Document) -> None:
        """Write a finished part of a document.

        Args:
            number: of the document.
            part: its next sentences.
        """
        assert self._journal is not None
        self._journal.write(b"%d\t%b\n" % (number, document_json(part)))
        self._journal.flush()
        self._last_part = number
        self._record_sometimes()

    def _record_sometimes(self) -> None:
        if time.monotonic() - self._recorded > INTERVAL:
            self._record()

    def _record(self) -> None:
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())
        facts = {"identity": self._identity, "size": self._size, "counts": asdict(self.counts)}
        with replacing_file(self._beside(STATE)) as file:
            file.write(json_bytes(facts))
        self._recorded = time.monotonic()
        if self._journal is not None and 0 <= self._last_part < self.counts.documents:
            self._journal.truncate(0)  # parts of documents that are whole by now
            self._last_part = -1

    def _continue(self) -> None:
        try:
            state = parse_json(file_bytes(self._beside(STATE)))
            identity, size, counts = state["identity"], int(state["size"]), Counts(**state["counts"])
        except (OSError, ValueError, KeyError, TypeError):
            self._beside(JOURNAL).unlink(missing_ok=True)
            return
        if identity != parse_json(json_bytes(self._identity)):
            raise OptionError(
                f"{self._beside(PART)} is the finished part of an interrupted call with other files, models or "
                "options: repeat that call, or delete the part to start anew"
            )
        part = self._beside(PART)
        if part.is_file() and part.stat().st_size >= size:
            self.counts, self._size = counts, size
            self.parts = self._read_parts()

    def _read_parts(self) -> dict[int, list[Document]]:
        """Read the parts of unfinished documents, and leave only those in the journal."""
        journal = self._beside(JOURNAL)
        found = dict[int, list[Document]]()
        lines = file_bytes(journal).split(b"\n")[:-1] if journal.exists() else []  # a line that was cut is no part
        kept = []
        for line in lines:
            number, _, content = line.partition(b"\t")
            if number.isdigit() and int(number) >= self.counts.documents:
                try:
                    part = document_from_json(content, f"{journal}")
                except FormatError:
                    break
                found.setdefault(int(number), []).append(part)
                kept.append(line + b"\n")
        journal.write_bytes(b"".join(kept))
        return found


def finished(target: str | os.PathLike[str]) -> Counts | None:
    """Return what an interrupted call left for a file, or None.

    Args:
        target: the file.
    """
    path = followed(target)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return Counts(**parse_json(file_bytes(path.with_name(path.name + STATE)))["counts"])
    return None
