"""Records of named fields with the texts to write, as bytes; batches of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch

from firth.errors import ArgumentTypeError, CorpusError, brief
from firth.neural.training.batching import Buckets, TensorBatch, pad
from firth.text.inputs import check_items

END, IDS = 256, 257  # after the last byte; bytes and the end
Values = tuple[bytes, ...]


@dataclass(frozen=True, eq=False)
class Example:
    """A record with its text.

    Attributes:
        values: of each field, in the order of the model's fields; empty where the record has none.
        target: the text.
    """

    values: Values
    target: bytes


@dataclass(frozen=True, eq=False)
class RecordBatch(TensorBatch):
    """B records with their texts.

    Attributes:
        values: (B, F, N) int64 bytes, `END` as padding.
        sizes: (B, F) int64 bytes of each field.
        targets: (B, T) int64 bytes, with `END` at the end and as padding.
        lengths: (B,) int64 on the CPU, of the targets with their end.
        copies: (4, M) int64: row, start, length and field of each place where a text has a field's whole value.
    """

    on_cpu: ClassVar = ("lengths",)

    values: torch.Tensor
    sizes: torch.Tensor
    targets: torch.Tensor
    lengths: torch.Tensor
    copies: torch.Tensor


def read_records(inputs: Any, fields: Sequence[str] | None = None) -> tuple[list[str], list[Values]]:
    """Return the names of fields, and the values of each record.

    Raises:
        ArgumentTypeError: a record is no mapping from strings to strings.
        CorpusError: there is no field, or a record has an unknown one.
    """
    if hasattr(inputs, "to_dict"):
        raise ArgumentTypeError("inputs: found a table; expected a list of records: table.to_dict('records')")
    if isinstance(inputs, str | Mapping) or not isinstance(inputs, Iterable):
        raise ArgumentTypeError(f'inputs: found {brief(inputs)}, expected a list of records, [{{"name": "Ann"}}]')
    records = list(inputs)
    for number, record in enumerate(records, 1):
        strings = isinstance(record, Mapping) and all(isinstance(part, str) for pair in record.items() for part in pair)
        if not strings:
            raise ArgumentTypeError(
                f"record {number:,}: found {brief(record)}, expected a mapping from names to strings"
            )
    names = list(dict.fromkeys(name for record in records for name in record)) if fields is None else list(fields)
    for number, record in enumerate(records, 1):
        if unknown := set(record) - set(names):
            raise CorpusError(f"record {number:,} has the field {min(unknown)!r}; expected some of {', '.join(names)}")
    if not names:
        raise CorpusError("no record has a field: expected records with at least one")
    return names, [tuple(record.get(name, "").encode("utf-8", "surrogatepass") for name in names) for record in records]


def read_examples(values: Sequence[Values], targets: Any) -> list[Example]:
    """Return examples.

    Raises:
        ArgumentTypeError: the texts are no list, or one is no string.
        CorpusError: there are not as many texts as records, or none.
    """
    texts = [targets] if isinstance(targets, str) else list(check_items(targets, "targets"))
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise ArgumentTypeError(f"targets, text {number:,}: found {brief(text)}, expected a string")
    if not values or len(values) != len(texts):
        raise CorpusError(f"{len(values):,} records and {len(texts):,} texts; expected as many, at least one")
    return [Example(value, text.encode("utf-8", "surrogatepass")) for value, text in zip(values, texts, strict=True)]


def record_batches(
    examples: Sequence[Example], *, batch_size: int, max_copy: int, seed: int = 0, shuffle: bool = True
) -> Buckets[Example]:
    """Return batches of examples; see `collated` for `max_copy`."""
    return Buckets(
        items=examples,
        lengths=np.array([len(example.target) for example in examples], np.int64),
        collate=lambda items: collated(items, max_copy),
        batch_size=batch_size,
        seed=seed,
        shuffle=shuffle,
    )


def collated(examples: Sequence[Example], max_copy: int) -> RecordBatch:
    """Return a batch; values of more than `max_copy` bytes are not copied."""
    values, sizes = padded_values([example.values for example in examples])
    targets, lengths = pad([[*example.target, END] for example in examples], END)
    copies = [
        (row, start, len(value), field)
        for row, example in enumerate(examples)
        for field, value in enumerate(example.values)
        if 0 < len(value) <= max_copy
        for start in occurrences(example.target, value)
    ]
    table = torch.tensor(copies, dtype=torch.int64).reshape(-1, 4).t().contiguous()
    return RecordBatch(values, sizes, targets, lengths, table)


def padded_values(values: Sequence[Values]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (B, F, N) bytes and (B, F) sizes of the fields of records."""
    flat, sizes = pad([list(value) or [END] for record in values for value in record], END)
    fields = len(values[0])
    empty = torch.tensor([[not value for value in record] for record in values])
    return flat.view(len(values), fields, -1), sizes.view(len(values), fields).masked_fill(empty, 0)


def occurrences(text: bytes, value: bytes) -> list[int]:
    """Return where a value begins in a text, overlapping ones included."""
    starts, start = [], text.find(value)
    while start >= 0:
        starts.append(start)
        start = text.find(value, start + 1)
    return starts
