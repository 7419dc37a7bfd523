"""Options of a corpus, and the identity of a set of options in the cache."""

import hashlib
import inspect
import os
import types
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, TypedDict

from firth.arguments import describe
from firth.corpus import size_defaults
from firth.corpus.table_options import TableArguments, TableOptions
from firth.errors import OptionError, brief
from firth.options import check, option, options_class
from firth.text.language_codes import language_code
from firth.text.subwords import Subwords, unit_of
from firth.text.tokenise import RULES, Tokeniser, is_named, tokeniser
from firth.text.word_rules import LANGUAGES, NAME, WordRule, word_rule
from firth.text.wordpieces import WordPieces

# Learned from the text itself; see `firth.corpus.learned_tokens`.
LEARNED = ("subwords", "characters", "wordpieces", "cased-wordpieces")
TOKENS = (*RULES, *LEARNED)
GIVEN = "whitespace"  # for corpora of token lists: tokenises their words unchanged
SENTENCES = ("line", "paragraph", "text", "punctuation")


@options_class
class CorpusOptions:
    """Options of `Corpus.build`.

    `language="tr"` makes the words those of `tokens="words:tr"`; `firth.text.word_rules` lists the languages with rules
    of their own. Any other code is kept, and matters for the ends of sentences alone.
    `tokens="subwords"` learns a cased vocabulary of subwords from the text itself, of `max_size` subwords that occur at
    least `min_count` times; without `max_size` the length of the text decides. `tokens="characters"` makes each
    character a token; `tokens="wordpieces"` learns `max_size` pieces of lower-cased words with special tokens, as BERT
    reads text, and "cased-wordpieces" keeps the case. `tokens` may also be `firth.Subwords`, `firth.WordPieces`, the
    path of saved `firth.Subwords` (`.json`), a Hugging Face tokenizer, or a function from a string to a list of
    strings. `sentences` may also be such a function; with "text" each text, cell or file is one sentence, whose line
    breaks are symbols among subwords and characters (`line_breaks`), and spaces among words. "punctuation" splits
    running text, whose lines may be wrapped, by the rules of `firth.text.sentence_ends`; with `keep_empty` an empty
    sentence follows each text, cell or file. Lists of tokens are kept as they are; `tokens` then defines how models of
    the corpus tokenise strings later, "whitespace" by default. A corpus that is opened again shows a tokenizer as JSON
    and a function as its name.
    """

    min_count: int | None = option(
        None,
        "minimum count of a word or subword to be kept; by default chosen from the size of the text for words, 5 for "
        "subwords",
        minimum=1,
    )
    max_size: int | None = option(
        None, "maximum vocabulary size: the most frequent words are kept; of subwords, their number", minimum=1
    )
    stop_words: tuple[str, ...] = option((), "stop words, which are left out")
    unknown: str | None = option(
        None, "unknown word, such as <unk>, in place of words not kept; otherwise they are left out"
    )
    tokens: str | Tokeniser | Subwords | WordPieces = option(
        NAME,
        "how text is split: into words by one of six rules, subwords or characters; or a file of subwords",
        choices=TOKENS,
    )
    language: str | None = option(
        None, "language of the text, such as tr: its rules for capital letters and for the ends of sentences"
    )
    sentences: str | Tokeniser = option("line", "end of a sentence", choices=SENTENCES)
    line_breaks: bool | None = option(
        None, "keep line breaks as symbols where each text is one sentence; by default with subwords and characters"
    )
    markup: bool = option(
        False, "leave out tags, entities and markers such as </s>; read .md, .html and .xml files without their markup"
    )
    join_hyphens: bool | None = option(
        None,
        "join words that a hyphen divides at the end of a line; by default where sentences are found by punctuation",
    )
    keep_empty: bool = option(False, "keep sentences without known words, so that sentence numbers do not change")

    def __post_init__(self) -> None:
        """Take any values: `checked` looks at them."""

    def checked(self) -> "CorpusOptions":
        """Check the options; return them with `stop_words` as a tuple and a file of subwords opened.

        Raises:
            OptionError: an option is out of its range.
        """
        if isinstance(self.tokens, str) and self.tokens.endswith(".json"):
            return replace(self, tokens=Subwords.open(self.tokens)).checked()
        rule = word_rule(self.tokens) if isinstance(self.tokens, str) else None
        plain = replace(
            self,
            tokens=self.tokens if is_named(self.tokens) and rule is None else NAME,
            sentences="line" if callable(self.sentences) else self.sentences,
        )
        check(plain)
        chosen = replace(
            plain,
            tokens=plain.tokens if is_named(self.tokens) and rule is None else self.tokens,
            sentences=self.sentences if callable(self.sentences) else plain.sentences,
        )
        if self.language is not None:
            chosen = replace(chosen, language=language_code(self.language))
            chosen = chosen if rule is None else replace(chosen, tokens=_in_language(rule, str(chosen.language)))
        if not is_learned(chosen.tokens):
            tokeniser(chosen.tokens)
        elif self.stop_words:
            raise OptionError(
                f"stop_words with tokens={chosen.tokens!r}, which are no words; leave them out, or use tokens='words'"
            )
        if self.join_hyphens and plain.sentences not in ("paragraph", "punctuation"):
            raise OptionError(
                f"join_hyphens=True with sentences={plain.sentences!r}: a line is whole there; expected "
                "sentences='punctuation' or 'paragraph'"
            )
        if self.line_breaks is not None:
            _check_line_breaks(self.line_breaks, chosen)
        if self.keep_empty and plain.sentences == "paragraph":
            raise OptionError("keep_empty=True: paragraphs end at blank lines; use sentences='line' or 'text'")
        unknown: Any = self.unknown
        if unknown is not None and (not isinstance(unknown, str) or not unknown or any(c.isspace() for c in unknown)):
            raise OptionError(f"unknown={unknown!r}: expected a word without spaces, such as '<unk>'")
        words: Any = self.stop_words
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise OptionError(f"stop_words={brief(words)}: expected a list of words, such as ['the', 'of']")
        return replace(chosen, stop_words=tuple(words))

    @property
    def joins_hyphens(self) -> bool:
        """Whether words that a hyphen divides at the end of a line are joined."""
        return self.sentences == "punctuation" if self.join_hyphens is None else self.join_hyphens

    @property
    def keeps_line_breaks(self) -> bool:
        """Whether the line breaks of a text that is one sentence are left for its tokens."""
        if self.sentences != "text":
            return False
        given = self.line_breaks
        return _writes_line_breaks(self.tokens) if given is None else given

    @property
    def unit(self) -> str | None:
        """The unit of learned tokens: "subwords" or "characters"; None for words and the tokens of other libraries."""
        return unit_of(self.tokens)

    @property
    def reads_bytes(self) -> bool:
        """Whether the bytes of a file are read as they are, without a change to the text."""
        return not self.markup and not self.joins_hyphens and self.sentences in ("line", "paragraph", "text")

    def described(self) -> dict[str, Any]:
        """Return the options as JSON values: functions as names, tokenizers as JSON."""
        plain = {**vars(self), "tokens": _serialised(self.tokens) or _name(self.tokens)}
        plain["sentences"] = _name(self.sentences)
        facts = {**asdict(CorpusOptions(**plain)), "stop_words": sorted(set(self.stop_words))}
        if self.keeps_line_breaks:
            return {**facts, "line_breaks": True}
        del facts["line_breaks"]  # as in corpora that are older than this option
        return facts

    def identity(self) -> str | None:
        """Return a string that identifies the options, or None if the behaviour of a function cannot be identified."""
        parts = [_identity(self.tokens), _identity(self.sentences)]
        if None in parts:
            return None
        chosen = self.min_count is None  # by a rule: with another one the corpus is another one
        rule = (size_defaults.SHORT, size_defaults.LONG) if chosen else ()
        return repr((sorted(self.described().items()), parts, *rule))


