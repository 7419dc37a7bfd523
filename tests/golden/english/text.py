"""The text: `text.txt`, firth's own documentation in plain sentences, frozen.

It was made once, in November 2026, of README, CONTRIBUTING, the pages of docs and the docstrings of src: their
sentences of letters, digits and plain punctuation alone, with all code, tables and links left out. A sentence a line, a
blank line between pages and between modules. It does not follow later changes of the documentation: whatever is frozen
beside it would have to be made anew.
"""

import re
from itertools import chain
from pathlib import Path

TEXT = Path(__file__).with_name("text.txt")
MIN_COUNT = 5
HELD_OUT = 10  # every tenth sentence
CONTENT = 60  # words whose cosines are compared

# A token by firth's rule for letters of ASCII, written anew: see `firth.text.tokenise`.
_TOKEN = re.compile(r"[a-z0-9](?:[a-z0-9]|'(?=[a-z])|(?<=\d)[.,](?=\d))*")
_FUNCTION_WORDS = """
about above after again alike all also and any anything are been before behind below beside
besides between both but can cannot does each either else ever every everything few for from given goes have here how
into its itself just least less like many more most must neither never none nor not nothing now once one only other
others out over own same several should since some such than that the their them themselves then there therefore
therein these they this those though through two under until unless upon was way were what whatever when where whether
which while who whole whose why will with within without would yet you your three four five
"""


def documents() -> list[list[list[str]]]:
    """The tokens of each sentence of each page."""
    pages = TEXT.read_text(encoding="ascii").lower().split("\n\n")
    return [[_TOKEN.findall(line) for line in page.splitlines()] for page in pages]


def sentences() -> list[list[str]]:
    """The tokens of each sentence."""
    return list(chain.from_iterable(documents()))


def parts() -> tuple[list[list[str]], list[list[str]]]:
    """The sentences to learn from, and those held out."""
    whole = sentences()
    return [s for i, s in enumerate(whole) if i % HELD_OUT], whole[::HELD_OUT]


def content_words(by_frequency: list[str]) -> list[str]:
    """The most frequent words that mean something by themselves."""
    return [w for w in by_frequency if len(w) > 2 and w.isalpha() and w not in _FUNCTION_WORDS.split()][:CONTENT]
