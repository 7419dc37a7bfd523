"""firth's tokenisers as a tokenizer of Hugging Face's tokenizers library: the content of a `tokenizer.json`.

What: the named tokenisers of `firth.text.tokenise`, followed by a look-up in a fixed list of words. A word of the list
gives its number; any other word gives nothing.

How: a `Split` keeps what firth's tokeniser keeps, `Metaspace` puts a space before each token, and a `BPE` model without
merges looks the whole up (`ignore_merges`). All entries but the empty one have two characters or more, so that the
characters of an unknown word, which the model tries next, are never found. A `WordLevel` model would need an entry for
unknown words, and its vector would count in averages.

Differences from firth's tokenisers, in texts that are rare:

- characters that Unicode assigned after the tables of one of the two libraries were made;
- replacements of characters whose result no word of the list contains are left out, because they could not be found:
  those of `unicode`, whose full case folding is lower case and `ß` to `ss` and the like, and those of forms in `words`;
- in `words` a `σ` at the end of a word becomes `ς` in text that is in lower case, too;
- a lone surrogate, which the library cannot represent.

Source: the documentation of tokenizers, "Components".
"""

import functools
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from firth.errors import OptionError, brief
from firth.text.characters import IDEOGRAPHS, JOINERS, REPLACED
from firth.text.tokenise import DIGIT_NAMES, REFERENCES
from firth.text.word_rules import CAPITAL_I, DOTLESS, LANGUAGES, NAME, WordRule, replaced, word_rule

NAMES = (*REFERENCES, *(f"{NAME}:{language}" for language in LANGUAGES))  # that can be written
MARK = " "  # put before each token; no tokeniser leaves one inside

_LETTERS, _DIGITS, _MARKS = r"\p{L}\p{Nl}\p{No}", r"\p{Nd}", r"\p{Mn}\p{Mc}"


def tokenizer_json(words: Sequence[str], tokens: str) -> dict[str, Any]:
    """Return the content of a `tokenizer.json` whose entries are numbered like the words.

    Args:
        words: V distinct words.
        tokens: one of `NAMES`.
    """
    if tokens not in NAMES:
        raise OptionError(
            f"tokens={brief(tokens)}: only {', '.join(REFERENCES)} can be written as a tokenizer.json; encode texts "
            "with firth, or split them by one of these"
        )
    normalizers, pattern = _steps(words, tokens)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": _sequence(normalizers),
        "pre_tokenizer": _pre_tokenizer(pattern),
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": True,
            "vocab": {MARK + word if word else "": number for number, word in enumerate(words)},
            "merges": [],
        },
    }


def name_of(content: Mapping[str, Any], words: Sequence[str]) -> str | None:
    """Return which of firth's tokenisers a `tokenizer.json` is, or None if it is none of them.

    Args:
        words: its entries, as `words_in` returns them.
    """
    for name in NAMES:
        normalizers, pattern = _steps(words, name)
        same = content.get("normalizer") == _sequence(normalizers)
        if same and content.get("pre_tokenizer") == _pre_tokenizer(pattern) and content == tokenizer_json(words, name):
            return name
    return None


def words_in(content: Mapping[str, Any]) -> list[str]:
    """Return the entries of a `tokenizer.json` in the order of their numbers, without the mark of `tokenizer_json`."""
    vocab = content["model"]["vocab"]
    entries = [entry[0] for entry in vocab] if isinstance(vocab, list) else _in_order(vocab)
    added = content.get("added_tokens") or []
    for token in sorted(added, key=lambda token: int(token["id"])):
        if token["id"] == len(entries):
            entries.append(token["content"])
    return [entry.removeprefix(MARK) for entry in entries] if is_marked(content) else entries


def is_marked(content: Mapping[str, Any]) -> bool:
    """Return whether every entry of a `tokenizer.json` begins with the mark of `tokenizer_json`."""
    model = content["model"]
    return bool(model.get("ignore_merges")) and all(entry.startswith(MARK) or not entry for entry in model["vocab"])


def _in_order(vocab: Mapping[str, int]) -> list[str]:
    entries: list[Any] = [None] * len(vocab)
    for entry, number in vocab.items():
        if not 0 <= number < len(entries) or entries[number] is not None:
            raise ValueError(f"entry {entry!r} has number {number}; expected each from 0 to {len(entries) - 1} once")
        entries[number] = entry
    return entries


def _steps(words: Sequence[str], tokens: str) -> tuple[list[dict[str, Any]], str]:
    """Return what changes the characters of a text, and the pattern of a token."""
    if tokens == "whitespace":
        return [], r"[^\x00-\x20]+"
    if tokens == "text8":
        return _text8()
    rule = word_rule(tokens)
    return _folding(words) if rule is None else _lowering(words, rule), _word_pattern()


