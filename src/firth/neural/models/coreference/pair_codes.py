"""Features of pairs of spans as rows of a table: how far apart they are, quotations, equal words."""

from collections.abc import Callable, Sequence

import torch
from torch import nn
from torch.nn.functional import embedding_bag

from firth.neural.models.coreference.span_data import SpanInputs

SPANS = (1, 2, 3, 4, 5, 8, 16, 32, 64, 128)  # kept spans apart: lower ends of the ranges with a row each
SENTENCES = (0, 1, 2, 3, 5, 9, 17, 33)  # sentences apart, likewise
QUOTATIONS = 8
MATCHES = 32


class PairCodes(nn.Module):
    """The vectors of features of pairs, summed, and their sum as a number.

    Args:
        names: of `FEATURES`, in the order of the table's rows.
        width: F.
    """

    def __init__(self, names: Sequence[str], width: int) -> None:
        super().__init__()
        self.names = tuple(names)
        rows = sum(FEATURES[name][0] for name in self.names)
        self.vectors, self.weights = nn.Parameter(torch.zeros(rows, width)), nn.Parameter(torch.zeros(rows))

    def of(
        self, starts: torch.Tensor, widths: torch.Tensor, inputs: SpanInputs, rows: slice, columns: slice
    ) -> torch.Tensor:
        """Return (R, C, features) int64 rows of the table for pairs of some of K spans.

        Args:
            starts: (K,) first tokens.
            widths: (K,) words, less one.
            inputs: the document.
            rows: the R later spans.
            columns: the C earlier ones.
        """
        parts, offset = [], 0
        for name in self.names:
            count, codes = FEATURES[name]
            parts.append(codes(starts, widths, inputs, rows, columns) + offset)
            offset += count
        return torch.stack(parts, 2)

    def rough(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (R, C) sums of the numbers of pairs' features."""
        return self.weights[codes].sum(2)

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (R, A, F) sums of the vectors of (R, A, features) rows."""
        sums: torch.Tensor = embedding_bag(codes.flatten(0, 1), self.vectors, mode="sum")
        return sums.view(*codes.shape[:2], sums.shape[1])


def _distance_in_spans(
    starts: torch.Tensor, widths: torch.Tensor, inputs: SpanInputs, rows: slice, columns: slice
) -> torch.Tensor:
    numbers = torch.arange(len(starts), device=starts.device)
    return _range(numbers[rows].unsqueeze(1) - numbers[columns], SPANS)


def _distance_in_sentences(
    starts: torch.Tensor, widths: torch.Tensor, inputs: SpanInputs, rows: slice, columns: slice
) -> torch.Tensor:
    numbers = inputs.sentence_of[starts]
    return _range(numbers[rows].unsqueeze(1) - numbers[columns], SENTENCES)


def _range(distance: torch.Tensor, ends: Sequence[int]) -> torch.Tensor:
    return torch.bucketize(distance, torch.tensor(ends, device=distance.device), right=True).sub(1).clamp(min=0)


def _quotations(
    starts: torch.Tensor, widths: torch.Tensor, inputs: SpanInputs, rows: slice, columns: slice
) -> torch.Tensor:
    """Which of the two is quoted (0 to 2), and for two the quotations apart: 3 in the same one, 7 four or more."""
    numbers = inputs.quotations[starts]
    later, earlier = numbers[rows].unsqueeze(1), numbers[columns]
    apart = 3 + (later - earlier).clamp(0, 4)
    return torch.where((later >= 0) & (earlier >= 0), apart, (later >= 0) + 2 * (earlier >= 0))


def _matches(
    starts: torch.Tensor, widths: torch.Tensor, inputs: SpanInputs, rows: slice, columns: slice
) -> torch.Tensor:
    """Five bits: same words, same last word, same first word, last word of one in the other, overlap."""
    forms, ends = inputs.forms, starts + widths
    steps = torch.arange(int(widths.max()) + 1, device=starts.device)
    inside = steps <= widths.unsqueeze(1)
    words = forms[(starts.unsqueeze(1) + steps) * inside].masked_fill(~inside, -1)  # (K, L)
    _, texts = torch.unique(words, dim=0, return_inverse=True)
    holds_last = (words[rows].unsqueeze(1) == forms[ends[columns]].view(1, -1, 1)).any(2)
    last_in = (words[columns].unsqueeze(0) == forms[ends[rows]].view(-1, 1, 1)).any(2)
    bits = [
        *(each[rows].unsqueeze(1) == each[columns] for each in (texts, forms[ends], forms[starts])),
        holds_last | last_in,
        starts[rows].unsqueeze(1) <= ends[columns],
    ]
    codes = torch.zeros_like(bits[0], dtype=torch.int64)
    for place, bit in enumerate(bits):
        codes += bit.long() << place
    return codes


Codes = Callable[[torch.Tensor, torch.Tensor, SpanInputs, slice, slice], torch.Tensor]
FEATURES: dict[str, tuple[int, Codes]] = {  # name: number of values, and the value of each pair
    "spans": (len(SPANS), _distance_in_spans),
    "sentences": (len(SENTENCES), _distance_in_sentences),
    "quotations": (QUOTATIONS, _quotations),
    "matches": (MATCHES, _matches),
}
