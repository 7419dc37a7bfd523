"""Predictions for many items: batches by length, threads, progress, and answers in the order of the items."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import torch

from firth.neural.training.devices import no_subnormals, torch_threads
from firth.progress import Progress, Status, reporting, reporting_slow_work

Answer = TypeVar("Answer")


def in_batches(
    lengths: Sequence[int],
    answers: Callable[[list[int]], Sequence[Answer]],
    *,
    size: int,
    stage: str,
    unit: str,
    tokens: bool = False,
    slow: bool = False,
    by_length: bool = True,
    threads: int | None = None,
    progress: Progress = False,
) -> list[Answer]:
    """Return the answers for N items in their order, without gradients.

    Args:
        lengths: (N,) of the items; those of a batch are similar. Without `by_length` only their number counts.
        answers: returns the answers for the items of a batch, given their numbers.
        size: items per batch, or tokens with padding.
        stage: what is done, for display: "tagging".
        unit: what is counted, for display: "sentences".
        tokens: whether `size` counts tokens.
        slow: whether progress is shown only after a second.
        by_length: whether batches are formed by length; else in the order of the items.
    """
    result: list[Any] = [None] * len(lengths)
    done, show = 0, reporting_slow_work if slow else reporting
    with torch.no_grad(), show(progress) as report, torch_threads(threads), no_subnormals():
        for rows in batch_rows(lengths, size, tokens=tokens, by_length=by_length):
            for row, answer in zip(rows, answers(rows), strict=True):
                result[row] = answer
            done += len(rows)
            report(Status(stage=stage, done=done, total=len(lengths), unit=unit))
    return result


def batch_rows(
    lengths: Sequence[int], size: int, *, tokens: bool = False, by_length: bool = True
) -> Iterator[list[int]]:
    """Yield the numbers of the items of each batch; the arguments are those of `in_batches`."""
    order = np.argsort(lengths, kind="stable").tolist() if by_length else list(range(len(lengths)))
    start = 0
    while start < len(order):
        stop = start + 1 if tokens else min(start + size, len(order))
        while tokens and stop < len(order) and (stop + 1 - start) * lengths[order[stop]] <= size:
            stop += 1
        yield order[start:stop]
        start = stop
