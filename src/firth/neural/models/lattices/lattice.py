"""The lattice of a text: its units with their probabilities, the best segmentation, samples, marginals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from firth.neural.structs.segmentations import Segments, piece_gradients, segments_total
from firth.neural.structs.semirings import LOG, MAX, Sample, Semiring
from firth.randomness import torch_seed


@dataclass(frozen=True)
class Edge:
    """A unit of a text, in one of its senses.

    Attributes:
        start: its first token.
        stop: one past its last token.
        text: as it is written.
        sense: number of its embedding.
        log_prob: natural logarithm of its probability given the text before it.
        probability: that it is part of the segmentation, given the whole text.
    """

    start: int
    stop: int
    text: str
    sense: int
    log_prob: float
    probability: float


class Lattice:
    """All segmentations of a text into units, as `model.lattice(text)` returns them.

    Args:
        tokens: N tokens.
        texts: the text of tokens i to j, from (i, j).
        pieces: (1, N, L, K) log-probabilities of the units that end with each token, by length less 1 and sense.

    Attributes:
        tokens: as given.
    """

    def __init__(self, tokens: Sequence[str], texts: dict[tuple[int, int], str], pieces: torch.Tensor) -> None:
        self.tokens, self._texts = tuple(tokens), texts
        K = pieces.shape[3]
        transitions, first, last = (pieces.new_zeros(shape) for shape in ((K, K), (K,), (K,)))
        lengths = torch.tensor([pieces.shape[1]], device=pieces.device)
        self._segments = Segments(pieces.detach(), transitions, first, last, lengths)

    def __repr__(self) -> str:
        return f"<Lattice: {len(self.tokens):,} tokens, {len(self.edges):,} edges, log_prob {self.log_prob:.2f}>"

    @cached_property
    def log_prob(self) -> float:
        """The natural logarithm of the probability of the text, over all segmentations."""
        return float(self._total(LOG))

    @cached_property
    def edges(self) -> list[Edge]:
        """All edges, by where they end, their length and their sense."""
        return self._edges(self._gradient(LOG), self._segments.pieces[0] > -torch.inf)

    @cached_property
    def best_path(self) -> list[Edge]:
        """The most probable segmentation (Viterbi)."""
        return self._path(self._gradient(MAX))

    @property
    def best_log_prob(self) -> float:
        """The natural logarithm of the probability of the best segmentation."""
        return sum(edge.log_prob for edge in self.best_path)

    def sample(self, seed: int = 0) -> list[Edge]:
        """Return a segmentation drawn with its probability given the text."""
        generator = torch.Generator().manual_seed(torch_seed(seed, "segmentation"))
        return self._path(self._gradient(Sample(generator)))

    def _path(self, chosen: torch.Tensor) -> list[Edge]:
        return self._edges(self._gradient(LOG), chosen > 0)

    def _edges(self, marginals: torch.Tensor, which: torch.Tensor) -> list[Edge]:
        pieces, found = self._segments.pieces[0], []
        for end, length, sense in which.nonzero().tolist():
            start, stop = end - length, end + 1
            score, share = float(pieces[end, length, sense]), float(marginals[end, length, sense])
            found.append(Edge(start, stop, self._texts[start, stop], sense, score, share))
        return found

    def _total(self, ring: Semiring) -> torch.Tensor:
        return segments_total(self._segments, ring)[0]

    def _gradient(self, ring: Semiring) -> torch.Tensor:
        """Return the (N, L, K) derivatives of a total with respect to the scores of edges."""
        return piece_gradients(self._segments, ring)[0]