@options_class
class TextOptions(TableOptions, CorpusOptions):
    """Options of a text that is not encoded yet: those of `Corpus.build`."""

    column: str | int | None = option(
        None,
        "column with texts or lists of tokens, for a table with several: its name, or its number from 1 in a file; of "
        "CoNLL-U form or lemma",
    )
    cache: str | os.PathLike[str] | None = option(
        None, "folder of built corpora; by default FIRTH_CACHE or the user's cache folder"
    )


class TokenArguments(TypedDict, total=False):
    """The options above as keyword arguments, for type checkers: those that decide what the tokens are."""

    stop_words: Sequence[str]
    unknown: str | None
    tokens: str | Tokeniser | Subwords | WordPieces
    language: str | None
    sentences: str | Tokeniser
    line_breaks: bool | None
    markup: bool
    join_hyphens: bool | None
    keep_empty: bool


class CorpusArguments(TokenArguments, total=False):
    """The fields of `CorpusOptions` as keyword arguments."""

    min_count: int | None
    max_size: int | None


class BuildArguments(CorpusArguments, TableArguments, total=False):
    """The fields of `CorpusOptions` and `TableOptions` as keyword arguments."""


class TokenTextArguments(TokenArguments, TableArguments, total=False):
    """Those that decide what the tokens of a text are, and how its tables are read."""


