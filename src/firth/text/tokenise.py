"""Raw text -> tokens: the reference implementations, short and slow.

Building a corpus from text runs compiled code that agrees with these functions token for token; they are the
definition.

**unicode**, the default. Text is folded (`characters.fold`: NFC and full case folding); a token is then

- a run of letters, digits and marks that starts with a letter or a digit: `Straße` -> `strasse`, `covid19`;
- with an apostrophe inside, where a letter follows: `don't`, `l'homme`, `1990's`; `’` counts as `'`; outer ones fall
  off;
- with `_`, `·` or a zero-width joiner inside: `new_york`, `col·lecció`;
- with `.` or `,` between two digits: `3.14`, `1,000`, `192.168.0.1`;
- or one Han or Hiragana character with its marks: `東京` -> `東`, `京`.

Everything else separates: white space, hyphens (`state-of-the-art` is four tokens, so that its parts are learnt from
too), other punctuation, symbols, emoji. Katakana and Hangul are letters. Thai, Lao, Khmer and Burmese words, which only
a dictionary can split, stay joined from space to space: give such text a tokeniser of its own.

**whitespace**: runs of anything but the space and the control characters U+0000 to U+001F; nothing is folded.

**text8**: the letters a-z, lower-cased, with digits spelled out; everything else separates.

In bytes that are not valid UTF-8, each maximal invalid sequence reads as U+FFFD (what `bytes.decode(errors="replace")`
does), which is a separator for `unicode` and `text8`, and a character like others for `whitespace`.
"""

import re
from collections.abc import Callable
from typing import Any

from firth.errors import FormatError, MissingExtraError, OptionError, brief
from firth.text.characters import fold, kind

Tokeniser = Callable[[str], list[str]]

DIGIT_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

# Over the kinds of the characters, not over the characters: see `characters`.
_TOKEN = re.compile(r"im*|[ld](?:[ldm]|a(?=l)|u(?=[ld])|(?<=d)p(?=d))*")
_TEXT8 = re.compile(r"[A-Za-z]+|[0-9]")
_INK = re.compile(r"[^\x00-\x20]+")


class _Kinds(dict[int, str]):
    """Code point -> kind, filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = kind(chr(code))
        return self[code]


_KINDS = _Kinds()


def unicode_tokens(text: str) -> list[str]:
    """Return the tokens of `text` by the default rules of this module.

    >>> unicode_tokens("Don't pay $1,000.50 for Ångström’s state-of-the-art “Straße”!")
    ["don't", 'pay', '1,000.50', 'for', "ångström's", 'state', 'of', 'the', 'art', 'strasse']
    """
    folded = fold(text)
    return [folded[match.start() : match.end()] for match in _TOKEN.finditer(folded.translate(_KINDS))]


def whitespace_tokens(text: str) -> list[str]:
    """Return the runs of `text` between spaces and control characters.

    >>> whitespace_tokens("New-York's  3.14")
    ["New-York's", '3.14']
    """
    return _INK.findall(decode(encode(text)))


def text8_tokens(text: str) -> list[str]:
    """Return the tokens of `text` in the style of the text8 corpus.

    Source: Matt Mahoney, the `wikifil.pl` program of the Large Text Compression Benchmark, without its removal of
    Wikipedia's markup.

    >>> text8_tokens("In 42 Days")
    ['in', 'four', 'two', 'days']
    """
    found = _TEXT8.findall(text)
    return [DIGIT_NAMES[int(token)] if token.isdigit() else token.lower() for token in found]


def encode(text: str) -> bytes:
    """Return text as UTF-8; a lone surrogate, which UTF-8 cannot hold, becomes an invalid sequence."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """Return UTF-8 as text; an invalid sequence becomes U+FFFD."""
    return data.decode("utf-8", "replace")


REFERENCES: dict[str, Tokeniser] = {
    "unicode": unicode_tokens,
    "whitespace": whitespace_tokens,
    "text8": text8_tokens,
}


def tokeniser(tokens: Any) -> Tokeniser:
    """Return a function from text to tokens.

    Args:
        tokens: "unicode", "whitespace" or "text8"; an object with a method `tokenize(text)` that returns strings (a
            transformers or NLTK tokenizer); one with `encode(text, add_special_tokens=...)` whose result has `.tokens`
            (a Hugging Face tokenizers.Tokenizer); what its `to_str` gives, by which a corpus and a model remember it;
            or any function from a string to a list of strings.

    Raises:
        OptionError: it is none of these.
        FormatError: it is damaged JSON of a tokenizer.
        MissingExtraError: it is JSON of a tokenizer, and the tokenizers library is not installed.
    """
    if isinstance(tokens, str):
        if not is_named(tokens):
            return tokeniser(_opened(tokens))
        if tokens not in REFERENCES:
            raise OptionError(
                f"tokens={brief(tokens)}: expected one of {', '.join(REFERENCES)}, a function or a tokenizer"
            )
        return REFERENCES[tokens]
    # transformers' tokenizers can be called too, and give ids then: the named methods come first.
    tokenize = getattr(tokens, "tokenize", None)
    if callable(tokenize):
        return lambda text: list(tokenize(text))
    encode_text = getattr(tokens, "encode", None)
    if callable(encode_text):
        return lambda text: list(encode_text(text, add_special_tokens=False).tokens)
    if callable(tokens):
        return lambda text: list(tokens(text))
    raise OptionError(
        f"tokens={brief(tokens)}: expected one of {', '.join(REFERENCES)}, a function from a string to a list of "
        "strings, or a Hugging Face tokenizer"
    )


def is_named(tokens: Any) -> bool:
    """Return whether `tokens` is a name, and no function, tokenizer, or tokenizer as JSON."""
    return isinstance(tokens, str) and not tokens.startswith("{")


def _opened(text: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("tokenizers", "subword", "cut text into subwords") from error
    try:
        return Tokenizer.from_str(text)
    except Exception as error:  # the library raises nothing more special
        raise FormatError(f"tokens={text[:40]!r}...: no tokenizer ({error}); expected its JSON, whole") from error
