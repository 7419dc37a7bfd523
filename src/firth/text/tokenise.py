"""Tokenisers: the reference implementations, short and slow.

Corpora are built with compiled code that gives the same tokens; these functions are the definition.

**words**, the default. Text is composed (NFC), and a token becomes lower case; `word_rules` has the rules of letters,
and those of languages, as in `words:tr`. A token is

- a run of letters, digits and marks that starts with a letter or a digit: `Straße` -> `straße`, `covid19`;
- with an apostrophe inside, where a letter follows: `don't`, `l'homme`, `1990's`; `’` counts as `'`; outer
  apostrophes are dropped;
- with `_`, `·` or a zero-width joiner inside: `new_york`, `col·lecció`;
- with `.` or `,` between two digits: `3.14`, `1,000`, `192.168.0.1`;
- or one Han or Hiragana character with its marks: `東京` -> `東`, `京`.

Everything else separates tokens: white space, hyphens (`state-of-the-art` is four tokens, so that its parts are learned
too), other punctuation, symbols, emoji. Katakana and Hangul are letters. Thai, Lao, Khmer and Burmese words can only be
split with a dictionary and stay joined between spaces: take "segment", or a tokeniser of your own.

**unicode**: the same tokens, with full case folding (`characters.fold`: `Straße` -> `strasse`,
`δρόμος` -> `δρόμοσ`) in place of lower case. Corpora and models that have it keep it.

**whitespace**: runs of characters other than the space and the control characters U+0000 to U+001F; nothing is folded.

**text8**: the letters a-z, lower-cased, with digits spelled out; everything else separates.

**segment**: as "words", but Thai, Lao, Khmer, Burmese, Chinese and Japanese are divided into words by ICU's
dictionaries. There is no compiled code for them.

**cased**: words as they are written, and punctuation: the rules of `firth.text.running_text`, for models that tag and
parse. There is no compiled code for them.

In bytes that are not valid UTF-8, each maximal invalid sequence reads as U+FFFD (what `bytes.decode(errors="replace")`
does), which is a separator for `words` and `text8`, and an ordinary character for `whitespace`.

Words of scripts without spaces between them, which ICU divides by its dictionaries.

Thai, Lao, Khmer, Burmese, Chinese and Japanese. ICU has a dictionary of each and divides a text into the most frequent
words that fill it; what is in no dictionary, such as a name, may become several words. It has none for Tibetan.

Source: ICU, Boundary Analysis, "Dictionary-based BreakIterator", by way of the package icu4py, whose wheels hold ICU:
of what `pip install` finds without a compiler it is the one that serves all these scripts. The packages of single
languages (PyThaiNLP, LaoNLP, khmer-nltk, fugashi, jieba) may be better at theirs: pass their functions.
"""

import functools
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from firth.errors import FormatError, MissingExtraError, OptionError, brief
from firth.text.characters import IDEOGRAPH, fold, kind
from firth.text.running_text import rule_tokens
from firth.text.word_rules import DEFAULT, LANGUAGES, NAME, WordRule, word_rule

DIVIDED = ("Thai", "Lao", "Burmese", "Khmer")  # names of scripts whose words firth does not divide without a dictionary
RUNS = re.compile(
    "["
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59"  # Thai
    "\u0e81-\u0eff"  # Lao
    "\u1000-\u1049\u1050-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u17e0-\u17e9"  # Khmer
    "\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "]+"
)


def split_run(run: str) -> list[str]:
    """Return the words of a run of characters of these scripts."""
    try:
        from icu4py.breakers import WordBreaker
    except ImportError as error:
        raise MissingExtraError("icu4py", "segment", "divide text without spaces into words") from error
    return list(WordBreaker(run, "und"))


Tokeniser = Callable[[str], list[str]]

SEGMENT = "segment"
DIGIT_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

