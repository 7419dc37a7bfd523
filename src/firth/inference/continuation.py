"""What a search gives for a prompt."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Continuation:
    """What was written after a prompt.

    Attributes:
        ids: the words, without the one that ended the text.
        log_prob: the model's own logarithm of their probability given the prompt, the end included where it came, in
            nats; what the user's wishes did to scores is not in it.
        ended: whether the end came, and not the greatest length or a place where nothing may follow.
        score: what the search ranks by; `log_prob` where it ranks nothing.
    """

    ids: tuple[int, ...]
    log_prob: float
    ended: bool
    score: float
