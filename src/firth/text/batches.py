"""Texts to vectors in batches, with progress: the frame of every `encode`."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.progress import Progress, Status, reporting
from firth.text.inputs import Text, check_items


def encoded_in_batches(
    texts: Sequence[Text],
    encode: Callable[[list[Text]], npt.NDArray[Any]],
    dim: int,
    *,
    batch_size: int,
    progress: Progress = None,
) -> npt.NDArray[np.float32]:
    """Return one vector per text, (N, D).

    Args:
        texts: N texts.
        encode: returns the (n, D) vectors of a batch of n texts.
        dim: D.
        batch_size: texts per batch.
        progress: how to show progress; see `firth.progress`.

    Raises:
        OptionError: `batch_size` is below 1.
        KindError: `texts` is one string, or no list of texts.
    """
    if batch_size < 1:
        raise OptionError(f"batch_size={batch_size}: expected a whole number of at least 1")
    items = list(check_items(texts))
    vectors = np.zeros((len(items), dim), dtype=np.float32)
    began = time.monotonic()
    with reporting(progress) as report:
        for first in range(0, len(items), batch_size):
            vectors[first : first + batch_size] = encode(items[first : first + batch_size])
            done, seconds = min(first + batch_size, len(items)), time.monotonic() - began
            report(Status(stage="encoding", done=done, total=len(items), unit="texts", seconds=seconds))
    return vectors
