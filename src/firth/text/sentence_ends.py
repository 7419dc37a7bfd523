"""Running text to sentences, by rules.

A sentence ends at a mark, several of them too (`?!`, `...`), and the quotes, brackets, smileys and references (`[2]`)
that close behind it. The marks are those of all scripts: `.`, `!`, `?` and `…` where white space
follows and the next letter is not in lower case; `।`, `۔`, `։`, `።`, `။`, `។`, `།`, `。` and others everywhere. None
ends a sentence

- before a comma, a closing bracket or another mark (`"Why?", she asked`), and inside `[...]` and `(?)`;
- before a dash and a letter in lower case: `"Why?" - she asked`, unless it is a full stop;
- in Japanese, between a closing quote and Hiragana: `「はい。」と言った。`;
- in Tibetan, behind the word for "and": `དང་།`; in Khmer, in `។ល។`, which means "etc.".

A full stop ends none

- after a title or another abbreviation that is hardly ever last (`Mr.`, `St.`, `e.g.`), or one that stands before a
  number (`No. 7`, `p. 12`);
- after a single capital letter (`J. R. R. Tolkien`), except `I`, which is an ordinal or a word;
- after letters with full stops (`U.S.`) and abbreviations that may be last (`Inc.`), unless the next word is one that
  begins sentences (`The`);
- after an ordinal in languages that write them with a full stop (`am 3. Tag`, `II. Weltkrieg`), unless such a word
  follows; in any language before the name of a month in one of these languages;
- after a number or a letter that counts items at the beginning: `1. Open the file.`

The abbreviations are those of the language, see `abbreviations`; without a language those that are no words elsewhere.

What is behind an exclamation in the same sentence begins in lower case as a rule: `"Stop!" he cried.` is one sentence,
`"Stop!" He ran.` are two. Thai and Lao have no marks, and spaces between their sentences look like those inside. The
shad of Tibetan also ends clauses, so its sentences are short.

Source: rules in the manner of Grefenstette and Tapanainen 1994, "What is a word, what is a sentence?", section 4; for
words that begin sentences, Mikheev 2002, "Periods, capitalized words, etc.". Kiss and Strunk 2006 learn abbreviations
from the text instead.

Characters that end sentences, in all scripts.

Marks are of two kinds. `SPACED` end one only before white space, so that `3.14` and `Yahoo!s` hold no end. `FREE` end
one before anything: those of scripts without spaces, and of others where the mark has no other use.

Source: the property Sentence_Terminal of the Unicode Character Database 18.0, file PropList.txt. Departures, by the
usage of each script:

- commas are left out: `၊` of Burmese, `꧈` of Javanese, `᭞` of Balinese;
- added are `…`, `‥`, the shads of Tibetan, the Hebrew sof pasuq, and the marks of Thai and Khmer that end a text;
- some marks are written as characters that have another use: the Greek question mark as `;` (its NFC form), the
  Armenian full stop as `:`, the Ethiopic one as two word spaces. They count behind a letter of their script.
"""

import re
from collections.abc import Iterator

from firth.text.abbreviations import Abbreviations, abbreviations

_SENTENCE_TERMINAL = """
    21 2E 3F 589 61D-61F 6D4 700-702 7F9 837 839 83D-83E 964-965 104A-104B 1362 1367-1368 166E 1735-1736 17D4-17D5 1803
    1809 1944-1945 1AA8-1AAB 1B4E-1B4F 1B5A-1B5B 1B5E-1B5F 1B7D-1B7F 1C3B-1C3C 1C7E-1C7F 2024 203C-203D 2047-2049
    2CF9-2CFB 2E2E 2E3C 2E53-2E54 2E60-2E61 3002 A4FF A60E-A60F A6F3 A6F7 A876-A877 A8CE-A8CF A92F A9C8-A9C9 AA5D-AA5F
    AAF0-AAF1 ABEB FE12 FE15-FE16 FE52 FE56-FE57 FF01 FF0E FF1F FF61 10A56-10A57 10F55-10F59 10F86-10F89 11047-11048
    110BE-110C1 11141-11143 111C5-111C6 111CD 111DE-111DF 11238-11239 1123B-1123C 112A9 113D4-113D5 1144B-1144C
    115C2-115C3 115C9-115D7 11641-11642 1173C-1173E 11944 11946 11A42-11A43 11A9B-11A9C 11C41-11C42 11EF7-11EF8
    11F43-11F44 16A6E-16A6F 16AF5 16B37-16B38 16B44 16D6E-16D6F 16E98 1BC9F 1DA88
"""


def _characters(ranges: str) -> str:
    ends = (bounds.partition("-") for bounds in ranges.split())
    return "".join(chr(code) for first, _, last in ends for code in range(int(first, 16), int(last or first, 16) + 1))


