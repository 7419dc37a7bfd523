"""Semirings: one recurrence for the sum, the best structure, samples, the entropy and the k best.

What
    A structure's score is the sum of its parts' scores. A recurrence over all structures is written once, with "times"
    (parts that are in one structure) and "plus" (alternatives); the semiring says what the two compute.
Objective
    With s the scores of two parts or alternatives:

        semiring    times                   plus                            the recurrence gives
        LOG         s + s'                  log sum exp s                   log Z
        MAX         s + s'                  max s                           the score of the best structure
        sampling    s + s'                  log sum exp s                   log Z; its gradient is a sample
        ENTROPY     (s + s', h + h')        (log sum exp s,                 (log Z, entropy of p)
                                             sum p (h - log p)), p = softmax s
        k best      the k largest s_i + s'_j   the k largest of all         the scores of the k best structures

    The gradient of the result with respect to the score of a part is the probability that the part is in the structure
    (LOG), or whether it is in the best structure (MAX), in the sampled one, in the j-th best (k best).
Source
    Goodman 1999, "Semiring parsing"; Li and Eisner 2009, "First- and second-order expectation semirings", section 3,
    for the entropy; Scott 2002, "Bayesian methods for hidden Markov models", for samples: forward sums, backward draws.
Departures
    Alternatives with no way at all, of score -inf, have no gradient; as written it would be 0 / 0.
Cost
    k best: times compares k (1 + log k) sums at most. All others: as one sum.
"""

from collections.abc import Callable
from typing import Any, Protocol

import torch

from firth.errors import OptionError

Values = torch.Tensor


class Semiring(Protocol):
    """What a recurrence needs: scores to values, "times" and "plus" of values.

    Values have the dimensions of the scores, and behind them those of the semiring, if it has any.
    """

    extra: int

    def values(self, scores: torch.Tensor) -> Values:
        """Return the values of parts."""

    def ones_like(self, scores: torch.Tensor) -> Values:
        """Return the value of no part at all, in the shape of scores."""

    def zeros_like(self, scores: torch.Tensor) -> Values:
        """Return the value of no way at all, in the shape of scores."""

    def times(self, first: Values, second: Values) -> Values:
        """Return the values of both parts together; shapes are broadcast."""

    def plus(self, values: Values, dim: int) -> Values:
        """Return the values of all alternatives along a dimension, counted from the front."""


class _Scores:
    """A semiring whose values are scores."""

    extra = 0

    def values(self, scores: torch.Tensor) -> Values:
        """Return the scores."""
        return scores

    def ones_like(self, scores: torch.Tensor) -> Values:
        """Return 0, the logarithm of 1."""
        return torch.zeros_like(scores)

    def zeros_like(self, scores: torch.Tensor) -> Values:
        """Return -inf, the logarithm of 0."""
        return torch.full_like(scores, -torch.inf)

    def times(self, first: Values, second: Values) -> Values:
        """Return the sums of scores."""
        return first + second


class Log(_Scores):
    """Sums of probabilities by their logarithms; see the module's docstring."""

    def plus(self, values: Values, dim: int) -> Values:
        """Return log sum exp."""
        return log_sum(values, dim)


class Max(_Scores):
    """The best alternative, the first of equal ones; see the module's docstring."""

    def plus(self, values: Values, dim: int) -> Values:
        """Return the largest score."""
        return values.max(dim).values


class Sample(_Scores):
    """Log sums whose gradients are structures drawn with their probabilities; see the module's docstring."""

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator

    def plus(self, values: Values, dim: int) -> Values:
        """Return log sum exp; its gradient goes to one alternative, drawn by the softmax."""
        apply: Callable[..., torch.Tensor] = _SampledSum.apply
        return apply(values, dim, self._generator)


