"""What every language model can do, whether it counts or learns."""

import abc
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.inference.scorer import Scores
from firth.language.text import LanguageText, TextRules, encoded, held_out_text
from firth.progress import Progress
from firth.vocabulary import Vocabulary


class LanguageModel(abc.ABC):
    """A probability for every next word: n-grams, neural models and mixtures of them answer to the same names.

    It is a `firth.inference.scorer.Scorer`, so that every search works with every model.

    Attributes:
        vocabulary: V words, `<unk>` among them, and `</s>` where sentence ends are predicted.
        rules: how it reads text.
    """

    vocabulary: Vocabulary
    rules: TextRules

    @abc.abstractmethod
    def log_probs(self, text: LanguageText, *, progress: Progress = None) -> npt.NDArray[np.float64]:
        """Return the natural logarithm of the probability of each token of a text, given all before it that count.

        Args:
            text: read with this model's vocabulary and rules.
            progress: how to show progress; see `firth.progress`.

        Returns:
            (N,) float64, in nats, none above 0.
        """

    @abc.abstractmethod
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, Any]:
        """Return scores and state after each prompt; see `firth.inference.scorer.Scorer`."""

    @abc.abstractmethod
    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[Scores, Any]:
        """Return scores and state after one more id each; see `firth.inference.scorer.Scorer`."""

    @abc.abstractmethod
    def choose(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the state of some sequences; see `firth.inference.scorer.Scorer`."""

    def read(self, source: Any, *, progress: Progress = None) -> LanguageText:
        """Read held-out text as this model reads it; see `firth.language.text.held_out_text`."""
        return held_out_text(source, self.vocabulary, self.rules, progress=progress)

    def encode(self, sentences: Sequence[str]) -> LanguageText:
        """Return sentences, given as strings, as this model reads them; see `firth.language.text.encoded`."""
        return encoded(sentences, self.vocabulary, self.rules)
