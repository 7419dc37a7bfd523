"""From whatever a caller has to a corpus: the first step of everything that trains on text."""

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from firth.corpus.columns import TABLES
from firth.corpus.encoded import Corpus
from firth.corpus.options import CorpusOptions
from firth.corpus.reader import inner_suffix
from firth.errors import OptionError
from firth.progress import Progress

_BUILD = ("column", "cache")  # arguments of Corpus.build that are no options of a corpus


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
        OptionError: an option is unknown or out of its range, or the corpus is built already and has its own.
    """
    known = (*(field.name for field in fields(CorpusOptions)), *_BUILD)
    for name, value in options.items():
        if name not in known:
            raise OptionError(
                f"{name}={value!r}: not an argument of this method, nor an option of its text ({', '.join(known)}); "
                "options of the model are given where it is made: Word2Vec(epochs=3)"
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
