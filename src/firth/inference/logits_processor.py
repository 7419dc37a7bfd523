"""Constraints on the next word: blocked words, and a penalty on repeated words.

What: before a word is selected, scores of blocked words become minus infinity: banned words, the end of a sentence that
    is too short, and words that would repeat an n-gram. Words that occur in the text have a penalty.
Objective: with penalty t, the score s of a word that occurs in the text becomes t s.
Source: Keskar et al. 2019, CTRL, section 4.1 (penalty); Paulus et al. 2018, A Deep Reinforced Model for Abstractive
    Summarization, section 2.5 (no repeated n-grams).
Departures: Keskar et al. divide positive scores by t and multiply negative ones, which depends on the zero of a model's
    scores. Here scores are log-probabilities, never positive. The end of a sentence is never blocked as part of an
    n-gram, so that a text without any other next word can end.
Cost: O(L) per text of L words and step.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from firth.finite import not_finite
from firth.inference.generation_options import GenerationOptions
from firth.inference.scorer import Candidates, Floats, Scores, as_float64


@dataclass(frozen=True)
class LogitsProcessor:
    """The constraints of a search; they only ever lower scores.

    Attributes:
        stop: ids that end a text.
        banned: ids that are never generated.
    """

    options: GenerationOptions
    stop: tuple[int, ...] = ()
    banned: tuple[int, ...] = ()

    def process(self, scores: Scores, texts: Sequence[Sequence[int]], generated: int) -> Floats:
        """Return constrained scores as a new (B, V) array.

        Args:
            scores: (B, V) of the model.
            texts: B lists or tuples: prompt and generated words.
            generated: words after the prompt, the same number for all.
        """
        result = as_float64(scores)
        _check(result)
        result[:, list(self._blocked(generated))] = -np.inf
        for row, text in zip(result, texts, strict=True):
            if self.options.repetition_penalty != 1:
                row[np.unique(np.asarray(text, dtype=np.int64))] *= self.options.repetition_penalty
            row[self._repeated(text)] = -np.inf
        return result

    def process_candidates(self, candidates: Candidates, texts: Sequence[Sequence[int]], generated: int) -> Floats:
        """Return the constrained scores of candidates, (B, K); arguments as in `process`."""
        result = candidates.scores.copy()
        _check(result)
        for word in self._blocked(generated):
            result[candidates.ids == word] = -np.inf
        if self.looks_back:
            for row, ids, text in zip(result, candidates.ids.tolist(), texts, strict=True):
                # Candidates are few: sets are faster than `numpy.isin`.
                if self.options.repetition_penalty != 1:
                    words = set(text)
                    row[[word in words for word in ids]] *= self.options.repetition_penalty
                if repeated := set(self._repeated(text)):
                    row[[word in repeated for word in ids]] = -np.inf
        return result

    def max_lowered(self, texts: Sequence[Sequence[int]], generated: int) -> int:
        """Return the maximum number of words per text whose scores are lowered; arguments as in `process`."""
        lowered = 0
        if self.options.repetition_penalty != 1:  # words that would repeat an n-gram are among these
            lowered = max(len(set(text)) for text in texts)
        elif self.options.no_repeat_ngram is not None:
            lowered = max(len(set(self._repeated(text))) for text in texts)
        return len(self._blocked(generated)) + lowered

    @property
    def looks_back(self) -> bool:
        """Whether the words of a text matter."""
        return self.options.repetition_penalty != 1 or self.options.no_repeat_ngram is not None

    def _blocked(self, generated: int) -> tuple[int, ...]:
        return self.banned + (self.stop if generated < self.options.min_length else ())

    def _repeated(self, text: Sequence[int]) -> list[int]:
        """Return the words that would repeat an n-gram, without ends."""
        if self.options.no_repeat_ngram is None:
            return []
        repeated = completions(text, self.options.no_repeat_ngram)
        return [word for word in repeated if word not in self.stop] if repeated else repeated


def completions(text: Sequence[int], n: int) -> list[int]:
    """Return the words that followed earlier occurrences of the last n - 1 words: each would repeat an n-gram.

    Args:
        text: L ids.
        n: words per n-gram, at least 1.

    Returns:
        Ids, possibly repeated.
    """
    if n == 1 or len(text) < n:
        return list(text) if n == 1 else []
    last, result, position = text[len(text) - n + 1 :], [], n - 2
    with contextlib.suppress(ValueError):  # the last word does not occur again
        while True:
            position = text.index(last[-1], position, len(text) - 1)
            if text[position - n + 2 : position + 1] == last:
                result.append(text[position + 1])
            position += 1
    return result


def _check(scores: Floats) -> None:
    """Refuse scores that are no numbers; a text would end there, as if nothing were possible."""
    wrong = np.isnan(scores).any(axis=1)
    if wrong.any():
        raise not_finite(f"the next word of text {int(np.argmax(wrong))} of the batch", "the model")
