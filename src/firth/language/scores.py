"""What a model says of a sentence, word by word."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from firth.language.text import LanguageText


@dataclass(frozen=True, eq=False)
class SentenceScore:
    """How likely a sentence is.

    Attributes:
        tokens: as the model predicts them: `<unk>` for words outside its vocabulary, and `</s>` where it predicts ends.
        log_probs: (n,) natural logarithms of the probability of each token, given those before.
    """

    tokens: tuple[str, ...]
    log_probs: npt.NDArray[np.float64]

    @property
    def total(self) -> float:
        """The natural logarithm of the sentence's probability."""
        return float(self.log_probs.sum())

    @property
    def perplexity(self) -> float:
        """Exp of minus the mean; NaN for no tokens."""
        with np.errstate(over="ignore"):
            return float(np.exp(-self.log_probs.mean())) if len(self.tokens) else float("nan")


def by_sentence(text: LanguageText, log_probs: npt.NDArray[np.float64]) -> list[SentenceScore]:
    """Return the scores of a text, sentence by sentence.

    Args:
        text: as the model read it.
        log_probs: (N,) of its tokens.
    """
    words, offsets = text.vocabulary.words, text.offsets.tolist()
    return [
        SentenceScore(tuple(words[i] for i in text.ids[start:stop].tolist()), log_probs[start:stop])
        for start, stop in pairwise(offsets)
    ]
