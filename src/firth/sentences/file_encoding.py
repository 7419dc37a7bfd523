"""Vectors of all texts of a file, in a file: in bounded memory, and resumable.

What: the texts of a source are read in blocks, encoded, and appended to a file beside the target, which takes the
    target's name when it is whole. Ctrl-C leaves the finished rows there, and the same call continues with them.
Cost: one block of texts with its vectors in memory. Averages of word vectors are computed from the bytes of the text:
    the scanner of corpora reads each byte once, the averages read 4 D bytes per word, and 4 D bytes per text are
    written.
"""

import contextlib
import dataclasses
import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.corpus.contents import contents
from firth.corpus.reading_progress import ReadingProgress
from firth.corpus.sources import Files, resolve
from firth.corpus.table_options import TableArguments, TableOptions
from firth.errors import CorpusError, OptionError, warn_caller
from firth.progress import Progress, Report, Status, reporting_slow_work
from firth.sentences.averages import SentenceAverages, as_lines
from firth.sentences.encoded_texts import TextEncoder, as_encoder
from firth.sentences.row_files import RowFile, continued, create, first_rows, format_of, has_format
from firth.sentences.text_blocks import Block, blocks_of, cut, size_of, text_of
from firth.signals import stopping
from firth.storage.files import check_replaceable
from firth.storage.unfinished import UnfinishedFile
from firth.text.batches import TextsWarning
from firth.vectors.cosine import Matrix

INTERVAL = 30.0  # seconds between two records of how far the file is
COMPARED = 64  # rows that are encoded again to see whether a part is of the same model
SAME = 1e-4  # largest difference, as a share of the largest number, between two vectors of one text


@dataclass(frozen=True)
class EncodedFile:
    """Summary of a file that `encode_file` wrote.

    Attributes:
        count: N, number of texts and rows.
        dim: D.
        resumed: rows that an interrupted call had finished.
        problems: problems of texts, such as truncation, with the number of texts.
    """

    path: Path
    count: int
    dim: int
    resumed: int = 0
    problems: dict[str, int] = field(default_factory=dict)


@explained
def encode_file(
    model: Any,
    source: Any,
    path: str | os.PathLike[str],
    *,
    column: str | int | None = None,
    batch_size: int | None = None,
    progress: Progress = None,
    **table: Unpack[TableArguments],
) -> EncodedFile:
    """Write the vectors of all texts of a source to a file, one row per text.

    Ctrl-C leaves the finished rows in a file beside `path`, whose name ends in .part. The same call, with the same
    model and source, continues with them. Any other error leaves nothing.

    Args:
        model: an encoder (a model with `encode`), or word vectors, which are averaged.
        source: files with one text per line (a path, glob or folder, several paths, or "-"), tables (CSV, TSV, JSONL,
            Parquet), a data frame, or texts. An empty line is a text, too.
        path: the file to write. Its name ends in .npy (an array (N, D) of float32 for `numpy.load`, mapped with
            `mmap_mode="r"`), or in .jsonl or .parquet, which hold the texts as well.
        column: the column of texts in a table.
        batch_size: texts that the encoder reads at once; None for its default.
        **table: how a table in a text file is read; see `firth.TableOptions`.

    Returns:
        The number of rows and what was wrong with some texts; warnings give the same.

    Raises:
        ArgumentTypeError: the model gives texts no vectors.
        CorpusError: the source is missing, not text, or empty.
        OptionError: the name of the file has another ending, the file holds something else, or its finished part is of
            another model or source.
        MissingExtraError: a Parquet file needs pyarrow, which is not installed.
        OSError: the file cannot be written.
    """
    encoder, target = as_encoder(model), Path(path)
    check_target(target)
    format = format_of(target)
    sources = resolve(source, column, TableOptions(**table))
    writing = _Writing(
        encoder=encoder,
        block_encoder=_block_encoder(encoder, batch_size),
        files=UnfinishedFile(target),
        format=format,
        identity=_identity(sources, encoder),
    )
    total = sources.size() if isinstance(sources, Files) else None
    as_bytes = format == ".npy" and isinstance(encoder, SentenceAverages) and encoder.line_averages() is not None
    with reporting_slow_work(progress) as report:
        meter = ReadingProgress(writing.reporting(report), total)
        blocks = blocks_of(contents(sources, meter), as_bytes)
        with contextlib.closing(blocks), stopping() as request:
            writing.write(blocks, lambda: request.stop)
    result = writing.result(target)
    for problem, count in result.problems.items():
        warn_caller(TextsWarning(count, result.count, problem))
    return result


def check_target(path: Path) -> None:
    """Check that vectors of texts can be written to a path without replacing a file of something else."""
    if Path(path).is_dir():
        raise OptionError(f"{path} is a folder; expected the name of a file to write")
    check_replaceable(path, has_format, f"{format_of(path)} files")


def finished_rows(path: str | os.PathLike[str]) -> int:
    """Return the number of rows that an interrupted call of `encode_file` left for this file."""
    try:
        return int(UnfinishedFile(Path(path)).read_state()["rows"])
    except (ValueError, KeyError, TypeError):
        return 0


BlockEncoder = Callable[[Block], tuple[Matrix, dict[str, int]]]


