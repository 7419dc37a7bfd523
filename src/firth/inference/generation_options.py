"""Options of text generation: length, sampling, and repetition; and the continuation of a prompt that they give."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.options import check, option, options_class


@options_class
class GenerationOptions:
    """Options of text generation, for every search.

    Raises:
        OptionError: a value is out of its range, or two contradict each other.
    """

    max_length: int = option(50, "maximum number of words to generate, with the end of the sentence", minimum=1)
    min_length: int = option(0, "minimum number of words before the end of the sentence", minimum=0)
    temperature: float | None = option(
        None,
        "sampling temperature: lower values prefer probable words; 0 only with greedy search; default: 1 where texts "
        "are sampled",
        minimum=0,
    )
    top_k: int | None = option(None, "top-k sampling: sample from the k most probable words", minimum=1)
    top_p: float = option(
        1.0, "top-p (nucleus) sampling: sample from the fewest words whose probabilities reach this sum",
        minimum=0, maximum=1, exclusive=True,
    )  # fmt: skip
    min_p: float = option(
        0.0, "min-p sampling: no word below this fraction of the highest probability", minimum=0, maximum=1
    )
    repetition_penalty: float = option(
        1.0, "repetition penalty: factor on log-probabilities of words that the text already contains", minimum=1
    )
    no_repeat_ngram: int | None = option(None, "n-grams of this length occur at most once in a text", minimum=1)

    def __post_init__(self) -> None:
        check(self)
        if self.min_length >= self.max_length:
            raise OptionError(
                f"min_length={self.min_length}: expected less than max_length={self.max_length}, which counts the end"
            )

    @property
    def samples(self) -> bool:
        """Whether an option is given that only sampling uses; the temperature 0 is that of greedy search."""
        return self.temperature not in (None, 0) or (self.top_k, self.top_p, self.min_p) != (None, 1.0, 0.0)


@dataclass(frozen=True)
class Continuation:
    """Generated text after a prompt.

    Attributes:
        ids: generated words, without the id that ended the text.
        log_prob: the model's log-probability of the words given the prompt, in nats, with the end if it was generated;
            constraints and options do not change it.
        ended: whether an end was generated; otherwise the length limit was reached, or no next word was possible.
        score: by which a search ranks; `log_prob` if it does not rank.
        met: whether the text has every forced phrase; False only if the search found no such text.
        attention: (T, S) weights of the source positions at each of the T generated words, with the end; None if the
            search was given no attention. Not compared by `==`.
    """

    ids: tuple[int, ...]
    log_prob: float
    ended: bool
    score: float
    met: bool = True
    attention: npt.NDArray[np.floating[Any]] | None = field(default=None, compare=False, repr=False)
