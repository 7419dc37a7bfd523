"""A corpus that is made of another one: the same sentences in other words."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth.corpus import storage
from firth.corpus.cache import build_in, holds
from firth.corpus.encoded import Corpus
from firth.corpus.numbering import finish
from firth.storage.files import cache_folder


def derive(
    corpus: Corpus,
    words: Sequence[str],
    blocks: Iterable[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]],
    *,
    min_count: int,
    max_size: int | None,
    cache: str | os.PathLike[str] | None,
) -> Corpus:
    """Write a corpus made of another and open it.

    Args:
        corpus: the other, whose remaining options hold.
        words: what the new text's numbers stand for.
        blocks: the text as numbers, -1 behind each sentence, a piece at a time; with each piece (W,) how often each
            word has stood there so far.
        min_count: fewest times that a word must occur to be kept.
        max_size: most words to keep.
        cache: the folder that holds built corpora; FIRTH_CACHE or the user's cache folder where None.

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
            facts = finish(aside, spill, words, counts, options, origin, corpus.characters)
        finally:
            spill.close()
        return folder / f"derived-{facts['fingerprint']}"

    return Corpus.open(build_in(folder, fill, lambda target: holds(target, Corpus.open, tell=True)))
