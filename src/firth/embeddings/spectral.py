"""From a matrix to vectors by truncated SVD, for all models that factorise a matrix."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from firth.counts.factorise import factorise
from firth.errors import OptionError
from firth.kernels.threads import usable_threads
from firth.options import option
from firth.progress import Progress, Status, reporting
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary


def exponent_option(default: float | None, more: str = "") -> Any:
    """Return the option `exponent`; `more` is appended to its help."""
    return option(default, f"exponent of the singular values in the vectors{more}", minimum=0, maximum=2)


def drop_option() -> Any:
    """Return the option `drop`."""
    return option(0, "number of leading components to leave out", minimum=0)


def spectral_vectors(
    model: Any,
    vocabulary: Vocabulary,
    associate: Callable[[], Any],
    *,
    seed: int,
    threads: int | None,
    progress: Progress,
    facts: Mapping[str, Any],
) -> WordVectors:
    """Return U S^p of a truncated singular value decomposition, without the first `drop` components.

    Args:
        model: options with `dim`, `drop` and `exponent`.
        associate: makes the matrix, (V, C).
        progress: see `firth.progress`.

    Returns:
        (V, dim) vectors; if the columns are the same words, V S^p as output vectors.
    """
    count, began = usable_threads(threads), time.monotonic()
    with reporting(progress) as report:
        report(Status(stage="weighting counts"))
        matrix = associate()
        rank, most = model.dim + model.drop, min(matrix.shape)
        if rank > most:
            suffix = f" and drop={model.drop}" if model.drop else ""
            raise OptionError(
                f"dim={model.dim}{suffix} for {matrix.shape[0]:,} words and {matrix.shape[1]:,} contexts: expected at "
                f"most dim={most - model.drop:,}; use fewer dimensions, or more text"
            )
        svd = factorise(matrix, rank, seed=seed, threads=count, report=report)
    values = svd.values[model.drop :]
    left, right = (side[:, model.drop :] * values**model.exponent for side in (svd.left, svd.right))
    training = {
        "options": facts["options"], "seed": seed, "threads": count, "loss": [], "unit": "cells",
        "cells": int(matrix.nnz), "seconds": round(time.monotonic() - began, 3), "interrupted": False,
        "singular_values": [float(value) for value in values], **facts,
    }  # fmt: skip
    return WordVectors(
        list(vocabulary.words),
        left.astype(np.float32),
        counts=vocabulary.counts,
        output_vectors=right.astype(np.float32) if len(right) == len(left) else None,
        metadata={"training": training},
    )
