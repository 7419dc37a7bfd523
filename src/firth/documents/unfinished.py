"""A file of documents that is being written, which survives a kill; see `firth.storage.unfinished`.

Besides the finished documents in `OUT.part`, `OUT.part.jsonl` holds finished parts of documents that are not, one a
line. Every second the state is written. A format that is written whole is made of JSONL at the end.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from firth.documents.document import Document
from firth.documents.entity_files import read_jsonl_documents
from firth.documents.files import JSONL, WHOLE, closing, document_bytes, write_documents
from firth.documents.jsonl import document_from_json, document_json
from firth.errors import FileError, FormatError
from firth.storage import unfinished
from firth.storage.files import json_bytes
from firth.storage.untrusted import file_bytes, parse_json

JOURNAL = ".part.jsonl"
INTERVAL = 1.0  # seconds between two records of the state


@dataclass
class Counts:
    """What a file of documents holds."""

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
        format: as `firth.documents.files.check_written` returns it.
        identity: of the call, as JSON. What is there of another call is not continued.

    Attributes:
        parts: finished parts of the documents that come next, by the number of the document.
    """

    def __init__(self, target: Path, format: str, identity: Any) -> None:
        self._files, self._identity = unfinished.UnfinishedFile(target, [JOURNAL]), identity
        self._whole = format in WHOLE  # of all documents, which are JSONL until they are there
        self._format = JSONL if self._whole else format
        self._journal_path = self._files.beside(JOURNAL)
        self.counts, self.parts = Counts(), dict[int, list[Document]]()
        self._size, self._last_part = 0, -1
        self._recorded = -INTERVAL  # never
        self._file: BinaryIO | None = None
        self._journal: BinaryIO | None = None

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Continue or begin the files, and give the target its name at the end.

        An interruption, or another error, keeps what is finished.
        """
        part = self._files.part
        with self._files.locked():
            with self._files.starting():
                self._continue()
            with (
                self._telling(),
                part.open("r+b" if part.exists() else "w+b") as file,
                self._journal_path.open("ab") as journal,
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
            if self._whole:
                write_documents(self._files.target, read_jsonl_documents(part))
                self._files.remove()
            else:
                self._files.finish()

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Say what is kept where a disk is full."""
        state = self._files.state
        try:
            yield
        except OSError as error:
            if error.errno is None or error.filename not in (None, str(state)) or not state.exists():
                raise
            problem = f"{error.strerror}; what is finished stays in {self._files.part}: the same call goes on there"
            raise FileError(error.errno, problem, str(self._files.target)) from error

    def _keep(self) -> None:
        """Keep what is finished, as it was recorded last if the disk is full; or nothing if nothing is."""
        if self.counts.documents or self._last_part >= 0 or self.parts:
            with contextlib.suppress(OSError):
                self._record()
            if self._files.state.exists():
                return
        self._files.remove()

    def add(self, document: Document) -> None:
        """Write a finished document."""
        assert self._file is not None
        content = document_bytes(document, self._format, first=self.counts.documents == 0)
        self._file.write(content)
        self._size += len(content)
        self.counts.add(document)
        self._record_sometimes()

    def add_part(self, number: int, part: Document) -> None:
        """Write a finished part of a document."""
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
        self._files.record(identity=self._identity, size=self._size, counts=asdict(self.counts))
        self._recorded = time.monotonic()
        if self._journal is not None and 0 <= self._last_part < self.counts.documents:
            self._journal.truncate(0)  # parts of documents that are whole by now
            self._last_part = -1

    def _continue(self) -> None:
        try:
            state = self._files.read_state()
            identity, size, counts = state["identity"], int(state["size"]), Counts(**state["counts"])
        except (ValueError, KeyError, TypeError):
            self._journal_path.unlink(missing_ok=True)
            return
        if identity != parse_json(json_bytes(self._identity)):
            raise self._files.of_another_call("other files, models or options")
        part = self._files.part
        if part.is_file() and part.stat().st_size >= size:
            self.counts, self._size = counts, size
            self.parts = self._read_parts()

    def _read_parts(self) -> dict[int, list[Document]]:
        """Read the parts of unfinished documents, and leave only those in the journal."""
        journal = self._journal_path
        parts = dict[int, list[Document]]()
        lines = file_bytes(journal).split(b"\n")[:-1] if journal.exists() else []  # a line that was cut is no part
        kept = []
        for line in lines:
            number, _, content = line.partition(b"\t")
            if number.isdigit() and int(number) >= self.counts.documents:
                try:
                    part = document_from_json(content, f"{journal}")
                except FormatError:
                    break
                parts.setdefault(int(number), []).append(part)
                kept.append(line + b"\n")
        journal.write_bytes(b"".join(kept))
        return parts


def finished(target: str | os.PathLike[str]) -> Counts | None:
    """Return what an interrupted call left for a file, or None."""
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return Counts(**unfinished.UnfinishedFile(Path(target)).read_state()["counts"])
    return None
