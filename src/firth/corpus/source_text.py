"""The text that a corpus was built from, or any source, as something that can be searched."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from firth.corpus.counting import holds_token_lists
from firth.corpus.occurrences import Counts, SourceText
from firth.corpus.options import GIVEN, CorpusOptions, is_learned
from firth.corpus.passages import Passage, Reading, passages
from firth.corpus.reading_progress import ReadingProgress
from firth.corpus.sources import Files, Source, reopened
from firth.corpus.word_query import WordQuery
from firth.errors import warn_caller
from firth.text.subwords import Subwords
from firth.text.tokenise import RULES, is_named
from firth.text.word_rules import NAME, word_rule
from firth.text.wordpieces import WordPieces
from firth.vocabulary import Vocabulary


def text_of_source(
    resolve: Callable[[], Source], options: CorpusOptions, *, default_tokens: bool, by_line: bool
) -> SourceText:
    """Return a source as a text.

    Args:
        resolve: returns the source, anew for each reading.
        default_tokens: whether the tokens are the default, which lists of tokens change.
        by_line: whether each line is a sentence.
    """
    first = resolve()
    if default_tokens and holds_token_lists(first):
        options = replace(options, tokens=GIVEN)
    waiting = [first]

    def read(margin: int) -> Iterator[Passage]:
        return _passages(waiting.pop() if waiting else resolve(), Reading(options, margin, by_line))

    return SourceText(read, _words(options.tokens), options, files=_names(first))


def text_of_corpus(
    origin: Mapping[str, Any], options: CorpusOptions, vocabulary: Vocabulary, sentences: Iterable[list[str]]
) -> SourceText:
    """Return the text of a corpus as its files hold it, or as its sentences where these are not known.

    Args:
        origin: where its files are and how they were read; see `Corpus`.
        sentences: its sentences as words of the vocabulary.

    Warns:
        UserWarning: the files are not known, or not what they were.
    """
    files = reopened(origin)
    pieces = _are_pieces(options.tokens)
    if files is None or not (pieces or _is_known(options.tokens)):
        why = "its files are not known" if files is None else f"it cannot call {options.tokens!r} again"
        warn_caller(
            "the corpus shows its words as it keeps them, without punctuation and without words outside its "
            f"vocabulary: {why}; firth.concordance(TEXT, WORD) shows the text itself"
        )
        rule = options.tokens if _is_known(options.tokens) else GIVEN
        return SourceText(lambda margin: _encoded(sentences), rule, options)
    counts = None if pieces else lambda query: _counts(query, vocabulary, options)
    return SourceText(
        lambda margin: _passages(files, Reading(options, margin)),
        _words(options.tokens),
        options,
        counts,
        _names(files),
    )


def _passages(source: Source, reading: Reading) -> Iterator[Passage]:
    return passages(source, ReadingProgress(lambda status: None, None), reading)


def _names(source: Source) -> tuple[str, ...]:
    return tuple(map(str, source.paths)) if isinstance(source, Files) else ()


def _encoded(sentences: Iterable[list[str]]) -> Iterator[Passage]:
    for number, words in enumerate(sentences, 1):
        text = " ".join(words)
        yield Passage("", text, [0], [number], 0, len(text), tokens=True)


def _is_known(tokens: Any) -> bool:
    return isinstance(tokens, str) and (tokens in RULES or word_rule(tokens) is not None)


def _are_pieces(tokens: Any) -> bool:
    """Whether tokens are subwords or characters, which are no words."""
    return (
        is_learned(tokens)
        or isinstance(tokens, Subwords | WordPieces)
        or (isinstance(tokens, str) and not is_named(tokens))
    )


def _words(tokens: Any) -> Any:
    """Return the rule that finds words: the default where tokens are pieces of them."""
    return NAME if _are_pieces(tokens) else tokens


def _counts(query: WordQuery, vocabulary: Vocabulary, options: CorpusOptions) -> Counts:
    matches = query.matchers()[0]
    rows = [row for row, word in enumerate(vocabulary.words) if matches(word)]
    left_out = [
        f"min_count={options.min_count}" if (options.min_count or 1) > 1 else "",
        f"max_size={options.max_size}" if options.max_size is not None else "",
        f"{len(options.stop_words)} stop words" if options.stop_words else "",
    ]
    reasons = ", ".join(filter(None, left_out))
    why = (
        f"its options leave words out ({reasons})"
        if reasons
        else "the text is not what it was when the corpus was built"
    )
    return Counts({vocabulary.words[row]: int(vocabulary.counts[row]) for row in rows}, why)
