"""The options that decide what a corpus holds, and the name that a set of them goes by in the cache."""

import hashlib
import inspect
import types
from dataclasses import asdict, replace
from typing import Any

from firth.errors import OptionError, brief
from firth.options import check, option, options_class
from firth.text.subwords import Subwords
from firth.text.tokenise import REFERENCES, Tokeniser, is_named, tokeniser

TOKENS = tuple(REFERENCES)
GIVEN = "whitespace"  # the rule that leaves tokens as they are: that of a corpus of token lists, unless one is named
SENTENCES = ("line", "paragraph", "text")


@options_class
class CorpusOptions:
    """What a corpus keeps of its text.

    Lists of tokens stay as they are, and `tokens` then says how strings are read that are given later to what the
    corpus taught: "whitespace" where none is named. `sentences` "text" takes each text, cell or file as one. `tokens`
    may also be `firth.Subwords`, the file that they were saved in (`.json`), a Hugging Face tokenizer, or a function
    from a string to a list of strings, and `sentences` such a function; a corpus that is opened again shows a
    tokenizer as JSON, and the names of functions.
    """

    min_count: int = option(5, "fewest times that a word must occur to be kept", minimum=1)
    max_size: int | None = option(None, "most words to keep, the most frequent ones", minimum=1)
    stop_words: tuple[str, ...] = option((), "words to leave out")
    unknown: str | None = option(None, "word that stands for all that are not kept, such as <unk>; else left out")
    tokens: str | Tokeniser | Subwords = option("unicode", "what a word is, or a file of subwords", choices=TOKENS)
    sentences: str | Tokeniser = option("line", "what ends a sentence", choices=SENTENCES)
    keep_empty: bool = option(False, "keep sentences without a known word, so that none changes its number")

    def checked(self) -> "CorpusOptions":
        """Return the options with `stop_words` as a tuple and a file of subwords opened, after checking each.

        Raises:
            OptionError: one of them is out of its range.
            FormatError: the file of subwords is damaged, or something else.
            OSError: it cannot be read.
        """
        if isinstance(self.tokens, str) and self.tokens.endswith(".json"):
            return replace(self, tokens=Subwords.open(self.tokens)).checked()
        tokens = self.tokens if is_named(self.tokens) else "unicode"
        sentences = "line" if callable(self.sentences) else self.sentences
        plain = replace(self, tokens=tokens, sentences=sentences)
        check(plain)
        tokeniser(self.tokens)
        if self.keep_empty and sentences == "paragraph":
            raise OptionError("keep_empty=True: paragraphs end at blank lines; use sentences='line' or 'text'")
        unknown: Any = self.unknown
        if unknown is not None and (not isinstance(unknown, str) or not unknown or any(c.isspace() for c in unknown)):
            raise OptionError(f"unknown={unknown!r}: expected a word without spaces, such as '<unk>'")
        words: Any = self.stop_words
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise OptionError(f"stop_words={brief(words)}: expected a list of words, such as ['the', 'of']")
        return replace(self, stop_words=tuple(words), min_count=plain.min_count, max_size=plain.max_size)

    def described(self) -> dict[str, Any]:
        """Return the options as plain values, names for functions and JSON for tokenizers, for the corpus's record."""
        plain = {**vars(self), "tokens": _serialised(self.tokens) or _name(self.tokens)}
        plain["sentences"] = _name(self.sentences)
        return {**asdict(CorpusOptions(**plain)), "stop_words": sorted(set(self.stop_words))}

    def identity(self) -> str | None:
        """Return what tells these options from others, or None where a function's behaviour cannot be pinned down."""
        parts = [_identity(self.tokens), _identity(self.sentences)]
        if None in parts:
            return None
        return repr((sorted(self.described().items()), parts))


def _name(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, types.MethodDescriptorType):
        return value.__qualname__
    owner = value if isinstance(value, types.FunctionType) else type(value)
    return f"{owner.__module__}.{owner.__qualname__}"


def _identity(value: Any) -> str | None:
    """Return the identity of a named rule, a plain function or a tokenizers.Tokenizer.

    A function that closes over variables, a bound method or another object may do something else tomorrow under the
    same name: it has none, and a corpus that was made with it is made again.
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
    """Return a tokenizers.Tokenizer or Subwords as JSON."""
    serialise = getattr(value, "to_str", None)
    return str(serialise()) if callable(serialise) else None


def _source(function: types.FunctionType) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):  # typed at a prompt
        return repr((function.__code__.co_code, function.__code__.co_consts, function.__code__.co_names))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