class TextArguments(BuildArguments, total=False):
    """The fields of `TextOptions` as keyword arguments."""

    column: str | int | None
    cache: str | os.PathLike[str] | None


describe(TokenArguments, CorpusOptions)
describe(CorpusArguments, CorpusOptions)
describe(BuildArguments, CorpusOptions, TableOptions)
describe(TokenTextArguments, CorpusOptions, TableOptions)
describe(TextArguments, TextOptions)


def _in_language(rule: WordRule, language: str) -> str:
    """Return the name of a rule for words in a language."""
    if rule.language and rule.language != language:
        raise OptionError(f"language={language!r} with tokens={rule.name!r}: expected the same language in both")
    return replace(rule, language=language if language in LANGUAGES else "").name


def _writes_line_breaks(tokens: Any) -> bool:
    """Whether tokens give a text back as it is, line breaks too, without being told."""
    return isinstance(tokens, Subwords) or tokens in ("subwords", "characters")


def _check_line_breaks(wanted: bool, options: CorpusOptions) -> None:
    if options.sentences != "text":
        raise OptionError(
            f"line_breaks={wanted} with sentences={_name(options.sentences)!r}: line breaks are within texts that are "
            "one sentence; expected sentences='text'"
        )
    if wanted and is_named(options.tokens) and not _writes_line_breaks(options.tokens):
        raise OptionError(
            f"line_breaks=True with tokens={options.tokens!r}, which leave white space out; expected "
            "tokens='subwords' or 'characters'"
        )


def is_learned(tokens: Any) -> bool:
    """Whether the tokens are learned from the text that a corpus is built from."""
    return isinstance(tokens, str) and tokens in LEARNED


def _name(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, types.MethodDescriptorType):
        return value.__qualname__
    owner = value if isinstance(value, types.FunctionType) else type(value)
    return f"{owner.__module__}.{owner.__qualname__}"


def _identity(value: Any) -> str | None:
    """Return the identity of a tokeniser name, a plain function or a tokenizers.Tokenizer.

    Closures, bound methods and other objects may behave differently next time under the same name: they have no
    identity, and a corpus built with them is always rebuilt.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, types.FunctionType) and value.__closure__ is None:
        return f"{_name(value)} {_digest(_source(value))}"
    if isinstance(value, types.MethodDescriptorType):  # str.split
        return value.__qualname__
    whole = _serialised(value)
    return None if whole is None else _digest(whole)


def _serialised(value: Any) -> str | None:
    """Return the JSON of a tokenizers.Tokenizer or of Subwords."""
    serialise = getattr(value, "to_str", None)
    return str(serialise()) if callable(serialise) else None


def _source(function: types.FunctionType) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):  # typed at a prompt
        return repr((function.__code__.co_code, function.__code__.co_consts, function.__code__.co_names))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
