"""Every occurrence of a word, a phrase or a pattern in any source of text, without building a corpus first."""

from typing import Any, Unpack

from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.corpus.occurrences import Concordance
from firth.corpus.options import CorpusOptions, TokenTextArguments
from firth.corpus.source_text import text_of_source
from firth.corpus.sources import Source, resolve
from firth.corpus.table_options import TableOptions
from firth.corpus.word_query import word_query
from firth.errors import OptionError
from firth.storage.encodings import text_encoding


@explained
def concordance(
    source: Any,
    query: str,
    *,
    window: int = 8,
    sort: str = "file",
    limit: int | None = None,
    column: str | int | None = None,
    encoding: str | None = None,
    **text: Unpack[TokenTextArguments],
) -> Concordance:
    """Return every occurrence of a word, a phrase or a pattern with its context (KWIC, keyword in context).

    The text is read as it is needed, and again by each iteration; nothing is encoded. Sentences go on over wrapped
    lines, and words that a hyphen divides at the end of a line are whole; with `sentences="line"` each line is one.

    Args:
        source: a corpus, or any source that `Corpus.build` takes.
        query: a word in any of its forms; a phrase, whose words follow each other in one sentence; or a pattern:
            `*` stands for any letters, `?` for one, `|` for one word or another, and `*` alone for any word.
        window: words on either side.
        sort: "file", the order of the text; "left" or "right": by the words on that side, the nearest first.
        limit: occurrences at most, the first in this order; None for all.
        column: the column with the texts of a table.
        encoding: as in `Corpus.build`.
        **text: how text is split and tables are read; as in `Corpus.build`.

    Returns:
        An iterable of `firth.corpus.Occurrence` in bounded memory, unless it is sorted.

    Raises:
        CorpusError: the source is no text, or the query holds no word.
        OptionError: an option is out of its range, or given with a corpus.

    >>> for found in concordance(["A man of honour.", "Honours, and honour!"], "honour*", window=1):
    ...     print(found.line, [found.before, found.match, found.after])
    1 ['of ', 'honour', '.']
    2 ['', 'Honours', ', and']
    2 ['and ', 'honour', '!']
    """
    if isinstance(source, Corpus):
        given = [*text, *(["column"] if column is not None else [])]
        if given:
            raise OptionError(
                f"{', '.join(given)} given with a corpus, which has its own; expected text, or none of them"
            )
        return source.concordance(query, window=window, sort=sort, limit=limit)
    tables, options = TableOptions.among(text)
    chosen = CorpusOptions(**{"sentences": "punctuation", **options}).checked()

    def resolved() -> Source:
        with text_encoding(encoding):
            return resolve(source, column, tables, markup=chosen.markup)

    by_line = options.get("sentences") == "line"
    searched = text_of_source(resolved, chosen, default_tokens="tokens" not in options, by_line=by_line)
    return Concordance(word_query(query, searched.rule), searched, window, sort, limit)
