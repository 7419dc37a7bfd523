"""Labelled texts as strings, for models that split them into words themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.table_options import USUAL, TableOptions
from firth.progress import Report
from firth.readers.labelled import LABEL_PREFIX, read_labelled


@dataclass(frozen=True, eq=False)
class Examples:
    """Texts or pairs of texts with labels.

    Attributes:
        texts: N examples, each a tuple of one text or of two.
        labels: the labels of each; none where it has none.
        name: of the source, for error messages.
    """

    texts: list[tuple[str, ...]]
    labels: list[list[str]]
    name: str

    def __len__(self) -> int:
        return len(self.texts)

    @classmethod
    def read(
        cls, source: Any, labels: Any, column: str | int | None, report: Report, options: TableOptions = USUAL
    ) -> "Examples":
        """Read texts, their words with one space between them, without labels inside; see `read_labelled`."""
        data = read_labelled(source, labels, column, LABEL_PREFIX, report, options)
        names, is_label = data.lines.names(), data.lines.is_label
        texts: list[tuple[str, ...]] = []
        inside: list[list[str]] = []
        for tokens in np.split(data.lines.tokens, data.lines.ends[:-1]):
            labelled = is_label[tokens]
            texts.append((" ".join(names[token] for token in tokens[~labelled & (tokens != 0)].tolist()),))
            inside.append([names[token].removeprefix(LABEL_PREFIX) for token in tokens[labelled].tolist()])
        return cls(texts, inside if data.labels is None else data.labels, data.name)

    def usable(self) -> "Examples":
        """Return the single texts that have a label and a word."""
        return self.rows([row for row, (text,) in enumerate(self.texts) if self.labels[row] and text.strip()])

    def rows(self, rows: npt.NDArray[np.int64] | Sequence[int]) -> "Examples":
        """Return some of the examples."""
        numbers = np.asarray(rows, dtype=np.int64).tolist()
        return Examples([self.texts[i] for i in numbers], [self.labels[i] for i in numbers], self.name)
