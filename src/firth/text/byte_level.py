"""Bytes written as characters, and the chunks of a text that no piece crosses: what all subword tokenisers share.

A subword tokeniser that starts from the 256 bytes of UTF-8 can write any text, and loses nothing. Its pieces are shown
as strings in which one character stands for one byte: a printable character of Latin-1 for itself, any other byte for
the next free character from U+0100 on, so that `Ġ` is a space, `Ċ` a line feed, and no piece holds white space.

A text is first cut into chunks: a run of letters with their marks, a run of digits, or a run of anything else that
shows, each with one space before it, or a run of white space, of which the last space goes to what follows. No piece
reaches over the end of a chunk. A chunk has at most 64 characters and the space, so that no text takes long.

Source: Radford et al. 2019, Language Models are Unsupervised Multitask Learners, section 2.2, for bytes as the alphabet
and for chunks; the table of characters is that of its authors' program, which the `tokenizers` library uses too.
Departures: the endings of English (`'s`, `'re` ...) have no rule of their own, for the text may be in any language;
marks stand with letters, so that Indic words stay whole; and chunks are bounded.
"""

import re
import unicodedata
from collections.abc import Iterable

from firth.errors import CorpusError, OptionError

LONGEST = 64  # characters of a chunk, besides the space before it

# The chunks, as the regular expression that the tokenizers library takes.
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
    shown = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    free = iter(range(0x100, 0x200))
    return [chr(byte) if byte in shown else chr(next(free)) for byte in range(256)]


CHARACTERS = _alphabet()  # byte -> the character that stands for it
_BYTES = {ord(character): byte for byte, character in enumerate(CHARACTERS)}
_FROM_BYTES = dict(enumerate(CHARACTERS))


class _Kinds(dict[int, str]):
    """Code point -> kind, filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)[0]
        white = "_" if character == " " else "s" if character in _WHITE else "o"
        self[code] = {"L": "l", "M": "l", "N": "n"}.get(category, white)
        return self[code]


_KINDS = _Kinds()


def chunks(text: str) -> list[str]:
    r"""Return the parts of a text that no piece crosses; joined they are the text.

    >>> chunks("In 1905,  she'd left.\n")
    ['In', ' 1905', ',', ' ', ' she', "'", 'd', ' left', '.', '\n']
    """
    return [text[match.start() : match.end()] for match in _CHUNK.finditer(text.translate(_KINDS))]


def to_characters(text: str) -> str:
    """Return a text with a character for each byte of its UTF-8.

    Raises:
        CorpusError: it holds a lone surrogate, which UTF-8 cannot.
    """
    return checked(text).encode().decode("latin-1").translate(_FROM_BYTES)


def to_bytes(characters: Iterable[str]) -> bytes:
    """Return what `to_characters` was given, as bytes: pieces need not end where a character of the text does.

    Raises:
        OptionError: a character stands for no byte.
    """
    whole = "".join(characters)
    stranger = next((c for c in set(whole) if ord(c) not in _BYTES), None)
    if stranger is not None:
        raise OptionError(f"{stranger!r} stands for no byte; expected pieces, in which Ġ is a space and Ã© an é")
    return whole.translate(_BYTES).encode("latin-1")


def checked(text: str) -> str:
    """Return a text that can be written in UTF-8, as it is.

    Raises:
        CorpusError: it holds a lone surrogate.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"character {error.start} of {text[:40]!r} is {text[error.start]!r}, half of a pair of surrogates, which "
            "UTF-8 cannot hold; expected Unicode text; read files with errors='replace'"
        ) from error
    return text
