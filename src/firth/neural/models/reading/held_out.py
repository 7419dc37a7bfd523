"""Held-out questions that select the epoch: all, or a sample where a limit in minutes leaves no time for all."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from firth.errors import warn_caller
from firth.evaluation.answers import f1
from firth.neural.models.reading.data import Pair, pair_batches
from firth.neural.models.reading.examples import ReadQuestions
from firth.neural.models.reading.predict import found_spans, windows_of
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.supervised import mean_figures
from firth.neural.training.options import RunConfig
from firth.randomness import generator
from firth.timing import Stopwatch

EVAL_BATCH = 64  # questions per batch of an evaluation
SHARE = 0.05  # of a limit in minutes, for the answers of an evaluation; the loss takes less


class HeldOutQuestions:
    """Held-out questions and their figures.

    Args:
        module: that is trained.
        options: of the reader.
        tokens: its vocabulary.
        read: the questions.
        pairs: those with an answer, with parts of their paragraphs.
        config: of the run.

    Attributes:
        count: questions that evaluations read: as many as the first one answers in its time.
    """

    def __init__(
        self,
        module: Any,
        options: Any,
        tokens: TokenReader,
        read: ReadQuestions,
        pairs: Sequence[Pair],
        config: RunConfig,
    ) -> None:
        self._module, self._options, self._tokens, self._read, self._pairs = module, options, tokens, read, pairs
        self._minutes, self.count = config.training.minutes, len(read.questions)
        random = generator(config.seed, "held-out questions")
        several = (len(read.questions), len(pairs))
        self._orders = [np.arange(n) if self._minutes is None else random.permutation(n) for n in several]
        self._timed = False

    def figures(self) -> dict[str, float]:
        """Return 1 - F1 of the answers to the questions, and the loss of their pairs in nats."""
        scores = self._scores()
        share = self.count / len(self._read.questions)
        rows = np.sort(self._orders[1][: math.ceil(share * len(self._pairs))]).tolist()
        pairs = [self._pairs[row] for row in rows]
        batches = pair_batches(self._tokens, pairs, batch_size=EVAL_BATCH, shuffle=False)
        return {**mean_figures(batches, self._module, self._module.losses), "error": 1 - sum(scores) / len(scores)}

    def _scores(self) -> list[float]:
        """Return the F1 of each question; the first time, of those that time allows."""
        if self._minutes is None or self._timed:
            return self._f1(np.sort(self._orders[0][: self.count]).tolist())
        limit, watch, spent, scores = 60 * SHARE * self._minutes, Stopwatch(), 0.0, list[float]()
        while len(scores) < self.count and spent < limit:
            scores += self._f1(self._orders[0][len(scores) : len(scores) + EVAL_BATCH].tolist())
            spent += watch.lap()
        self._timed, everything = True, self.count
        self.count = len(scores)
        if self.count < everything:
            warn_caller(
                f"evaluations read {self.count:,} of {everything:,} held-out questions, chosen at random: all of them "
                f"would take more than {100 * SHARE:g} % of {self._minutes:g} minutes"
            )
        return scores

    def _f1(self, rows: Sequence[int]) -> list[float]:
        """Return the F1 of the answers to some questions."""
        read, options = self._read, self._options
        windows = [windows_of(read.asked[row], [read.paragraphs[row]], options.window) for row in rows]
        answers = found_spans(self._module, self._tokens, windows, max_answer_length=options.max_answer_length)
        scores = []
        for row, (best, *_) in zip(rows, answers, strict=True):
            question = read.questions[row]
            answer = "" if best.no_answer else question.paragraph[best.start : best.end]
            scores.append(f1(answer, [right.text for right in question.answers]))
        return scores
