"""Candidate lists: the target tokens that a search for translations scores, chosen by the tokens of the source.

What
    A table holds, for each source token, the target tokens that are its likely translations, and the most frequent
    target tokens. The candidates of a text are those of its tokens and the frequent ones; the output layer computes no
    other.
Objective
    p(w | h) = exp(h . u_w + b_w) / sum_{v in C} exp(h . u_v + b_v) for the w of the text's list C, 0 for others.
    Table: the K tokens f of highest t(f | e) of IBM model 1, by its EM over the training pairs:
    c(f, e) = sum over pairs of n_f n_e t(f | e) / sum_e' n_e' t(f | e');   t(f | e) = c(f, e) / sum_f' c(f', e)
Source
    Jean, Cho, Memisevic and Bengio 2015, On Using Very Large Target Vocabulary for Neural Machine Translation, section
    3.3; L'Hostis, Grangier and Auli 2016, Vocabulary Selection Strategies for Neural Machine Translation, section 3.3;
    Brown, Della Pietra, Della Pietra and Mercer 1993, The Mathematics of Statistical Machine Translation, section 4.2.
Departures
    The end of the source stands for the empty word of model 1. Texts that are searched together share one product over
    the union of their lists; each has the probabilities of its own list all the same.
Cost
    EM: a pass over all pairs of tokens of a sentence pair per iteration. A step of a search: N |C| D multiplications
    for the union C in place of N V D.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.neural.layers.output.base import OutputLayer
from firth.neural.layers.output.cross_entropy import log_normalisers
from firth.neural.layers.output.full import FullSoftmax
from firth.neural.models.translation.data import Pair, Source
from firth.neural.models.translation.units import EOS, SPECIAL, UNKNOWN, Ids
from firth.options import wrong_kind

ITERATIONS = 5  # of EM
CHUNK = 10_000  # pairs whose pairs of tokens are in memory at once
UNKNOWN_WORDS = ("kept", "copied", "dictionary", "spelled")


@dataclass(frozen=True, eq=False)
class CandidateTable:
    """Candidates by source token.

    Attributes:
        by_source: (V_s, K) int32 target ids, the likeliest first; the end where a token has fewer.
        frequent: (F,) int32 target ids that all texts have, the end among them.
    """

    by_source: npt.NDArray[np.int32]
    frequent: npt.NDArray[np.int32]

    def of(self, source: Source, forced: Sequence[int] = ()) -> Ids:
        """Return the sorted candidates of a source, with ids that its translation must have."""
        ids = [self.by_source[source.ids].ravel(), self.frequent, np.asarray(forced, dtype=np.int32)]
        return np.unique(np.concatenate(ids)).astype(np.int64)


def learn_candidates(
    pairs: Sequence[Pair], sizes: tuple[int, int], counts: Ids, k: int, frequent: int
) -> CandidateTable:
    """Return a table of the K likeliest translations of each source token.

    Args:
        sizes: of the vocabularies of source and target.
        counts: (V_t,) of target tokens.
    """
    keys, t = translation_probabilities(pairs, sizes[1])
    sources, targets = np.divmod(keys, sizes[1])
    order = np.lexsort((targets, -t, sources))
    sources, targets = sources[order], targets[order]
    ranks = np.arange(len(keys)) - np.searchsorted(sources, sources)
    table = np.full((sizes[0], k), EOS, dtype=np.int32)
    best = ranks < k
    table[sources[best], ranks[best]] = targets[best]
    most = np.argsort(-counts, kind="stable")[:frequent]
    return CandidateTable(table, np.union1d(most, [EOS]).astype(np.int32))


def translation_probabilities(pairs: Sequence[Pair], targets: int) -> tuple[Ids, npt.NDArray[np.float64]]:
    """Return t(f | e) of IBM model 1 of all tokens that occur together: (n,) sorted e V_t + f, and (n,) values."""
    keys = np.unique(np.concatenate([np.unique(chunk) for chunk, _ in _together(pairs, targets)]))
    starts = np.flatnonzero(np.diff(keys // targets, prepend=-1))
    sizes = np.diff(starts, append=len(keys))
    t = np.ones(len(keys))  # uniform; only ratios matter
    for _ in range(ITERATIONS):
        counts = np.zeros(len(keys))
        for chunk, tokens in _together(pairs, targets):
            rows = np.searchsorted(keys, chunk)
            shares = t[rows] / np.bincount(tokens, t[rows])[tokens]
            counts += np.bincount(rows, shares, len(keys))
        t = counts / np.repeat(np.add.reduceat(counts, starts), sizes)
    return keys, t


def _together(pairs: Sequence[Pair], targets: int) -> Iterator[tuple[Ids, Ids]]:
    """Yield, of chunks of pairs, e V_t + f of each two tokens of a pair, and the number of the target token there."""
    for start in range(0, len(pairs), CHUNK):
        chunk = [pair for pair in pairs[start : start + CHUNK] if len(pair.target) > 1]
        keys = [(pair.source.ids[None] * targets + pair.target[:-1, None]).ravel() for pair in chunk]
        lengths = np.repeat([len(pair.source.ids) for pair in chunk], [len(pair.target) - 1 for pair in chunk])
        if keys:
            yield np.concatenate(keys), np.repeat(np.arange(len(lengths)), lengths)


class CandidateScores:
    """Scores of the candidates of B texts, without gradients, with the weights as they are now.

    Attributes:
        columns: (C,) sorted union of the lists.
    """

    def __init__(self, output: OutputLayer, lists: Sequence[Ids]) -> None:
        assert isinstance(output, FullSoftmax)  # as `with_candidates` checks
        self.columns = np.unique(np.concatenate(lists))
        device = output.weight.device
        self._scores_of = output.prepared_scores(torch.from_numpy(self.columns).to(device))
        closed = torch.full((len(lists), len(self.columns)), -torch.inf)
        for row, ids in zip(closed, lists, strict=True):
            row[torch.from_numpy(np.searchsorted(self.columns, ids))] = 0.0
        self._closed = closed.to(device)

    def __call__(self, hidden: torch.Tensor, sources: torch.Tensor) -> tuple[torch.Tensor, Any]:
        """Return (P W, C) scores and (P W,) normalisers of (P W, D) states of P texts, given the numbers of these."""
        scores = self._scores_of(hidden)
        closed = self._closed[sources.clamp(max=len(self._closed) - 1)]
        scores.view(len(sources), -1, len(self.columns)).add_(closed[:, None])
        return scores, log_normalisers(scores)


def check_dictionary(dictionary: Any, name: str = "dictionary") -> None:
    """Check that a value is None, or a mapping of words to words."""
    expected = "words of the target by words of the source: {'Hund': 'dog'}"
    if dictionary is None:
        return
    if not isinstance(dictionary, Mapping):
        raise wrong_kind(name, dictionary, expected)
    for word, translation in dictionary.items():
        if not isinstance(word, str) or not isinstance(translation, str):
            raise wrong_kind(f"{name}, an entry", {word: translation}, expected)


def replaced(
    tokens: Sequence[str],
    source: Sequence[str],
    attention: npt.NDArray[np.floating],
    dictionary: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the tokens of a translation without unknown words.

    Args:
        source: S tokens of the source, without its end.
        attention: (T, S or more) of each token over the source.
        dictionary: words of the target for words of the source; others are copied.
    """
    if not source:
        return list(tokens)
    entries = dictionary or {}
    words = [source[step] for step in np.asarray(attention)[: len(tokens), : len(source)].argmax(1)]
    return [
        entries.get(word, word) if token == SPECIAL[UNKNOWN] else token
        for token, word in zip(tokens, words, strict=True)
    ]
