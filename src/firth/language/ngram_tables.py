"""From tables of n-grams in any order to a trie, whatever n-grams a table leaves out.

A trie needs the context and the suffix of each n-gram as n-grams of their own. Pruned models may lack some; these are
put in with the probability that backing off gives them, and the weight 1 for lower orders, which changes no
distribution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.kernels.compiled import compiled
from firth.language.ngram_trie import Trie, assembled

MISSING = -1

Ids = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Table:
    """The n-grams of an order.

    Attributes:
        ngrams: (M, k) int32, ids of words; `BOS` has the id V and stands in front alone.
        log_prob: (M,) float64, natural logarithms of the probability of the last word after the others.
        log_backoff: (M,) float64, natural logarithms of the weight of lower orders after the n-gram.
        line: where the first of them stands in a file, for messages.
    """

    ngrams: Ids
    log_prob: npt.NDArray[np.float64]
    log_backoff: npt.NDArray[np.float64]
    line: int = 1


def trie_of(tables: Sequence[Table], source: str) -> Trie:
    """Return the trie of tables of orders 1 to n.

    Args:
        tables: one for each order; that of order 1 holds each id from 0 to V once.
        source: where they come from, for messages.

    Raises:
        FormatError: an n-gram stands in its table twice.
    """
    trie = _trie(tables, source)
    return trie if trie is not None else _whole(_trie(_completed(tables), source))


def _whole(trie: Trie | None) -> Trie:
    assert trie is not None, "what was completed lacks nothing"
    return trie


def _trie(tables: Sequence[Table], source: str) -> Trie | None:
    """Return the trie, or None where an n-gram lacks its context or its suffix."""
    levels: list[_Level] = []
    words, children = np.zeros(0, np.int32), np.zeros(1, np.int64)  # of the orders below, as in a `Trie`
    for k, table in enumerate(tables, 1):
        before, behind = np.zeros(len(table.ngrams), np.int32), np.zeros(len(table.ngrams), np.int32)
        if levels:
            base = len(words) - len(levels[-1].last)
            find_rows(table.ngrams, 0, k - 1, words, children, base, before)
            find_rows(table.ngrams, 1, k, words, children, base, behind)
            if (before == MISSING).any() or (behind == MISSING).any():
                return None
        order = _sorted(before.astype(np.int64) << 32 | table.ngrams[:, -1], table, source)
        level = _Level(
            table.ngrams[order, -1], before[order], behind[order], table.log_prob[order], table.log_backoff[order]
        )
        if levels:
            level.fill(levels[-1])
            starts = np.searchsorted(level.contexts, np.arange(len(levels[-1].last) + 1, dtype=np.int32))
            children = np.concatenate([children[:-1], len(words) + starts])
        levels.append(level)
        words = np.concatenate([words, level.last])
    return assembled(*zip(*levels, strict=True))


class _Level(NamedTuple):
    """The n-grams of an order, sorted, as `assembled` takes them."""

    last: Ids
    contexts: Ids
    suffixes: Ids
    log_prob: npt.NDArray[np.float64]
    log_backoff: npt.NDArray[np.float64]

    def fill(self, lower: "_Level") -> None:
        """Work out the probabilities that are NaN by backing off."""
        unknown = np.isnan(self.log_prob)
        self.log_prob[unknown] = (lower.log_backoff[self.contexts] + lower.log_prob[self.suffixes])[unknown]


def _sorted(keys: Rows, table: Table, source: str) -> Rows:
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(twice):
        first, second = table.line + order[twice[0]], table.line + order[twice[0] + 1]
        raise FormatError(f"{source} line {second:,}: the n-gram of line {first:,} again; expected each once")
    return order


def _completed(tables: Sequence[Table]) -> list[Table]:
    """Return the tables with the contexts and suffixes that they lack; their probability is NaN, to be worked out."""
    whole = [tables[-1]]
    for table in reversed(tables[:-1]):
        above, own = whole[-1].ngrams, len(table.ngrams)
        every = np.concatenate([table.ngrams, above[:, :-1], above[:, 1:]])
        _, first = np.unique(every, axis=0, return_index=True)
        new = every[np.sort(first[first >= own])]
        log_prob = np.append(table.log_prob, np.full(len(new), np.nan))
        log_backoff = np.append(table.log_backoff, np.zeros(len(new)))
        whole.append(Table(np.concatenate([table.ngrams, new]), log_prob, log_backoff, table.line))
    return whole[::-1]


@compiled
def find_rows(
    ngrams: Ids,  # (M, k)
    first: int,  # of the words that are looked for
    last: int,  # one past the last
    words: Ids,  # (R,) the last words of all n-grams of lower orders, as in a `Trie`
    children: Rows,  # (some,) where those begin that go on from each, as in a `Trie`
    base: int,  # where the n-grams of last - first words begin
    rows: Ids,  # (M,) written: where each stands among them, or MISSING
) -> None:
    """Look up a part of each n-gram."""
    for i in range(len(ngrams)):
        row = np.int64(ngrams[i, first])
        rows[i] = row - base
        for place in range(first + 1, last):
            low, end = children[row], children[row + 1]
            found = low + np.searchsorted(words[low:end], ngrams[i, place])
            if found >= end or words[found] != ngrams[i, place]:
                rows[i] = MISSING
                break
            row = found
            rows[i] = row - base