class Entropy:
    """Pairs of a log sum and of the entropy below it, in a last dimension of two; see the module's docstring."""

    extra = 1

    def values(self, scores: torch.Tensor) -> Values:
        """Return the scores, with an entropy of 0."""
        return torch.stack([scores, torch.zeros_like(scores)], -1)

    def ones_like(self, scores: torch.Tensor) -> Values:
        """Return score 0 and entropy 0."""
        return scores.new_zeros(*scores.shape, 2)

    def zeros_like(self, scores: torch.Tensor) -> Values:
        """Return score -inf and entropy 0."""
        return torch.stack([torch.full_like(scores, -torch.inf), torch.zeros_like(scores)], -1)

    def times(self, first: Values, second: Values) -> Values:
        """Return the sums of both."""
        return first + second

    def plus(self, values: Values, dim: int) -> Values:
        """Return the log sum, and the entropy of the choice and of what it leads to."""
        scores, entropies = values.unbind(-1)
        total = log_sum(scores, dim)
        log_p = scores - total.unsqueeze(dim)
        possible = scores > -torch.inf
        p = torch.where(possible, log_p, torch.zeros_like(log_p)).exp() * possible
        surprise = torch.where(possible, entropies - log_p, torch.zeros_like(log_p))
        return torch.stack([total, (p * surprise).sum(dim)], -1)


class KBest:
    """The scores of the k best structures, descending, in a last dimension; -inf where there are fewer."""

    extra = 1

    def __init__(self, k: int) -> None:
        if k < 1:
            raise OptionError(f"k={k}: expected 1 or more")
        self.k = k
        # The sum of the i-th and the j-th largest, from 1, is no larger than i j sums, itself among them: the k largest
        # have i j <= k.
        pairs = [(i, j) for i in range(k) for j in range(k // (i + 1))]
        self._pairs = torch.tensor(pairs, dtype=torch.int64).unbind(1)

    def values(self, scores: torch.Tensor) -> Values:
        """Return the scores, and -inf for the others."""
        none = scores.new_full((*scores.shape, self.k - 1), -torch.inf)
        return torch.cat([scores.unsqueeze(-1), none], -1)

    def ones_like(self, scores: torch.Tensor) -> Values:
        """Return one way of score 0."""
        return self.values(torch.zeros_like(scores))

    def zeros_like(self, scores: torch.Tensor) -> Values:
        """Return no way."""
        return scores.new_full((*scores.shape, self.k), -torch.inf)

    def times(self, first: Values, second: Values) -> Values:
        """Return the k largest sums of one of each."""
        i, j = (numbers.to(first.device) for numbers in self._pairs)
        return (first[..., i] + second[..., j]).topk(self.k).values

    def plus(self, values: Values, dim: int) -> Values:
        """Return the k largest of all."""
        return values.movedim(dim, -2).flatten(-2).topk(self.k).values


LOG, MAX, ENTROPY = Log(), Max(), Entropy()


def log_sum(scores: torch.Tensor, dim: int) -> torch.Tensor:
    """Return log sum exp along a dimension; where every score is -inf it is -inf, and its derivative 0."""
    apply: Callable[..., torch.Tensor] = _LogSum.apply  # torch gives it no types
    return apply(scores, dim)


class _LogSum(torch.autograd.Function):
    """log sum exp, whose gradient is 0 where every alternative is -inf."""

    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, dim: int) -> torch.Tensor:
        total = torch.logsumexp(values, dim)
        ctx.dim = dim
        ctx.save_for_backward(values, total)
        return total

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        values, total = ctx.saved_tensors
        finite = torch.where(total > -torch.inf, total, torch.zeros_like(total))
        return gradient.unsqueeze(ctx.dim) * (values - finite.unsqueeze(ctx.dim)).exp(), None


class _SampledSum(torch.autograd.Function):
    """log sum exp, whose gradient goes to one alternative by chance."""

    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, dim: int, generator: torch.Generator) -> torch.Tensor:
        total = torch.logsumexp(values, dim)
        ctx.dim, ctx.generator = dim, generator
        ctx.save_for_backward(values, total)
        return total

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        values, total = ctx.saved_tensors
        noise = torch.empty_like(values).exponential_(generator=ctx.generator)
        chosen = (values - noise.log()).argmax(ctx.dim, keepdim=True)  # Gumbel's maximum is a draw from the softmax
        drawn = torch.zeros_like(values).scatter_(ctx.dim, chosen, 1)
        drawn = drawn * (total > -torch.inf).unsqueeze(ctx.dim)
        return gradient.unsqueeze(ctx.dim) * drawn, None, None
