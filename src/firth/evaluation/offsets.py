"""Vector offsets: do pairs of words differ in one direction?

What: the offset of a pair, `cats` - `cat`, is compared with the mean offset of all pairs that share no word with it.
Three metrics:

- cosine: the mean cosine of an offset with that mean.
- order: the share of pairs whose cosine is above 0, which means that their words are in the right order along the mean
  offset. The baseline is the order of random pairs of the same words.
- pairing: the cosine minus that of shuffled pairs: the same first words with the second words of other pairs. These
  share the difference between the two groups of words, but not that between the words of a pair.

Source: Mikolov, Yih and Zweig 2013 for offsets; Fournier, Dupoux and Dunbar 2020, Analogies minus analogy test, for
shuffled pairs.

Cost: 2 x 10 shuffles of n pairs, n D each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from firth.errors import OptionError
from firth.evaluation.analogy import parts_of
from firth.evaluation.linear import Floats, Ints, Mask, paired_rows
from firth.evaluation.suite import EvaluationOptions, Score, Space
from firth.randomness import generator
from firth.readers.word_properties import MIN_PAIRS, RelatedPairs
from firth.resampling import Mean, Sample
from firth.vectors.cosine import unit

SHUFFLES = 10  # shuffles of the pairs; each is a few products


@dataclass(frozen=True)
class PairOffsets:
    """Offsets of pairs of words, compared with each other.

    Attributes:
        direction: (D,) the mean offset of all pairs, of length 1.
        cosines: (n,) cosine of each offset with the mean of the pairs that share no word with it.
        shuffled: (n,) the same for shuffled pairs; mean over ten shuffles.
        random: share of random pairs of the same words that are in order; mean over ten shuffles.
    """

    direction: Floats
    cosines: Floats
    shuffled: Floats
    random: float

    @property
    def pairing(self) -> float:
        """The mean cosine minus that of shuffled pairs."""
        return float(self.cosines.mean() - self.shuffled.mean())

    @property
    def order(self) -> float:
        """The share of pairs whose words are in order along the mean offset of the others."""
        return float((self.cosines > 0).mean())


def pair_offsets(
    first: npt.ArrayLike, second: npt.ArrayLike, *, words: Sequence[tuple[Any, Any]] | None = None, seed: int = 0
) -> PairOffsets:
    """Compare the offsets of pairs of words.

    Args:
        first: (n, D) vectors of the first words.
        second: (n, D) vectors of the second words.
        words: the n pairs of words, or of keys; pairs that share one are not compared. None: no two pairs share a word.
        seed: random seed of the shuffles.

    Raises:
        OptionError: there are fewer than three pairs.
        ShapeError: the arrays have different shapes.
    """
    left, right = paired_rows(first, second)
    if len(left) < MIN_PAIRS:
        raise OptionError(
            f"{len(left)} pairs, expected at least {MIN_PAIRS}: each is compared with the mean of the others"
        )
    names = [(("a", i), ("b", i)) for i in range(len(left))] if words is None else words
    ids: dict[Any, int] = {}
    keys = np.array([[ids.setdefault(word, len(ids)) for word in pair] for pair in names])
    return _pair_offsets(left.astype(np.float64), right.astype(np.float64), keys, seed)


def _pair_offsets(first: Floats, second: Floats, words: Ints, seed: int) -> PairOffsets:
    n, random = len(first), generator(seed, "pairs dealt out anew")
    shuffled = np.zeros(n)
    ordered = []
    both = np.concatenate([first, second])
    unique = np.unique(words.T.ravel(), return_index=True)[1]  # a row of `both` for each word
    for _ in range(SHUFFLES):
        ring = random.permutation(n)  # each first word gets the second word of the next pair on a ring, never its own
        partner = np.empty(n, dtype=np.int64)
        partner[ring] = np.roll(ring, 1)
        pairs = np.stack([words[:, 0], words[partner, 1]], axis=1)
        shuffled += _cosines_with_others(second[partner] - first, pairs) / SHUFFLES
        mixed = random.permutation(unique)[: len(unique) // 2 * 2].reshape(-1, 2)
        cosines = _cosines_with_others(both[mixed[:, 1]] - both[mixed[:, 0]], mixed)
        ordered.append(float((cosines > 0).mean()))
    offsets = second - first
    cosines = _cosines_with_others(offsets, words)
    return PairOffsets(np.asarray(unit(offsets.sum(axis=0))), cosines, shuffled, float(np.mean(ordered)))


def _cosines_with_others(offsets: Floats, words: Ints) -> Floats:
    """The cosine of each offset with the sum over the pairs that share no word with it; 0 if there are none."""
    n = len(offsets)
    columns = np.unique(words, return_inverse=True)[1].reshape(words.shape)
    incidence = csr_array((np.ones(2 * n), columns.ravel(), np.arange(0, 2 * n + 1, 2)))
    sharing = (incidence @ incidence.T).sign()
    other_offsets = unit(offsets.sum(axis=0) - sharing @ offsets)
    other_offsets[sharing.sum(axis=1) == n] = 0  # instead of rounding errors
    return np.asarray(np.einsum("nd,nd->n", unit(offsets), other_offsets))


def evaluate_pairs(space: Space, gold: RelatedPairs, options: EvaluationOptions) -> list[Score]:
    """Return order, cosine and pairing of all pairs and of each relation."""
    first, known_first = space.lookup([pair[0] for pair in gold.pairs])
    second, known_second = space.lookup([pair[1] for pair in gold.pairs])
    covered_mask: Mask = known_first & known_second
    ids: dict[str, int] = {}
    words = np.array([[ids.setdefault(word.lower(), len(ids)) for word in pair] for pair in gold.pairs])
    cosines, shuffled, random = np.zeros((3, len(covered_mask)))
    scored = np.zeros_like(covered_mask)
    relations = np.array(gold.relations)
    for relation in dict.fromkeys(gold.relations):
        own = covered_mask & (relations == relation)
        if own.sum() >= MIN_PAIRS:
            offsets = _pair_offsets(first[own].astype(float), second[own].astype(float), words[own], options.seed)
            cosines[own], shuffled[own], random[own], scored[own] = (
                offsets.cosines,
                offsets.shuffled,
                offsets.random,
                True,
            )
    mask = np.ones_like(covered_mask) if options.unknown == "count" and scored.any() else scored
    scores = []
    for metric, values in (
        ("order", (cosines > 0).astype(float)),
        ("cosine", cosines),
        ("pairing", cosines - shuffled),
    ):
        share = metric == "order"
        for part, members in parts_of(relations).items():
            items = members & mask
            scores.append(
                Score(
                    metric=metric,
                    sample=Sample(items, Mean(values[items])),
                    covered=int((members & covered_mask).sum()),
                    total=int(members.sum()),
                    part=part,
                    baseline=float(random[members & scored].mean()) if share and (members & scored).any() else None,
                    baseline_name="random pairs" if share else "",
                    share=share,
                )
            )
    return scores
