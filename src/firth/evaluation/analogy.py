"""Word analogies: a is to b as c is to ?, answered over the whole vocabulary.

What: each question (a, b, c) is answered by the word d, other than a, b and c, with the greatest

    3CosAdd   cos(d, b) - cos(d, a) + cos(d, c)
    3CosMul   s(d, b) s(d, c) / (s(d, a) + eps),   s = (1 + cos) / 2

Source: Mikolov, Yih and Zweig 2013 (3CosAdd); Levy and Goldberg 2014, "Linguistic regularities in sparse and explicit
word representations", equations 3 and 4 (3CosMul).

Departures: eps is 1e-6, as in gensim; the paper has 1e-3. 3CosMul is maximised by its logarithm, which has the same
maximum.

Cost: Q questions over U different words and V candidates take one (V, D) x (D, U) product. Both scores are sums over
three words, so that 2 Q V additions follow, independent of D. Questions with the same (a, b) share their difference.
The vocabulary is processed in blocks to bound memory.
"""

from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from firth.evaluation.suite import EvaluationOptions, Score, Space, as_suite
from firth.readers.analogies import AnalogyQuestions, read_analogies
from firth.resampling import Mean, Sample
from firth.vectors.cosine import unit

Method = Literal["3cosadd", "3cosmul"]
METHODS: tuple[Method, ...] = ("3cosadd", "3cosmul")

EPSILON = 1e-6
_TINY = 1e-30  # replaces a similarity of zero before the logarithm
_CELLS = 1 << 22  # scores per block


def solve(
    vectors: npt.NDArray[np.floating], questions: npt.NDArray[np.integer], *, method: Method = "3cosadd"
) -> npt.NDArray[np.int64]:
    """Answer analogy questions; every row of `vectors` is a candidate.

    Args:
        vectors: (V, D), of any length; rows are normalised block by block.
        questions: (Q, 3) row numbers of a, b and c.
        method: "3cosadd" or "3cosmul".

    Returns:
        (Q,) row numbers of the answers; of equal scores, the first.
    """
    terms, indices = np.unique(questions, return_inverse=True)
    order = np.lexsort((indices[:, 1], indices[:, 0]))  # questions with the same (a, b) are adjacent
    groups = _groups(indices[order])
    queries = _unit32(vectors[terms])
    best = np.full(len(questions), -np.inf, dtype=np.float32)
    answers = np.zeros(len(questions), dtype=np.int64)
    rows = max(256, _CELLS // max(len(terms), 1))
    for start in range(0, len(vectors), rows):
        similarities = queries @ _unit32(vectors[start : start + rows]).T  # (U, rows)
        plus, minus = _parts(similarities, method)
        for group in groups:
            own = order[group]
            candidates, scores = _best_of_block(plus, minus, indices[own], questions[own] - start)
            better = scores > best[own]
            best[own[better]] = scores[better]
            answers[own[better]] = candidates[better] + start
    return answers


def _unit32(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    return unit(vectors).astype(np.float32, copy=False)


def _groups(indices: npt.NDArray[np.intp]) -> list[slice]:
    """Runs of at most 256 questions with the same a and b."""
    if len(indices) == 0:
        return []
    changes = np.flatnonzero((indices[1:, :2] != indices[:-1, :2]).any(axis=1)) + 1
    edges = [0, *changes.tolist(), len(indices)]
    return [slice(first, min(first + 256, end)) for start, end in pairwise(edges) for first in range(start, end, 256)]


def _parts(
    similarities: npt.NDArray[np.float32], method: Method
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The terms that a word adds to the score as b or c and subtracts as a; both methods are sums."""
    if method == "3cosadd":
        return similarities, similarities
    shares = np.maximum((1 + similarities) / 2, np.float32(0))
    return np.log(np.maximum(shares, np.float32(_TINY))), np.log(shares + np.float32(EPSILON))


def _best_of_block(
    plus: npt.NDArray[np.float32],  # (U, rows)
    minus: npt.NDArray[np.float32],  # (U, rows)
    indices: npt.NDArray[np.intp],  # (q, 3) rows of plus and minus; a and b are the same in all
    columns: npt.NDArray[np.integer],  # (q, 3) the questions' words as columns of this block, or outside it
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    scores = plus[indices[:, 2]]
    scores += plus[indices[0, 1]] - minus[indices[0, 0]]
    inside = (columns >= 0) & (columns < scores.shape[1])
    scores[np.nonzero(inside)[0], columns[inside]] = -np.inf
    best = scores.argmax(axis=1)
    return best, scores[np.arange(len(scores)), best]


@as_suite("analogies", ("google-analogies",), read_analogies)
def suite(space: Space, gold: AnalogyQuestions, options: EvaluationOptions) -> list[Score]:
    """Word analogies, a is to b as c is to ?: accuracy."""
    matrix = space.vectors.vectors[: options.restrict_vocab]
    ids = space.rows([word for words in gold.words for word in words]).reshape(-1, 4)
    covered_mask: npt.NDArray[np.bool_] = np.all((ids >= 0) & (ids < len(matrix)), axis=1)
    mask = options.counted(covered_mask)
    parts = parts_of(np.array(gold.sections))
    scores = []
    for method in METHODS:
        correct = np.zeros(len(ids))
        correct[covered_mask] = solve(matrix, ids[covered_mask, :3], method=method) == ids[covered_mask, 3]
        for part, members in parts.items():
            sample = Sample(members & mask, Mean(correct[members & mask]))
            covered, total = int((members & covered_mask).sum()), int(members.sum())
            scores.append(Score(metric=method, sample=sample, covered=covered, total=total, part=part, share=True))
    return scores


def parts_of(sections: npt.NDArray[np.str_]) -> dict[str, npt.NDArray[np.bool_]]:
    """Return the parts of a set as masks: all items, the halves of a set with `gram...` sections, and each section.

    Args:
        sections: (n,) section of each item; "" for none.
    """
    parts = {"": np.ones(len(sections), dtype=bool)}
    syntactic = np.char.startswith(sections, "gram")
    if syntactic.any() and not syntactic.all():
        parts |= {"/semantic": ~syntactic, "/syntactic": syntactic}
    names = [str(name) for name in dict.fromkeys(sections.tolist()) if name]
    return parts | {f"/{name}": sections == name for name in names}
