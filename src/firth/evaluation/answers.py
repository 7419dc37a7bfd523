"""Exact match and F1 of answers, as SQuAD's official script computes them.

What
    An answer is compared with each right one after both are normalised: lower case, no punctuation, no articles, single
    spaces. The best of the comparisons counts.
Objective
    exact match  1 if the normalised texts are equal
    F1           2 P R / (P + R), with P and R the shares of the words of the answer and of the right one in their
                 multiset intersection
    A question without an answer has both 1 for "", and 0 for anything else.
Source
    Rajpurkar et al. 2016, section 6.1; Rajpurkar, Jia and Liang 2018, section 5 (no answer).
Departures
    None from the script of SQuAD 2.0; that of 1.1 gives two answers without words, such as "the" and "a", an F1 of 0.
Cost
    A pass over the words of each answer.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from firth.errors import ShapeError
from firth.notebook import table
from firth.resampling import Mean, bootstrap_interval

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MARKS = str.maketrans("", "", string.punctuation)


def normalised(answer: str) -> str:
    """Return an answer as it is compared.

    >>> normalised("The  U.S. Army")
    'us army'
    """
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_MARKS)).split())


def exact_match(answer: str, right: Sequence[str]) -> float:
    """Return 1 if an answer equals a right one, else 0; without a right one "" is right."""
    return max(float(normalised(answer) == reference) for reference in _compared(right))


def f1(answer: str, right: Sequence[str]) -> float:
    """Return the highest F1 of the words of an answer and of a right one."""
    return max(_f1(normalised(answer).split(), reference.split()) for reference in _compared(right))


def _compared(right: Sequence[str]) -> Sequence[str]:
    """Return right answers normalised, without those of which nothing is left; "" if none are."""
    return list(filter(None, map(normalised, right))) or ("",)


def _f1(predicted: Sequence[str], expected: Sequence[str]) -> float:
    if not predicted or not expected:
        return float(predicted == expected)
    shared = sum((Counter(predicted) & Counter(expected)).values())
    return 2 * shared / (len(predicted) + len(expected))


@dataclass(frozen=True)
class AnswerScores:
    """Scores of answers.

    Attributes:
        exact_match: share of answers that equal a right one, in percent.
        f1: mean F1, in percent.
        exact_interval: 95 % confidence interval of the exact match, over questions.
        f1_interval: interval of F1.
        unanswerable: questions without an answer.
        no_answer_f1: F1 on those; NaN if there are none.
    """

    questions: int
    exact_match: float
    f1: float
    exact_interval: tuple[float, float]
    f1_interval: tuple[float, float]
    unanswerable: int = 0
    no_answer_f1: float = float("nan")

    def __str__(self) -> str:
        (low, high), (f1_low, f1_high) = self.exact_interval, self.f1_interval
        none = f"; {self.unanswerable:,} without an answer: F1 {self.no_answer_f1:.2f}" if self.unanswerable else ""
        return (
            f"exact match {self.exact_match:.2f} ({low:.2f} to {high:.2f}), F1 {self.f1:.2f} ({f1_low:.2f} to "
            f"{f1_high:.2f}), {self.questions:,} questions{none}"
        )

    def _repr_html_(self) -> str:
        head = ("questions", "exact match", "F1")
        row = (
            f"{self.questions:,}",
            f"{self.exact_match:.2f} ({self.exact_interval[0]:.2f} to {self.exact_interval[1]:.2f})",
            f"{self.f1:.2f} ({self.f1_interval[0]:.2f} to {self.f1_interval[1]:.2f})",
        )
        return table(head, [row])


def score_answers(answers: Sequence[str], right: Sequence[Sequence[str]], *, seed: int = 0) -> AnswerScores:
    """Return the scores of answers.

    Args:
        answers: N texts; "" for no answer.
        right: of each question, the right answers; none if it has no answer.
        seed: of the resamples of the confidence intervals.

    Raises:
        ShapeError: there are other numbers of both, or none.
    """
    if len(answers) != len(right) or not answers:
        raise ShapeError(
            f"{len(answers):,} answers of {len(right):,} questions: expected one of each, and one at least"
        )
    pairs = list(zip(answers, right, strict=True))
    exact = 100 * np.array([exact_match(*pair) for pair in pairs])
    overlap = 100 * np.array([f1(*pair) for pair in pairs])
    none = np.array([not references for references in right])
    intervals = [bootstrap_interval(Mean(scores), len(scores), seed=seed) for scores in (exact, overlap)]
    return AnswerScores(
        questions=len(pairs),
        exact_match=float(exact.mean()),
        f1=float(overlap.mean()),
        exact_interval=intervals[0],
        f1_interval=intervals[1],
        unanswerable=int(none.sum()),
        no_answer_f1=float(overlap[none].mean()) if none.any() else float("nan"),
    )