def _sequence(normalizers: list[dict[str, Any]]) -> dict[str, Any] | None:
    return {"type": "Sequence", "normalizers": normalizers} if normalizers else None


def _pre_tokenizer(pattern: str) -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    mark = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": False}
    return {"type": "Sequence", "pretokenizers": [split, mark]}


def _folding(words: Sequence[str]) -> list[dict[str, Any]]:
    return [
        *_replacements(REPLACED),
        {"type": "NFC"},
        {"type": "Lowercase"},
        *(_replace(codes, text) for text, codes in _foldings(words).items()),
        {"type": "NFC"},
    ]


def _lowering(words: Sequence[str], rule: WordRule) -> list[dict[str, Any]]:
    letters = _letters_of(words)
    forms = {
        code: text
        for code, text in replaced(as_shaped=rule.as_shaped).items()
        if _can_be_in((text or "").lower(), letters)
    }
    turkish = [_replace([ord("Ｉ")], "ı"), {"type": "Replace", "pattern": {"Regex": CAPITAL_I.pattern}, "content": "ı"}]
    final = {
        "type": "Replace",
        "pattern": {"Regex": rf"(?<=[{_LETTERS}{_MARKS}])σ(?![{_LETTERS}{_MARKS}])"},
        "content": "ς",
    }
    soft = {"type": "Replace", "pattern": {"Regex": r"(?<=[ijį])\x{307}(?=[\x{300}\x{301}\x{303}])"}, "content": ""}
    return [
        *(turkish if rule.language in DOTLESS else []),
        *_replacements(forms),
        {"type": "NFC"},
        _replace([ord("İ")], "i"),
        {"type": "Lowercase"},
        *([final] if "ς" in letters else []),
        *([soft] if rule.language == "lt" else []),
        {"type": "NFC"},
    ]


def _replacements(replaced: Mapping[int, str | None]) -> list[dict[str, Any]]:
    by_text: dict[str, list[int]] = {}
    for code, text in replaced.items():
        by_text.setdefault(text or "", []).append(code)
    return [_replace(codes, text) for text, codes in by_text.items()]


def _word_pattern() -> str:
    ideographs = "".join(rf"\x{{{first:X}}}-\x{{{last:X}}}" for first, last in IDEOGRAPHS)
    joiners = {kind: _set(ord(joiner) for joiner, its in JOINERS.items() if its == kind) for kind in "aup"}
    ideograph = rf"(?=[{ideographs}])[{_LETTERS}]"
    letter = rf"(?![{ideographs}])[{_LETTERS}]"
    start = rf"(?![{ideographs}])[{_LETTERS}{_DIGITS}]"
    inside = (
        rf"(?![{ideographs}])[{_LETTERS}{_DIGITS}{_MARKS}]|{joiners['a']}(?={letter})|{joiners['u']}(?={start})"
        rf"|(?<={_DIGITS}){joiners['p']}(?={_DIGITS})"
    )
    return rf"{ideograph}[{_MARKS}]*|{start}(?:{inside})*"


def _foldings(words: Iterable[str]) -> dict[str, list[int]]:
    """Return the characters that case folding changes beyond lower case, by what they become.

    Only those that can become part of one of the words.
    """
    letters = _letters_of(words)
    foldings: dict[str, list[int]] = {}
    for letter, folded in _folded_letters():
        if _can_be_in(folded, letters):
            foldings.setdefault(folded, []).append(ord(letter))
    return foldings


def _letters_of(words: Iterable[str]) -> set[str]:
    return set(unicodedata.normalize("NFD", "".join(set("".join(words)))))


def _can_be_in(text: str, letters: set[str]) -> bool:
    return set(unicodedata.normalize("NFD", text)) <= letters


@functools.cache
def _folded_letters() -> list[tuple[str, str]]:
    """Return the lower-case characters that case folding changes, with what they become."""
    differing = [letter for letter in map(chr, range(0x110000)) if letter.casefold() != letter.lower()]
    lower = sorted({character for letter in differing for character in letter.lower()})
    return [(letter, letter.casefold()) for letter in lower if letter.casefold() != letter]


def _text8() -> tuple[list[dict[str, Any]], str]:
    separators = {"type": "Replace", "pattern": {"Regex": "[^A-Za-z0-9]"}, "content": " "}
    digits = [
        {"type": "Replace", "pattern": {"String": str(digit)}, "content": f" {name} "}
        for digit, name in enumerate(DIGIT_NAMES)
    ]
    return [separators, *digits, {"type": "Lowercase"}], "[a-z]+"


def _replace(codes: Iterable[int], text: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": _set(codes)}, "content": text}


def _set(codes: Iterable[int]) -> str:
    return "[" + "".join(rf"\x{{{code:X}}}" for code in codes) + "]"
