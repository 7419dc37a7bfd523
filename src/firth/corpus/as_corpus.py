"""Convert any text source to a corpus: the first step of everything that trains on text."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firth.corpus.columns import COLUMNS
from firth.corpus.encoded import Corpus
from firth.corpus.reader import inner_suffix
from firth.errors import OptionError, UnknownOptionError, brief
from firth.hints import TEXT_OPTIONS, synonym
from firth.progress import Progress


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
