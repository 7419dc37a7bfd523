"""Co-occurrence counts: how often each word occurs near each other word.

What: the matrix X from which GloVe, PPMI, COALS and all other count-based methods start. A window covers words of the
vocabulary and does not cross the end of a sentence.

Objective: X_ij = sum over the positions p of word i and q of word j with 0 < |p - q| <= window of the weight of their
distance d = |p - q|; with `sides="left"` only for q < p:

    harmonic  1/d                    flat  1                    ramped  (window + 1 - d) / window

Source: Pennington, Socher and Manning 2014, "GloVe: Global vectors for word representation", section 4.2 (harmonic);
Rohde, Gonnerman and Plaut 2006, "An improved model of semantic similarity based on lexical co-occurrence", section 2.1
(ramped, there not divided by the window).

Departures:
- A word that occurs twice in a window counts as its own context, as in GloVe's program.
- Sums are float64 and rounded to float32 once; GloVe's program adds the spilled parts of a cell.
- There are no sorted spills: the positions of as many words as fit in memory are listed, the rows of these words are
  summed and written, and the next words follow. The result does not depend on the memory or on the number of threads,
  bit for bit.

Cost: 2 window additions per token, half of them if the matrix is symmetric; 8 bytes per token of the words counted
together, as many passes over the corpus as the memory requires, and 12 V bytes per thread.
"""

import dataclasses
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from firth import options
from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus
from firth.corpus.cache import build_in, holds
from firth.corpus.encoded import Corpus
from firth.corpus.options import BuildArguments
from firth.counts.counting import Plan, compile_kernels, write_rows
from firth.counts.matrix import CooccurrenceMatrix, write_manifest, writing_counts
from firth.counts.unfinished import UnfinishedRows
from firth.errors import CorpusError, OptionError
from firth.kernels.cooccurrence import MOST_REACH
from firth.kernels.threads import usable_threads
from firth.options import option, options_class
from firth.progress import Progress, compiling, reporting
from firth.storage.checkpoints import checkpoint_of
from firth.storage.files import cache_folder
from firth.training_facts import text_facts
from firth.vocabulary import Vocabulary


def window_option(default: int) -> Any:
    """Return the option `window` of count-based models."""
    return option(default, "words on each side of the centre word", minimum=1, maximum=MOST_REACH)


def weights_option(default: str) -> Any:
    """Return the option `weights` of count-based models."""
    text = "weight of a pair at distance d: 1/d (harmonic), 1 (flat), or linearly decreasing (ramped)"
    return option(default, text, choices=("harmonic", "flat", "ramped"))


def max_words_option(default: int) -> Any:
    """Return the option `max_words` of count-based models."""
    return option(default, "number of most frequent words to count; 0 for all", minimum=0)


def memory_option() -> Any:
    """Return the option `memory` of count-based models."""
    return option(1024, "memory limit of counting, in MiB", minimum=1)


