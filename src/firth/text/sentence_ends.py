"""Running text to sentences, by rules.

A sentence ends at `.`, `!`, `?` or `…`, several of them too, and the quotes and brackets that close behind them, where
white space follows and the next letter is not in lower case; and at `。`, `！`, `？` and `｡`. A full stop ends none

- after a title or another abbreviation that is hardly ever last (`Mr.`, `St.`, `e.g.`), or one that stands before a
  number (`No. 7`, `p. 12`);
- after a single capital letter (`J. R. R. Tolkien`), except `I`.

What is behind an exclamation in the same sentence begins in lower case as a rule: `"Stop!" he cried.` is one sentence,
`"Stop!" He ran.` are two.

Source: rules in the manner of Grefenstette and Tapanainen 1994, "What is a word, what is a sentence?", section 4. Kiss
and Strunk 2006 learn abbreviations from the text instead.
"""

import re
from collections.abc import Iterator

_ABBREVIATIONS = """
    mr mrs ms messrs mme mlle dr st ste prof rev hon gen col capt lt sgt maj cmdr gov sen rep pres supt esq mt ft vs viz
    cf i.e e.g eg ie al approx dept univ assn bros
"""
_BEFORE_NUMBERS = """
    no nos vol vols ch chap p pp fig figs art sec ver op jan feb mar apr aug sept sep oct nov dec
"""
ABBREVIATIONS, BEFORE_NUMBERS = frozenset(_ABBREVIATIONS.split()), frozenset(_BEFORE_NUMBERS.split())
_END = re.compile(r"(?:[.!?…]+[\"'”’»)\]}*_]*(?=\s)|[。！？｡]+[」』”’）]*)\s*")
_NEXT = re.compile(r"[\"'“”‘’«»(\[{*_—–-]*(.?)", re.DOTALL)
_LAST_WORD = re.compile(r"[^\s\"'“”‘’«»(\[{*_—–-]*$")
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_WORD = 24  # characters; no abbreviation is longer


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, without the white space between them.

    >>> split_sentences('Mr. Brown came. "Stop!" he cried. "Why?" She ran.')
    ['Mr. Brown came.', '"Stop!" he cried.', '"Why?"', 'She ran.']
    """
    pieces = (text[start:end].strip() for start, end in _places(text, 0, len(text)))
    return [sentence for sentence in pieces if sentence]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the places of the sentences of a text, (start, end) without the white space around them.

    Here an empty line ends a sentence, too: what stands before it is a heading or the last sentence of a paragraph.
    """
    spans, start = list[tuple[int, int]](), 0
    for end, following in [*(match.span() for match in _EMPTY_LINE.finditer(text)), (len(text), len(text))]:
        for first, last in _places(text, start, end):
            sentence = text[first:last]
            if stripped := sentence.strip():
                first += sentence.index(stripped[0])
                spans.append((first, first + len(stripped)))
        start = following
    return spans


def _places(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where sentences begin and end, with the white space between them."""
    for match in _END.finditer(text, start, end):
        if match.end() < end and _ends(text, match.start(), match[0].rstrip(), match.end()):
            yield start, match.end()
            start = match.end()
    yield start, end


def _ends(text: str, place: int, mark: str, after: int) -> bool:
    """Whether a sentence ends at a mark, with the next one at `after`."""
    if mark[0] in "。！？｡":
        return True
    following = _NEXT.match(text, after)
    first = following[1] if following else ""
    if first.islower():
        return False
    if mark != ".":  # ?, !, ... and a full stop with a quote end a sentence
        return True
    last = _LAST_WORD.search(text[max(0, place - _WORD) : place])
    word = last[0] if last else ""
    if len(word) == 1 and word.isupper() and word != "I":
        return False
    lower = word.lower()
    return not (lower in ABBREVIATIONS or (lower in BEFORE_NUMBERS and first.isdigit()))
