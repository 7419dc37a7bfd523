"""Texts or pairs with labels as training data: items, batches of similar length, and the development part.

What
    An item holds what the encoder reads of one text or of two, and its target: a distribution over the labels. A batch
    is one input for the encoder; the second texts of pairs follow the first ones in it.
Objective
    Every example once per epoch. One label has all of the target; several share it equally, which is the expectation of
    fastText's choice of one of them per epoch. A score between two whole numbers is divided between them.
Source
    Joulin et al. 2017 and its program, for several labels; Tai, Socher and Manning 2015, equation 16, for scores.
Departures
    Examples without a label, and texts without any token in training, are left out and counted.
Cost
    8 bytes per token and 4 per label and item.
"""

from collections import Counter
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from firth.classify.labels import LabelSet
from firth.errors import CorpusError
from firth.neural.models.texts.examples import Examples
from firth.neural.training.batching import Buckets
from firth.neural.training.held_out import SHARE
from firth.randomness import generator

Floats = npt.NDArray[np.float32]
Text = TypeVar("Text", bound=Sized)  # what an encoder reads of a text


class Inputs(Protocol):
    """Input of an encoder: a batch of texts."""

    def to(self, device: torch.device) -> Any:
        """Return the inputs on a device."""
        ...


@dataclass(frozen=True, eq=False)
class Item(Generic[Text]):
    """An example to train on.

    Attributes:
        texts: what the encoder reads: of one text, or of two.
        target: (L,) distribution over the labels.
    """

    texts: tuple[Text, ...]
    target: Floats


@dataclass(frozen=True, eq=False)
class LabelBatch:
    """A batch of examples; a model of trees has one row of targets per labelled node.

    Attributes:
        inputs: of the encoder.
        targets: (R, L) distributions over the labels.
        fresh: True: no state is carried.
        scale: 1.
    """

    inputs: Inputs
    targets: torch.Tensor
    fresh: bool = True
    scale: float = 1.0

    def to(self, device: torch.device) -> "LabelBatch":
        """Return the batch with its tensors on a device."""
        return LabelBatch(self.inputs.to(device), self.targets.to(device))


def label_targets(labels: Sequence[Sequence[str]], known: LabelSet) -> Floats:
    """Return (N, L) distributions over labels: all of a text's labels alike; zeros where it has none that is known."""
    targets = np.zeros((len(labels), len(known.names)), dtype=np.float32)
    for row, names in zip(targets, labels, strict=True):
        numbers = sorted({known.ids[name] for name in names if name in known.ids})
        row[numbers] = 1 / max(len(numbers), 1)
    return targets


def batches_of(
    items: Sequence[Item[Text]],
    collate: Callable[[Sequence[Text]], Inputs],
    *,
    batch_size: int,
    seed: int = 0,
    shuffle: bool = True,
) -> Buckets[Item[Text]]:
    """Return items in batches of similar length.

    Args:
        items: all of one text, or all of two.
        collate: returns the input of an encoder for some texts.
        batch_size: B, examples per batch.
        seed: of the order.
        shuffle: whether each epoch has a new order.
    """

    def batch(some: list[Item[Text]]) -> LabelBatch:
        texts = [item.texts[side] for side in range(len(some[0].texts)) for item in some]
        return LabelBatch(collate(texts), torch.from_numpy(np.stack([item.target for item in some])))

    lengths = np.array([max(len(text) for text in item.texts) for item in items], dtype=np.int64)
    return Buckets(items=items, lengths=lengths, collate=batch, batch_size=batch_size, seed=seed, shuffle=shuffle)


def development_split(examples: Examples, seed: int) -> tuple[Examples, Examples]:
    """Return training examples and a tenth of all, at random among those of each label, for the choice of the model.

    The only example of a label is always trained on.

    Raises:
        CorpusError: there are fewer than two examples.
    """
    if len(examples) < 2:
        raise CorpusError(
            f"{examples.name}: {len(examples)} example with a label; expected at least two, one of them to select the "
            "model by, or held_out"
        )
    order = generator(seed, "development part").permutation(len(examples))
    counts = Counter(labels[0] for labels in examples.labels)
    # Labels one after another, each in random order; the only example of a label is trained on.
    several = [row for row in order.tolist() if counts[examples.labels[row][0]] > 1] or order.tolist()
    by_label = np.array(sorted(several, key=lambda row: examples.labels[row][0]))
    count = max(1, round(SHARE * len(by_label)))
    chosen = by_label[(np.arange(count) * len(by_label)) // count + len(by_label) // (2 * count)]
    rest = np.setdiff1d(np.arange(len(examples)), chosen)
    return examples.rows(rest), examples.rows(np.sort(chosen))
