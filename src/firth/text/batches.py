"""Texts to vectors in batches, with progress and warnings: the frame of every `encode`."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, warn_caller
from firth.finite import check_finite
from firth.progress import Progress, Status, reporting_slow_work
from firth.text.inputs import Text, checked_texts

FOREIGN = 0.5, 10  # a greater share of unknown tokens, among at least so many, is that of another language


class TextsWarning(UserWarning):
    """Something about some of the texts that were encoded: they were truncated, or have no known word.

    Args:
        problem: what is wrong with them and what was done, as the end of "3 of 10 texts ...".
    """

    def __init__(self, count: int, total: int, problem: str) -> None:
        super().__init__(f"{count:,} of {total:,} texts {problem}")
        self.count, self.total, self.problem = count, total, problem


def warn_truncated(count: int, total: int, limit: int, unit: str = "tokens", advice: str = "") -> None:
    """Warn the caller that some texts were longer than an encoder reads, if there are any.

    Args:
        limit: number of units that are read.
        unit: what the length of a text is counted in.
        advice: what to do, if there is something.
    """
    if count:
        problem = f"have more than {limit:,} {unit}: the rest of them is not read"
        warn_caller(TextsWarning(count, total, problem + (f"; {advice}" if advice else "")))


def warn_long(count: int, whole: str, limit: int, outcome: str) -> None:
    """Warn the caller that some of the training data are longer than a model reads, if there are any.

    Args:
        whole: number and name of all, such as "40 pairs".
        outcome: what becomes of them.
    """
    if count:
        warn_caller(f"{count:,} of {whole} have more than {limit:,} tokens: {outcome}; give a higher max_length=")


def warn_foreign(unknown: int, total: int, what: str) -> None:
    """Warn the caller if a model knows few of the tokens of a text.

    Args:
        unknown: number of tokens that it does not know.
        total: number of tokens.
        what: the text is called, such as "held-out text".
    """
    share, least = FOREIGN
    if total >= least and unknown > share * total:
        warn_caller(
            f"{unknown:,} of {total:,} tokens of the {what} are unknown to the model; expected text of the language "
            "that it is trained on"
        )


def check_batch_size(size: Any) -> None:
    """Check a number of texts that are read at once."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise OptionError(f"batch_size={size!r}: expected a whole number of at least 1")


def encoded_in_batches(
    texts: Sequence[Text],
    encode: Callable[[list[Text]], npt.NDArray[Any]],
    dim: int,
    *,
    batch_size: int,
    progress: Progress = None,
    by_length: bool = False,
    model: Any = "the encoder",
) -> npt.NDArray[np.float32]:
    """Return one vector per text, (N, D).

    Args:
        texts: N texts, each a string or its tokens. All are checked before the first is encoded.
        encode: returns the (n, D) vectors of a batch of n texts, which are strings or lists of strings.
        dim: D.
        batch_size: texts per batch.
        progress: how to show progress; see `firth.progress`. Nothing is shown in the first second.
        by_length: whether batches hold texts of similar length, for encoders that pad.
        model: that encodes, as it is shown in a message.
    """
    check_batch_size(batch_size)
    items = checked_texts(texts)
    order = np.arange(len(items))
    if by_length:
        order = np.argsort(np.array([len(item) for item in items], dtype=np.int64), kind="stable")
    vectors = np.zeros((len(items), dim), dtype=np.float32)
    began = time.monotonic()
    with reporting_slow_work(progress) as report:
        for first in range(0, len(items), batch_size):
            rows = order[first : first + batch_size]
            encoded = np.asarray(encode([items[row] for row in rows.tolist()]), dtype=np.float32)
            vectors[rows] = encoded
            if not np.isfinite(encoded).all():
                check_finite(vectors[: rows.max() + 1], model, items)
            done, seconds = min(first + batch_size, len(items)), time.monotonic() - began
            report(Status(stage="encoding", done=done, total=len(items), unit="texts", seconds=seconds))
    return vectors
