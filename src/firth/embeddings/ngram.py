"""NgramVectors: segmentation-free vectors of character n-grams, for text without spaces.

What: there is no tokeniser. Every frequent character n-gram is a unit at each of its occurrences. Units overlap; the
contexts of a unit are the units that end where it begins and those that begin where it ends.

Objective, with X_ij = how often unit j begins exactly where unit i ends, PPMI as in `firth.counts.association`:

    M = [ PPMI(X), PPMI(X^T) ] ~ U S V^T,      the vectors are U S^p

Source: Oshikiri 2017, "Segmentation-free word embedding for unsegmented languages", section 3: frequent n-grams as
units, adjacent ones as contexts, left and right separately.

Departures: the matrix that skip-gram with negative sampling factorises implicitly (Levy and Goldberg 2014) is
factorised explicitly; Oshikiri trains by sampling. Every adjacent pair of units counts, in whatever segmentation.

Cost: a sort of the text positions for each length up to `max_length`; L^2 additions per character; 4 L bytes per
character, and the associations of `firth.counts.association` in memory.
"""

import dataclasses
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from firth import options
from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.counts.association import pmi
from firth.embeddings import window_options
from firth.embeddings.spectral import drop_option, exponent_option, spectral_vectors
from firth.errors import CorpusError
from firth.kernels.cooccurrence import count_followers, find_ends
from firth.kernels.threads import usable_threads
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.text.characters import fold
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary

Names = list[str]
CELLS = 1 << 20  # initial room for a thread's rows


def characters(text: str) -> list[str]:
    """Return the characters of a text without white space, folded as by the default tokeniser."""
    return [character for character in fold(text) if not character.isspace()]


@options_class
class NgramVectors:
    """Segmentation-free vectors of character n-grams: the options, and `train`.

    Source:
        Oshikiri 2017; the module docstring has the formulas and all departures.
    """

    presets: ClassVar = {
        "ngram": Preset("Vectors of frequent character n-grams, for text without spaces (Oshikiri 2017).")
    }
    common_options: ClassVar = ("dim", "max_length", "units")
    corpus_options: ClassVar[Mapping[str, Any]] = {"tokens": characters, "min_count": 1}  # of the text there

    dim: int = window_options.dim()
    max_length: int = option(8, "longest unit, in characters", minimum=1, maximum=100)
    units: int = option(100_000, "maximum number of units, the most frequent n-grams", minimum=1)
    min_unit: int = option(5, "minimum count of a unit", minimum=1)
    shift: float = option(1.0, "shift k; log k is subtracted, as by k negative samples", minimum=0, exclusive=True)
    smoothing: float = option(
        0.75, "context distribution smoothing, the exponent of context counts", minimum=0, maximum=1
    )
    exponent: float = exponent_option(0.5)
    drop: int = drop_option()

    def __post_init__(self) -> None:
        options.check(self)

    @explained(min_count=1)
    def train(
        self,
        corpus: Corpus | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
        **text: Unpack[TextArguments],
    ) -> WordVectors:
        """Compute vectors of the units of a corpus of characters.

        Args:
            corpus: an encoded corpus whose tokens are characters (built with `tokens=characters` of this module and
                `min_count=1`), or whatever `Corpus.build` takes: a path, texts, a table.
            seed: random seed of the decomposition.
            **text: options of `Corpus.build` for a text that is not encoded yet, such as min_count=2, column="body".

        Returns:
            A vector per unit, most frequent first.

        Raises:
            OptionError: `threads` is below 1, or `dim` is above the number of units.
            CorpusError: no n-gram is frequent enough.
        """
        count = usable_threads(threads)
        corpus = as_corpus(corpus, text, defaults=self.corpus_options, progress=progress)
        vocabulary, placed = self.find_units(corpus)

        def associate() -> Any:
            from scipy import sparse

            follows = adjacency(corpus, placed, len(vocabulary), count)
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
        """Return the units and their positions: (L, N), the unit of each length that begins at each position, or -1.

        An n-gram of n characters can only be frequent if both of its n-grams of n - 1 characters are, so lengths
        are processed in ascending order.

        Raises:
            CorpusError: no n-gram is frequent enough.
        """
        letters, offsets = np.asarray(corpus.ids, dtype=np.int64), np.asarray(corpus.offsets)
        room = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(
            len(letters)
        )  # characters to the end of the sentence
        names: Names = []
        counts, levels = [], []
        before, shorter = np.zeros(len(letters) + 1, dtype=np.int64), [""]  # one more: no unit begins at the end
        for length in range(1, self.max_length + 1):
            possible = np.flatnonzero((before[:-1] >= 0) & (room >= length))
            if length > 1:
                possible = possible[before[possible + 1] >= 0]
            keys = before[possible] * len(corpus.vocabulary) + letters[possible + length - 1]
            distinct, inverse, count = np.unique(keys, return_inverse=True, return_counts=True)
            frequent = count >= self.min_unit
            if not frequent.any():
                break
            rank = np.where(frequent, np.cumsum(frequent) - 1, -1)
            now = np.full(len(letters) + 1, -1, dtype=np.int64)
            now[possible] = rank[inverse]
            stems, ends = np.divmod(distinct[frequent], len(corpus.vocabulary))
            own = [
                shorter[stem] + corpus.vocabulary.words[end]
                for stem, end in zip(stems.tolist(), ends.tolist(), strict=True)
            ]
            levels.append(np.where(now[:-1] >= 0, now[:-1] + len(names), -1).astype(np.int32))
            names += own
            counts.append(count[frequent])
            before, shorter = now, own
        if not names:
            raise CorpusError(f"no character occurs {self.min_unit} times; use more text or a smaller min_unit")
        return self._most_frequent(names, np.concatenate(counts), levels, corpus.num_tokens)

    def _most_frequent(
        self, names: Names, counts: npt.NDArray[np.int64], levels: list[npt.NDArray[np.int32]], total: int
    ) -> tuple[Vocabulary, npt.NDArray[np.int32]]:
        order = sorted(range(len(names)), key=lambda i: (-int(counts[i]), names[i]))[: self.units]
        rank = np.full(len(names) + 1, -1, dtype=np.int32)  # the last entry means no unit
        rank[order] = np.arange(len(order), dtype=np.int32)
        return Vocabulary([names[i] for i in order], counts[order], total), np.stack([rank[level] for level in levels])


def adjacency(corpus: Corpus, placed: npt.NDArray[np.int32], units: int, threads: int) -> Any:
    """Return how often unit j begins exactly where unit i ends: a SciPy `csr_array` (U, U).

    `placed` is (L, N), the unit of each length that begins at each position, or -1.
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
