"""Segmentation-free vectors: n-grams of characters as words, for text without spaces.

What: no tokeniser says where words begin. Every frequent n-gram of characters is a unit, wherever it stands; units
overlap, and the contexts of one are the units that end where it begins and those that begin where it ends.

Objective, with X_ij = how often unit j begins right where unit i ends, PPMI as in `firth.counts.association`:

    M = [ PPMI(X), PPMI(X^T) ] ~ U S V^T,      the vectors are U S^p

Source: Oshikiri 2017, "Segmentation-free word embedding for unsegmented languages", section 3: frequent n-grams as
units, adjacent ones as contexts, to the left and to the right apart.

Departures: the matrix that skip-gram with negative sampling factorises implicitly (Levy and Goldberg 2014) is
factorised as it is, where Oshikiri trains by sampling; a pair of units counts wherever it stands, one segmentation or
many.

Cost: a sort of the text's places for each length up to `max_length`; L^2 additions a character; 4 L bytes a character,
and the associations of `firth.counts.association` in memory.
"""

import dataclasses
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.counts.association import pmi
from firth.embeddings.spectral import drop_option, exponent_option, spectral_vectors
from firth.errors import CorpusError
from firth.kernels.adjacency import count_followers, find_ends
from firth.kernels.threads import usable_threads
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.text.characters import fold
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary

Names = list[str]
CELLS = 1 << 20  # room for a thread's rows at first


def characters(text: str) -> list[str]:
    """Return the characters of a text that are not white space, folded as the default tokeniser folds them."""
    return [character for character in fold(text) if not character.isspace()]


@options_class
class NgramVectors:
    """Segmentation-free vectors of character n-grams: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Oshikiri 2017; the module's docstring gives the formulas and every departure.
    """

    presets: ClassVar = {
        "ngram": Preset("Vectors of frequent character n-grams, for text without spaces (Oshikiri 2017)."),
    }
    common_options: ClassVar = ("dim", "max_length", "units")
    corpus_options: ClassVar[Mapping[str, Any]] = {"tokens": characters, "min_count": 1}  # of the text there

    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    max_length: int = option(8, "characters of the longest unit", minimum=1, maximum=100)
    units: int = option(100_000, "most frequent n-grams that are units, at most", minimum=1)
    min_unit: int = option(5, "fewest times that a unit must stand in the text", minimum=1)
    shift: float = option(1.0, "noise words k whose logarithm is taken away", minimum=0, exclusive=True)
    smoothing: float = option(0.75, "power of the context units' counts", minimum=0, maximum=1)
    exponent: float = exponent_option(0.5)
    drop: int = drop_option()

    def __post_init__(self) -> None:
        options.check(self)

    def train(
        self, corpus: Corpus | Any, *, seed: int = 0, threads: int | None = None, progress: Progress = None, **text: Any
    ) -> WordVectors:
        """Return vectors of the units of a corpus of characters.

        Args:
            corpus: the encoded text, each of whose tokens is a character (built with `tokens=characters` of this module
                and `min_count=1`), or whatever `Corpus.build` takes: a path, texts, a table.
            seed: of the random columns that the decomposition begins with.
            threads: how many; by default one a processor.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            One vector a unit, the most frequent first.

        Raises:
            OptionError: `threads` is below one, or `dim` is above the number of units.
            CorpusError: no n-gram is frequent enough.
        """
        many = usable_threads(threads)
        corpus = as_corpus(corpus, text, defaults=self.corpus_options, progress=progress)
        vocabulary, placed = self.find_units(corpus)

        def associate() -> Any:
            from scipy import sparse

            follows = adjacency(corpus, placed, len(vocabulary), many)
            sides = [pmi(x, shift=self.shift, smoothing=self.smoothing) for x in (follows, follows.T.tocsr())]
            return sparse.hstack(sides, format="csr")

        return spectral_vectors(
            self,
            vocabulary,
            associate,
            seed=seed,
            threads=threads,
            progress=progress,
            facts={"options": {"model": "ngram", **dataclasses.asdict(self)}},
        )

    def find_units(self, corpus: Corpus) -> tuple[Vocabulary, npt.NDArray[np.int32]]:
        """Return the units and where they stand: (L, N), the unit of each length that begins at each place, or -1.

        An n-gram of n characters is frequent only where both n-grams of n - 1 inside it are: lengths are gone through
        upwards.

        Args:
            corpus: of characters.

        Raises:
            CorpusError: no n-gram is frequent enough.
        """
        letters, offsets = np.asarray(corpus.ids, dtype=np.int64), np.asarray(corpus.offsets)
        room = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(len(letters))  # characters to the sentence's end
        names: Names = []
        counts, levels = [], []
        before, shorter = np.zeros(len(letters) + 1, dtype=np.int64), [""]  # one more: nothing begins at the end
        for length in range(1, self.max_length + 1):
            possible = np.flatnonzero((before[:-1] >= 0) & (room >= length))
            if length > 1:
                possible = possible[before[possible + 1] >= 0]
            keys = before[possible] * len(corpus.vocabulary) + letters[possible + length - 1]
            found, inverse, count = np.unique(keys, return_inverse=True, return_counts=True)
            frequent = count >= self.min_unit
            if not frequent.any():
                break
            rank = np.where(frequent, np.cumsum(frequent) - 1, -1)
            now = np.full(len(letters) + 1, -1, dtype=np.int64)
            now[possible] = rank[inverse]
            stems, ends = np.divmod(found[frequent], len(corpus.vocabulary))
            own = [
                shorter[stem] + corpus.vocabulary.words[end]
                for stem, end in zip(stems.tolist(), ends.tolist(), strict=True)
            ]
            levels.append(np.where(now[:-1] >= 0, now[:-1] + len(names), -1).astype(np.int32))
            names += own
            counts.append(count[frequent])
            before, shorter = now, own
        if not names:
            raise CorpusError(
                f"no character stands {self.min_unit} times in the text: expected more text, or a smaller min_unit"
            )
        return self._chosen(names, np.concatenate(counts), levels, corpus.num_tokens)

    def _chosen(
        self, names: Names, counts: npt.NDArray[np.int64], levels: list[npt.NDArray[np.int32]], total: int
    ) -> tuple[Vocabulary, npt.NDArray[np.int32]]:
        order = sorted(range(len(names)), key=lambda i: (-int(counts[i]), names[i]))[: self.units]
        rank = np.full(len(names) + 1, -1, dtype=np.int32)  # the last stands for no unit
        rank[order] = np.arange(len(order), dtype=np.int32)
        return Vocabulary([names[i] for i in order], counts[order], total), np.stack([rank[level] for level in levels])


