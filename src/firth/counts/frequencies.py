"""How often words occur in each document, or in the documents of each year.

What: counts and frequencies per million words, file by file.
Objective: 10^6 c_wi / n_i, with c_wi occurrences of word w in document i of n_i words.
Source: none; a relative frequency.
Cost: one pass over the text, encoded once.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from firth.arguments import explained
from firth.corpus.by_document import by_document
from firth.corpus.options import TokenTextArguments
from firth.corpus.periods import NAMED, year_of
from firth.counts.word_document_graph import document_counts
from firth.errors import CorpusError, OptionError
from firth.progress import Progress


@dataclass(frozen=True)
class Frequency:
    """How often a word occurs in a document, or in a year.

    Attributes:
        name: of the file, the number of the text or row from 1, or the year.
        count: occurrences.
        tokens: words of the document or year.
        per_million: occurrences per million words.
    """

    word: str
    name: str
    count: int
    tokens: int
    per_million: float


@explained
def word_frequencies(
    text: Any,
    words: Sequence[str],
    *,
    years: bool = False,
    column: str | int | None = None,
    progress: Progress = None,
    **options: Unpack[TokenTextArguments],
) -> list[Frequency]:
    """Return how often words occur in each document of a text: its files, rows, texts, or the paragraphs of one file.

    Args:
        text: a corpus, or any source that `Corpus.build` takes.
        words: words in any of their forms.
        years: add up the files of a year, which is the first number of four digits in their names.
        column: the column with the texts of a table.
        **options: how the text is split, and tables read; as in `Corpus.build`.

    Returns:
        The frequencies, word by word, in the order of the documents or years; documents without words are left out.

    Raises:
        UnknownWordError: the text does not have a word.
        CorpusError: it cannot be read; or a name of a file has no year.
        OptionError: an option is out of its range, or given with a corpus.
    """
    if not words or isinstance(words, str):
        raise OptionError(f"words={words!r}: expected a list of words, such as ['honour', 'virtue']")
    documents = by_document(text, {**options, **({} if column is None else {"column": column})}, progress=progress)
    corpus = documents.corpus
    rows = [documents.row_of(word) for word in words]
    counts = document_counts(corpus)
    names = [str(number + 1) for number in range(len(corpus))] if not documents.names else list(documents.names)
    if years:
        if not documents.names:
            raise CorpusError(f"years: {NAMED}")
        names = [str(year_of(name)) for name in names]
    sizes, occurrences = defaultdict[str, int](int), defaultdict[tuple[int, str], int](int)
    columns = counts.tocsc()[:, rows].toarray()
    for name, size, row_counts in zip(names, counts.sum(axis=1).tolist(), columns.tolist(), strict=True):
        sizes[name] += round(size)
        for number, count in enumerate(row_counts):
            occurrences[number, name] += round(count)
    order = [name for name in (sorted(sizes) if years else sizes) if sizes[name]]
    return [
        Frequency(
            corpus.vocabulary.words[row], name, occurrences[number, name], sizes[name],
            1e6 * occurrences[number, name] / sizes[name],
        )
        for number, row in enumerate(rows)
        for name in order
    ]  # fmt: skip
