"""Labelled texts as strings, for models that split them into words themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.readers.labelled import LabelledTexts


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

    def rows(self, rows: npt.NDArray[np.int64] | Sequence[int]) -> "Examples":
        """Return some of the examples."""
        numbers = np.asarray(rows, dtype=np.int64).tolist()
        return Examples([self.texts[i] for i in numbers], [self.labels[i] for i in numbers], self.name)


def examples_of(data: LabelledTexts, prefix: str) -> Examples:
    """Return labelled lines as texts, their words with one space between them, without labels inside."""
    names, is_label = data.lines.names(), data.lines.is_label
    texts: list[tuple[str, ...]] = []
    labels: list[list[str]] = []
    for tokens in np.split(data.lines.tokens, data.lines.ends[:-1]):
        inside = is_label[tokens]
        texts.append((" ".join(names[token] for token in tokens[~inside & (tokens != 0)].tolist()),))
        labels.append([names[token].removeprefix(prefix) for token in tokens[inside].tolist()])
    return Examples(texts, labels if data.labels is None else data.labels, data.name)
