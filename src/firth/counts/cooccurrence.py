"""Co-occurrence counts: how often each word stands near each other word.

What: the matrix X that GloVe, PPMI, COALS and every other method of counting begins with. A window reaches over the
words of the vocabulary in a sentence and ends with it.

Objective: X_ij = sum over the pairs of places p of word i and q of word j, 0 < |p - q| <= window, of the weight of the
distance d = |p - q|; with `sides="left"` only of those with q < p:

    harmonic  1/d                    flat  1                    ramped  (window + 1 - d) / window

Source: Pennington, Socher and Manning 2014, "GloVe: Global vectors for word representation", section 4.2 (harmonic);
Rohde, Gonnerman and Plaut 2006, "An improved model of semantic similarity based on lexical co-occurrence", section 2.1
(ramped, there not divided by the window).

Departures:
- A word that stands twice in a window counts as its own context, as in GloVe's program.
- Sums are made in float64 and rounded to float32 once, where GloVe's program adds a cell's spilled parts.
- There are no sorted spills: all places of as many words as the memory allows are listed, those words' rows are summed
  and written to the file as they are, and the next words follow. What comes out does not depend on the memory or on the
  number of threads, bit for bit.

Cost: 2 window additions a token, half of them where the matrix is symmetric; 8 bytes a token of the words that are
counted together, as many passes over the corpus as the memory asks for, 12 V bytes a thread.
"""

import dataclasses
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.as_corpus import as_corpus
from firth.corpus.cache import build_in, holds
from firth.corpus.encoded import Corpus
from firth.counts.counting import Plan, write_rows
from firth.counts.matrix import CooccurrenceMatrix, write_manifest, writing_counts
from firth.errors import CorpusError, OptionError
from firth.kernels.cooccurrence import MOST_REACH
from firth.kernels.threads import usable_threads
from firth.options import option, options_class
from firth.progress import Progress, reporting
from firth.storage.files import cache_folder
from firth.vocabulary import Vocabulary


def window_option(default: int) -> Any:
    """Return the option `window` of counting."""
    return option(default, "words on each side of the centre word", minimum=1, maximum=MOST_REACH)


def weights_option(default: str) -> Any:
    """Return the option `weights` of counting."""
    words = "what a pair d words apart counts: 1/d, 1, or less by equal steps"
    return option(default, words, choices=("harmonic", "flat", "ramped"))


def max_words_option(default: int) -> Any:
    """Return the option `max_words` of counting."""
    return option(default, "most frequent words that are counted; 0 counts all", minimum=0)


def memory_option() -> Any:
    """Return the option `memory` of models that count."""
    return option(1024, "MiB that counting may take", minimum=1)


@options_class
class Cooccurrence:
    """Co-occurrence counts: options that count.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Pennington, Socher and Manning 2014, section 4.2; the module's docstring gives the formulas.
    """

    window: int = window_option(10)
    weights: str = weights_option("harmonic")
    sides: str = option("both", "where a context word stands", choices=("both", "left"))
    max_words: int = max_words_option(0)

    def __post_init__(self) -> None:
        options.check(self)

    def weight(self) -> npt.NDArray[np.float64]:
        """Return what a pair counts by its distance, (window + 1,); a distance of 0 does not occur."""
        d = np.arange(self.window + 1.0)
        made = {"harmonic": 1 / np.maximum(d, 1), "flat": d > 0, "ramped": (self.window + 1 - d) / self.window}
        return np.asarray(made[self.weights], dtype=np.float64)

    def count(
        self,
        corpus: Corpus | Any,
        *,
        threads: int | None = None,
        memory: int = 1024,
        cache: str | os.PathLike[str] | None = None,
        progress: Progress = None,
        **text: Any,
    ) -> CooccurrenceMatrix:
        """Count the words of a corpus.

        The counts stay in a folder, where the same corpus and options find them again. Damaged ones are counted again,
        with a warning.

        Args:
            corpus: the encoded text, or whatever `Corpus.build` takes: a path, texts, lists of tokens, a table.
            threads: how many; by default one a processor.
            memory: MiB that the process may take, beside what its caller holds of more than 300.
            cache: the folder for counts; FIRTH_CACHE or the user's cache folder where None.
            progress: how to show progress; see `firth.progress`.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            The matrix, opened; the same bits for any number of threads and any memory.

        Raises:
            OptionError: `threads` is below one, or the memory is too small.
            CorpusError: no two words stand near each other, or the counts cannot be written.
        """
        many = usable_threads(threads)
        corpus = as_corpus(corpus, text, progress=progress)
        folder = cache_folder("cooccurrences") if cache is None else Path(cache).expanduser()
        told = {**dataclasses.asdict(self), "corpus": corpus.fingerprint}
        fingerprint = hashlib.blake2b(repr(sorted(told.items())).encode(), digest_size=16).hexdigest()

        def fill(aside: Path) -> Path:
            with reporting(progress) as report:
                words = min(self.max_words or len(corpus.vocabulary), len(corpus.vocabulary))
                plan = Plan.make(corpus, words, self.weight(), half=self.sides == "both", memory=memory, threads=many)
                whole = corpus.vocabulary
                vocabulary = Vocabulary(whole.words[:words], whole.counts[:words], whole.total)
                with writing_counts(folder, plan.largest):
                    cells = write_rows(aside, corpus, plan, many, report)
                    if cells:
                        facts = {"half": plan.half, "options": dataclasses.asdict(self), "fingerprint": fingerprint}
                        write_manifest(aside, vocabulary, {"cells": cells, **facts})
            if not cells:
                raise CorpusError(
                    f"no two of the {words:,} words stand within a window of {self.window} in one sentence: expected "
                    "sentences of two words or more; use more text or a smaller min_count"
                )
            return folder / fingerprint

        if not holds(folder / fingerprint, CooccurrenceMatrix.open, tell=True):
            build_in(folder, fill, lambda place: holds(place, CooccurrenceMatrix.open, tell=False))
        return CooccurrenceMatrix.open(folder / fingerprint)

    def of(
        self,
        corpus: Corpus | CooccurrenceMatrix | Any,
        text: Mapping[str, Any],
        *,
        threads: int | None,
        memory: int,
        progress: Progress,
    ) -> CooccurrenceMatrix:
        """Return the counts of a corpus, or counts as they are: what a model that counts trains on.

        Args:
            corpus: the encoded text, or whatever `Corpus.build` takes, or counts.
            text: options of `Corpus.build` for a text that is no corpus yet.
            threads: as in `count`.
            memory: as in `count`.
            progress: as in `count`.
        """
        if isinstance(corpus, CooccurrenceMatrix):
            if text:
                raise OptionError(f"{', '.join(text)} given with counts; give options of a text with the text")
            return corpus
        return self.count(corpus, threads=threads, memory=memory, progress=progress, **text)
