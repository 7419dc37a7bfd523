"""Words and their numbers: ids, counts, pruning, and the probabilities that are drawn from counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.errors import ShapeError


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """An immutable list of words with their counts, ordered by (-count, word).

    The order depends on nothing but the words and their counts, so an id never depends on input order, on the number of
    threads, or on Python's `hash`.

    Attributes:
        words: V words; a word's place is its id.
        counts: (V,) int64, how often each stands in the corpus.
        total: tokens that were counted, those outside the vocabulary included.

    Raises:
        ShapeError: there are not as many counts as words.
    """

    words: Sequence[str]
    counts: npt.NDArray[np.int64]
    total: int

    def __post_init__(self) -> None:
        if len(self.words) != len(self.counts):
            raise ShapeError(f"{len(self.counts)} counts for {len(self.words)} words: expected one count a word")

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
        """The share of the counted tokens that the vocabulary leaves out, from 0 to 1."""
        return 1.0 - float(self.counts.sum()) / self.total if self.total else 0.0

    def keep_probabilities(self, sample: float) -> npt.NDArray[np.float64]:
        """Return the probability with which each word survives the subsampling of frequent words.

        A word of relative frequency f is kept with probability sqrt(sample / f) + sample / f, at most 1.

        Source: word2vec.c, `ran = (sqrt(cn / (sample * train_words)) + 1) * (sample * train_words) / cn`. Mikolov et
        al. 2013 (NIPS), section 2.3, print sqrt(sample / f) alone; the program that made their figures has the second
        term, and so do gensim and fastText.

        Args:
            sample: the threshold; 0 keeps everything.

        Returns:
            (V,) float64.
        """
        if sample == 0:
            return np.ones(len(self))
        ratio = sample * self.counts.sum() / np.maximum(self.counts, 1)
        return np.asarray(np.minimum(1.0, np.sqrt(ratio) + ratio))

    def kept_shares(self, sample: float) -> npt.NDArray[np.float64]:
        """Return how often each word stands in what subsampling is expected to leave.

        Args:
            sample: as for `keep_probabilities`.

        Returns:
            (V,) float64, summing to 1.
        """
        kept = self.keep_probabilities(sample) * self.counts
        return np.asarray(kept / kept.sum())

    def noise_probabilities(self, exponent: float) -> npt.NDArray[np.float64]:
        """Return the distribution that negative samples are drawn from: counts to the power of `exponent`, normalised.

        Source: Mikolov et al. 2013 (NIPS), section 2.2: the unigram distribution to the power of 3/4.

        Returns:
            (V,) float64, summing to 1.
        """
        weights = np.asarray(self.counts, dtype=np.float64) ** exponent
        return np.asarray(weights / weights.sum())
