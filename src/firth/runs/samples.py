"""The bootstrap of a text: documents drawn with replacement from an encoded corpus.

What: M of M documents are drawn, each as often as chance has it; a document that is drawn twice stands there twice.
The documents stay in the order of the text. Nothing is read or encoded again: the ids of the drawn documents are
copied, and all samples have the words of the corpus. A word of which no document was drawn has the count 0.

Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 6; Antoniak and Mimno 2018, "Evaluating the
stability of embedding-based word similarities", section 3, for documents as the units.

Cost: 4 bytes per token and 8 per sentence, in a folder, mapped; some tenths of a second for ten million tokens.
"""

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.corpus.cache import writing
from firth.corpus.encoded import Corpus
from firth.errors import CorpusError, OptionError, warn_caller
from firth.kernels.compiled import read_only
from firth.kernels.scan import count_ids
from firth.randomness import generator
from firth.storage.untrusted import mapped_numbers
from firth.vocabulary import Vocabulary

DOCUMENTS, NONE = RESAMPLES = ("documents", "none")
FEW = 20  # documents below which an interval is a rough guess
BLOCK = 1 << 20  # tokens and sentences copied at once
_IDS, _OFFSETS = "ids.bin", "offsets.bin"
_log = logging.getLogger("firth")

Ints = npt.NDArray[np.int64]


class Units(NamedTuple):
    """What is drawn.

    Attributes:
        borders: (M + 1,) unit m is the sentences borders[m]:borders[m + 1].
        name: plural noun for the units.
    """

    borders: Ints
    name: str

    def __len__(self) -> int:
        return len(self.borders) - 1


def units_of(corpus: Corpus) -> Units:
    """Return the documents of a corpus; where it does not know them, its sentences."""
    if corpus.documents is not None:
        return Units(corpus.documents, "documents")
    return Units(np.arange(len(corpus) + 1), "sentences")


def check_units(corpus: Corpus, runs: int) -> None:
    """Check that documents can be drawn from a corpus, and say what is drawn and where it is too little.

    Raises:
        OptionError: there is only one document.

    Warns:
        UserWarning: there are few documents, or fewer than runs.
    """
    units = units_of(corpus)
    count = len(units)
    if count == 1:
        raise OptionError(
            "resample='documents': the corpus is a single document, so that every sample would be the same; expected "
            "several: build it from a folder with a file for each document, a list of texts or a table; or use "
            "resample='none', which shows the chance of training alone"
        )
    if corpus.documents is None:
        log_sentences(count)
    if count < max(runs, FEW):
        why = f"fewer than the {runs} runs" if count < runs else "few"
        warn_caller(
            f"{count:,} {units.name} are {why}: the intervals are rough, and rather too narrow; expected "
            f"{max(runs, FEW)} or more: build the corpus from more or shorter documents, such as chapters"
        )


def draw(count: int, seed: int) -> Ints:
    """Draw so many of so many documents with replacement; return their numbers, ascending."""
    return np.sort(generator(seed, "documents").integers(0, count, count))


def log_sentences(count: int) -> None:
    """Say that sentences take the place of documents, at level INFO of "firth"."""
    _log.info(
        "documents: the corpus does not know where its documents end, so each of its %s sentences (by default: lines) "
        "is drawn by itself; give a folder with a file for each document if several belong together",
        f"{count:,}",
    )


def sampled(corpus: Corpus, seed: int, folder: Path) -> Corpus:
    """Draw documents with replacement; see `drawn`."""
    return drawn(corpus, draw(len(units_of(corpus)), seed), folder)


def drawn(corpus: Corpus, numbers: Ints, folder: Path) -> Corpus:
    """Copy some documents.

    Args:
        numbers: of the documents, in the order of the text; one may be there several times.
        folder: for the ids of the sample; it must stay as long as the sample is used.

    Returns:
        A corpus with the words of the whole one, counted anew.

    Raises:
        CorpusError: the sample cannot be written, or has no words.
    """
    units = units_of(corpus)
    first, last = units.borders[numbers], units.borders[numbers + 1]
    with writing(folder.parent, "a sample", "4 bytes a word for each thread"):
        counts = _write(corpus, first, last, folder)
    whole, tokens = corpus.vocabulary, int(counts.sum())
    if not tokens:
        raise CorpusError(
            f"{len(numbers):,} {units.name} were drawn, and none has a word of the vocabulary; use more documents"
        )
    return replace(
        corpus,
        path=folder,
        vocabulary=Vocabulary(whole.words, counts, round(whole.total * tokens / corpus.num_tokens)),
        ids=mapped_numbers(folder / _IDS, "<i4"),
        offsets=mapped_numbers(folder / _OFFSETS, "<i8"),
        fingerprint=hashlib.blake2b(f"{corpus.fingerprint} ".encode() + numbers.tobytes(), digest_size=16).hexdigest(),
        documents=np.append(0, np.cumsum(last - first)),
    )


def _write(corpus: Corpus, first: Ints, last: Ints, folder: Path) -> Ints:
    """Write the ids and offsets of documents, from some sentences to others; return the counts of their words."""
    counts, end = np.zeros(len(corpus.vocabulary), dtype=np.int64), 0
    with (folder / _IDS).open("wb") as ids, (folder / _OFFSETS).open("wb") as offsets:
        offsets.write(np.zeros(1, dtype=np.int64).data)
        for part in _parts(corpus, first, last):
            tokens = _copied(corpus.ids, corpus.offsets[first[part]], corpus.offsets[last[part]])
            starts = _copied(corpus.offsets, first[part], last[part])
            sizes = _copied(corpus.offsets, first[part] + 1, last[part] + 1) - starts
            count_ids(read_only(tokens), counts)
            ends = end + np.cumsum(sizes)
            ids.write(np.ascontiguousarray(tokens).data)
            offsets.write(ends.data)
            end = int(ends[-1])
    return counts


def _parts(corpus: Corpus, first: Ints, last: Ints) -> Iterator[slice]:
    """Yield ranges of the drawn documents that are copied at once: some, or one that is longer."""
    size = np.cumsum(corpus.offsets[last] - corpus.offsets[first] + last - first)
    start = 0
    while start < len(size):
        before = size[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(size, before + BLOCK, side="right")))
        yield slice(start, end)
        start = end


def _copied(values: npt.NDArray[Any], first: Ints, last: Ints) -> npt.NDArray[Any]:
    """Return the values of several ranges, one after the other; those of a single one are not copied."""
    if len(first) == 1:
        return np.asarray(values[first[0] : last[0]])
    sizes = last - first
    indices = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return np.asarray(values[indices])
