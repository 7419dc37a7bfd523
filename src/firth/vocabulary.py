"""Words with ids and counts, and the probabilities derived from counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.errors import ShapeError, brief_repr

STOP_SHARE = 1e-3  # share of a text above which a word is taken for a stop word
_STOP_RANK = 100  # the rank that has this share by Zipf's law, where there are no counts
_STOP_MOST = 20  # one of so many words is a stop word at most: a list of countries has none


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """An immutable list of words with their counts, ordered by (-count, word).

    The order depends only on the words and their counts, so an id never depends on input order, on the number of
    threads, or on Python's `hash`.

    Attributes:
        words: V words; the index of a word is its id.
        counts: (V,) int64, word counts in the corpus.
        total: number of tokens counted, including those outside the vocabulary.

    Raises:
        ShapeError: there are not as many counts as words.
    """

    words: Sequence[str]
    counts: npt.NDArray[np.int64]
    total: int

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        if len(self.words) != len(self.counts):
            raise ShapeError(f"{len(self.counts)} counts for {len(self.words)} words: expected one count per word")

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.ids

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The id of each word."""
        return {word: i for i, word in enumerate(self.words)}

    @property
    def oov_share(self) -> float:
        """Share of the counted tokens outside the vocabulary, from 0 to 1."""
        return 1.0 - float(self.counts.sum()) / self.total if self.total else 0.0

    def keep_probabilities(self, sample: float) -> npt.NDArray[np.float64]:
        """Return the probability of each word to survive the subsampling of frequent words.

        A word of relative frequency f is kept with probability sqrt(sample / f) + sample / f, at most 1.

        Source: word2vec.c, `ran = (sqrt(cn / (sample * train_words)) + 1) * (sample * train_words) / cn`. Mikolov et
        al. 2013 (NIPS), section 2.3, has sqrt(sample / f) alone; the authors' program has the second term, and so have
        gensim and fastText.

        Args:
            sample: the threshold; 0 keeps all words.

        Returns:
            (V,) float64.
        """
        if sample == 0:
            return np.ones(len(self))
        ratio = sample * self.counts.sum() / np.maximum(self.counts, 1)
        return np.asarray(np.minimum(1.0, np.sqrt(ratio) + ratio))

    def subsampled_shares(self, sample: float) -> npt.NDArray[np.float64]:
        """Return the expected share of each word in the subsampled corpus, (V,) float64, summing to 1."""
        expected = self.keep_probabilities(sample) * self.counts
        return np.asarray(expected / expected.sum())

    def noise_probabilities(self, exponent: float) -> npt.NDArray[np.float64]:
        """Return the noise distribution of negative sampling: counts to the power `exponent`, (V,), summing to 1.

        Source: Mikolov et al. 2013 (NIPS), section 2.2: the unigram distribution to the power of 3/4.
        """
        weights = np.asarray(self.counts, dtype=np.float64) ** exponent
        return np.asarray(weights / weights.sum())


def stop_words(words: Sequence[str], counts: npt.NDArray[np.integer] | None) -> frozenset[str]:
    """Return the words that are too frequent to say what a text is about, in any language.

    These are the words with more than a thousandth of all occurrences. In novels and in Wikipedia, of three million
    words each, they are 94 and 91 % of the occurrences of words on a usual English list of stop words; of the 123 and
    72 of them 78 and 88 % are on it, and the others are words like "said" and "time".

    Args:
        words: V words.
        counts: (V,) how often each occurs; None for words of which the most frequent is first: the hundred first.
    """
    most = len(words) // _STOP_MOST
    if counts is None or not counts.any():
        return frozenset(words[: min(_STOP_RANK, most)])
    rows = np.argsort(-counts, kind="stable")[:most]
    return frozenset(words[row] for row in rows[counts[rows] > STOP_SHARE * counts.sum()].tolist())
