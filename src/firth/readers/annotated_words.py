"""The words of annotated files, for corpora: CoNLL-U, and columns with a word a line (`.conll`, `.iob`).

Of CoNLL-U the words are those that trees are over, the column FORM: a multiword token (`du`) is its words (`de`, `le`);
comments and empty nodes are left out. Of other columns see `firth.readers.columns`; in those of CoNLL-2012, which begin
with `#begin document`, words are the fourth.
"""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

from firth.corpus.reader import inner_suffix
from firth.errors import FormatError, OptionError, brief
from firth.readers.columns import column_sentences
from firth.readers.conllu import COLUMNS, NONE, read_conllu
from firth.storage.files import lines_of
from firth.storage.skipping import STOP

_CONLLU = {"form": "words", "2": "words", "lemma": "lemmas", "3": "lemmas"}
_BEGIN = "#begin document"
_CONLL2012 = (4, 6)  # column of words, fewest columns


def read_words(
    path: str | os.PathLike[str], *, column: str | int | None = None, on_error: str = STOP
) -> Iterator[tuple[str, ...]]:
    """Yield the words of each sentence.

    Args:
        path: CoNLL-U, which the ending `.conllu` or a line with its ten columns shows, or columns; plain or packed.
        column: of CoNLL-U "form", the default, or "lemma", or their numbers; of other columns as `word_column` of
            `read_columns`.
        on_error: "stop" at the first damaged sentence, or "skip" such sentences.
    """
    first, begins = "", False
    for line in itertools.dropwhile(lambda line: not line.strip(), lines_of(path)):
        begins = begins or line.startswith(_BEGIN)
        if line.strip() and not line.startswith("#"):
            first = line
            break
    if inner_suffix(Path(path)) != ".conllu" and not _is_conllu(first):
        if column is None and begins and len(first.split()) >= _CONLL2012[1]:
            column = _CONLL2012[0]
        sentences = column_sentences(path, word_column=column, on_error=on_error, argument="column")
        yield from (sentence.words for sentence in sentences)
        return
    name = _CONLLU.get(str(column or "form").lower())
    if name is None:
        raise OptionError(f"{path}: CoNLL-U, column={brief(column)}: expected 'form' or 'lemma'")
    for number, sentence in enumerate(read_conllu(path, trees=False, on_error=on_error)):
        words: tuple[str, ...] = getattr(sentence, name)
        if not number and name == "lemmas" and set(words) == {NONE}:
            raise FormatError(
                f"{path}: its first sentence has no lemmas; expected some; annotate it, or leave column out"
            )
        yield words


def _is_conllu(line: str) -> bool:
    fields = line.split("\t")
    return len(fields) == COLUMNS and fields[0].partition("-")[0].isdecimal()
