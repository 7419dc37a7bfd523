"""Sentences of treebanks, from files or memory."""

import os
from collections.abc import Iterable, Sequence
from typing import Any

from firth.errors import ArgumentTypeError, CorpusError, brief
from firth.readers.conllu import NONE, TAG_COLUMNS, DependencySentence, read_conllu


def read_treebank(source: Any, *, on_error: str) -> list[DependencySentence]:
    """Return the sentences of a treebank.

    Args:
        source: a CoNLL-U file, several, or a list of sentences.
        on_error: "skip" damaged sentences of files, or "stop" at the first.

    Raises:
        ArgumentTypeError: an item is neither.
        CorpusError: there is no sentence.
    """
    items = [source] if isinstance(source, str | os.PathLike | DependencySentence) else source
    if not isinstance(items, Iterable):
        raise ArgumentTypeError(f"{brief(source)}: expected a CoNLL-U file or a list of sentences")
    sentences = list[DependencySentence]()
    for item in items:
        if isinstance(item, DependencySentence):
            sentences.append(item)
        elif isinstance(item, str | os.PathLike):
            sentences += read_conllu(item, trees=False, on_error=on_error)
        else:
            raise ArgumentTypeError(f"{brief(item)}: expected a CoNLL-U file or a sentence, a DependencySentence")
    sentences = [sentence for sentence in sentences if len(sentence)]
    if not sentences:
        raise CorpusError("no sentences; expected at least one, from a CoNLL-U file or in a list")
    return sentences


def filled(sentences: Sequence[DependencySentence], column: str) -> bool:
    """Return whether the words of a treebank have a column, a name of attributes such as "tags".

    Features are also "_" where a word has none: they are there if any word has some. Of other columns half of the words
    need a value.
    """
    values = [value for sentence in sentences for value in getattr(sentence, column)]
    given = sum(value != NONE for value in values)
    return bool(given > 0 if column == TAG_COLUMNS["feats"] else 2 * given > len(values))
