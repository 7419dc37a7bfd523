"""From whatever a caller has to a corpus: the first step of everything that trains on text."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firth.corpus.columns import TABLES
from firth.corpus.encoded import Corpus
from firth.corpus.reader import inner_suffix
from firth.errors import OptionError, UnknownOptionError, brief
from firth.option_names import TEXT_OPTIONS, synonym
from firth.progress import Progress


def as_corpus(
    source: Any, options: Mapping[str, Any], *, defaults: Mapping[str, Any] | None = None, progress: Progress = None
) -> Corpus:
    """Return a corpus as it is, and anything else as a corpus that is built of it.

    Args:
        source: a corpus, or whatever `Corpus.build` takes.
        options: those of `Corpus.build` that the caller gave, `column` and `cache` among them.
        defaults: the model's own, for what was not given.
        progress: how to show progress; see `firth.progress`.

    Raises:
        CorpusError: the source is none, or no corpus can be built of it.
        UnknownOptionError: there is no such option.
        OptionError: an option is out of its range, or the corpus is built already and has its own.
    """
    for name, value in options.items():
        if name not in TEXT_OPTIONS:
            other = synonym(name, (*TEXT_OPTIONS, "threads", "seed"))
            known = ", ".join(TEXT_OPTIONS)
            cure = f"use {other}" if other else "options of the model are given where it is made, not to train"
            raise UnknownOptionError(
                f"{name}={brief(value)}: not an argument of this method, nor an option of its text ({known}); {cure}"
            )
    if not isinstance(source, Corpus):
        return Corpus.build(source, progress=progress, **{**(defaults or {}), **options})
    if options:
        raise OptionError(
            f"{', '.join(options)} given with a corpus that is built already; give options of a text to Corpus.build, "
            "or the text itself in place of the corpus"
        )
    return source


def document_options(source: Any) -> dict[str, Any]:
    """Return what a corpus of documents is built with: each text, row, cell or file is one, and none is left out.

    A single file of text, or standard input, holds a document a line.

    Args:
        source: whatever `Corpus.build` takes.
    """
    single = isinstance(source, str | os.PathLike) and not Path(source).expanduser().is_dir()
    lines = single and inner_suffix(Path(source)) not in TABLES and not any(mark in str(source) for mark in "*?[")
    return {"sentences": "line" if lines else "text", "keep_empty": True}