@options_class
class Cooccurrence:
    """Options of co-occurrence counting.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Pennington, Socher and Manning 2014, section 4.2; the module's docstring gives the formulas.
    """

    window: int = window_option(10)
    weights: str = weights_option("harmonic")
    sides: str = option("both", "side of the centre word on which context words count", choices=("both", "left"))
    max_words: int = max_words_option(0)

    def __post_init__(self) -> None:
        options.check(self)

    def weight(self) -> npt.NDArray[np.float64]:
        """Return the weight of a pair by its distance, (window + 1,); distance 0 does not occur."""
        d = np.arange(self.window + 1.0)
        weights = {"harmonic": 1 / np.maximum(d, 1), "flat": d > 0, "ramped": (self.window + 1 - d) / self.window}
        return np.asarray(weights[self.weights], dtype=np.float64)

    @explained
    def count(
        self,
        corpus: Corpus | Any,
        *,
        threads: int | None = None,
        memory: int = 1024,
        column: str | int | None = None,
        cache: str | os.PathLike[str] | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **text: Unpack[BuildArguments],
    ) -> CooccurrenceMatrix:
        """Count the co-occurrences of a corpus.

        The counts are cached in a folder and reused for the same corpus and options. Damaged counts are counted again,
        with a warning.

        Args:
            corpus: a corpus, or any source that `Corpus.build` takes: a path, texts, lists of tokens, a table.
            memory: memory limit of the process in MiB, not counting what the caller holds above 300 MiB; kept within a
                tenth. Pages of a corpus for which there is no room besides are not counted: the system takes them back.
            column: the column with texts or lists of tokens, for a table.
            cache: folder of counts; FIRTH_CACHE or the user's cache folder if None.
            checkpoint: folder for the rows that are counted so far, or `firth.Checkpoint(folder, every="30s")`; a later
                call with the same corpus and options goes on, also with other threads and memory. It is removed when
                all rows are counted.
            **text: options of `Corpus.build`, such as min_count=2, for a source that is not a corpus.

        Returns:
            The matrix; bit for bit the same for any number of threads and any memory.

        Raises:
            OptionError: `threads` is below one, the memory is too small, or the checkpoint belongs to another run.
            ArgumentTypeError: `checkpoint` is not a path.
            FormatError: the checkpoint is damaged.
            CorpusError: no two words co-occur, or the counts cannot be written.
        """
        kept = checkpoint_of(checkpoint)
        threads = usable_threads(threads)
        given = text if column is None else {**text, "column": column}
        corpus = as_corpus(corpus, given, progress=progress)
        folder = cache_folder("cooccurrences") if cache is None else Path(cache).expanduser()
        identity = {**dataclasses.asdict(self), "corpus": corpus.fingerprint}
        fingerprint = hashlib.blake2b(repr(sorted(identity.items())).encode(), digest_size=16).hexdigest()

        done: list[UnfinishedRows] = []

        def fill(aside: Path) -> Path:
            with reporting(progress) as report:
                words = min(self.max_words or len(corpus.vocabulary), len(corpus.vocabulary))
                weights, half = self.weight(), self.sides == "both"
                compiling(lambda: compile_kernels(weights, half), report)
                plan = Plan.make(corpus, words, weights, half=half, memory=memory, threads=threads)
                whole = corpus.vocabulary
                vocabulary = Vocabulary(whole.words[:words], whole.counts[:words], whole.total)
                unfinished = UnfinishedRows(
                    aside, words, kept, {"options": dataclasses.asdict(self), "corpus": corpus.fingerprint}
                )
                with writing_counts(folder, plan.largest):
                    with unfinished:
                        write_rows(unfinished, corpus, plan, threads, report)
                    if cells := int(unfinished.sizes.sum()):
                        unfinished.copy()
                        (aside / "rows.bin").write_bytes(np.append(0, np.cumsum(unfinished.sizes)).astype("<i8").data)
                        facts = {"half": plan.half, "options": dataclasses.asdict(self), "fingerprint": fingerprint}
                        write_manifest(aside, vocabulary, {"cells": cells, **facts})
            done.append(unfinished)
            if not cells:
                raise CorpusError(
                    f"no two of the {words:,} words stand within a window of {self.window} in one sentence: expected "
                    "sentences of two words or more; use more text, or lower min_count= of the corpus"
                )
            return folder / fingerprint

        if not holds(folder / fingerprint, CooccurrenceMatrix.open, tell=True):
            build_in(folder, fill, lambda path: holds(path, CooccurrenceMatrix.open, tell=False))
            for unfinished in done:
                unfinished.remove()
        # Not from the folder: the same counts may be those of a text with other rules.
        rules = text_facts(corpus).get("rules", {})
        return dataclasses.replace(CooccurrenceMatrix.open(folder / fingerprint), rules=rules)

    def of(
        self,
        corpus: Corpus | CooccurrenceMatrix | Any,
        text: Mapping[str, Any],
        *,
        threads: int | None,
        memory: int,
        progress: Progress,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> CooccurrenceMatrix:
        """Return counts unchanged; count any other source: the input of count-based models.

        Args:
            corpus: counts, a corpus, or any source that `Corpus.build` takes.
            text: options of `Corpus.build`, for a source that is not a corpus.
            threads: as in `count`.
            memory: as in `count`.
            progress: as in `count`.
            checkpoint: as in `count`, but in a folder of its own below.
        """
        if isinstance(corpus, CooccurrenceMatrix):
            if text:
                raise OptionError(f"{', '.join(text)} given with counts, which have no options of a text")
            return corpus
        kept = checkpoint_of(checkpoint)
        below = kept and kept.below("counting")
        return self.count(corpus, threads=threads, memory=memory, progress=progress, checkpoint=below, **text)
