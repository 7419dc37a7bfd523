"""What all subword tokenisers share: bytes as characters, and the pre-tokenisation of text into chunks.

A subword tokeniser that starts from the 256 bytes of UTF-8 can encode any text without loss. Its subwords are shown as
strings with one character per byte: a printable Latin-1 character for itself, any other byte as the next free character
from U+0100 on, so that `Ġ` is a space, `Ċ` a line feed, and no subword contains white space.

Text is first split into chunks: runs of letters with their marks, of digits, or of other visible characters, each with
the space before it; and runs of white space, whose last space goes to the next chunk. No subword crosses the end of a
chunk. A chunk has at most 64 characters and the space, which bounds the time per chunk.

Source: Radford et al. 2019, Language Models are Unsupervised Multitask Learners, section 2.2, for bytes as the alphabet
and for chunks; the table of characters is that of the authors' program, which the `tokenizers` library also uses.
Departures: English endings (`'s`, `'re` ...) have no rule, because the text may be in any language; marks count as
letters, so that Indic words stay whole; and the length of chunks is bounded.
"""

import re
import unicodedata
from collections.abc import Iterable

from firth.errors import CorpusError, OptionError

LONGEST = 64  # characters of a chunk, without the space before it

# The chunks, as a regular expression of the tokenizers library.
PATTERN = (
    rf" ?[\p{{L}}\p{{M}}]{{1,{LONGEST}}}| ?\p{{N}}{{1,{LONGEST}}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]{{1,{LONGEST}}}"
    rf"|\s{{1,{LONGEST}}}(?!\S)|\s{{1,{LONGEST}}}"
)

# The same over the kinds of the characters: l letter or mark, n number, s white space, _ the space, o another.
_CHUNK = re.compile(
    rf"_?l{{1,{LONGEST}}}|_?n{{1,{LONGEST}}}|_?o{{1,{LONGEST}}}|[_s]{{1,{LONGEST}}}(?![lno])|[_s]{{1,{LONGEST}}}"
)
_WHITE = frozenset("\t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}


def _alphabet() -> list[str]:
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    free = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printable else chr(next(free)) for byte in range(256)]


MARK = "…"  # prefix of continuing WordPiece subwords; "##" may occur in a text
DOT = "·"  # stands where a word goes on
UNITS = ("subwords", "characters")  # of texts whose tokens are written in byte characters
CHARACTERS = _alphabet()  # byte -> the character that represents it
_BYTES = {ord(character): byte for byte, character in enumerate(CHARACTERS)}
_FROM_BYTES = dict(enumerate(CHARACTERS))


class _Kinds(dict[int, str]):
    """Code point -> kind, filled on demand."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)[0]
        white = "_" if character == " " else "s" if character in _WHITE else "o"
        self[code] = {"L": "l", "M": "l", "N": "n"}.get(category, white)
        return self[code]


_KINDS = _Kinds()


def chunks(text: str) -> list[str]:
    r"""Split a text into chunks, which no subword crosses; joined they are the text.

    >>> chunks("In 1905,  she'd left.\n")
    ['In', ' 1905', ',', ' ', ' she', "'", 'd', ' left', '.', '\n']
    """
    return [text[match.start() : match.end()] for match in _CHUNK.finditer(text.translate(_KINDS))]


def to_characters(text: str) -> str:
    """Return one character for each UTF-8 byte of a text."""
    return checked(text).encode().decode("latin-1").translate(_FROM_BYTES)


def to_bytes(characters: Iterable[str]) -> bytes:
    """Return the bytes of byte characters, the inverse of `to_characters`; subwords may split a character."""
    text = "".join(characters)
    invalid = next((c for c in set(text) if ord(c) not in _BYTES), None)
    if invalid is not None:
        raise OptionError(f"{invalid!r} represents no byte; expected subwords, in which Ġ is a space and Ã© an é")
    return text.translate(_BYTES).encode("latin-1")


def shown(token: str, unit: str) -> str:
    """Return a subword or character as people read it; see `firth.Subwords.shown`.

    Args:
        unit: one of `UNITS`.
    """
    text = to_bytes(token.removeprefix(MARK)).decode("utf-8", "backslashreplace")
    if not text.strip():
        return "".join("␣" if space == " " else space.encode("unicode_escape").decode() for space in text)
    if text.startswith(" "):
        return text.strip()
    return DOT + text if unit == "subwords" else text


def checked(text: str) -> str:
    """Return a text after checking that UTF-8 can encode it."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"character {error.start} of {text[:40]!r} is {text[error.start]!r}, half of a surrogate pair, which "
            "UTF-8 cannot encode; expected Unicode text; read files with errors='replace'"
        ) from error
    return text
