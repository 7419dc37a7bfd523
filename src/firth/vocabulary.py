"""Words with ids and counts, and the probabilities derived from counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.errors import ShapeError


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
