"""Log-probabilities of sentences, token by token."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import brief
from firth.finite import not_finite
from firth.language.text import LanguageText


@dataclass(frozen=True, eq=False)
class SentenceScore:
    """The log-probabilities of a sentence.

    Attributes:
        tokens: the predicted tokens: `<unk>` for words outside the vocabulary, and `</s>` if the model predicts it.
        log_probs: (n,) natural logarithm of the probability of each token given the tokens before it.
    """

    tokens: tuple[str, ...]
    log_probs: npt.NDArray[np.float64]

    @property
    def total(self) -> float:
        """The natural logarithm of the probability of the sentence."""
        return float(self.log_probs.sum())

    @property
    def perplexity(self) -> float:
        """The perplexity of the sentence; NaN if it has no tokens."""
        with np.errstate(over="ignore"):
            return float(np.exp(-self.log_probs.mean())) if len(self.tokens) else float("nan")


def check_log_probs(log_probs: npt.NDArray[np.float64], text: LanguageText, model: Any) -> npt.NDArray[np.float64]:
    """Return log-probabilities of the tokens of a text, (N,) or (..., N); 0 has the logarithm -inf."""
    right = log_probs < np.inf  # NaN is not below infinity
    if not right.all():
        token = int(np.argmin(right.reshape(-1, len(text)).all(axis=0)))
        sentence = int(np.searchsorted(text.offsets, token, "right")) - 1
        words = [text.vocabulary.words[i] for i in text.ids[text.offsets[sentence] : token + 1].tolist()]
        raise not_finite(f"sentence {sentence}, token {len(words) - 1} ({brief(' '.join(words))})", model)
    return log_probs


def split_sentences(text: LanguageText, log_probs: npt.NDArray[np.float64]) -> list[SentenceScore]:
    """Return the scores of a text, one per sentence.

    Args:
        log_probs: (N,) log-probabilities of its tokens.
    """
    words, offsets = text.vocabulary.words, text.offsets.tolist()
    return [
        SentenceScore(tuple(words[i] for i in text.ids[start:stop].tolist()), log_probs[start:stop])
        for start, stop in pairwise(offsets)
    ]
