"""Inference of vectors for new documents; the model's word and output vectors stay frozen.

A document's random numbers come from the seed and its own words, so its vector depends neither on the other documents
nor on the number of threads.
"""

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.documents import (
    CONCATENATE,
    DBOW,
    MEAN,
    SUM,
    WORDS,
    Reading,
    document_addresses,
    document_work,
    read_piece,
    width_of,
)
from firth.kernels.memory import set_float32
from firth.kernels.noise import alias_table
from firth.kernels.objectives import Predictor, Scoring, most_outputs, new_loss, predictor, scoring
from firth.kernels.random import draw
from firth.kernels.rows import aligned_rows
from firth.kernels.step import take_loss
from firth.kernels.targets import Addresses, Workspace
from firth.kernels.trees import huffman
from firth.kernels.windows import keep_thresholds, subsample
from firth.vocabulary import Vocabulary

MODES = {"mean": MEAN, "sum": SUM, "concatenate": CONCATENATE}
PIECES = 8  # per thread; Ctrl-C stops the work between pieces


class Inference(NamedTuple):
    """Settings of the kernel."""

    thresholds: npt.NDArray[np.uint32]  # (V,) of subsampling
    noise: npt.NDArray[np.uint64]  # (V,) alias table
    documents: int  # row of the first document in the input matrix
    dim: int
    epochs: int
    first_lr: float
    last_lr: float


def reading(options: Mapping[str, Any], *, frozen: bool) -> Reading:
    """Return how a model with these options reads documents. A frozen model trains no words."""
    if options["architecture"] == "dm":
        mode = MODES[options["combine"]]
    else:
        mode = WORDS if options["words"] and not frozen else DBOW
    return Reading(
        mode=mode,
        window=options["window"],
        shrink=options["shrink_windows"],
        shared=options["shared_windows"],
        negative=options["negative"],
        frozen=frozen,
    )


def scoring_of(options: Mapping[str, Any], counts: npt.NDArray[np.int64]) -> Scoring:
    """Return the training objective for these options and word counts."""
    noise = Vocabulary([""] * len(counts), counts, int(counts.sum())).noise_probabilities(options["noise_exponent"])
    tree = huffman(counts) if options["objective"] == "hierarchical" else None
    return scoring(options["objective"], noise, negative=options["negative"], noise=alias_table(noise), tree=tree)


def infer(
    documents: Sequence[npt.NDArray[np.int32]],
    *,
    options: Mapping[str, Any],
    counts: npt.NDArray[np.int64],
    words: npt.NDArray[np.float32],
    outputs: npt.NDArray[np.float32],
    seed: int,
    threads: int,
) -> npt.NDArray[np.float32]:
    """Return one vector per document, (R, D) float32; zeros for a document without words.

    Args:
        options: model options, with the inference's `lr`, `lr_end_factor` and `epochs`.
        counts: (V,) word counts.
        words: (V, D) input vectors.
        outputs: (V, Q) output vectors; Q = D, or (2 window + 1) D where vectors are concatenated.
    """
    layout, dim = reading(options, frozen=True), options["dim"]
    first = 0 if layout.mode == DBOW else len(words)
    inputs = aligned_rows(first + len(documents), dim)
    inputs[:first, :dim] = words[:first]
    parts = aligned_rows(len(outputs) * width_of(layout.mode, layout.window), dim)
    parts[:, :dim] = np.reshape(outputs, (len(parts), dim))
    frozen_outputs = parts.reshape(len(outputs), -1)
    layer = scoring_of(options, counts)
    keep = Vocabulary([""] * len(counts), counts, int(counts.sum())).keep_probabilities(options["sample"])
    task = Inference(
        thresholds=keep_thresholds(keep),
        noise=layer.noise,
        documents=first,
        dim=dim,
        epochs=options["epochs"],
        first_lr=options["lr"],
        last_lr=options["lr"] * options["lr_end_factor"],
    )
    ids, offsets = _concatenate(documents)
    states = np.array([_state(seed, document) for document in documents], dtype=np.uint64)

    def infer_piece(begin: int, end: int) -> None:
        work = document_work(layout, inputs.shape[1], most_outputs(layer))
        at, wide = document_addresses(work, inputs, frozen_outputs, layout)
        loss = new_loss()
        infer_documents(ids, offsets, states, task, layout, work, predictor(layer, at, loss), at, wide, begin, end)

    # Pieces hold about equally many words; a piece may be empty.
    pieces = threads * PIECES
    borders = np.searchsorted(offsets, len(ids) * np.arange(pieces + 1) / pieces).tolist()
    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(infer_piece, *piece) for piece in itertools.pairwise(borders)]:
            future.result()
    return np.ascontiguousarray(inputs[first:, :dim])


def _concatenate(documents: Sequence[npt.NDArray[np.int32]]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])]).astype(np.int64)
    return np.concatenate([np.zeros(0, np.int32), *documents]).astype(np.int32), offsets


def _state(seed: int, ids: npt.NDArray[np.int32]) -> int:
    digest = hashlib.blake2b(ids.astype("<i4").tobytes(), digest_size=8, key=f"{seed}".encode()).digest()
    return int.from_bytes(digest, "little")


@compiled
def infer_documents(
    ids: npt.NDArray[np.int32],  # (N,) words of all documents
    offsets: npt.NDArray[np.int64],  # (R + 1,) start of each document
    states: npt.NDArray[np.uint64],  # (R,) random states, updated
    task: Inference,
    layout: Reading,
    work: Workspace,
    predictor: Predictor,
    at: Addresses,
    wide: Addresses,  # the same, for rows as wide as the outputs
    first: int,  # first document
    last: int,  # one past the last document
) -> None:
    """Train the rows of documents first to last - 1; everything else is frozen."""
    thresholds, noise = task.thresholds, task.noise
    sentence, sets, contexts, table, signs = work.sentence, work.noise, work.contexts, work.outputs, work.signs
    random = np.zeros(1, np.uint64)
    for d in range(first, last):
        random[0] = states[d]
        document = at.inputs + (task.documents + d) * at.row_bytes
        total = task.epochs * (offsets[d + 1] - offsets[d])
        if total > 0:
            start_row(document, task.dim, random)
        progress = 0  # words
        for _ in range(task.epochs):
            position = offsets[d]
            while position < offsets[d + 1]:
                count, end = subsample(ids, position, offsets[d + 1], thresholds, random, sentence)
                rate = np.float32(task.first_lr + (task.last_lr - task.first_lr) * (progress / total))
                read_piece(
                    sentence,
                    count,
                    document,
                    rate,
                    layout,
                    predictor,
                    at,
                    wide,
                    noise,
                    random,
                    sets,
                    contexts,
                    table,
                    signs,
                )
                progress += end - position
                position = end
    take_loss(work.likelihood, work.exponents)


@njit(nogil=True, inline="always")
def start_row(
    row: int,  # address
    dim: int,
    random: npt.NDArray[np.uint64],  # (1,) state, updated
) -> None:
    """Fill a row with uniform random numbers between -1/D and 1/D."""
    for i in range(dim):
        uniform = np.float32(draw(random) >> np.uint64(40)) / np.float32(2.0**24)
        set_float32(row, i, (np.float32(2) * uniform - np.float32(1)) / np.float32(dim))