def adjacency(corpus: Corpus, placed: npt.NDArray[np.int32], units: int, threads: int) -> Any:
    """Return how often unit j begins right where unit i ends: a SciPy `csr_array` (U, U).

    Args:
        corpus: of characters.
        placed: (L, N), the unit of each length that begins at each place, or -1.
        units: U.
        threads: how many.
    """
    from scipy import sparse

    begins = np.zeros(corpus.num_tokens + 1, dtype=bool)
    begins[np.asarray(corpus.offsets)] = True
    counts = np.bincount(placed[placed >= 0], minlength=units)
    starts = np.concatenate([[0], np.cumsum(counts)])
    ends = np.empty(starts[-1], dtype=np.int64)
    find_ends(placed, starts[:-1].copy(), ends)
    cuts = np.unique(np.searchsorted(starts, np.linspace(0, starts[-1], 16 * threads + 1)).clip(0, units)).tolist()
    cuts[0], cuts[-1] = 0, units

    def count(first: int, last: int) -> tuple[Any, Any, Any]:
        room, n = CELLS, -1
        while n < 0:
            columns, values = np.empty(room, dtype=np.int32), np.empty(room)
            sizes = np.empty(last - first, dtype=np.int64)
            n = count_followers(placed, begins, starts, ends, first, last, columns, values, sizes)
            room *= 4
        return columns[:n].copy(), values[:n].copy(), sizes

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(count, cuts[:-1], cuts[1:]))
    columns, values, sizes = (np.concatenate(side) for side in zip(*parts, strict=True))
    return sparse.csr_array((values, columns, np.concatenate([[0], np.cumsum(sizes)])), shape=(units, units))
