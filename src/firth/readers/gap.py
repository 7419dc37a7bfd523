"""GAP: pronouns of Wikipedia with two names each, and which of them the pronoun refers to, if any.

Webster, Recasens, Axelrod and Baldridge 2018, "Mind the GAP: a balanced corpus of gendered ambiguous pronouns". The
corpus has as many male as female pronouns.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firth.arguments import names_files
from firth.errors import FormatError, counted
from firth.readers.lines import PathLike
from firth.storage.files import text_of

COLUMNS = (
    "ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL",
)  # fmt: skip
FEMALE, MALE = frozenset({"she", "her", "hers", "herself"}), frozenset({"he", "him", "his", "himself"})
EXPECTED = f"expected the columns {', '.join(COLUMNS)} between tabs, as in gap-development.tsv"


@dataclass(frozen=True)
class GapExample:
    """A pronoun and two names of a text.

    Attributes:
        name: identifier, such as "development-1".
        text: some sentences.
        pronoun: as it is written.
        pronoun_offset: characters of `text` before it.
        names: the two names, A and B.
        name_offsets: characters of `text` before each.
        refers: whether the pronoun refers to each.
        url: of the page.
    """

    name: str
    text: str
    pronoun: str
    pronoun_offset: int
    names: tuple[str, str]
    name_offsets: tuple[int, int]
    refers: tuple[bool, bool]
    url: str

    @property
    def gender(self) -> str:
        """Of the pronoun: "male" or "female"."""
        return "female" if self.pronoun.lower() in FEMALE else "male"


@names_files
def read_gap(path: PathLike) -> Iterator[GapExample]:
    """Yield the examples of a file of GAP.

    Args:
        path: UTF-8, with a header; plain or gzip (`.gz`).

    Raises:
        FormatError: the header or a column is missing, an offset is not that of the word, a pronoun is none of those
            of GAP, or a label is neither TRUE nor FALSE; the message gives the line. Or there is no example.
        OSError: the file cannot be read.
    """
    # Not the csv module: quotes are characters of the text.
    lines = text_of(path).split("\n")
    if tuple(lines[0].rstrip("\r").split("\t")) != COLUMNS:
        raise FormatError(f"{path} line 1: the header {lines[0][:60]!r}; {EXPECTED}")
    empty = True
    for number, line in enumerate(lines[1:], 2):
        if line.strip():
            empty = False
            yield _example(line.rstrip("\r").split("\t"), f"{path} line {number}")
    if empty:
        raise FormatError(f"{path}: a header without examples; {EXPECTED}")


def _example(fields: list[str], where: str) -> GapExample:
    if len(fields) != len(COLUMNS):
        raise FormatError(f"{where}: {counted(len(fields), 'column')}; {EXPECTED}")
    name, text, pronoun, at, a, a_at, a_label, b, b_at, b_label, url = fields
    if pronoun.lower() not in FEMALE | MALE:
        raise FormatError(f"{where}: the pronoun {pronoun[:20]!r}; expected a form of he or she")
    offsets = tuple(_offset(text, word, offset, where) for word, offset in ((pronoun, at), (a, a_at), (b, b_at)))
    labels = tuple(_label(label, where) for label in (a_label, b_label))
    return GapExample(name, text, pronoun, offsets[0], (a, b), (offsets[1], offsets[2]), (labels[0], labels[1]), url)


def _offset(text: str, word: str, offset: str, where: str) -> int:
    at = int(offset) if offset.isascii() and offset.isdecimal() and len(offset) < 9 else -1
    if at < 0 or not word or text[at : at + len(word)] != word:
        raise FormatError(f"{where}: offset {offset[:20]!r} of {word[:40]!r}; expected that of the word in the text")
    return at


def _label(label: str, where: str) -> bool:
    if label.upper() not in ("TRUE", "FALSE"):
        raise FormatError(f"{where}: label {label[:20]!r}; expected TRUE or FALSE")
    return label.upper() == "TRUE"
