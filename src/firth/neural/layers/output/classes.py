"""The class-based softmax: first the word's class, then the word within its class.

What: a tree of two levels. Each word belongs to one class. A prediction computes all classes and the words of one.

Objective: with class rows g_c and word rows u_w, both with biases,

    p(w | h) = softmax_c(g_c . h + a_c)_{class of w}  softmax_v(u_v . h + b_v, v in the class)_w
    loss = -log p(target | h)

Source: Goodman 2001, "Classes for fast maximum entropy training", section 3. For classes by frequency Mikolov et al.
2011, "Extensions of recurrent neural network language model", section 4.2.

Departures: Goodman's classes are clusters of similar words; `classes` accepts any. By default the words, sorted by
count, are cut into classes of equal mass. A word's mass is the square root of its share, which makes the sizes of
classes less unequal. Biases start at the logarithms of the shares of classes, and of words within their class; without
counts at 0.

Cost: N D times (classes + the mean number of words in a target's class), lowest at about sqrt(V) classes. Weights are
sorted by class, and each class in a batch takes one product.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from firth.errors import OptionError
from firth.neural.layers.output.base import OutputConfig, OutputLayer, start_uniform
from firth.neural.layers.output.cross_entropy import linear_cross_entropy


class ClassSoftmax(OutputLayer):
    """Classes, and words in them; see the module.

    Args:
        config: width, words and counts (for classes by frequency and the initial biases; without them word 0 is the
            most frequent and shares follow Zipf's law). A tied weight is refused: a word's row alone gives it no
            probability.
        classes: number of classes, at most V, or (V,) the class of each word, from 0, none empty. Default: sqrt(V).

    Attributes:
        class_of: (V,) int64.
        place: (V,) int64, each word's index when words are sorted by class.
        inner: (V,) int64, each word's index in its class.
        class_weight, class_bias: (C, D) and (C,).
        weight, bias: (V, D) and (V,), in the order of `place`.
    """

    class_of: torch.Tensor
    place: torch.Tensor
    inner: torch.Tensor

    def __init__(self, config: OutputConfig, *, classes: Any = None) -> None:
        super().__init__(config)
        config.refuse_tied("classes")
        width, words, has_counts = config.width, config.words, config.counts is not None
        share = config.shares() if has_counts else _zipf(words)
        class_spec = max(round(words**0.5), 1) if classes is None else classes
        class_of = frequency_classes(share, class_spec) if isinstance(class_spec, int) else _checked(class_spec, words)
        order = np.lexsort((np.arange(words), class_of))
        mass = np.bincount(class_of, share)
        self.register_buffer("class_of", torch.from_numpy(class_of))
        positions, sizes = np.argsort(order), np.bincount(class_of)
        self.register_buffer("place", torch.from_numpy(positions))
        self.register_buffer("inner", torch.from_numpy(positions - (np.cumsum(sizes) - sizes)[class_of]))
        self.class_weight = start_uniform(torch.empty(len(mass), width), width)
        self.weight = start_uniform(torch.empty(words, width), width)
        self.class_bias = _bias(np.log(mass) * has_counts)
        self.bias = _bias(np.log(share / mass[class_of])[order] * has_counts)

    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) -log p(target); see `OutputLayer.loss`."""
        nats = linear_cross_entropy(hidden, self.class_weight, self.class_bias, self.class_of[targets])
        if not len(targets):
            return nats
        rows = torch.sort(self.class_of[targets], stable=True).indices
        class_of, present = torch.unique_consecutive(self.class_of[targets[rows]], return_counts=True)
        sizes, tokens = torch.bincount(self.class_of).tolist(), present.tolist()
        # One sort and one split: otherwise the backward pass would add up an array of all rows per class.
        weights, biases = torch.split(self.weight, sizes), torch.split(self.bias, sizes)
        near, inner = torch.split(hidden.index_select(0, rows), tokens), torch.split(self.inner[targets[rows]], tokens)
        inside = [
            linear_cross_entropy(vectors, weights[number], biases[number], words)
            for number, vectors, words in zip(class_of.tolist(), near, inner, strict=True)
        ]
        return nats.index_add(0, rows, torch.cat(inside))

    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) log p; see `OutputLayer.log_prob`."""
        by_class = functional.log_softmax(functional.linear(hidden, self.class_weight, self.class_bias), 1)
        scores = functional.linear(hidden, self.weight, self.bias)
        sizes = torch.bincount(self.class_of).tolist()
        inside = torch.cat([functional.log_softmax(part, 1) for part in torch.split(scores, sizes, 1)], 1)
        return inside.index_select(1, self.place) + by_class.index_select(1, self.class_of)


def frequency_classes(share: npt.NDArray[np.float64], classes: int) -> npt.NDArray[np.int64]:
    """Return (V,) classes of words with similar frequencies; class 0 has the most frequent words.

    Args:
        share: (V,) above 0.

    Source: Mikolov et al. 2011, section 4.2; the square root is from their program, the RNNLM toolkit.
    """
    words = len(share)
    if not 1 <= classes <= words:
        raise OptionError(f"classes={classes}: expected from 1 to {words}, the number of words")
    order = np.argsort(-share, kind="stable")
    mass = np.cumsum(np.sqrt(share[order]))
    ideal = (classes * (mass - np.sqrt(share[order]) / 2) / mass[-1]).astype(np.int64)
    ideal[0] = 0
    # No class stays empty: class numbers rise by at most one, and enough words remain for the later classes.
    numbers = np.arange(words) + np.minimum.accumulate(ideal - np.arange(words))
    class_of = np.empty(words, np.int64)
    class_of[order] = np.maximum(numbers, classes - words + np.arange(words))
    return class_of


def _checked(classes: Any, words: int) -> npt.NDArray[np.int64]:
    array = np.asarray(classes)
    numbered = array.shape == (words,) and array.dtype.kind in "iu" and array.min() == 0
    if not numbered or not np.bincount(array).all():
        raise OptionError(
            f"classes of shape {array.shape}: expected the class of each of {words} words, numbered from 0, none empty"
        )
    return array.astype(np.int64)


def _zipf(words: int) -> npt.NDArray[np.float64]:
    weights = 1 / np.arange(1, words + 1)
    share: npt.NDArray[np.float64] = weights / weights.sum()
    return share


def _bias(start: npt.NDArray[np.float64]) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.from_numpy(start).to(torch.get_default_dtype()))
