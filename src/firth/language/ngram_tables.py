"""Build a trie from unsorted tables of n-grams, such as those of an ARPA file.

A trie needs the context and the suffix of each n-gram as n-grams of their own. Pruned models may lack some of them.
These are added with the probability that back-off gives and the back-off weight 1, which changes no distribution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.kernels.compiled import compiled
from firth.language.ngram_trie import Trie, build_trie

MISSING = -1

Ids = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Table:
    """The n-grams of an order.

    Attributes:
        ngrams: (M, k) int32, word ids; `BOS` has the id V and occurs only as the first word.
        log_prob: (M,) float64, natural logarithm of the probability of the last word given the others.
        log_backoff: (M,) float64, natural logarithm of the back-off weight.
        line: line number of the first n-gram in its file, for error messages.
    """

    ngrams: Ids
    log_prob: npt.NDArray[np.float64]
    log_backoff: npt.NDArray[np.float64]
    line: int = 1


def trie_from_tables(tables: Sequence[Table], source: str) -> Trie:
    """Build the trie of the tables of orders 1 to n.

    Args:
        tables: one per order; order 1 holds each id from 0 to V once.
        source: name of the file, for error messages.
    """
    trie = _trie(tables, source)
    if trie is None:
        trie = _trie(_completed(tables), source)
        assert trie is not None, "completed tables lack no context and no suffix"
    return trie


def _trie(tables: Sequence[Table], source: str) -> Trie | None:
    """Return the trie, or None where an n-gram lacks its context or its suffix."""
    levels: list[_Level] = []
    words, children = np.zeros(0, np.int32), np.zeros(1, np.int64)  # of all lower orders, as in a `Trie`
    for k, table in enumerate(tables, 1):
        contexts, suffixes = np.zeros(len(table.ngrams), np.int32), np.zeros(len(table.ngrams), np.int32)
        if levels:
            base = len(words) - len(levels[-1].last)
            find_rows(table.ngrams, 0, k - 1, words, children, base, contexts)
            find_rows(table.ngrams, 1, k, words, children, base, suffixes)
            if (contexts == MISSING).any() or (suffixes == MISSING).any():
                return None
        order = _sorted(contexts.astype(np.int64) << 32 | table.ngrams[:, -1], table, source)
        level = _Level(
            table.ngrams[order, -1], contexts[order], suffixes[order], table.log_prob[order], table.log_backoff[order]
        )
        if levels:
            level.fill(levels[-1])
            starts = np.searchsorted(level.contexts, np.arange(len(levels[-1].last) + 1, dtype=np.int32))
            children = np.concatenate([children[:-1], len(words) + starts])
        levels.append(level)
        words = np.concatenate([words, level.last])
    return build_trie(*zip(*levels, strict=True))


class _Level(NamedTuple):
    """The sorted n-grams of an order, as arguments of `build_trie`."""

    last: Ids
    contexts: Ids
    suffixes: Ids
    log_prob: npt.NDArray[np.float64]
    log_backoff: npt.NDArray[np.float64]

    def fill(self, lower: "_Level") -> None:
        """Replace NaN by the probabilities that back-off gives."""
        unknown = np.isnan(self.log_prob)
        self.log_prob[unknown] = (lower.log_backoff[self.contexts] + lower.log_prob[self.suffixes])[unknown]


def _sorted(keys: Rows, table: Table, source: str) -> Rows:
    order = np.argsort(keys, kind="stable")
    repeated = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(repeated):
        first, second = table.line + order[repeated[0]], table.line + order[repeated[0] + 1]
        raise FormatError(f"{source} line {second:,}: the same n-gram as in line {first:,}; expected each once")
    return order


def _completed(tables: Sequence[Table]) -> list[Table]:
    """Add the contexts and suffixes that the tables lack, with the probability NaN."""
    completed = [tables[-1]]
    for table in reversed(tables[:-1]):
        above, size = completed[-1].ngrams, len(table.ngrams)
        every = np.concatenate([table.ngrams, above[:, :-1], above[:, 1:]])
        _, first = np.unique(every, axis=0, return_index=True)
        new = every[np.sort(first[first >= size])]
        log_prob = np.append(table.log_prob, np.full(len(new), np.nan))
        log_backoff = np.append(table.log_backoff, np.zeros(len(new)))
        completed.append(Table(np.concatenate([table.ngrams, new]), log_prob, log_backoff, table.line))
    return completed[::-1]


@compiled
def find_rows(
    ngrams: Ids,  # (M, k)
    first: int,  # first word of the part to look up
    last: int,  # one past its last word
    words: Ids,  # last words of the n-grams of all lower orders, as in a `Trie`
    children: Rows,  # first child of each row, as in a `Trie`
    base: int,  # first row of the n-grams of last - first words
    rows: Ids,  # (M,) written: row of the part, counted from `base`, or MISSING
) -> None:
    """Look up the row of a part of each n-gram."""
    for i in range(len(ngrams)):
        row = np.int64(ngrams[i, first])
        rows[i] = row - base
        for position in range(first + 1, last):
            low, end = children[row], children[row + 1]
            match = low + np.searchsorted(words[low:end], ngrams[i, position])
            if match >= end or words[match] != ngrams[i, position]:
                rows[i] = MISSING
                break
            row = match
            rows[i] = row - base
