"""Assigns each word of a text to its nearest sense centre during training.

`firth.senses.online_state` describes the arrays; the kernels see their addresses.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.memory import get_float32, get_int64, set_float32, set_int64
from firth.kernels.targets import Addresses

PATIENCE = 5  # contexts before a word may open a sense; a new sense needs a cosine below their mean


class CentreAddresses(NamedTuple):
    """Addresses of the sense statistics of V words; S rows of P numbers."""

    firsts: int  # (V + 1,) int64, the first sense row of each word
    known: int  # (V,) int64, senses that each word has so far
    counts: int  # (S,) int64, contexts of each sense
    centres: int  # (S, P) float32, their sums
    tries: int  # (V,) int64, contexts since a word's last sense was opened
    cosines: int  # (V,) float32, the sum of their cosines with the nearest centre
    nonparametric: bool  # whether a context opens a sense by `new_sense_below`, else by `cosines`
    words: int  # (V, P) float32, the vector of each word as a context
    new_sense_below: np.float32  # a context opens a sense if its cosine with every centre is below this
    size: int  # P


@njit(nogil=True)
def choose_senses(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    count: int,  # their number
    disambiguate: bool,  # if False, each word has its first sense
    window: int,  # words of a context on each side
    rows: npt.NDArray[np.int64],  # (LONGEST + 1 + window,) receives the row of each word's sense
    senses: CentreAddresses,
    at: Addresses,  # input rows are the sense vectors; the hidden row is overwritten
) -> None:
    """Write each word's sense row: that of the centre nearest to its context."""
    for t in range(count):
        word = sentence[t]
        first = get_int64(senses.firsts, word)
        rows[t] = first
        if disambiguate and get_int64(senses.firsts, word + 1) > first + 1:
            _clear(at.hidden, senses.size)
            for position in range(max(0, t - window), min(count, t + window + 1)):
                if position != t:
                    near = np.float32(1) / np.float32(abs(position - t))  # weight of a context word: 1 / distance
                    _add(at.hidden, senses.words + sentence[position] * at.row_bytes, near, senses.size)
            rows[t] = _choose(word, first, senses, at)


@njit(nogil=True)
def _choose(word: int, first: int, senses: CentreAddresses, at: Addresses) -> int:
    """Return the sense row of the context in the hidden row, and add the context to its centre."""
    length = np.sqrt(_product(at.hidden, at.hidden, senses.size))
    if length == 0:
        return first  # a zero context
    opened, centre_bytes = get_int64(senses.known, word), 4 * senses.size
    best, sense = np.float32(-np.inf), first
    for row in range(first, first + opened):
        near = _scaled_cosine(at.hidden, senses.centres + row * centre_bytes, senses.size)
        if near > best:
            best, sense = near, row
    room = get_int64(senses.firsts, word + 1) - first
    if opened < room and get_int64(senses.counts, first) > 0 and _opens(word, best / length, senses):
        _copy(at.inputs + (first + opened) * at.row_bytes, at.inputs + sense * at.row_bytes, senses.size)
        sense = first + opened
        set_int64(senses.known, word, opened + 1)
    set_int64(senses.counts, sense, get_int64(senses.counts, sense) + 1)
    _add(senses.centres + sense * centre_bytes, at.hidden, np.float32(1) / length, senses.size)
    return sense


@njit(nogil=True)
def _opens(word: int, cosine: np.float32, senses: CentreAddresses) -> bool:
    """Return whether a context with this cosine to its word's nearest centre opens a new sense."""
    if senses.nonparametric:
        return bool(cosine < senses.new_sense_below)
    tries, cosines = get_int64(senses.tries, word), get_float32(senses.cosines, word)
    opens = tries >= PATIENCE and cosine * tries < cosines
    set_int64(senses.tries, word, 0 if opens else tries + 1)
    set_float32(senses.cosines, word, np.float32(0) if opens else cosines + cosine)
    return bool(opens)


@njit(nogil=True, fastmath=True)
def _product(left: int, right: int, size: int) -> np.float32:
    total = np.float32(0)
    for i in range(size):
        total += get_float32(left, i) * get_float32(right, i)
    return total


@njit(nogil=True, fastmath=True)
def _scaled_cosine(context: int, centre: int, size: int) -> np.float32:
    """Return the length of a context times its cosine with a centre; 0 for a zero centre."""
    product, square = np.float32(0), np.float32(0)
    for i in range(size):
        number = get_float32(centre, i)
        product += get_float32(context, i) * number
        square += number * number
    return product / np.sqrt(square) if square > 0 else np.float32(0)


@njit(nogil=True)
def _add(row: int, other: int, scale: np.float32, size: int) -> None:
    for i in range(size):
        set_float32(row, i, get_float32(row, i) + scale * get_float32(other, i))


@njit(nogil=True)
def _clear(row: int, size: int) -> None:
    for i in range(size):
        set_float32(row, i, np.float32(0))


@njit(nogil=True)
def _copy(row: int, other: int, size: int) -> None:
    for i in range(size):
        set_float32(row, i, get_float32(other, i))
