"""Sequences of tags: sums over all of them, the best, the k best, samples, entropy, marginals.

What
    A tag for each of T tokens; scores of tags, of pairs of neighbours, of the first and of the last tag. This is the
    output of a conditional random field (CRF).
Objective
    With e_t(j) the score of tag j at token t, A_ij that of tag j after tag i, b and z those of the first and last tag:

        alpha_1(j) = b_j (x) e_1(j)
        alpha_t(j) = (+)_i alpha_{t-1}(i) (x) A_ij (x) e_t(j)
        total      = (+)_j alpha_T(j) (x) z_j

    where (x) and (+) are "times" and "plus" of a semiring (`structs.semirings`). With LOG, total = log Z and
    log p(y) = score(y) - log Z.
Source
    Lafferty, McCallum and Pereira 2001, "Conditional random fields", section 3; Rabiner 1989, "A tutorial on hidden
    Markov models", equations 19 to 21 (forward) and 32 to 35 (Viterbi).
Departures
    `log_partition` and `marginals` multiply matrices of exponentials (`structs.forward_backward`) where no finite score
    is above 80 in size and no way is lost; elsewhere they follow the recurrence, in double precision.
Cost
    T B K^2 times and plus for batches of B sequences with K tags; T B K where neighbours have no scores.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

from firth.errors import ShapeError
from firth.kernels.viterbi import best_paths
from firth.neural.structs.forward_backward import LARGEST, forward_backward
from firth.neural.structs.semirings import LOG, KBest, Sample, Semiring, Values


class Chain(NamedTuple):
    """Scores of all tag sequences of a batch.

    Attributes:
        tags: (B, T, K) scores of each tag at each token.
        transitions: (K, K) scores of tag j after tag i; -inf where that is forbidden.
        first: (K,) scores of the first tag.
        last: (K,) scores of the last tag.
        lengths: (B,) tokens of each sequence, from 1 to T.
    """

    tags: torch.Tensor
    transitions: torch.Tensor
    first: torch.Tensor
    last: torch.Tensor
    lengths: torch.Tensor

    @property
    def independent(self) -> bool:
        """Whether the scores are of single tags only, as those of a softmax: then no sum over pairs is needed."""
        return not any(part.requires_grad or bool(part.any()) for part in (self.transitions, self.first, self.last))

    def check(self) -> None:
        """Compare the shapes."""
        check_shapes(self.tags[:, :, 0], self.tags.shape[2], self[1:])


def check_shapes(tokens: torch.Tensor, K: int, parts: tuple[torch.Tensor, ...]) -> None:
    """Compare the shapes of transitions, first, last and lengths with those of what is scored.

    Args:
        tokens: (B, T) anything of the tokens.
        parts: transitions, first, last and lengths.
    """
    (B, T), lengths = tokens.shape, parts[-1]
    shapes, expected = [tuple(part.shape) for part in parts], [(K, K), (K,), (K,), (B,)]
    if shapes != expected:
        raise ShapeError(f"shapes {shapes} beside {B} x {T} tokens with {K} labels: expected {expected}")
    if B and not 1 <= int(lengths.min()) <= int(lengths.max()) <= T:
        raise ShapeError(f"lengths {int(lengths.min())} to {int(lengths.max())}: expected 1 to {T}, the batch's tokens")


def chain_total(chain: Chain, ring: Semiring) -> Values:
    """Return the (B, ...) values of all tag sequences together, by the recurrence as it is written above."""
    chain.check()
    tags = ring.values(chain.tags)
    transitions = ring.values(chain.transitions)
    alpha = ring.times(ring.values(chain.first), tags[:, 0])  # (B, K, ...)
    for t in range(1, tags.shape[1]):
        ways = ring.times(alpha.unsqueeze(2), transitions)  # (B, i, j, ...)
        new = ring.times(ring.plus(ways, 1), tags[:, t])
        alpha = torch.where(_inside(chain.lengths > t, new), new, alpha)
    return ring.plus(ring.times(alpha, ring.values(chain.last)), 1)


def chain_score(chain: Chain, tags: torch.Tensor) -> torch.Tensor:
    """Return the (B,) scores of tag sequences.

    Args:
        tags: (B, T) numbers of tags; those beyond a length are not read.
    """
    chain.check()
    T = chain.tags.shape[1]
    inside = torch.arange(T, device=tags.device) < chain.lengths.unsqueeze(1)
    tags = torch.where(inside, tags, torch.zeros_like(tags))
    of_tags = chain.tags.gather(2, tags.unsqueeze(2)).squeeze(2)  # (B, T)
    of_pairs = chain.transitions[tags[:, :-1], tags[:, 1:]]
    zero = of_tags.new_zeros(())
    total = torch.where(inside, of_tags, zero).sum(1) + torch.where(inside[:, 1:], of_pairs, zero).sum(1)
    ends = tags.gather(1, (chain.lengths - 1).unsqueeze(1)).squeeze(1)
    return total + chain.first[tags[:, 0]] + chain.last[ends]


def log_partition(chain: Chain) -> torch.Tensor:
    """Return (B,) log Z; -inf where no sequence is possible. It has a first derivative, `chain_total` has all."""
    chain.check()
    if chain.independent:
        totals = chain.tags.logsumexp(2)
        inside = torch.arange(totals.shape[1], device=totals.device) < chain.lengths.unsqueeze(1)
        return torch.where(inside, totals, totals.new_zeros(())).sum(1)
    largest = max(float(scores.detach().nan_to_num(neginf=0.0).abs().max()) for scores in chain[:4])
    if not largest <= LARGEST:
        return chain_total(_double(chain), LOG)
    total, exact = forward_backward(*chain)
    if exact.all():
        return total
    rows = (~exact).nonzero()[:, 0]
    inexact = _double(chain._replace(tags=chain.tags[rows], lengths=chain.lengths[rows]))
    return total.index_put((rows,), chain_total(inexact, LOG))


def marginals(chain: Chain) -> torch.Tensor:
    """Return (B, T, K) probabilities of each tag at each token; 0 beyond a length."""
    return _gradient(chain, log_partition)


def best_tags(chain: Chain) -> list[list[int]]:
    """Return the best tag sequence of each text (Viterbi); of equally good tags of a token the first."""
    chain.check()
    scores = [part.detach().double().cpu().numpy() for part in chain[:4]]
    if chain.independent:
        return _within(torch.from_numpy(scores[0].argmax(2)), chain.lengths)
    paths = np.empty(chain.tags.shape[:2], np.int64)
    best_paths(*map(np.ascontiguousarray, scores), chain.lengths.cpu().numpy(), paths)
    return [row[:length].tolist() for row, length in zip(paths, chain.lengths.tolist(), strict=True)]


def k_best_tags(chain: Chain, k: int) -> list[list[tuple[list[int], float]]]:
    """Return the k best tag sequences of each text with their scores, best first; fewer where there are not so many."""
    _, T, K = chain.tags.shape
    ring, leaf = KBest(min(k, K**T)), _with_gradient(chain)  # there are no more sequences
    with torch.enable_grad():
        scores = chain_total(leaf, ring)  # (B, k); the gradient of each shows its tags
        shown = (torch.autograd.grad(score.sum(), leaf.tags, retain_graph=True)[0] for score in scores.unbind(1))
        columns = [_within(tags.argmax(2), chain.lengths) for tags in shown]
    return [
        [(path, score) for path, score in zip(paths, row, strict=True) if score > -torch.inf]
        for paths, row in zip(zip(*columns, strict=True), scores.tolist(), strict=True)
    ]


def sample_tags(chain: Chain, generator: torch.Generator) -> list[list[int]]:
    """Return a tag sequence of each text, drawn with its probability."""
    draws = _gradient(chain, lambda leaf: chain_total(leaf, Sample(generator)))
    return _within(draws.argmax(2), chain.lengths)


def _gradient(chain: Chain, total: Callable[[Chain], torch.Tensor]) -> torch.Tensor:
    """The derivative of a total with respect to the scores of tags."""
    leaf = _with_gradient(chain)
    with torch.enable_grad():
        return torch.autograd.grad(total(leaf).sum(), leaf.tags)[0]


def _double(chain: Chain) -> Chain:
    tags, transitions, first, last = (scores.double() for scores in chain[:4])
    return Chain(tags, transitions, first, last, chain.lengths)


def _with_gradient(chain: Chain) -> Chain:
    return Chain(chain.tags.detach().requires_grad_(), *(part.detach() for part in chain[1:]))


def _within(tags: torch.Tensor, lengths: torch.Tensor) -> list[list[int]]:
    return [row[:length] for row, length in zip(tags.tolist(), lengths.tolist(), strict=True)]


def _inside(mask: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return mask.view(-1, *[1] * (like.dim() - 1))
