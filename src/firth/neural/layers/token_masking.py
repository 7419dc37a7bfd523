"""Masks over whole tokens, words or spans, with special tokens left alone.

What
    Which tokens of a batch are hidden, drawn anew at every step, and what stands in their place. A unit is a token, a
    word with all its pieces, or a span of words; all tokens of a unit are hidden together, and of a span they are
    replaced alike. Special tokens are never hidden, and no token is replaced by one.
Objective
    Each unit is hidden with probability `rate`. A span begins at a word with probability p and has k words with
    probability proportional to q (1 - q)^(k - 1), k <= m; p is such that a word is hidden with probability `rate`:

        rate = 1 - prod_{k = 0 ... m - 1} (1 - p P(length > k))
Source
    Devlin et al. 2019, section 3.1 and the whole-word masking of their later models; Joshi et al. 2020, "SpanBERT",
    section 3.1 (q = 0.2, m = 10).
Departures
    Units are hidden independently of one another, so that the number of hidden tokens varies; SpanBERT draws spans
    until the share is reached. Spans may overlap. None reaches in from before a window, so that its first words are
    hidden less often: the first with probability p, those from the tenth on with `rate`. If no unit is hidden, one
    token is. Whole words are replaced token by token, as BERT's are.
Cost
    A few numbers per token.
"""

import math

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.masking import Masking, at_least_one

UNITS = ("tokens", "words", "spans")
STOP, LONGEST = 0.2, 10  # of spans: q and m


class TokenMasking(nn.Module):
    """Hides tokens of sequences.

    Args:
        continues: (V,) bool, whether each token continues a word.
        special: ids that are never hidden, and never replace a token.
        unit: what is hidden at once, a name of `UNITS`.
        masked: share of hidden tokens that are replaced by the mask.
        random: share that are replaced by a random token; the rest stay.

    Attributes:
        hideable: (V,) bool, the tokens that may be hidden.
    """

    continues: torch.Tensor
    hideable: torch.Tensor
    ordinary: torch.Tensor
    survival: torch.Tensor

    def __init__(
        self,
        mask_id: int,
        continues: torch.Tensor,
        special: torch.Tensor,
        *,
        unit: str = "tokens",
        rate: float = 0.15,
        masked: float = 0.8,
        random: float = 0.1,
    ) -> None:
        super().__init__()
        if unit not in UNITS:
            raise OptionError(f"masking={unit!r}: expected one of {', '.join(UNITS)}")
        hideable = torch.ones(len(continues), dtype=torch.bool)
        hideable[special] = False
        if not bool(hideable.any()):
            raise OptionError(f"{len(continues)} tokens, all of them special: expected others to hide and predict")
        self.unit = unit
        self.masking = Masking(mask_id=mask_id, words=int(hideable.sum()), rate=rate, masked=masked, random=random)
        survival = (1 - STOP) ** torch.arange(LONGEST + 1, dtype=torch.float64)
        survival = (survival - survival[-1]) / (1 - survival[-1])  # (m + 1,) P(length > k)
        self.start_rate = _start_rate(rate, survival.tolist())
        for name, table in (
            ("continues", continues.bool()),
            ("hideable", hideable),
            ("ordinary", hideable.nonzero()[:, 0]),
            ("survival", survival.flip(0).float().contiguous()),
        ):
            self.register_buffer(name, table, persistent=False)

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, T) ids with tokens replaced, and (B, T) bool: the hidden positions.

        Random numbers come from torch's default generator.

        Args:
            ids: (B, T) int64, unchanged.
        """
        positions = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        draws = torch.rand(2, *ids.shape, device=ids.device)
        unit = positions if self.unit == "tokens" else self._words(ids)
        if self.unit == "spans":
            chosen, first = self._spans(draws[0], positions)
            hidden, draws[1] = chosen.gather(1, unit), draws[1].gather(1, first.gather(1, unit))
        else:
            hidden = draws[0].gather(1, unit) < self.masking.rate
        tokens = self.hideable[ids]
        hidden = at_least_one(hidden & tokens, tokens, draws[0])
        other = self.ordinary[torch.randint(len(self.ordinary), ids.shape, device=ids.device)]
        return self.masking.replace(ids, hidden, draws[1], other), hidden

    def _words(self, ids: torch.Tensor) -> torch.Tensor:
        """Return (B, T) int64, the number of each token's word; a sequence may begin within a word."""
        begins = ~self.continues[ids]
        begins[:, 0] = True
        return begins.cumsum(1) - 1

    def _spans(self, draws: torch.Tensor, positions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, U) bool, which units are in a span, and (B, U) the first unit of the last span before each."""
        starts = draws < self.start_rate
        again = (draws / self.start_rate).clamp(max=1.0)  # of those that start, uniform again
        lengths = len(self.survival) - torch.searchsorted(self.survival, again).clamp(min=1, max=LONGEST)
        ends = torch.where(starts, positions + lengths, 0).cummax(1).values
        return ends > positions, torch.where(starts, positions, 0).cummax(1).values


def _start_rate(rate: float, survival: list[float]) -> float:
    """Return p, the probability that a span begins at a word, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        p = (low + high) / 2
        low, high = (low, p) if 1 - math.prod(1 - p * chance for chance in survival[:-1]) > rate else (p, high)
    return high
