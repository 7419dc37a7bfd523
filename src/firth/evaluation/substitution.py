"""Lexical substitution: candidates for a word in a sentence are ranked and compared with human substitutes.

What: a target word t occurs in a sentence with the context words C. Its candidates s are all substitutes that
annotators gave for it anywhere in the set. Those given for this sentence should rank first, the most frequent foremost.

Objective: a ranking is scored by its generalised average precision. With the gold weight x_i (number of annotators) of
the candidate at rank i, I(x) = 1 if x > 0 else 0, and y the gold weights in their best order:

    GAP = sum_i I(x_i) mean(x_1 ... x_i)  /  sum_i I(y_i) mean(y_1 ... y_i)

The scores of candidates are, with pcos = (cos + 1) / 2,

    cosine   cos(s, t)                                                   ignores the sentence
    add      (cos(s, t) + sum_C cos(s, c)) / (|C| + 1)
    baladd   (|C| cos(s, t) + sum_C cos(s, c)) / (2 |C|)
    mult     (pcos(s, t) prod_C pcos(s, c)) ^ (1 / (|C| + 1))
    balmult  (pcos(s, t)^|C| prod_C pcos(s, c)) ^ (1 / (2 |C|))

Source: Melamud, Levy and Dagan 2015, A simple word embedding model for lexical substitution, table 1, for the scores;
Kishida 2005, Property of average precision and its generalization, and Thater, Furstenau and Pinkal 2010 for GAP;
McCarthy and Navigli 2007 (LST-07) and Kremer et al. 2014 (CoInCo) for the sets.

Departures: C are the tokens within `WINDOW` on either side that have a vector, not the neighbours in a parse. c is the
output vector of a word if the model has one, as in the paper, else its input vector. Candidates are looked up as
lemmas; the paper takes the best of all their forms. Equal scores share their ranks: GAP is then the expectation over a
random order, and with all scores equal it is the exact random baseline.

Multiword candidates (with a space or a hyphen) are removed from candidates and gold, as in the paper's program; so are
sentences without any other substitute. Unknown words: a sentence whose target word or candidate has no vector is left
out ("skip"), or counts ("count"): the candidate is then not ranked and adds nothing, and without a vector of the target
word GAP is 0, both as in the paper's program.

Cost: N sentences with M candidates and a window of W take 2 N M W D operations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from firth.evaluation.context import Mask, encode_word
from firth.evaluation.suite import EvaluationOptions, Score, Space, as_suite
from firth.readers.lexical_substitution import SubstitutionTarget, read_substitutions
from firth.resampling import Floats, Mean, Sample
from firth.vectors.averages import word_bags
from firth.vectors.cosine import Matrix, unit

WINDOW = 5  # tokens on either side
CHANCE = "random"
_TINY = 1e-12  # replaces a pcos of 0 before the logarithm


def generalised_average_precision(scores: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Return the generalised average precision (GAP) of rankings; equal scores share their ranks.

    Args:
        scores: (..., m) score of each candidate, the greatest ranks first; NaN for a candidate that is not ranked.
        weights: (..., m) gold weights, 0 for wrong candidates.

    Returns:
        (...) from 0 to 1; NaN where no weight is above 0.

    Source:
        Kishida 2005, equation 8; the mean over the orders of equal scores is exact (`_expected`).
    """
    score, gold = np.broadcast_arrays(np.asarray(scores, dtype=np.float64), np.asarray(weights, dtype=np.float64))
    shape = score.shape[:-1]
    score, gold = (array.reshape(-1, array.shape[-1]) for array in (score, gold))
    order = np.argsort(-score, axis=1, kind="stable")  # NaN comes last
    ranked, x = np.take_along_axis(score, order, axis=1), np.take_along_axis(gold, order, axis=1)
    best = -np.sort(-gold, axis=1)
    ranks = np.arange(1, gold.shape[1] + 1)
    ideal = np.where(best > 0, np.cumsum(best, axis=1) / ranks, 0).sum(axis=1)
    actual = np.where(np.isnan(ranked), 0, _expected(ranked, x)).sum(axis=1)
    with np.errstate(invalid="ignore"):
        gap: Floats = actual / ideal
    return np.asarray(np.reshape(gap, shape))


