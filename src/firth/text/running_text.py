"""Running text to sentences and tokens with their places, for annotation: nothing is folded and nothing is dropped.

`tokenise` makes the words that vectors are learned for; here a token keeps its case and its place in the text, and
punctuation counts. Every character that is not white space is in one token. The rules are those of no single
treebank, but follow the common ground of Universal Dependencies for languages with spaces:

- a run of letters, digits and marks is a token, with `.`, `,`, `:` or `/` between digits (`3.14`, `1,000`, `10:30`),
  `&` between capitals (`AT&T`), and hyphens and apostrophes inside (`well-known`, `Ankara'da`, `aujourd'hui`);
- English endings are tokens: `do` `n't`, `she` `'s`, `we` `'ll`; so are elided words before an apostrophe: French `l'`
  `homme`, `qu'` `il`, `jusqu'` `ici`, Italian `dell'` `arte`, Catalan `d'` `aigua`. `’` counts as `'`;
- a full stop stays with an abbreviation (`Mr.`, `e.g.`, `U.S.`, the initials `J. R. R.`) and with an ordinal of the
  language (German `3.`): see `sentence_ends`;
- addresses (`www.a.org/b`, `a@b.org`), `@names` and `#tags` are one token each;
- runs of one mark are one token (`...`, `--`, `!!!`), any other mark is a token of its own;
- Han and Hiragana characters are tokens of one character. Thai, Lao, Khmer and Burmese stay joined between spaces. For
  words of such text, and for words with spaces inside as in Vietnamese treebanks, pass a tokeniser of your own.

An empty line ends a sentence, the end of a line alone does not, unless each line is a sentence or a word (`lines`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from firth.errors import ArgumentTypeError, FormatError, OptionError, brief
from firth.text.abbreviations import Abbreviations, abbreviations
from firth.text.characters import IDEOGRAPHS
from firth.text.sentence_ends import sentence_spans, stays

Span = tuple[int, int]  # characters from the start of the text; the end is exclusive
_HAN = "".join(f"{chr(first)}-{chr(last)}" for first, last in IDEOGRAPHS)
# Accents and vowel signs, which \w leaves out; those of scripts beyond U+ABFF are rare and become tokens of their own.
_MARKS = "".join(chr(code) for code in range(0x300, 0xAC00) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
_LETTER = rf"[^\W_{_HAN}]"  # or a digit
_W = rf"(?:{_LETTER}(?:{_LETTER}|[{_MARKS}\u200c\u200d])*+)"
_ELIDED = (
    "l|d|j|m|t|s|n|c|qu|jusqu|lorsqu|puisqu|quoiqu|presqu|quelqu|dell|all|nell|sull|dall|coll|un|quest|quell|bell|sant"
    "|anch|tutt|cent|com|dov|gl"
)
_TOKEN = re.compile(
    rf"""
      (?P<address> (?:https?://|www\.)[^\s<>"“”]*[^\s<>"“”.,;:!?)\]}}'’] | [\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+ )
    | (?P<name> [@\#](?=[^\W\d]){_W}(?:_+{_W})* )
    | (?P<dotted> (?:[^\W\d_]\.){{2,}} )
    | (?P<elided> \b(?i:{_ELIDED})['’](?=[^\W\d_]) )
    | (?P<word> {_W} (?: (?<=\d)[.,:/](?=\d){_W} | [-‐‑'’·_]{_W} | (?<=[A-Z])&(?=[A-Z]){_W} )* )
    | (?P<han> [{_HAN}][\u0300-\u036f\u3099\u309a]* )
    | (?P<ending> ['’](?i:s|m|d|ll|re|ve)\b(?!['’]) )
    | (?P<smiley> [:;=]-?[()DP](?!\w) )
    | (?P<mark> (?P<one>[^\s])(?P=one)*+[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]* )  # with variants of emoji
    """,
    re.VERBOSE,
)
_ENGLISH_ENDING = re.compile(r"(?i:n['’]t|['’](?:s|m|d|ll|re|ve))$")
_LINE = re.compile(r"[^\r\n]*(?:\r?\n|\r|$)")
LINES = ("sentence", "word")  # what a line of text may be
_RUNS = frozenset(".!?…-–—―*=_~`'")

Tokeniser = Callable[[str], Iterable[str]]


def sentences_and_tokens(
    text: str, tokeniser: Tokeniser | None = None, language: str | None = None, *, lines: str | None = None
) -> list[list[Span]]:
    """Return the places of the tokens of each sentence of a text.

    Args:
        tokeniser: a function from a sentence to its tokens, such as that of a word segmenter; the text of each must
            stand in the sentence, in their order. None means the rules of this module.
        language: ISO 639-1 code of the language, for its abbreviations and ordinals; see `sentence_ends`.
        lines: what a line is: "sentence", or "word", where what is behind a tab is left out and an empty line ends a
            sentence; None for running text.

    Raises:
        FormatError: a token of the given tokeniser is not in its sentence.
        ArgumentTypeError: it is no function, or returns no strings.
        OptionError: `lines` is something else, or comes with a tokeniser where each line is a word.

    Examples:
        >>> text = "Mr. Hill can't come. He's ill."
        >>> [[text[start:end] for start, end in sentence] for sentence in sentences_and_tokens(text)]
        [['Mr.', 'Hill', 'ca', "n't", 'come', '.'], ['He', "'s", 'ill', '.']]
    """
    check_lines(lines)
    if lines == "word":
        if tokeniser is not None:
            raise OptionError("lines='word' with a tokeniser: each line is a word already; expected one of both")
        return _word_lines(text)
    spans_of = partial(rule_tokens, language=language) if tokeniser is None else _given(tokeniser)
    spans = sentence_spans(text, language) if lines is None else line_spans(text)
    sentences = (spans_of(text, start, end) for start, end in spans)
    return [sentence for sentence in sentences if sentence]


def check_lines(lines: str | None) -> None:
    """Check what a line of text is said to be."""
    if lines is not None and lines not in LINES:
        raise OptionError(f"lines={brief(lines)}: expected {' or '.join(map(repr, LINES))}, or none for running text")


def line_spans(text: str) -> Iterator[Span]:
    """Yield the places of lines that are not empty, without white space around them."""
    return filter(None, map(_stripped, _LINE.finditer(text)))


def _word_lines(text: str) -> list[list[Span]]:
    """Return the places of words, one a line, in sentences between empty lines."""
    sentences: list[list[Span]] = [[]]
    for match in _LINE.finditer(text):
        if span := _stripped(match, until="\t"):
            sentences[-1].append(span)
        elif not match[0].strip():
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def _stripped(line: re.Match[str], until: str = "\n") -> Span | None:
    """Return the place of a line up to a character, without white space around it; None if nothing is left."""
    written = line[0].partition(until)[0]
    start = line.start() + len(written) - len(written.lstrip())
    return (start, start + len(written.strip())) if written.strip() else None


def rule_tokens(text: str, start: int, end: int, language: str | None = None) -> list[Span]:
    """Return the places of the tokens of one sentence, by the rules."""
    spans, abbreviated = list[Span](), abbreviations(language)
    for match in _TOKEN.finditer(text, start, end):
        first, last = match.span()
        kind = match.lastgroup
        if kind == "word":
            ending = _ENGLISH_ENDING.search(text, first, last)
            if ending and ending.start() > first:
                spans += [(first, ending.start()), ending.span()]
            else:
                spans.append((first, last))
        elif kind == "mark" and text[first] == text[last - 1] not in _RUNS:
            spans += [(position, position + 1) for position in range(first, last)]
        elif (
            kind == "mark"
            and text[first] == "."
            and last - first == 1
            and _keeps_stop(text, spans, first, end, abbreviated)
        ):
            spans[-1] = spans[-1][0], last
        else:
            spans.append((first, last))
    return spans


def _keeps_stop(text: str, spans: list[Span], position: int, end: int, abbreviated: Abbreviations) -> bool:
    """Whether the full stop at a place belongs to the token before it; the last one ends the sentence."""
    after = next((other for other in range(position + 1, end) if not text[other].isspace()), end)
    return after < end and bool(spans) and spans[-1][1] == position and stays(text, position, after, abbreviated)


def _given(tokeniser: Tokeniser) -> Callable[[str, int, int], list[Span]]:
    """Return a function that finds the tokens of a tokeniser in a text."""
    if not callable(tokeniser):
        raise ArgumentTypeError(f"tokeniser={brief(tokeniser)}: expected a function from a sentence to its tokens")

    def spans_in(text: str, start: int, end: int) -> list[Span]:
        spans, before = list[Span](), start
        tokens: object = tokeniser(text[start:end])
        if not isinstance(tokens, Iterable):
            raise ArgumentTypeError(f"the tokeniser returned {brief(tokens)}, expected a list of tokens")
        for token in tokens:
            if not isinstance(token, str):
                raise ArgumentTypeError(f"the tokeniser returned {brief(token)}, expected strings")
            if not token.strip():
                continue
            token = token.strip()
            position = text.find(token, before, end)
            if position < 0:
                raise FormatError(
                    f"the tokeniser returned {brief(token)}, which is not in the rest of its sentence "
                    f"{brief(text[before:end])}: expected parts of the text in their order, unchanged"
                )
            before = position + len(token)
            spans.append((position, before))
        return spans

    return spans_in
