"""Stages in this process or in several others: results come in the order of what was given."""

import contextlib
import json
import os
import queue
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from firth.documents.document import Document
from firth.documents.jsonl import document_from_json, document_json
from firth.documents.stages import Stages, listed
from firth.documents.worker import DOCUMENT, SENTENCES
from firth.errors import FirthError, OptionError

PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from firth.documents.worker import main; sys.exit(main())"
Item = TypeVar("Item")
Stage = Callable[[Document], Document]


class InProcess:
    """Stages in this process."""

    def __init__(self, stages: Stages) -> None:
        self._stages = {
            SENTENCES: lambda document: stages.sentence_stages(document.sentences),
            DOCUMENT: stages.document_stages,
        }

    def map(
        self, stage: bytes, items: Iterable[Item], document_of: Callable[[Item], Document]
    ) -> Iterator[tuple[Item, Document]]:
        """Yield each item with its annotated document.

        Args:
            stage: SENTENCES or DOCUMENT.
            document_of: what of an item is annotated; one without sentences is not given to a model.
        """
        annotate: Stage = self._stages[stage]
        for item in items:
            document = document_of(item)
            yield item, annotate(document) if document.sentences else document

    def close(self) -> None:
        """Do nothing."""


class Processes:
    """Stages in several processes, each of which loads the models.

    Args:
        models: folders of models by stage, the arguments of `Stages.of`.
        confidences: as for `Stages.of`.

    Raises:
        OptionError: a model is an object.
        FirthError: a model cannot be loaded.
    """

    def __init__(self, models: Mapping[str, Any], number: int, *, confidences: bool = False) -> None:
        given = {name: [_path(name, path) for path in listed(value)] for name, value in models.items()}
        paths = {name: paths_of if name == "tagger" else next(iter(paths_of), None) for name, paths_of in given.items()}
        self._free = queue.SimpleQueue[subprocess.Popen[bytes]]()
        self._processes = [_start() for _ in range(number)]
        self._ahead = 2 * number
        self._threads = ThreadPoolExecutor(number)
        try:
            for process in self._processes:
                _send(process, json.dumps(paths | {"confidences": confidences}).encode())
            for process in self._processes:
                _receive(process)
                self._free.put(process)
        except BaseException:
            self.close()
            raise

    def map(
        self, stage: bytes, items: Iterable[Item], document_of: Callable[[Item], Document]
    ) -> Iterator[tuple[Item, Document]]:
        """Yield each item with its annotated document, in order; see `InProcess.map`.

        Args:
            stage: SENTENCES or DOCUMENT.
        """
        pending = deque[tuple[Item, Future[Document]]]()
        for item in items:
            pending.append((item, self._threads.submit(self._ask, stage, document_of(item))))
            if len(pending) > self._ahead:
                first, future = pending.popleft()
                yield first, future.result()
        while pending:
            first, future = pending.popleft()
            yield first, future.result()

    def _ask(self, stage: bytes, document: Document) -> Document:
        if not document.sentences:
            return document
        process = self._free.get()
        try:
            _send(process, stage + b"\t" + document_json(document))
            return document_from_json(_receive(process), "an answer")
        finally:
            self._free.put(process)

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for process in self._processes:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):  # what was not sent
                        pipe.close()


def _path(stage: str, model: Any) -> str:
    if not isinstance(model, str | os.PathLike):
        raise OptionError(
            f"{stage}={model!r}: several processes load the models themselves; expected the folder of a saved model"
        )
    return str(Path(model).absolute())


def _start() -> subprocess.Popen[bytes]:
    # Python looks for modules in the current folder first for `-c`, `-m` and at its prompt; its files are data.
    here, home = Path.cwd(), Path(__file__).resolve().parents[2]
    folders = [name for name in sys.path if (name and Path(name) != here) or home == here]
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, *folders], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def _send(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(line + b"\n")
        process.stdin.flush()
    except BrokenPipeError:
        raise _ended(process) from None


def _receive(process: subprocess.Popen[bytes]) -> bytes:
    """Return the answer of a process; raise what it says is wrong."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.endswith(b"\n"):
        raise _ended(process)
    if line.startswith(b'"'):
        raise FirthError(json.loads(line))
    return line


def _ended(process: subprocess.Popen[bytes]) -> FirthError:
    return FirthError(
        f"a process that annotates ended with status {process.wait()}; what is finished is kept: start again, with "
        "fewer processes if memory was short"
    )
