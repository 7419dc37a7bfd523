r"""fastText's own files: `.bin` models of versions 11 and 12, and quantised `.ftz` ones; word vectors and classifiers.

    magic, version       2 x int32
    arguments            12 x int32, 1 x float64
    dictionary           sizes: 3 x int32 (all, words, labels), 2 x int64 (tokens, pruned pairs or -1);
                         entries: bytes, \0, int64 count, int8 type: words, then labels;
                         pairs: 2 x int32, a bucket and its row after pruning
    input matrix         1 byte: quantised or not; rows: words, then buckets
    output matrix        1 byte: quantised or not; rows: labels, or words

    dense matrix         2 x int64 shape, float32
    quantised matrix     1 byte: with separate lengths or not; 2 x int64 shape, int32 number of codes, codes, quantiser,
                         and with lengths: one code per row, and a quantiser of width 1
    quantiser            4 x int32 (D, parts, width of a part, width of the last part), 256 D float32

All numbers are little-endian. Sizes are checked against the length of the file. Matrices are mapped into memory.
Words are UTF-8; invalid bytes are kept and written back unchanged. Classifiers of version 11 use no character n-grams,
whatever their options say.
"""

import dataclasses
import mmap
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.storage.files import replacing_file
from firth.storage.mapping import is_copying
from firth.storage.untrusted import check_unpacked
from firth.storage.user_files import open_file
from firth.vectors.io.text import encoded
from firth.vectors.quantise import CODES, ProductQuantiser, QuantisedMatrix