# Matches kinds of characters, not characters: see `characters`.
_TOKEN = re.compile(r"im*|[ld](?:[ldm]|a(?=l)|u(?=[ld])|(?<=d)p(?=d))*")
TEXT8 = re.compile(r"[A-Za-z]+|[0-9]")
VISIBLE = re.compile(r"[^\x00-\x20]+")


class _Kinds(dict[int, str]):
    """Code point -> kind, filled on demand."""

    def __missing__(self, code: int) -> str:
        self[code] = kind(chr(code))
        return self[code]


_KINDS = _Kinds()


def words_of(text: str, rule: WordRule = DEFAULT) -> list[str]:
    """Return the words of `text` by the default rules of this module.

    >>> words_of("Don't pay $1,000.50 for Ångström’s state-of-the-art “Straße”!")
    ["don't", 'pay', '1,000.50', 'for', "ångström's", 'state', 'of', 'the', 'art', 'straße']
    """
    return [rule.lowered(token) for token in _tokens(rule.prepared(text))]


def unicode_tokens(text: str) -> list[str]:
    """Return the tokens of `text` with full case folding.

    >>> unicode_tokens("“Straße”")
    ['strasse']
    """
    return _tokens(fold(text))


def _tokens(text: str) -> list[str]:
    return [text[start:end] for start, end in token_spans(text)]


def token_spans(text: str) -> list[tuple[int, int]]:
    """Return the places of the tokens of a text that a rule has prepared."""
    return [match.span() for match in _TOKEN.finditer(text.translate(_KINDS))]


def whitespace_tokens(text: str) -> list[str]:
    """Return the runs of `text` between spaces and control characters.

    >>> whitespace_tokens("New-York's  3.14")
    ["New-York's", '3.14']
    """
    return VISIBLE.findall(decode(encode(text)))


def text8_tokens(text: str) -> list[str]:
    """Return the tokens of `text` in the style of the text8 corpus.

    Source: Matt Mahoney, the `wikifil.pl` program of the Large Text Compression Benchmark, without its removal of
    Wikipedia's markup.

    >>> text8_tokens("In 42 Days")
    ['in', 'four', 'two', 'days']
    """
    tokens = TEXT8.findall(text)
    return [DIGIT_NAMES[int(token)] if token.isdigit() else token.lower() for token in tokens]


def segmented_words(text: str) -> list[str]:
    """Return the words of `text` by the default rules, with those of scripts without spaces divided by dictionaries."""
    text = DEFAULT.prepared(text)
    words, end = list[str](), 0
    for run in RUNS.finditer(text):
        words += _tokens(text[end : run.start()])
        words += split_run(run[0])
        end = run.end()
    return [DEFAULT.lowered(word) for word in [*words, *_tokens(text[end:])]]


def cased_tokens(text: str) -> list[str]:
    """Return the words and marks of `text` as they are written; see `firth.text.running_text`.

    >>> cased_tokens("Mr. Hill can't come.")
    ['Mr.', 'Hill', 'ca', "n't", 'come', '.']
    """
    return [text[start:end] for start, end in rule_tokens(text, 0, len(text))]


