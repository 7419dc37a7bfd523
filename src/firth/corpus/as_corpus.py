"""Any text source as a corpus, the first step of everything that trains on text; corpora derived from corpora."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import storage
from firth.corpus.cache import build_in, holds
from firth.corpus.columns import COLUMNS
from firth.corpus.counting import DocumentEnds
from firth.corpus.encode import place_of, write_encoded
from firth.corpus.encoded import Corpus
from firth.corpus.parts import check_complete
from firth.corpus.reader import inner_suffix
from firth.errors import CorpusError, OptionError, UnknownOptionError, brief
from firth.hints import TEXT_OPTIONS, synonym
from firth.progress import Progress
from firth.storage.files import cache_folder


def as_corpus(
    source: Any,
    options: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Corpus:
    """Return a corpus unchanged; build one from any other source.

    Args:
        source: a corpus, or any source that `Corpus.build` takes.
        options: options of `Corpus.build` given by the caller, including `column` and `cache`.
        defaults: the model's defaults for options that were not given.
        threads: files that are read at once; None for one per processor.
    """
    for name, value in options.items():
        if name not in TEXT_OPTIONS:
            other = synonym(name, (*TEXT_OPTIONS, "threads", "seed"))
            names = ", ".join(TEXT_OPTIONS)
            cure = f"use {other}" if other else "options of the model are given where it is made, not to train"
            raise UnknownOptionError(
                f"{name}={brief(value)}: not an argument of this method, nor an option of its text ({names}); {cure}"
            )
    if not isinstance(source, Corpus):
        return Corpus.build(source, threads=threads, progress=progress, **{**(defaults or {}), **options})
    if options:
        raise OptionError(
            f"{', '.join(options)} given with a corpus that is built already; give options of a text to Corpus.build, "
            "or the text itself in place of the corpus"
        )
    return source


def document_options(source: Any) -> dict[str, Any]:
    """Return the corpus options for documents: each text, row, cell or file is one document, and none is dropped.

    A single text file, or standard input, holds one document per line.

    Args:
        source: any source that `Corpus.build` takes.
    """
    single = isinstance(source, str | os.PathLike) and not Path(source).expanduser().is_dir()
    lines = single and inner_suffix(Path(source)) not in COLUMNS and not any(mark in str(source) for mark in "*?[")
    return {"sentences": "line" if lines else "text", "keep_empty": True}


def opened_by_worker(path: Path, fingerprint: str) -> Corpus:
    """Open a corpus in a worker."""
    check_complete(path)
    corpus = Corpus.open(path)
    if corpus.fingerprint != fingerprint:
        raise CorpusError(f"{path}: another corpus on a machine of the cluster; share one folder")
    return corpus


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
        documents = DocumentEnds(spill.write)
        if corpus.documents is not None:
            documents.expect(np.diff(corpus.documents))
        try:
            for numbers, so_far in blocks:
                documents.write(numbers)
                counts = so_far
            origin = {"name": corpus.path.name, "identity": None}
            facts = write_encoded(aside, spill, words, counts, options, origin, corpus.characters)
        finally:
            spill.close()
        return folder / f"derived-{place_of(facts)}"

    return Corpus.open(build_in(folder, fill, lambda target: holds(target, Corpus.open, tell=True)))