def _expected(ranked: Floats, x: Floats) -> Floats:
    """Expected contribution of each rank, I(x_i) mean(x_1 ... x_i), under a random order of equal scores, (k, m).

    Consider rank i in a group of m equal scores, r of them with weights above 0 and the sum W, after ranks with the sum
    S. The candidate there is gold with probability r / m and weighs W / m on average. Each of the i - 1 candidates
    before it in the group adds (r W - W) / (m (m - 1)), the mean over ordered pairs of a gold candidate and any other.
    """
    k, n = ranked.shape
    starts = np.concatenate([np.ones((k, 1), dtype=bool), ranked[:, 1:] != ranked[:, :-1]], axis=1)
    group = np.cumsum(starts.ravel()) - 1  # groups of equal scores, over all rows
    first = np.flatnonzero(starts.ravel())
    m, r, w = (
        np.bincount(group, weights=values.ravel())[group].reshape(k, n) for values in (np.ones((k, n)), x > 0, x)
    )
    ranks = np.tile(np.arange(1, n + 1), (k, 1))
    inside = ranks - ranks.ravel()[first][group].reshape(k, n)  # i - 1
    before = (np.cumsum(x, axis=1) - x).ravel()[first][group].reshape(k, n)  # S
    pairs = np.where(m > 1, (r * w - w) / np.maximum(m * (m - 1), 1), 0)
    added: Floats = (r / m * before + w / m + inside * pairs) / ranks
    return added


def rank_scores(candidates: Matrix, targets: Matrix, contexts: Matrix, bags: csr_array) -> dict[str, Floats]:
    """Return the scores of a word's candidates in several sentences, for each scoring function.

    Args:
        candidates: (m, D) of length 1.
        targets: (k, D) of length 1, the target word in each sentence.
        contexts: (u, D) of length 1, the different context words.
        bags: (k, u) count of each context word in each sentence.

    Returns:
        (k, m) scores by name: cosine, add, baladd, mult, balmult.

    Source:
        Melamud, Levy and Dagan 2015, table 1.
    """
    own = (targets @ candidates.T).astype(np.float64)
    around = (contexts @ candidates.T).astype(np.float64)
    size = np.asarray(bags.sum(axis=1), dtype=np.float64)[:, None]  # |C|
    total, product = bags @ around, bags @ _log_pcos(around)
    log_own, twice = _log_pcos(own), np.maximum(2 * size, 1)
    weight = np.where(size > 0, size, 1)  # without a context only the word counts
    return {
        "cosine": own,
        "add": (own + total) / (size + 1),
        "baladd": (weight * own + total) / twice,
        "mult": np.exp((log_own + product) / (size + 1)),
        "balmult": np.exp((weight * log_own + product) / twice),
    }


def _log_pcos(cosines: Floats) -> Floats:
    return np.asarray(np.log(np.maximum((cosines + 1) / 2, _TINY)))


def output_vectors(space: Space, words: Sequence[str]) -> tuple[Matrix, Mask]:
    """Return the output vectors of words if the model has one per word, else their input vectors.

    Args:
        space: the vectors. The output rows of hierarchical softmax belong to tree nodes, not to words.

    Returns:
        (n, D) of length 1, zeros for unknown words, and (n,) whether each word is known.
    """
    output = space.vectors.output_vectors
    training = space.vectors.metadata.get("training", {})
    nodes = training.get("options", {}).get("objective") == "hierarchical"
    if output is None or output.shape != space.vectors.vectors.shape or nodes:
        return space.lookup(words)
    rows = space.rows(words)
    has_output = rows >= 0
    matrix = np.zeros((len(rows), space.dim), dtype=np.float32)
    matrix[has_output] = output[rows[has_output]]
    return unit(matrix), has_output


