"""A linear classifier's answer as a function of its terms: what attribution methods need (`firth.explanation`)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_softmax, softmax

from firth.errors import OptionError
from firth.explanation.explanation import Floats


@dataclass(frozen=True, eq=False)
class LinearTerms:
    """A text of a linear classifier; implements `firth.explanation.explanation.ExplainableText`.

    Attributes:
        tokens: the T tokens.
        target: the label.
        rows: (N, L) what each term adds to the logits.
        shares: (T, N); a pair of words is shared equally by them.
        bias: (L,) logits of a text without terms.
        number: of the label.
        independent: whether labels have probabilities of their own.
        reread: returns the (L,) logits of other tokens.
    """

    tokens: Sequence[str]
    target: str
    rows: Floats
    shares: Floats
    bias: Floats
    number: int
    independent: bool
    reread: Callable[[Sequence[str]], Floats]

    def log_prob(self, rows: Floats) -> Floats:
        """See `ExplainableText.log_prob`."""
        return self._of_logits(rows.sum(axis=1) + self.bias)

    def _of_logits(self, logits: Floats) -> Floats:
        if self.independent:
            return np.asarray(-np.logaddexp(0, -logits[:, self.number]))
        return np.asarray(log_softmax(logits, axis=1)[:, self.number])

    def gradient(self, rows: Floats) -> Floats:
        """See `ExplainableText.gradient`."""
        logits = rows.sum(axis=1) + self.bias
        if self.independent:
            by_logit = np.zeros_like(logits)
            by_logit[:, self.number] = expit(-logits[:, self.number])
        else:
            by_logit = -softmax(logits, axis=1)
            by_logit[:, self.number] += 1
        return np.repeat(by_logit[:, None], rows.shape[1], axis=1)  # the same for every term

    def log_probs_without(self) -> Floats:
        """See `ExplainableText.log_probs_without`."""
        tokens = list(self.tokens)
        logits = [self.reread([*tokens[:position], *tokens[position + 1 :]]) for position in range(len(tokens))]
        return self._of_logits(np.array(logits))

    def attention(self) -> Floats:
        """See `ExplainableText.attention`.

        Raises:
            OptionError: always, for a linear model has no attention.
        """
        raise OptionError("method='attention': this classifier is linear and has no attention; use another method")