def _block_encoder(encoder: TextEncoder, batch_size: int | None) -> BlockEncoder:
    """Return a function from a block to its vectors, and how many texts have each problem."""
    lines = encoder.line_averages() if isinstance(encoder, SentenceAverages) else None

    def average(block: Block) -> tuple[Matrix, dict[str, int]]:
        if isinstance(block, list) and not all(isinstance(text, str) for text in block):
            return encode(block)
        assert lines is not None
        data, count = as_lines(block) if isinstance(block, list) else (block, size_of(block))
        vectors, without = lines.averages(data, count)
        return vectors, {"have no known word: their vectors are zero": without} if without else {}

    def encode(block: Block) -> tuple[Matrix, dict[str, int]]:
        assert isinstance(block, list)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            vectors = encoder.encode(block, batch_size=batch_size, progress=False)
        problems: dict[str, int] = {}
        for warning in caught:
            if isinstance(warning.message, TextsWarning):
                problems[warning.message.problem] = warning.message.count
            else:
                warn_caller(warning.message if isinstance(warning.message, Warning) else str(warning.message))
        return np.asarray(vectors, dtype=np.float32), problems

    return average if lines is not None else encode


@dataclass
class _Writing:
    """A file that is being written, and the state of its rows."""

    encoder: TextEncoder
    block_encoder: BlockEncoder
    files: UnfinishedFile
    format: str
    identity: dict[str, Any]
    rows: int = 0
    resumed: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    _size: int = 0  # bytes after the last row
    _appending: bool = False
    _recorded: float = field(default_factory=time.monotonic)

    def reporting(self, report: Report) -> Report:
        """Return what turns the progress of reading into that of encoding."""

        def show(status: Status) -> None:
            if status.total is None:
                status = dataclasses.replace(status, done=self.rows, unit="texts")
            else:
                status = dataclasses.replace(status, figures={"texts": self.rows})
            report(dataclasses.replace(status, stage="encoding"))

        return show

    def write(self, blocks: Iterator[Block], stopped: Callable[[], bool]) -> None:
        """Encode all blocks and give the file its name."""
        with self.files.locked():
            with self.files.starting():
                first, file = self._begin(blocks)
            try:
                self._append_all(first, blocks, file, stopped)
                if not self.rows:
                    raise CorpusError("the source holds no texts; expected at least one")
                file.close()
            except KeyboardInterrupt:
                self._keep(file)
                raise
            except BaseException:
                with contextlib.suppress(Exception):
                    file.close()
                self.files.remove()
                raise
            self.files.finish()

    def _keep(self, file: RowFile) -> None:
        """Keep the finished rows after an interruption, unless there are none or a Parquet file was cut."""
        whole = False
        with contextlib.suppress(Exception):
            file.close()
            whole = self.rows > 0 and not (self._appending and self.format == ".parquet")
        if whole:
            self._record()
        else:
            self.files.remove()

    def result(self, path: Path) -> EncodedFile:
        return EncodedFile(path, self.rows, self.encoder.dim, self.resumed, dict(self.problems))

    def _append_all(
        self, first: list[Block], blocks: Iterator[Block], file: RowFile, stopped: Callable[[], bool]
    ) -> None:
        for block in (block for part in (first, blocks) for block in part):
            vectors, problems = self.block_encoder(block)
            texts = [] if isinstance(block, bytes) else [text_of(text) for text in block]
            self._appending = True
            self._size = file.append(texts, vectors)
            self.rows += len(vectors)
            self.problems.update(problems)
            self._appending = False
            if stopped():
                raise KeyboardInterrupt
            if time.monotonic() - self._recorded > INTERVAL and file.flush():
                self._record()

    def _begin(self, blocks: Iterator[Block]) -> tuple[list[Block], RowFile]:
        """Return the texts that were read and are not finished, and the file to append to."""
        try:
            state = self.files.read_state()
            rows, size, identity = int(state["rows"]), int(state["size"]), state["identity"]
        except (ValueError, KeyError, TypeError):
            return [], create(self.files.part, self.format, self.encoder.dim)
        if identity != self.identity or not self.files.part.is_file():
            raise self.files.of_another_call("another file or kind of model")
        remaining_blocks: list[Block] = []
        head: Block | None = None
        remaining = rows
        for block in blocks:
            if head is None:
                head = cut(block, min(COMPARED, rows))[0]
            if size_of(block) > remaining:
                remaining_blocks = [cut(block, remaining)[1]]
                remaining = 0
                break
            remaining -= size_of(block)
            if not remaining:
                break
        if remaining or head is None:
            raise self.files.of_another_call("a source of more texts")
        expected, _ = self.block_encoder(head)
        stored = first_rows(self.files.part, self.format, self.encoder.dim, len(expected))
        if np.abs(expected - stored).max(initial=0) > SAME * np.abs(expected).max(initial=0):
            raise self.files.of_another_call("another model, other options or other texts")
        self.rows = self.resumed = rows
        self._size = size
        self.problems.update(state.get("problems", {}))
        return remaining_blocks, continued(self.files.part, self.format, self.encoder.dim, size)

    def _record(self) -> None:
        problems = dict(self.problems)
        self.files.record(rows=self.rows, size=self._size, identity=self.identity, problems=problems)
        self._recorded = time.monotonic()


def _identity(source: Any, encoder: TextEncoder) -> dict[str, Any]:
    files = source.identity() if isinstance(source, Files) else None
    return {"source": files, "encoder": type(encoder).__name__, "dim": encoder.dim}