SENTENCE_TERMINAL = _characters(_SENTENCE_TERMINAL)
COMMAS = "\u104a\ua9c8\u1b5e"
SHADS = "།༎༏༐༑༒༔"
SPACED = ".!?…‥\u2024‼‽⁇⁈⁉⸮⸼\u2e53\u2e54\u166e"
FREE = "".join(sorted({*SENTENCE_TERMINAL} - {*SPACED, *COMMAS})) + SHADS + "\u05c3\u0e5a\u0e5b\u17da"
# All of them and some more, because a class without single characters beyond U+FFFF is found much faster.
ANY = SPACED + "".join(mark for mark in FREE if mark < "\U00010000") + "\U00010a56-\U0001da88"
# Ranges of regular expressions.
GREEK, ARMENIAN, ETHIOPIC = "\u0370-\u03ff\u1f00-\u1fff", "\u0531-\u0588", "\u1200-\u135a"
# Scripts that are written without spaces: Thai, Lao, Tibetan, Burmese, Khmer, Kana and Han.
UNSPACED = "\u0e01-\u0e4e\u0e81-\u0ece\u0f40-\u0fbc\u1000-\u103f\u1780-\u17d3\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"


_CLOSING = r"[\"'”’“‘»«›)\]}*_]"  # directly behind a mark; “ and « close in German
_AFTER_SPACE = r"(?:[)\]}”]|[»›](?=\s|$))"
_EMOJI = "[\u2600-\u27bf\U0001f300-\U0001faff][\ufe0f\u200d\U0001f3fb-\U0001f3ff]*"
_END = re.compile(
    rf"""
      [{ANY};:\u037e\u1361]
      (?:
        (?: (?<=[{SPACED}])[{SPACED}]*+ (?:\s[.!?](?=\s))* | (?<=\u037e)
          | (?<=[{GREEK}];)(?=\W+[{GREEK}]) | (?<=[{ARMENIAN}]:)(?=\W+[{ARMENIAN}]) )
        (?: {_CLOSING} | \s?{_AFTER_SPACE} )*
        (?: \s?\[\d{{1,3}}\] )*
        (?: \s(?:[:;=]-?[()DP](?!\w) | {_EMOJI}) )*
        (?=\s|\Z)
      | (?: (?<=[{FREE}])[{FREE}!?…]*+ (?:\s?[{SHADS}])* (?:(?<=॥)\s*\d+\s*॥|(?<=។)ល។)?
          | (?<=[{ETHIOPIC}]\u1361)\u1361 )
        (?: [」』”’）】》〉〕"'»)\]}}] | \s[)\]}}»] )*
      | (?<=[{UNSPACED}][!?])[!?]*(?=[{UNSPACED}「『“《（])
      )
      [\s\u200b\u1361]*
    """,
    re.VERBOSE,
)
_NEXT = re.compile(r"[\"'“”‘’«»(\[{*_—–-]*")
_ASIDE = re.compile(r"[\"'”’»]?\s?[—–-]+\s+")  # "Why?" - she asked
_GOES_ON = re.compile(r"(?:[\"'”’»]\s)?(?:[,;)\]}、，؛،]|[.:!?](?:\s|$))")
_BEFORE_WORD = re.compile(r"[\s\"'“”‘’«»(\[{*_—–]")
_LETTERS = re.compile(r"(?:(?<!\w)\w\.\s?)+\w?$")  # z. B, и т. д
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_a-z]")
_NUMBER = re.compile(r"\d|[IVXLC]{2,}\b|[VX]\b")
_WORD_AT = re.compile(r"\w+['’]?")
_LETTER = re.compile(r"[^\W\d_]\.")
_ITEM = re.compile(r"\W*(?:\d{1,3}(?:\.\d{1,3})*|[^\W\d_]|[IVX]+)")
_ORDINAL = re.compile(r"\d{1,2}|[IVXLC]+")
_DUTCH = re.compile(r"['’][stnk] [A-Z]")  # 's Avonds
_TIBETAN_AND = re.compile("དང[་༌]?$")
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_LONGEST_WORD = 24  # characters; no abbreviation is longer
_LONGEST_ITEM = 16


def split_sentences(text: str, language: str | None = None) -> list[str]:
    """Return the sentences of a text, without the white space between them.

    Args:
        language: ISO 639-1 code of its language, whose abbreviations and ordinals hold; see `abbreviations`.

    Raises:
        OptionError: the language is no code.

    >>> split_sentences('Mr. Brown came. "Stop!" he cried. "Why?" She ran.')
    ['Mr. Brown came.', '"Stop!" he cried.', '"Why?"', 'She ran.']
    >>> split_sentences("Am 3. Oktober z. B. Musik. यह एक वाक्य है।यह दूसरा है।", "de")
    ['Am 3. Oktober z. B. Musik.', 'यह एक वाक्य है।', 'यह दूसरा है।']
    """
    pieces = (text[start:end].strip() for start, end in _places(text, 0, len(text), abbreviations(language)))
    return [sentence for sentence in pieces if sentence]


