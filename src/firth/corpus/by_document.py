"""A source as a corpus of its documents with all their words: the units over which words are spread, and resampled."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth.corpus.as_corpus import as_corpus, document_options
from firth.corpus.columns import COLUMNS
from firth.corpus.contents import is_blank
from firth.corpus.encoded import Corpus
from firth.corpus.reader import inner_suffix, lines_of, opened
from firth.corpus.sources import Files, reopened, resolve
from firth.corpus.table_options import TableOptions
from firth.errors import UnknownWordError
from firth.hints import near_names
from firth.progress import Progress
from firth.text.forms import place_of
from firth.text.tokenise import RULES
from firth.text.word_rules import word_rule

_Units = tuple[dict[str, Any], str, tuple[str, ...]]
_LOOKED_AT = 1_000  # lines in which a blank one tells of paragraphs


@dataclass(frozen=True)
class Documents:
    """A corpus whose sentences are documents.

    Attributes:
        corpus: the corpus.
        unit: what a document is: "files", "paragraphs", "lines", "texts" or "sentences".
        min_count: words that occur less often are left out; 1 where none is.
        names: the files, where each is a document; otherwise none.
    """

    corpus: Corpus
    unit: str
    min_count: int = 1
    names: tuple[str, ...] = ()

    def row_of(self, word: str) -> int:
        """Return the row of a word in the vocabulary, in any of its forms.

        Raises:
            UnknownWordError: the text does not have it; of a phrase, the error names its words.
        """
        vocabulary, tokens = self.corpus.vocabulary, self.corpus.options.tokens

        def row(text: str) -> int | None:
            return place_of(text, vocabulary.ids, tokens if isinstance(tokens, str) else None)

        if (match := row(word)) is not None:
            return match
        words = word.split()
        parts = words if len(words) > 1 and all(row(part) is not None for part in words) else ()
        raise UnknownWordError(word, lambda: near_names(word, vocabulary.words), parts)


def by_document(source: Any, options: Mapping[str, Any], *, progress: Progress = None) -> Documents:
    """Return a source as documents: its files, or the texts or rows of a list or table.

    A single file has its paragraphs, where there are blank lines, and otherwise its lines. A corpus that knows its
    files is read from them again; of another one the sentences are the documents.

    Args:
        source: a corpus, or any source that `Corpus.build` takes.
        options: options of `Corpus.build`, for a source that is not a corpus; with `sentences` among them, sentences
            are the documents.
    """
    if not isinstance(source, Corpus):
        chosen, unit, names = _units(source, options)
        corpus = as_corpus(source, {**chosen, **options}, defaults={"min_count": 1}, progress=progress)
        return Documents(corpus, unit, names=names)
    as_corpus(source, options)
    tokens = source.options.tokens
    plain = isinstance(tokens, str) and (tokens in RULES or word_rule(tokens) is not None)
    files = reopened(source.origin) if plain else None
    if files is None:
        return Documents(source, "sentences", source.options.min_count or 1)
    again = {
        "column": files.column, "tokens": tokens, "language": source.options.language, "markup": files.markup,
        "stop_words": source.options.stop_words, "encoding": files.encoding,
        **{name: value for name, value in vars(files.how).items() if value is not None},
    }  # fmt: skip
    paths = [Path(path) for path in files.asked]
    chosen, unit, names = _units_of_files(files)
    corpus = Corpus.build(paths, min_count=1, progress=progress, **{**chosen, **again})
    return Documents(corpus, unit, names=names)


def _units(source: Any, options: Mapping[str, Any]) -> _Units:
    """Return the options that make documents of a source, what these are, and the files that they are."""
    if "sentences" in options:
        return {}, "sentences", ()
    if isinstance(source, str | os.PathLike) or _are_paths(source):
        tables, rest = TableOptions.among(options)
        files = resolve(source, rest.get("column"), tables, markup=bool(rest.get("markup")))
        if isinstance(files, Files):
            return _units_of_files(files)
        return document_options(source), "lines" if source == "-" else "texts", ()
    return document_options(source), "texts", ()


def _are_paths(source: Any) -> bool:
    return isinstance(source, list | tuple) and len(source) > 0 and isinstance(source[0], os.PathLike)


def _units_of_files(files: Files) -> _Units:
    first = files.paths[0]
    if any(inner_suffix(path) in COLUMNS for path in files.paths):
        return {"sentences": "text", "keep_empty": True}, "rows", ()
    if len(files.paths) > 1:
        return {"sentences": "text", "keep_empty": True}, "files", tuple(map(str, files.paths))
    if _has_paragraphs(first, files.encoding):
        return {"sentences": "paragraph"}, "paragraphs", ()
    return {"sentences": "line", "keep_empty": True}, "lines", ()


def _has_paragraphs(path: Path, encoding: str | None) -> bool:
    """Whether a blank line stands among the first lines of a file, but for those at its beginning and end."""
    texts = 0
    waiting = False
    with opened(path, encoding) as (_, stream), lines_of(stream) as lines:
        for _, line in zip(range(_LOOKED_AT), lines, strict=False):
            if not is_blank(line.decode("utf-8", "replace")):
                if waiting:
                    return True
                texts += 1
            else:
                waiting = texts > 0
    return False
