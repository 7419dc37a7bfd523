"""Result of a search for one prompt."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Continuation:
    """Generated text after a prompt.

    Attributes:
        ids: generated words, without the id that ended the text.
        log_prob: the model's log-probability of the words given the prompt, in nats, with the end if it was generated;
            constraints and options do not change it.
        ended: whether an end was generated; otherwise the length limit was reached, or no next word was possible.
        score: by which a search ranks; `log_prob` if it does not rank.
    """

    ids: tuple[int, ...]
    log_prob: float
    ended: bool
    score: float
