"""A is to B as C is to ? Analogy questions, answered over a whole vocabulary.

What: each question (a, b, c) is answered by the word d, other than its own three, with the greatest

    3CosAdd   cos(d, b) - cos(d, a) + cos(d, c)
    3CosMul   s(d, b) s(d, c) / (s(d, a) + eps),   s = (1 + cos) / 2

Source: Mikolov, Yih and Zweig 2013 (3CosAdd); Levy and Goldberg 2014, "Linguistic regularities in sparse and explicit
word representations", equations 3 and 4 (3CosMul).

Departures: eps is 1e-6, as in gensim, where the paper has 1e-3. 3CosMul is compared by its logarithm, which has the
same greatest word.

Cost: Q questions over U different words and V candidates take one (V, D) x (D, U) product and, as both scores are
sums over the three words, 2 Q V additions, whatever D. Questions that share (a, b) share their difference. Memory is
bounded: the vocabulary passes in blocks.
"""

from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from firth.evaluation.files import Questions, read_questions
from firth.evaluation.suite import Figure, Setting, Space, Suite
from firth.resampling import Mean, Sample
from firth.vectors.neighbours import unit

Method = Literal["3cosadd", "3cosmul"]
METHODS: tuple[Method, ...] = ("3cosadd", "3cosmul")

EPSILON = 1e-6
_TINY = 1e-30  # in place of a similarity of zero, whose logarithm does not exist
_CELLS = 1 << 22  # scores held at once


def solve(
    vectors: npt.NDArray[np.floating],
    questions: npt.NDArray[np.integer],
    *,
    method: Method = "3cosadd",
) -> npt.NDArray[np.int64]:
    """Answer analogy questions; every row of `vectors` is a candidate.

    Args:
        vectors: (V, D), of any length; rows are normalised block by block, never all at once.
        questions: (Q, 3) row numbers of a, b and c.
        method: "3cosadd" or "3cosmul".

    Returns:
        (Q,) row numbers: the best word of each question; among equals the first.
    """
    terms, places = np.unique(questions, return_inverse=True)
    order = np.lexsort((places[:, 1], places[:, 0]))  # questions with one (a, b) stand together
    groups = _groups(places[order])
    wanted = _directions(vectors[terms])
    best = np.full(len(questions), -np.inf, dtype=np.float32)
    answers = np.zeros(len(questions), dtype=np.int64)
    rows = max(256, _CELLS // max(len(terms), 1))
    for start in range(0, len(vectors), rows):
        similarities = wanted @ _directions(vectors[start : start + rows]).T  # (U, rows)
        plus, minus = _parts(similarities, method)
        for group in groups:
            own = order[group]
            found, scores = _best_of_block(plus, minus, places[own], questions[own] - start)
            better = scores > best[own]
            best[own[better]] = scores[better]
            answers[own[better]] = found[better] + start
    return answers


def _directions(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    return unit(vectors).astype(np.float32, copy=False)


def _groups(places: npt.NDArray[np.intp]) -> list[slice]:
    """Runs of questions with the same a and b, no longer than a block's scores should grow."""
    if len(places) == 0:
        return []
    changes = np.flatnonzero((places[1:, :2] != places[:-1, :2]).any(axis=1)) + 1
    edges = [0, *changes.tolist(), len(places)]
    return [slice(first, min(first + 256, end)) for start, end in pairwise(edges) for first in range(start, end, 256)]


def _parts(
    similarities: npt.NDArray[np.float32], method: Method
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """What a word adds as b or c, and what it takes away as a: the score is a sum for either method."""
    if method == "3cosadd":
        return similarities, similarities
    shares = np.maximum((1 + similarities) / 2, np.float32(0))
    return np.log(np.maximum(shares, np.float32(_TINY))), np.log(shares + np.float32(EPSILON))


def _best_of_block(
    plus: npt.NDArray[np.float32],  # (U, rows)
    minus: npt.NDArray[np.float32],  # (U, rows)
    places: npt.NDArray[np.intp],  # (q, 3) rows of plus and minus; a and b are the same in all
    columns: npt.NDArray[np.integer],  # (q, 3) the questions' words as columns of this block, or outside it
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    scores = plus[places[:, 2]]
    scores += plus[places[0, 1]] - minus[places[0, 0]]
    inside = (columns >= 0) & (columns < scores.shape[1])
    asked = np.nonzero(inside)[0]
    scores[asked, columns[inside]] = -np.inf
    found = scores.argmax(axis=1)
    return found, scores[np.arange(len(scores)), found]


def _judge(space: Space, gold: Questions, setting: Setting) -> list[Figure]:
    matrix = space.vectors.vectors[: setting.restrict_vocab]
    ids = space.find([word for words in gold.words for word in words]).reshape(-1, 4)
    known: npt.NDArray[np.bool_] = np.all((ids >= 0) & (ids < len(matrix)), axis=1)
    counted = np.ones(len(known), dtype=bool) if setting.unknown == "count" else known
    parts = parts_of(np.array(gold.sections))
    figures = []
    for method in METHODS:
        right = np.zeros(len(ids))
        right[known] = solve(matrix, ids[known, :3], method=method) == ids[known, 3]
        for part, members in parts.items():
            sample = Sample(members & counted, Mean(right[members & counted]))
            covered, total = int((members & known).sum()), int(members.sum())
            figures.append(Figure(metric=method, sample=sample, covered=covered, total=total, part=part, share=True))
    return figures


def parts_of(sections: npt.NDArray[np.str_]) -> dict[str, npt.NDArray[np.bool_]]:
    """Return which items are in the whole set, in its halves (of a set with `gram...` sections) and in each section.

    Args:
        sections: (n,) the name of each item's section; "" for none.
    """
    parts = {"": np.ones(len(sections), dtype=bool)}
    syntactic = np.char.startswith(sections, "gram")
    if syntactic.any() and not syntactic.all():
        parts |= {"/semantic": ~syntactic, "/syntactic": syntactic}
    names = [str(name) for name in dict.fromkeys(sections.tolist()) if name]
    return parts | {f"/{name}": sections == name for name in names}


SUITE = Suite(
    name="analogies",
    help="a is to b as c is to ?: the share answered right",
    sets=("google-analogies",),
    read=read_questions,
    judge=_judge,
)