@dataclass(frozen=True)
class _SetVectors:
    """The vectors of a set: of candidates, target words and context words."""

    candidates: Matrix  # (m, D) of all targets, one after the other
    known_candidates: Mask  # (m,)
    targets: Matrix  # (k, D) of all occurrences
    known_targets: Mask  # (k,)
    contexts: Matrix  # (u, D) of the different context words
    bags: csr_array  # (k, u)


def _set_vectors(space: Space, gold: Sequence[SubstitutionTarget]) -> _SetVectors:
    occurrences = [occurrence for target in gold for occurrence in target.occurrences]
    candidates, known_candidates = space.lookup([word for target in gold for word in target.candidates])
    targets, known_targets = encode_word(space, occurrences)
    words, bags = word_bags([occurrence.context(WINDOW) for occurrence in occurrences])
    contexts, has_output = output_vectors(space, words)
    bags = csr_array(bags[:, np.flatnonzero(has_output)])
    return _SetVectors(candidates, known_candidates, targets, known_targets, contexts[has_output], bags)


def gaps_of(scores: Mapping[str, Floats], weights: Floats, covered: Mask) -> tuple[dict[str, Floats], Mask]:
    """Return the GAP of the rankings of a target's candidates, and which sentences are fully known.

    Args:
        scores: (k, m) scores of m candidates in k sentences by name.
        weights: (k, m) gold weights.
        covered: (k, m) whether word and candidate are known; the others are not ranked.

    Returns:
        (k,) by name, with that of a random ranking; and (k,) whether all words are known.
    """
    unranked = np.where(covered, 0.0, np.nan)
    rankings = np.stack([*(scored + unranked for scored in scores.values()), np.zeros_like(unranked)])
    gaps = generalised_average_precision(rankings, weights)
    return dict(zip([*scores, CHANCE], gaps, strict=True)), np.asarray(covered.all(axis=1))


def scores_of(results: Sequence[tuple[dict[str, Floats], Mask]], options: EvaluationOptions) -> list[Score]:
    """Return the scores of a set from those of its targets, as `gaps_of` returns them."""
    covered = np.concatenate([covered_rows for _, covered_rows in results])
    mask = options.counted(covered)
    gaps = {name: np.concatenate([gaps_by_model[name] for gaps_by_model, _ in results])[mask] for name in results[0][0]}
    chance = gaps.pop(CHANCE)
    return [
        Score(
            metric=f"gap-{name}",
            sample=Sample(mask, Mean(own)),
            covered=int(covered.sum()),
            total=len(covered),
            baseline=float(chance.mean()) if len(chance) else None,
            baseline_name="random",
        )
        for name, own in gaps.items()
    ]


def _gaps(vectors: _SetVectors, target: SubstitutionTarget, first: int, row: int) -> tuple[dict[str, Floats], Mask]:
    """The GAP of each sentence of a target, and whether all its words are known."""
    own, candidates = slice(row, row + len(target.occurrences)), slice(first, first + len(target.candidates))
    bags = csr_array(vectors.bags[own])
    columns = np.unique(bags.indices)
    scores = rank_scores(
        vectors.candidates[candidates], vectors.targets[own], vectors.contexts[columns], csr_array(bags[:, columns])
    )
    return gaps_of(scores, target.weights, vectors.known_targets[own, None] & vectors.known_candidates[candidates])


@as_suite("substitution", ("lst-07",), read_substitutions)
def suite(space: Space, gold: Sequence[SubstitutionTarget], options: EvaluationOptions) -> list[Score]:
    """Lexical substitution, ranking substitutes of words in sentences: generalised average precision (GAP)."""
    vectors = _set_vectors(space, gold)
    firsts = np.cumsum([0, *(len(target.candidates) for target in gold)]).tolist()
    rows = np.cumsum([0, *(len(target.occurrences) for target in gold)]).tolist()
    return scores_of([_gaps(vectors, target, firsts[i], rows[i]) for i, target in enumerate(gold)], options)