def sentence_spans(text: str, language: str | None = None) -> list[tuple[int, int]]:
    """Return the places of the sentences of a text, (start, end) without the white space around them.

    Here an empty line ends a sentence, too: what stands before it is a heading or the last sentence of a paragraph.

    Raises:
        OptionError: the language is no code.
    """
    spans, start, abbreviated = list[tuple[int, int]](), 0, abbreviations(language)
    for end, following in [*(match.span() for match in _EMPTY_LINE.finditer(text)), (len(text), len(text))]:
        for first, last in _places(text, start, end, abbreviated):
            sentence = text[first:last]
            if stripped := sentence.strip():
                first += sentence.index(stripped[0])
                spans.append((first, first + len(stripped)))
        start = following
    return spans


def _places(text: str, start: int, end: int, abbreviated: Abbreviations) -> Iterator[tuple[int, int]]:
    """Yield where sentences begin and end, with the white space between them."""
    for match in _END.finditer(text, start, end):
        if match.end() < end and _ends(text, start, match.start(), match[0].rstrip(), match.end(), abbreviated):
            yield start, match.end()
            start = match.end()
    yield start, end


def _ends(text: str, start: int, position: int, mark: str, after: int, abbreviated: Abbreviations) -> bool:
    """Whether the sentence from `start` ends at a mark, with the next one at `after`."""
    if mark[0] in FREE:
        return not _free_goes_on(text, position, mark, after)
    first = _first(text, after)
    if not text[first : first + 1].isupper() and (
        _is_lower(text, first) or _GOES_ON.match(text, after) or (mark[0] != "." and _is_aside(text, after))
    ):
        return False
    if mark != ".":  # ?, !, ... and a full stop with a quote end a sentence, but not in [...] and (?)
        return not (position and text[position - 1] in "([")
    return not (
        (position - start < _LONGEST_ITEM and _ITEM.fullmatch(text, start, position))
        or stays(text, position, after, abbreviated)
    )


def _is_aside(text: str, after: int) -> bool:
    aside = _ASIDE.match(text, after)
    return bool(aside and _is_lower(text, aside.end()))


def _free_goes_on(text: str, position: int, mark: str, after: int) -> bool:
    """Whether a sentence goes on behind a mark that otherwise ends it before any character."""
    following = text[after : after + 1]
    if mark[0] == "．":
        return following.isdigit() and text[position - 1 : position].isdigit()
    if mark[0] in SHADS:
        return bool(_TIBETAN_AND.search(text, max(0, position - 4), position))
    return bool(_GOES_ON.match(text, after)) or (mark[-1] in "」』" and "ぁ" <= following <= "ん")


def _first(text: str, after: int) -> int:
    """Return the place of the next letter, behind quotes, brackets and dashes."""
    following = _NEXT.match(text, after)
    return following.end() if following else after


def _is_lower(text: str, position: int) -> bool:
    character = text[position : position + 1]
    if not character.islower() or "ა" <= character <= "ჿ":  # in Georgian all are, also the first of a sentence
        return False
    return not _DUTCH.match(text, max(0, position - 1))


def stays(text: str, position: int, after: int, abbreviated: Abbreviations) -> bool:
    """Whether the full stop at a place belongs to the word before it, and ends no sentence.

    Args:
        after: place of what follows, behind white space.
    """
    before = text[max(0, position - _LONGEST_WORD) : position]
    word = before[before.rfind(" ") + 1 :]
    if len(word) > 1 and word.isalpha() and not word.isupper() and word.lower() not in abbreviated.all:
        return False  # most words
    first = _first(text, after)
    digit = bool(_NUMBER.match(text, first))
    word, forms = _forms(before.rstrip())
    if not abbreviated.never.isdisjoint(forms) or (digit and not abbreviated.numbers.isdisjoint(forms)):
        return True
    if before[-1:].isspace():  # in tokenised text
        return digit and before.rstrip()[-1:].isdigit()
    if not abbreviated.maybe.isdisjoint(forms) or _ACRONYM.fullmatch(word):
        return not _begins(text, first, abbreviated)
    if len(word) == 1 and word.isalpha() and (digit or word not in ("I", word.lower()) or _LETTER.match(text, first)):
        return True
    return bool(_ORDINAL.fullmatch(word)) and (
        _word_at(text, first) in abbreviated.months or (abbreviated.ordinals and not _begins(text, first, abbreviated))
    )


def _forms(before: str) -> tuple[str, set[str]]:
    """Return the last word, and its forms in lists: joined letters (`z. B` is `z.b`), or it and it with its hyphens."""
    hyphenated = _BEFORE_WORD.split(before)[-1]
    last = hyphenated[hyphenated.rfind("-") + 1 :]
    letters = _LETTERS.search(before) if len(last) == 1 else None
    return last, {"".join(letters[0].lower().split())} if letters else {last.lower(), hyphenated.lower()}


def _begins(text: str, first: int, abbreviated: Abbreviations) -> bool:
    """Whether a word that begins sentences is at a place; a letter with a full stop is none."""
    if text[first : first + 1].islower():
        return False
    word = _word_at(text, first)
    return (word in abbreviated.starters or word.rstrip("'") in abbreviated.starters) and not _LETTER.match(text, first)


def _word_at(text: str, position: int) -> str:
    match = _WORD_AT.match(text, position)
    return match[0].lower().replace("’", "'") if match else ""
