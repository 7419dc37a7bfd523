"""Select the vocabulary: words sorted by count, the most frequent first, then by spelling."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth.corpus.options import CorpusOptions
from firth.corpus.size_defaults import min_count
from firth.errors import CorpusError
from firth.text.tokenise import encode, tokeniser
from firth.vocabulary import Vocabulary


def select_vocabulary(
    words: Sequence[str], counts: npt.NDArray[np.int64], options: CorpusOptions
) -> tuple[Vocabulary, npt.NDArray[np.int32]]:
    """Return the vocabulary, and the id of each counted word.

    Args:
        words: W counted words; a word may appear several times, or have the count 0.
        counts: (W,) int64.
        options: `min_count`, `max_size`, `stop_words` and `unknown`; `tokens` tokenises the stop words. If `min_count`
            is None, the number of words decides.

    Returns:
        The vocabulary, and (W,) int32 ids, -1 for words left out. The unknown word is always in the vocabulary, with
        the total count of the words it replaces; stop words are left out and not replaced.
    """
    total = int(counts.sum())
    least = options.min_count or min_count(total, unknown=options.unknown is not None)
    counts = counts.copy()
    same = _merge(words, counts)
    stopped = _stop_words(options)
    removed = [i for i, word in enumerate(words) if word in stopped] if stopped else []
    counts[removed] = 0
    frequent = np.flatnonzero(counts >= least)
    if not len(frequent):
        raise CorpusError(_nothing_left(words, counts, total, options, least))
    order = frequent[by_count_then_word([words[i] for i in frequent.tolist()], counts[frequent])][: options.max_size]
    ids = np.full(len(words), -1, dtype=np.int32)
    ids[order] = np.arange(len(order), dtype=np.int32)
    vocabulary = Vocabulary([words[i] for i in order.tolist()], counts[order], total)
    if options.unknown is not None:
        vocabulary, ids = _with_unknown(vocabulary, ids, counts, options.unknown)
    return vocabulary, ids if same is None else ids[same]


def _with_unknown(
    vocabulary: Vocabulary, ids: npt.NDArray[np.int32], counts: npt.NDArray[np.int64], unknown: str
) -> tuple[Vocabulary, npt.NDArray[np.int32]]:
    """Map words without an id to the unknown word, which is sorted in by its count."""
    left_out = (ids < 0) & (counts > 0)
    there = vocabulary.ids.get(unknown)
    words = [*vocabulary.words] if there is not None else [*vocabulary.words, unknown]
    index = len(words) - 1 if there is None else there
    own = np.concatenate([vocabulary.counts, [0]])[: len(words)]
    own[index] += counts[left_out].sum()
    order = by_count_then_word(words, own)
    numbers = np.empty(len(words), dtype=np.int32)
    numbers[order] = np.arange(len(words), dtype=np.int32)
    old = np.where(left_out, index, ids)
    return Vocabulary([words[i] for i in order.tolist()], own[order], vocabulary.total), np.where(
        old < 0, np.int32(-1), numbers[old]
    )


def _merge(words: Sequence[str], counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64] | None:
    """Add the counts of equal words to the first; return the index of the first, or None if all differ.

    Words with invalid UTF-8 were counted by their bytes, and may be equal after its replacement.
    """
    replaced = [i for i, word in enumerate(words) if "\ufffd" in word]
    indices: dict[str, int] = {}
    first = [indices.setdefault(words[i], i) for i in replaced]
    if len(indices) == len(replaced):
        return None
    same = np.arange(len(words))
    same[replaced] = first
    own = counts.copy()
    counts[:] = 0
    np.add.at(counts, same, own)
    return same


def _stop_words(options: CorpusOptions) -> set[str]:
    split = tokeniser(options.tokens)
    stopped = set(options.stop_words)
    for word in options.stop_words:
        tokens = split(word)
        if len(tokens) == 1:  # "The" is meant to stop "the"
            stopped.update(tokens)
    return stopped


def by_count_then_word(words: Sequence[str], counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the order by (-count, word), words compared by code points.

    The first 8 bytes of UTF-8, which sort like code points, nearly always decide; ties are sorted by Python.
    """
    heads = np.array([encode(word)[:8] for word in words], dtype="S8").view(">u8").astype(np.uint64)
    order = np.lexsort((heads, -counts))
    equal = (np.diff(counts[order]) == 0) & (np.diff(heads[order]) == 0)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], equal, [False])).astype(np.int8)))
    for first, last in edges.reshape(-1, 2).tolist():
        run = order[first : last + 1].tolist()
        order[first : last + 1] = sorted(run, key=words.__getitem__)
    return order


def no_words(text: str, options: CorpusOptions) -> str:
    """Return the message about a text without words.

    Args:
        text: its name, or "the text".
    """
    tokens = options.tokens if isinstance(options.tokens, str) else type(options.tokens).__name__
    return f"{text} holds no words (tokens={tokens}); expected words; look at the text"


def _nothing_left(
    words: Sequence[str], counts: npt.NDArray[np.int64], total: int, options: CorpusOptions, least: int
) -> str:
    if total == 0:
        return no_words("the text", options)
    most = int(counts.max())
    if most == 0:
        return f"stop_words removes all {len(words):,} words; expected some to stay; shorten the list"
    return (
        f"min_count={least} removes all {len(words):,} words: the most frequent, "
        f"{words[int(counts.argmax())]!r}, occurs {most:,} times; use min_count={most} or less, or more text"
    )
