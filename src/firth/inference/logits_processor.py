"""What may come next, given what is written: words that may not, and words that count less.

What: before a word is taken, scores of what may not come become minus infinity: words that nobody wants, the end of a
sentence that is too short, the word that would write an n-gram for the second time. Words that the text holds already
lose.

Objective: with penalty t, the score s of a word that stands in the text becomes t s.

Source: the penalty from Keskar et al. 2019, CTRL, section 4.1; n-grams that are written once alone from Paulus et al.
2018, A Deep Reinforced Model for Abstractive Summarization, section 2.5.

Departures: Keskar et al. divide a positive score by t and multiply a negative one, which depends on where a model's
scores happen to have their zero; here scores are logarithms of probabilities, never positive, and the same model
gives the same text however it counts. The end of a sentence is never blocked as part of an n-gram, so that a text with
nowhere to go can end.

Cost: O(L) a sequence of L words and step.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.inference.generation_options import GenerationOptions
from firth.inference.scorer import Scores

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LogitsProcessor:
    """What holds for every text of a search.

    Attributes:
        options: the user's wishes.
        stop: ids that end a text.
        banned: ids that are never written.
    """

    options: GenerationOptions
    stop: tuple[int, ...] = ()
    banned: tuple[int, ...] = ()

    def applied(self, scores: Scores, texts: Sequence[Sequence[int]], written: int) -> Floats:
        """Return scores in which what may not come is minus infinity.

        Args:
            scores: (B, V) of the model; they stay as they are.
            texts: B sequences, the prompt and what was written after it.
            written: words after the prompt, the same for all.
        """
        found = scores.astype(np.float64)
        found[:, list(self.banned)] = -np.inf
        if written < self.options.min_length:
            found[:, list(self.stop)] = -np.inf
        for row, text in zip(found, texts, strict=True):
            self._look_back(row, np.asarray(text, dtype=np.int64))
        return found

    def _look_back(self, row: Floats, text: Ids) -> None:
        penalty, n = self.options.repetition_penalty, self.options.no_repeat_ngram
        if penalty != 1:
            row[np.unique(text)] *= penalty
        if n is not None:
            # Ends stay possible: blocked with all else, a text would have nowhere to go.
            row[np.setdiff1d(completions(text, n), self.stop)] = -np.inf


def completions(text: Ids, n: int) -> Ids:
    """Return the words that stood after the last n - 1 words of a text before: each would write an n-gram again.

    Args:
        text: (L,) ids.
        n: words of an n-gram, at least 1.

    Returns:
        Ids, some perhaps several times.
    """
    if len(text) < n:
        return text[:0]
    grams = np.lib.stride_tricks.sliding_window_view(text, n)
    last = text[len(text) - n + 1 :]
    return np.asarray(grams[(grams[:, :-1] == last).all(axis=1), -1])
