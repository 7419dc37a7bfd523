"""Result of a search for one prompt."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt


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