MAGIC = 793712314
START = MAGIC.to_bytes(4, "little")
VERSIONS = (11, 12)
LOSSES = {1: "hierarchical", 2: "negative", 3: "softmax", 4: "ova"}
MODELS = {1: "cbow", 2: "skipgram", 3: "supervised"}
BLOCK = 2**22  # numbers of a matrix written at once
ALL_BUCKETS = -1  # number of pairs in a file that is not pruned

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Options in a fastText file.

    Attributes:
        dim: D.
        window: context words on each side.
        epochs: passes over the text.
        min_count: minimum count of a word.
        negative: negative samples per prediction.
        word_ngrams: longest word n-gram of a classifier.
        loss: one of `LOSSES`.
        model: one of `MODELS`.
        buckets: rows for n-grams.
        min_n: shortest character n-gram.
        max_n: longest character n-gram; 0 for none.
        rate_updates: words between two updates of the learning rate.
        sample: subsampling threshold.
    """

    dim: int
    window: int = 5
    epochs: int = 5
    min_count: int = 1
    negative: int = 5
    word_ngrams: int = 1
    loss: str = "negative"
    model: str = "skipgram"
    buckets: int = 0
    min_n: int = 0
    max_n: int = 0
    rate_updates: int = 100
    sample: float = 1e-4


@dataclass(frozen=True, kw_only=True)
class SparseRows:
    """A matrix of dense word rows followed by bucket rows, most of them zero.

    Attributes:
        first: (V, D) dense rows.
        buckets: number of rows after them.
        used: (U,) numbers of the buckets with a nonzero row, ascending.
        rows: (U, D) rows of these buckets.
    """

    first: Floats
    buckets: int
    used: npt.NDArray[np.int64]
    rows: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix."""
        return len(self.first) + self.buckets, self.first.shape[1]

    def blocks(self) -> Iterator[Floats]:
        """Yield the rows in blocks."""
        yield from _blocks(self.first)
        size = max(BLOCK // max(self.first.shape[1], 1), 1)
        for start in range(0, self.buckets, size):
            block = np.zeros((min(size, self.buckets - start), self.first.shape[1]), dtype=np.float32)
            low, high = np.searchsorted(self.used, [start, start + len(block)])
            block[self.used[low:high] - start] = self.rows[low:high]
            yield block


Matrix = Floats | SparseRows | QuantisedMatrix


@dataclass(frozen=True, kw_only=True)
class FastTextFile:
    """Content of a fastText file.

    Attributes:
        arguments: options.
        words: V words, most frequent first.
        counts: (V,) int64.
        labels: L labels with their prefix; empty for word vectors.
        label_counts: (L,) int64.
        tokens: number of tokens in the text.
        pruned: (P, 2) buckets and their rows after those of the words; None if every bucket has a row.
        input: (V + buckets, D), or (V + P, D) for a pruned file.
        output: (L, D), or (V, D) for word vectors.
    """

    arguments: Arguments
    words: list[str]
    counts: npt.NDArray[np.int64]
    labels: list[str]
    label_counts: npt.NDArray[np.int64]
    tokens: int
    pruned: npt.NDArray[np.int32] | None = None
    input: Matrix
    output: Matrix


def read(path: str | os.PathLike[str]) -> FastTextFile:
    """Read a fastText file; its matrices are mapped into memory, read-only.

    Raises:
        FormatError: the file is not a fastText model, has an unknown version, is cut short, or contradicts itself.
    """
    name = str(path)
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read() if is_copying() or not size else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    reader = _Reader(content, name)
    magic, version = reader.numbers("<2i", "the first two numbers")
    if magic != MAGIC:
        raise FormatError(f"{name}: not a fastText model: it begins with {magic}, expected {MAGIC}")
    if version not in VERSIONS:
        raise FormatError(
            f"{name}: version {version} of fastText's format, expected {' or '.join(map(str, VERSIONS))}; save the "
            "model again with a current fastText"
        )
    arguments = _read_arguments(reader, version)
    if arguments.model == "supervised":  # memory: one number per bucket, even if the file has few of them
        check_unpacked(path, 4 * arguments.buckets, f"{arguments.buckets:,} buckets", size)
    dictionary = _read_dictionary(reader, arguments)
    quantised = reader.flag("whether the matrix is quantised")
    if not quantised and dictionary["pruned"] is not None:
        raise FormatError(f"{name}: pruned words and a matrix that is not quantised; no version of fastText reads this")
    input = _read_matrix(reader, quantised, arguments.dim, "input")
    output_quantised = reader.flag("whether the output matrix is quantised")
    output = _read_matrix(reader, quantised and output_quantised, arguments.dim, "output")
    if reader.place != size:
        raise FormatError(
            f"{name}: {size - reader.place:,} bytes after the output matrix, expected the end of the file"
        )
    model = FastTextFile(arguments=arguments, input=input, output=output, **dictionary)
    _check_rows(model, name)
    return model


class _Reader:
    """Reads numbers from a file and checks that it is long enough."""

    def __init__(self, content: Any, name: str) -> None:
        self.content, self.name, self.place = content, name, 0

    def need(self, size: int, what: str) -> None:
        """Check that at least this many bytes remain."""
        remaining = len(self.content) - self.place
        if size < 0 or size > remaining:
            raise FormatError(
                f"{self.name}: {what} would take {size:,} bytes at byte {self.place:,}, the file has {remaining:,} "
                "left; it is cut short or damaged: copy it again"
            )

    def numbers(self, form: str, what: str) -> tuple[Any, ...]:
        self.need(struct.calcsize(form), what)
        values = struct.unpack_from(form, self.content, self.place)
        self.place += struct.calcsize(form)
        return values

    def flag(self, what: str) -> bool:
        (value,) = self.numbers("<B", what)
        if value > 1:
            raise FormatError(f"{self.name}: {what} is {value} at byte {self.place - 1:,}, expected 0 or 1; damaged")
        return bool(value)

    def array(self, dtype: str, count: int, what: str) -> npt.NDArray[Any]:
        self.need(count * np.dtype(dtype).itemsize, what)
        array = np.frombuffer(self.content, dtype, count, self.place)
        self.place += array.nbytes
        return array


def _read_arguments(reader: _Reader, version: int) -> Arguments:
    *whole, sample = reader.numbers("<12id", "the options")
    dim, window, epochs, min_count, negative, word_ngrams, loss, model, buckets, min_n, max_n, updates = whole
    if dim < 1 or buckets < 0 or loss not in LOSSES or model not in MODELS:
        raise FormatError(
            f"{reader.name}: dim {dim}, buckets {buckets}, loss {loss}, model {model}; expected at least 1, at least "
            "0, 1 to 4, 1 to 3: the file is damaged"
        )
    if version == 11 and MODELS[model] == "supervised":
        min_n = max_n = 0
    return Arguments(
        dim=dim, window=window, epochs=epochs, min_count=min_count, negative=negative, word_ngrams=word_ngrams,
        loss=LOSSES[loss], model=MODELS[model], buckets=buckets, min_n=min_n, max_n=max_n, rate_updates=updates,
        sample=sample,
    )  # fmt: skip


def _read_dictionary(reader: _Reader, arguments: Arguments) -> dict[str, Any]:
    size, words, labels, tokens, pairs = reader.numbers("<3i2q", "the sizes of the dictionary")
    if min(words, labels) < 0 or size != words + labels or pairs < ALL_BUCKETS:
        raise FormatError(
            f"{reader.name}: {size:,} entries, {words:,} words, {labels:,} labels, {pairs:,} pruned buckets; expected "
            "words and labels to be all entries: the file is damaged"
        )
    reader.need(10 * size, f"a dictionary of {size:,} entries")
    names, counts = _read_entries(reader, words, labels)
    pruned = None
    if pairs != ALL_BUCKETS:
        pruned = reader.array("<i4", 2 * pairs, f"{pairs:,} pruned buckets").reshape(-1, 2)
        if pairs and not (pruned[:, 1].min() >= 0 and pruned[:, 1].max() < pairs and pruned[:, 0].min() >= 0):
            raise FormatError(f"{reader.name}: rows of pruned buckets beyond their number {pairs:,}; damaged")
    return {
        "words": names[:words],
        "counts": counts[:words],
        "labels": names[words:],
        "label_counts": counts[words:],
        "tokens": tokens,
        "pruned": pruned,
    }


def _read_entries(reader: _Reader, words: int, labels: int) -> tuple[list[str], npt.NDArray[np.int64]]:
    content, offset = reader.content, reader.place
    names: list[str] = []
    counts = np.zeros(words + labels, dtype=np.int64)
    count_and_type = struct.Struct("<qb")
    for entry in range(words + labels):
        end = content.find(b"\0", offset)
        if end < 0 or end + 10 > len(content):
            raise FormatError(
                f"{reader.name}: ends in entry {entry + 1:,} of {words + labels:,} of the dictionary; copy it again"
            )
        names.append(content[offset:end].decode("utf-8", "surrogateescape"))
        counts[entry], kind = count_and_type.unpack_from(content, end + 1)
        if kind != (entry >= words) or counts[entry] < 0:
            raise FormatError(
                f"{reader.name}: entry {entry + 1:,} of the dictionary, {names[-1][:40]!r}, has the type {kind} and "
                f"the count {counts[entry]}; expected type {int(entry >= words)}: the file is damaged"
            )
        offset = end + 10
    reader.place = offset
    if len(set(names)) != len(names):
        raise FormatError(f"{reader.name}: a word occurs twice in the dictionary; the file is damaged")
    return names, counts


def _read_matrix(reader: _Reader, quantised: bool, dim: int, what: str) -> Floats | QuantisedMatrix:
    normed = quantised and reader.flag(f"whether the {what} matrix has lengths")
    rows, columns = reader.numbers("<2q", f"the sides of the {what} matrix")
    if rows < 0 or columns != dim:
        raise FormatError(f"{reader.name}: an {what} matrix of {rows:,} x {columns:,}, expected {dim} columns; damaged")
    if not quantised:
        return reader.array("<f4", rows * dim, f"an {what} matrix of {rows:,} x {dim}").reshape(rows, dim)
    (size,) = reader.numbers("<i", "the number of codes")
    codes = reader.array("u1", size, f"{size:,} codes")
    quantiser = _read_quantiser(reader, dim)
    if size != rows * quantiser.parts:
        raise FormatError(
            f"{reader.name}: {size:,} codes for {rows:,} rows of {quantiser.parts} parts, expected as many; damaged"
        )
    lengths = reader.array("u1", rows, "the codes of the lengths") if normed else None
    return QuantisedMatrix(
        codes.reshape(rows, quantiser.parts), quantiser, lengths, _read_quantiser(reader, 1) if normed else None
    )


def _read_quantiser(reader: _Reader, dim: int) -> ProductQuantiser:
    columns, parts, width, last = reader.numbers("<4i", "the sizes of a quantiser")
    if columns != dim or width < 1 or parts != -(-dim // width) or last != dim - (parts - 1) * width:
        raise FormatError(
            f"{reader.name}: a quantiser of {columns} numbers in {parts} parts of {width}, the last {last}; expected "
            f"parts that make up {dim}: the file is damaged"
        )
    return ProductQuantiser(dim, width, reader.array("<f4", dim * CODES, "the centroids"))


def _check_rows(model: FastTextFile, name: str) -> None:
    """Check that the matrices have the numbers of rows that the dictionary states."""
    buckets = model.arguments.buckets if model.pruned is None else len(model.pruned)
    expected = len(model.words) + buckets
    # A classifier of single words has no rows for buckets, whatever its options say.
    if model.input.shape[0] != expected and not (
        model.input.shape[0] == len(model.words) and model.arguments.max_n <= 0 and model.arguments.word_ngrams <= 1
    ):
        raise FormatError(
            f"{name}: {model.input.shape[0]:,} input rows for {len(model.words):,} words and {buckets:,} buckets; "
            f"expected {expected:,}: the file is damaged"
        )
    outputs = len(model.labels) if model.arguments.model == "supervised" else len(model.words)
    if model.output.shape[0] != outputs:
        raise FormatError(f"{name}: {model.output.shape[0]:,} output rows, expected {outputs:,}: the file is damaged")


def write(model: FastTextFile, path: str | os.PathLike[str]) -> None:
    """Write a fastText file of version 12; a temporary file replaces the old one at the end."""
    name = str(path)
    _check_rows(model, name)
    with replacing_file(path) as file:
        file.write(struct.pack("<2i", MAGIC, VERSIONS[-1]))
        _write_arguments(file, model.arguments)
        _write_dictionary(file, model, name)
        quantised = isinstance(model.input, QuantisedMatrix)
        file.write(struct.pack("<B", quantised))
        _write_matrix(file, model.input)
        file.write(struct.pack("<B", isinstance(model.output, QuantisedMatrix)))
        _write_matrix(file, model.output)


def _write_arguments(file: BinaryIO, a: Arguments) -> None:
    loss = next(number for number, name in LOSSES.items() if name == a.loss)
    model = next(number for number, name in MODELS.items() if name == a.model)
    numbers = dataclasses.asdict(a) | {"loss": loss, "model": model}
    file.write(struct.pack("<12id", *numbers.values()))


def _write_dictionary(file: BinaryIO, model: FastTextFile, name: str) -> None:
    words, labels = len(model.words), len(model.labels)
    pairs = ALL_BUCKETS if model.pruned is None else len(model.pruned)
    file.write(struct.pack("<3i2q", words + labels, words, labels, model.tokens, pairs))
    for kind, entries, counts in ((0, model.words, model.counts), (1, model.labels, model.label_counts)):
        for word, count in zip(entries, counts.tolist(), strict=True):
            token = encoded(word, name)
            if not token or any(byte in token for byte in b"\0 \t\n\v\f\r"):
                raise FormatError(
                    f"{name}: the word {word!r} is empty or contains a space, which ends a word in this format; save "
                    "it in the firth format"
                )
            file.write(token + struct.pack("<xqb", count, kind))
    if model.pruned is not None:
        file.write(np.ascontiguousarray(model.pruned, dtype="<i4").tobytes())


def _write_matrix(file: BinaryIO, matrix: Matrix) -> None:
    if isinstance(matrix, QuantisedMatrix):
        _write_quantised(file, matrix)
        return
    file.write(struct.pack("<2q", *matrix.shape))
    for block in matrix.blocks() if isinstance(matrix, SparseRows) else _blocks(matrix):
        file.write(np.ascontiguousarray(block, dtype="<f4").data)


def _blocks(matrix: Floats) -> Iterator[Floats]:
    size = max(BLOCK // max(matrix.shape[1], 1), 1)
    for start in range(0, len(matrix), size):
        yield matrix[start : start + size]


def _write_quantised(file: BinaryIO, matrix: QuantisedMatrix) -> None:
    file.write(struct.pack("<B2qi", matrix.length_codes is not None, *matrix.shape, matrix.codes.size))
    file.write(np.ascontiguousarray(matrix.codes).data)
    _write_quantiser(file, matrix.quantiser)
    if matrix.length_codes is not None and matrix.lengths is not None:
        file.write(np.ascontiguousarray(matrix.length_codes).data)
        _write_quantiser(file, matrix.lengths)


def _write_quantiser(file: BinaryIO, q: ProductQuantiser) -> None:
    file.write(struct.pack("<4i", q.dim, q.parts, q.width, q.dim - (q.parts - 1) * q.width))
    file.write(np.ascontiguousarray(q.centroids, dtype="<f4").data)
