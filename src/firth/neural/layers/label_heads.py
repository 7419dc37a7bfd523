"""Heads of classifiers: from the vector of a text, or of two, to one score per label.

What
    A linear layer for texts, and a network with one hidden layer for pairs of texts.
Objective
    text        s = W dropout(h) + b, with ||W_l|| <= limit for each label l
    symmetric   s = W sigma(V [u * v; |u - v|] + c) + b: swapping u and v changes nothing
    directed    the same with u and v themselves beside the two, for entailment
    soft labels A score y between the whole numbers f and f + 1 is the distribution p_f = f + 1 - y, p_{f+1} = y - f;
                the loss is the cross entropy, which is KL(p || softmax(s)) up to a constant; the score that is
                predicted is the expectation sum_k k softmax(s)_k.
Source
    Kim 2014, section 2.1 (max-norm), after Hinton et al. 2012; Tai, Socher and Manning 2015, section 4.2, equations 15
    to 17 (pairs, soft labels); Conneau et al. 2017 (InferSent), section 3.1 (u and v beside the two).
Departures
    Rows beyond the limit are scaled back when they are next used, which is before the next product.
Cost
    D L numbers; for pairs 2 D or 4 D times the hidden width.
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn.functional import linear

from firth.errors import CorpusError
from firth.neural.layers.dropout import Dropout


class LabelHead(nn.Module):
    """Scores of labels from the vector of a text.

    Args:
        width: D.
        labels: L.
        max_norm: greatest length of the weights of a label; 0 for any.
    """

    def __init__(self, width: int, labels: int, *, dropout: float = 0.0, max_norm: float = 0.0) -> None:
        super().__init__()
        self.dropout, self.max_norm = Dropout(dropout), max_norm
        self.output = nn.Linear(width, labels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (B, L) scores of (B, D) vectors."""
        self.constrain()
        return linear(self.dropout(x), self.output.weight, self.output.bias)

    @torch.no_grad()
    def constrain(self) -> None:
        """Scale the weights of labels that exceed the limit back to it."""
        if not self.max_norm:
            return
        norms = self.output.weight.norm(dim=1, keepdim=True)
        if bool((norms > self.max_norm).any()):
            self.output.weight.mul_((self.max_norm / norms).clamp(max=1.0))


class PairHead(nn.Module):
    """Scores of labels from the vectors of two texts.

    Args:
        width: D.
        labels: L.
        symmetric: whether the order of the texts does not matter.
    """

    def __init__(self, width: int, labels: int, *, symmetric: bool, hidden: int = 50, dropout: float = 0.0) -> None:
        super().__init__()
        self.symmetric, self.dropout = symmetric, Dropout(dropout)
        self.hidden, self.output = nn.Linear((2 if symmetric else 4) * width, hidden), nn.Linear(hidden, labels)

    def forward(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """Return (B, L) scores of two (B, D) vectors each."""
        parts = [first * second, (first - second).abs()]
        if not self.symmetric:
            parts += [first, second]
        scores: torch.Tensor = self.output(self.dropout(torch.sigmoid(self.hidden(torch.cat(parts, 1)))))
        return scores


def soft_labels(scores: npt.ArrayLike, lowest: int, highest: int) -> npt.NDArray[np.float32]:
    """Return (N, L) distributions over the whole numbers from `lowest` to `highest`, whose means are (N,) scores."""
    values = np.asarray(scores, dtype=np.float64)
    wrong = ~((values >= lowest) & (values <= highest))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise CorpusError(
            f"score {values[row]:g} of pair {row:,}: expected a number from {lowest} to {highest}; the options "
            "lowest and highest set the scale"
        )
    low = np.minimum(np.floor(values), highest - 1).astype(np.int64) - lowest
    result = np.zeros((len(values), highest - lowest + 1), dtype=np.float32)
    rows, share = np.arange(len(values)), values - lowest - low
    result[rows, low] = 1 - share
    result[rows, low + 1] = share
    return result
