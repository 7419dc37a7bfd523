"""Corpora derived from other corpora: the same sentences with other words."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth.corpus import storage
from firth.corpus.cache import build_in, holds
from firth.corpus.encode import write_encoded
from firth.corpus.encoded import Corpus
from firth.storage.files import cache_folder


def derive(
    corpus: Corpus,
    words: Sequence[str],
    blocks: Iterable[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]],
    *,
    min_count: int | None,
    max_size: int | None,
    cache: str | os.PathLike[str] | None,
) -> Corpus:
    """Write and open a corpus derived from another.

    Args:
        corpus: the original corpus, whose other options are kept.
        words: W words, the meaning of the provisional ids in `blocks`.
        blocks: the text in blocks of provisional ids, -1 after each sentence; with each block the counts (W,) so far.
        min_count: minimum count of a word to be kept; None chooses it from the number of words.
        max_size: largest number of words to keep.
        cache: folder of built corpora; FIRTH_CACHE or the user's cache folder if None.

    Raises:
        CorpusError: no word is left, or the corpus cannot be written.
        OptionError: an option is out of its range.
    """
    options = replace(corpus.options, min_count=min_count, max_size=max_size).checked()
    folder = cache_folder("corpora") if cache is None else Path(cache).expanduser()

    def fill(aside: Path) -> Path:
        spill, counts = storage.Spill(aside), np.zeros(len(words), dtype=np.int64)
        try:
            for numbers, so_far in blocks:
                spill.write(numbers)
                counts = so_far
            origin = {"name": corpus.path.name, "identity": None}
            facts = write_encoded(aside, spill, words, counts, options, origin, corpus.characters)
        finally:
            spill.close()
        return folder / f"derived-{facts['fingerprint']}"

    return Corpus.open(build_in(folder, fill, lambda target: holds(target, Corpus.open, tell=True)))
