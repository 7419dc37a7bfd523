"""Sentences with or without labels, as autoencoders read them.

What
    Texts, perhaps with one label each, become ids between a beginning and an end. Batches have similar lengths.
Objective
    Every sentence once per epoch.
Source
    Bowman et al. 2016, section 3.
Departures
    Texts that are longer than the limit are cut.
Cost
    The ids of all sentences are in memory, eight bytes each.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError, OptionError, ShapeError, brief
from firth.neural.models.translation.units import BOS, EOS, Units
from firth.neural.training.batching import Buckets, TensorBatch, pad
from firth.readers.lines import numbered_lines
from firth.storage.files import check_exists
from firth.text.batches import warn_truncated
from firth.text.inputs import check_items, check_text, plain_labels

Ids = npt.NDArray[np.int64]
Item = tuple[Ids, int]  # words between beginning and end, label or 0


@dataclass(frozen=True, eq=False)
class Sentences(TensorBatch):
    """A batch of B sentences; T is the length of the longest, with its end.

    Attributes:
        inputs: (B, T) int64, the beginning and the words, padded on the right.
        targets: (B, T) int64, the words and the end, padded on the right.
        lengths: (B,) int64 on the CPU, words of each, with the end.
        labels: (B,) int64, or None.
    """

    on_cpu: ClassVar = ("lengths",)

    inputs: torch.Tensor
    targets: torch.Tensor
    lengths: torch.Tensor
    labels: torch.Tensor | None = None

    def repeated(self, times: int) -> "Sentences":
        """Return every sentence so many times, one after the other."""
        inputs, targets, lengths = (
            part.repeat_interleave(times, 0) for part in (self.inputs, self.targets, self.lengths)
        )
        labels = None if self.labels is None else self.labels.repeat_interleave(times, 0)
        return Sentences(inputs, targets, lengths, labels)


@dataclass(frozen=True, eq=False)
class LabelledSentences:
    """N texts, with or without labels.

    Attributes:
        texts: N texts, none of them empty.
        labels: N labels, or None.
        name: of the argument, for messages.
    """

    texts: Sequence[str]
    labels: Sequence[str] | None
    name: str

    def rows(self, rows: Sequence[int]) -> "LabelledSentences":
        """Return some of the texts."""
        labels = None if self.labels is None else [self.labels[row] for row in rows]
        return LabelledSentences([self.texts[row] for row in rows], labels, self.name)


def read_texts(texts: Any, labels: Any, name: str = "texts") -> LabelledSentences:
    """Return texts with their labels; empty ones are left out.

    Raises:
        CorpusError: no text is left, or a text has no label.
        OptionError: labels are given with a file.
    """
    given: list[Any]
    if isinstance(texts, str | os.PathLike):
        if labels is not None:
            raise OptionError(f"{name}={brief(texts)}: labels are given with a file; expected a list of texts")
        check_exists(Path(texts), "a file with a text per line")
        given = [line for _, line in numbered_lines(texts, comments=False)]
    else:
        given = list(check_items(texts, name))
    if labels is None and given and all(isinstance(item, tuple) and len(item) == 2 for item in given):
        given, labels = [item[0] for item in given], [item[1] for item in given]
    for number, text in enumerate(given, 1):
        check_text(text, f"{name}, text {number:,}")
    names = label_names(labels, len(given), name)
    rows = [row for row, text in enumerate(given) if text.strip()]
    if not rows:
        raise CorpusError(f"{name}: {len(given):,} texts, none with a word; expected one text per item")
    return LabelledSentences(given, names, name).rows(rows)


def label_names(labels: Any, count: int, name: str = "texts", what: str = "text") -> list[str] | None:
    """Return labels as strings.

    Raises:
        ShapeError: there are more or fewer than texts.
        CorpusError: one is missing.
    """
    if labels is None:
        return None
    plain = plain_labels(labels, f"labels of {name}", what)
    if len(plain) != count:
        raise ShapeError(f"{len(plain):,} labels of {count:,} {what}s in {name}; expected one label per {what}")
    odd = next((row for row, label in enumerate(plain, 1) if label is None or not str(label)), None)
    if odd is not None:
        raise CorpusError(f"{name}: {what} {odd:,} has no label; leave it out, or leave out all labels")
    return [str(label) for label in plain]


@dataclass(frozen=True, eq=False)
class SentenceItems:
    """Turns texts into ids.

    Attributes:
        units: the words.
        labels: L names; none for a model without labels.
        max_length: words of a text that are read.
    """

    units: Units
    labels: Sequence[str]
    max_length: int

    def read(self, sentences: LabelledSentences, *, warn: bool = True) -> list[Item]:
        """Return the items of texts, and warn of long ones."""
        numbers = self.label_numbers(sentences.labels, len(sentences.texts), sentences.name)
        split = [self.units.split(text) for text in sentences.texts]
        if warn:
            long = sum(len(tokens) > self.max_length for tokens in split)
            warn_truncated(long, len(split), self.max_length, "subwords" if self.units.subwords else "words")
        ids = [np.concatenate([[BOS], self.units.ids(tokens[: self.max_length]), [EOS]]) for tokens in split]
        return list(zip(ids, numbers, strict=True))

    def label_numbers(self, labels: Sequence[str] | None, count: int, name: str = "texts") -> list[int]:
        """Return the number of each label; zeros for a model without labels.

        Raises:
            OptionError: labels are missing, or given to a model without.
            CorpusError: a label is unknown.
        """
        if (labels is None) == bool(self.labels):
            names = ", ".join(self.labels[:8])
            problem = f"no labels for a model with the labels {names}" if self.labels else "labels for a model without"
            raise OptionError(f"{name}: {problem}; expected labels as in training")
        if labels is None:
            return [0] * count
        known_labels = {label: number for number, label in enumerate(self.labels)}
        odd = next((label for label in labels if label not in known_labels), None)
        if odd is not None:
            raise CorpusError(f"{name}: label {odd!r}, expected one of {', '.join(self.labels[:8])}")
        return [known_labels[label] for label in labels]

    def collate(self, items: Sequence[Item]) -> Sentences:
        """Return a batch."""
        ids, lengths = pad([ids for ids, _ in items], EOS)
        labels = torch.tensor([label for _, label in items]) if self.labels else None
        return Sentences(ids[:, :-1], ids[:, 1:], lengths - 1, labels)

    def batches(self, items: Sequence[Item], size: int, *, shuffle: bool = True, seed: int = 0) -> Buckets[Item]:
        """Return batches of sentences of similar length."""
        lengths = np.array([len(ids) for ids, _ in items])
        return Buckets(items=items, lengths=lengths, collate=self.collate, batch_size=size, shuffle=shuffle, seed=seed)
