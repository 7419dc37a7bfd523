"""The initial state of the multi-sense skip-gram, and its result: from vectors to rows and back.

During training, a word has rows for its maximum number of senses; `SenseVectors` has only the senses in use.

Merging of similar senses of a word, after training in which senses are opened one by one.

A sense is opened on the evidence of a single occurrence; after training, all occurrences are known. The nearest pair is
merged first: the first sense gets the weighted mean of both vectors and the sum of weights and centres.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.corpus.encoded import Corpus
from firth.embeddings.matrices import Matrices, initial_matrices
from firth.errors import OptionError
from firth.kernels.rows import aligned_rows
from firth.senses.online_state import SenseState
from firth.vectors.cosine import Rows, unit
from firth.vectors.sense_readers import Centroids, Floats
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.word_vectors import WordVectors


def merge_similar(
    vectors: npt.NDArray[np.float32],
    weights: npt.NDArray[Any],
    above: float,
    *,
    centres: npt.NDArray[np.float32] | None = None,
    live: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.bool_]:
    """Merge similar senses of a word in place, nearest first, and return (n,) which senses remain.

    Args:
        vectors: (n, D); merged vectors are means by weight.
        weights: (n,) frequencies; merged weights are added, and the second sense gets 0.
        above: senses with a cosine above this are merged; 1 merges none.
        centres: (n, E) sums of contexts, which decide the cosines and are added; None uses the vectors.
        live: (n,) which rows are senses; None for all.
    """
    live_mask = np.ones(len(weights), dtype=bool) if live is None else live.copy()
    while above < 1 and live_mask.sum() > 1:
        directions = unit((vectors if centres is None else centres).astype(np.float64))
        pairs = np.triu(live_mask & live_mask[:, None], 1)
        cosines = np.where(pairs, directions @ directions.T, -np.inf)
        first, second = divmod(int(cosines.argmax()), len(weights))
        if cosines[first, second] <= above:
            break
        both = weights[first] + weights[second]
        # The first becomes the mean by weight; the second is dropped.
        share = weights[second] / both if both else 0.5
        vectors[first] = (1 - share) * vectors[first] + share * vectors[second]
        if centres is not None:
            centres[first] += centres[second]
        weights[first], weights[second], live_mask[second] = both, 0, False
    return live_mask


TEMPERATURE = 0.1


def initial_state(
    corpus: Corpus, dim: int, most: Rows, *, seed: int, start: SenseVectors | WordVectors | None
) -> tuple[Matrices, SenseState]:
    """Return initial matrices, an input row per sense and an output row per word, and the state of the senses.

    `most` is (V,), the maximum number of senses of each word.
    """
    senses = start if isinstance(start, SenseVectors) else None
    words = _single_vectors(start) if isinstance(start, SenseVectors) else start
    single = initial_matrices(corpus, dim, seed=seed, start=words)
    own, further = single.words[: len(most)], single.words[len(most) :]
    room = most
    if senses is not None:
        _check_room(senses, own, room)
        room = np.concatenate([most, senses.num_senses[_places(further, senses)]])
    elif further:
        room = np.concatenate([most, np.ones(len(further), dtype=np.int64)])
    state = SenseState.empty(room, dim)
    inputs = aligned_rows(int(state.firsts[-1]), dim)
    inputs[:] = np.repeat(single.inputs, room, axis=0)
    matrices = Matrices(single.words, single.counts, inputs, single.outputs, dim)
    if senses is not None:
        _restore(senses, matrices, state)
    return matrices, state


def _single_vectors(start: SenseVectors) -> WordVectors:
    return WordVectors(start.words, start.single().vectors, counts=start.counts, output_vectors=start.global_vectors)


def _places(words: list[str], start: SenseVectors) -> Rows:
    row_of = start.lexicon.rows
    return np.array([row_of[word] for word in words], dtype=np.int64)


def _check_room(start: SenseVectors, words: list[str], room: Rows) -> None:
    for word, most in zip(words, room.tolist(), strict=False):
        count = len(start.senses(word)) if word in start else 1
        if count > most:
            raise OptionError(
                f"start has {count} senses of {word!r}, the options allow {most}: use senses={count} or more, and the "
                "sense_words of its training"
            )


def _restore(start: SenseVectors, matrices: Matrices, state: SenseState) -> None:
    """Copy the senses of a start and, if it comes from this model, their contexts."""
    ids = np.array([i for i, word in enumerate(matrices.words) if word in start], dtype=np.int64)
    rows = _places([matrices.words[i] for i in ids], start)
    state.known[ids] = start.num_senses[rows]
    there = _ranges(start.offsets[rows], state.known[ids])
    here = _ranges(state.firsts[ids], state.known[ids])
    matrices.inputs[here, : matrices.dim] = start.vectors[there]
    reader, outputs = start.reader, start.global_vectors
    if not isinstance(reader, Centroids) or outputs is None or reader.centres.shape[1] != matrices.dim:
        return
    counts = np.ones(len(start)) if start.counts is None else start.counts
    state.centres[here, : matrices.dim] = reader.centres[there]
    state.counts[here] = np.rint(start.priors * np.repeat(counts, start.num_senses))[there]
    state.restore_whitening(outputs, reader.context_vectors)


def _ranges(firsts: Rows, lengths: Rows) -> Rows:
    """Return firsts[0], firsts[0] + 1, ... with `lengths` numbers for each."""
    ends = np.cumsum(lengths)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) + np.repeat(firsts - ends + lengths, lengths))


class PruningThresholds(NamedTuple):
    """Thresholds for merging and dropping senses; see `prune`."""

    merge_above: float
    min_share: float


def sense_vectors(
    matrices: Matrices, state: SenseState, facts: dict[str, Any], keep: Floats, thresholds: PruningThresholds | None
) -> SenseVectors:
    """Return the trained senses, those of each word by descending frequency.

    `keep` is (V,), the probability that subsampling keeps a word, its weight in a context; `thresholds` is for NP-MSSG.
    """
    dim, room = matrices.dim, np.diff(state.firsts)
    if state.matrix.any():
        state.refresh(matrices.outputs, int(state.epoch[0]))
    vectors, centres, counts = matrices.inputs[:, :dim].copy(), state.centres[:, :dim].copy(), state.counts.copy()
    words = np.repeat(np.arange(len(room)), room)
    live = np.arange(len(words)) - state.firsts[words] < state.known[words]
    if thresholds is not None:
        for word in np.flatnonzero(state.known[: len(keep)] > 1):
            rows = slice(state.firsts[word], state.firsts[word] + state.known[word])
            live[rows] = prune(vectors[rows], centres[rows], counts[rows], thresholds)
    order = np.lexsort((-counts, words))
    order = order[live[order]]
    totals = np.bincount(words[order], weights=counts[order], minlength=len(room))[words[order]]
    weights = np.zeros(len(room), dtype=np.float32)
    weights[: len(keep)] = keep
    return SenseVectors(
        matrices.words,
        np.concatenate([[0], np.cumsum(np.bincount(words[order], minlength=len(room)))]),
        vectors[order],
        priors=np.where(totals > 0, counts[order] / np.maximum(totals, 1), 1.0),
        reader=Centroids(state.words[:, :dim].copy(), weights, centres[order], TEMPERATURE, decay=1.0),
        counts=matrices.counts,
        global_vectors=matrices.outputs[:, :dim].copy(),
        metadata={"training": facts},
    )


def prune(
    vectors: npt.NDArray[np.float32], centres: npt.NDArray[np.float32], counts: Rows, thresholds: PruningThresholds
) -> npt.NDArray[np.bool_]:
    """Merge similar senses of one word, in place, and return (n,) which senses are kept; the most frequent always is.

    Args:
        vectors: (n, D); merged vectors are means weighted by counts.
        centres: (n, D); merged centres are added.
        counts: (n,); merged counts are added.
    """
    live = merge_similar(vectors, counts, thresholds.merge_above, centres=centres)
    live &= counts >= thresholds.min_share * counts[live].sum()
    if not live.any():
        live[counts.argmax()] = True
    return live