def encode(text: str) -> bytes:
    """Return text as UTF-8; a lone surrogate, which UTF-8 cannot encode, becomes an invalid sequence."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """Return UTF-8 as text; an invalid sequence becomes U+FFFD."""
    return data.decode("utf-8", "replace")


def join_words(words: Sequence[str]) -> str:
    """Return tokens of the default tokeniser as text: with spaces between them, but not between Han or Hiragana.

    >>> join_words(["the", "word", "東", "京"])
    'the word 東京'
    """
    return "".join(_space(before, word) + word for before, word in pairwise(["", *words]))


def _space(before: str, word: str) -> str:
    return "" if not before or IDEOGRAPH == _KINDS[ord(before[0])] == _KINDS[ord(word[0])] else " "


def join_tokens(tokens: str, words: Sequence[str]) -> str:
    """Return the text of tokens of a Hugging Face tokenizer, as its decoder joins them.

    Args:
        words: its tokens; others are left out.
    """
    tokenizer = _from_json(tokens)
    ids = [number for word in words if (number := tokenizer.token_to_id(word)) is not None]
    return str(tokenizer.decode(ids, skip_special_tokens=False))


REFERENCES: dict[str, Tokeniser] = {
    NAME: words_of,
    "unicode": unicode_tokens,
    "whitespace": whitespace_tokens,
    "text8": text8_tokens,
}
RULES: dict[str, Tokeniser] = {
    **REFERENCES,
    SEGMENT: segmented_words,
    "cased": cased_tokens,
}  # also those without compiled code


def tokeniser(tokens: Any) -> Tokeniser:
    """Return a function from text to tokens.

    Args:
        tokens: "words", with a language as in "words:tr", "unicode", "whitespace", "text8", "segment" or "cased"; an
            object with a method `tokenize(text)` that returns strings (a transformers or NLTK tokenizer); one with
            `encode(text, add_special_tokens=...)` whose result has `.tokens` (a Hugging Face tokenizers.Tokenizer); the
            JSON of such a tokenizer, as `to_str` returns it and corpora and models store it; or a function from a
            string to a list of strings.
    """
    if isinstance(tokens, str):
        if not is_named(tokens):
            return tokeniser(_from_json(tokens))
        chosen = tokeniser_named(tokens)
        if chosen is None:
            raise OptionError(
                f"tokens={brief(tokens)}: expected one of {', '.join(RULES)}, a function or a tokenizer; "
                f"{NAME}:LANGUAGE for one of {', '.join(LANGUAGES)}"
            )
        return chosen
    if isinstance(tokens, type) and any(hasattr(tokens, name) for name in ("tokenize", "encode", "from_pretrained")):
        raise OptionError(f"tokens={tokens.__name__} is a class; expected an object of it, or a function")
    # Calling a transformers tokenizer returns ids, so its methods are tried first.
    tokenize = getattr(tokens, "tokenize", None)
    if callable(tokenize):
        return lambda text: list(tokenize(text))
    encode_text = getattr(tokens, "encode", None)
    if callable(encode_text):
        return lambda text: list(encode_text(text, add_special_tokens=False).tokens)
    if callable(tokens):
        return lambda text: list(tokens(text))
    raise OptionError(
        f"tokens={brief(tokens)}: expected one of {', '.join(RULES)}, a function from a string to a list of "
        "strings, or a Hugging Face tokenizer"
    )


def tokeniser_named(name: str) -> Tokeniser | None:
    """Return the tokeniser of a name such as "words" or "words:tr", or None if there is none of this name."""
    rule = word_rule(name)
    return RULES.get(name) if rule is None else functools.partial(words_of, rule=rule)


def is_named(tokens: Any) -> bool:
    """Whether `tokens` is a name, rather than a function, a tokenizer or its JSON."""
    return isinstance(tokens, str) and not tokens.startswith("{")


def is_compiled(tokens: Any) -> bool:
    """Whether compiled code gives the tokens: those of a name among `REFERENCES`, or of a language's words."""
    return isinstance(tokens, str) and (tokens in REFERENCES or word_rule(tokens) is not None)


def are_words(tokens: Any) -> bool:
    """Whether tokens are words without spaces between Han and Hiragana, which `join_words` joins again."""
    return isinstance(tokens, str) and (tokens in ("unicode", SEGMENT) or word_rule(tokens) is not None)


@functools.lru_cache(maxsize=4)
def _from_json(text: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("tokenizers", "subword", "split text into subwords") from error
    try:
        return Tokenizer.from_str(text)
    except Exception as error:  # the library raises plain exceptions
        raise FormatError(f"tokens={text[:40]!r}...: not a tokenizer ({error}); expected its complete JSON") from error
