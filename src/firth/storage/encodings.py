"""The bytes of a user's text as UTF-8, whatever encoding the text is in: the one place where bytes become text.

A byte order mark tells (UTF-8, UTF-16, UTF-32), then the encoding that the user names, then the bytes: valid UTF-8
passes as it is; otherwise the code page that fits the letters is assumed, and a warning says so, with words to judge
by. UTF-8 in which a few bytes are damaged stays UTF-8: U+FFFD stands for each damaged sequence, and a warning counts
them. What is neither is refused. Nothing is replaced without a word. Lines that end with carriage returns alone, as
spreadsheets still write them for the Macintosh, end with line feeds.
"""

import codecs
import contextlib
import io
import os
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, BinaryIO

from firth.errors import FirthError, FormatError, OptionError, brief, warn_caller
from firth.storage.code_pages import BINARY, LIKELY, detected

BLOCK = 1 << 16  # bytes that are read at once where text is decoded, and that are judged of a place
_PIECE = 1 << 12  # bytes that are checked at once: the text they make stays in the processor's cache
_SPREAD = 8  # places of a file that are judged besides the first that is no UTF-8
_FEW = 16  # damaged sequences that any text may have
_DAMAGED = 0.1  # share of the sequences beyond ASCII that may be damaged
_WIDE = 0.3  # share of NUL bytes at even or odd places in UTF-16 without a mark
_MARKS = (  # that of UTF-32 first, which begins as that of UTF-16 does
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ESCAPES = ((b"\x1b$)C", "iso2022_kr"), (b"\x1b$B", "iso2022_jp"), (b"\x1b$@", "iso2022_jp"))
_UTF8 = ("utf-8", "utf-8-sig", "ascii")
_EXAMPLE = re.compile(r"\w*[^\W\d_a-zA-Z]\w*")  # a word with a letter beyond ASCII
HOW = "with firth.text_encoding({0!r}):, or --encoding {0} on the command line"  # {0}: a name
_HOW = HOW.format("NAME")
_REPLACED = "\ufffd".encode()

published = set[str]()
"""Files with a content that is known: they are UTF-8, whatever the user names, and what is damaged needs no word."""

_named: ContextVar[str | None] = ContextVar("encoding", default=None)


@contextlib.contextmanager
def text_encoding(encoding: str | None) -> Iterator[None]:
    """Read all text files of the user in an encoding, as `--encoding` does on the command line.

    This is the one way for every function that reads text, so that each need not have an argument for it: readers of
    treebanks and gold standards, tables, word lists, dictionaries, text vectors. A reader that yields what it reads
    keeps the encoding that was named where it was called. `Corpus.build` and `firth.load` also have `encoding=`.

    Files with a byte order mark keep theirs. Without it, files are read as UTF-8, or the encoding is found; see
    `firth.storage.encodings`.

    Args:
        encoding: Python's name, such as "cp1252", "utf-16" or "gb18030"; None changes nothing.

    Raises:
        OptionError: Python knows no such encoding of text.
    """
    token = _named.set(_named.get() if encoding is None else known_encoding(encoding))
    try:
        yield
    finally:
        _named.reset(token)


def named_encoding(encoding: str | None = None) -> str | None:
    """Return the encoding that the user names, by an argument or by `text_encoding`; None where none is named."""
    return _named.get() if encoding is None else known_encoding(encoding)


def known_encoding(encoding: str) -> str:
    """Return Python's own name of an encoding.

    Raises:
        OptionError: Python knows no such encoding of text.
    """
    try:
        name = codecs.lookup(encoding).name
        "a".encode(name)
        codecs.getincrementaldecoder(name)("replace").decode(b"\xe9")  # punycode and idna replace nothing
    except (LookupError, TypeError, ValueError):
        raise OptionError(
            f"encoding={brief(encoding)}: expected the name of an encoding, such as utf-8, utf-16, {LIKELY}"
        ) from None
    return name


class Utf8Stream(io.RawIOBase):
    """Text of any encoding as UTF-8.

    Valid UTF-8 is read straight into the caller's memory and checked there; nothing else is copied.

    Args:
        stream: the bytes; it stays open when this is closed.
        name: of the source, for messages.
        encoding: that the user names; None for that of `text_encoding`, if any.
        strict: whether to refuse damaged UTF-8 in place of replacing and counting.
        check: called with the first bytes, unless they are UTF-16 or UTF-32, to refuse binary files.
        error: the exception for text that cannot be read.

    Attributes:
        encoding: that the text is read in.
        characters: code points read so far.

    Raises:
        FormatError: in reading, where the text is in no encoding that is known; or another `error`.

    Warns:
        UserWarning: the encoding was assumed, or bytes were replaced.
    """

    def __init__(
        self,
        stream: BinaryIO,
        name: str | os.PathLike[str],
        *,
        encoding: str | None = None,
        strict: bool = False,
        check: Callable[[bytes], None] | None = None,
        error: type[FirthError] = FormatError,
    ) -> None:
        self._stream, self._name, self._check, self._error = stream, os.fspath(name), check, error
        self._quiet = self._name.partition(": ")[0] in published
        encoding = "utf-8" if self._quiet else encoding
        self._named = named_encoding(encoding)
        self._strict = strict and (encoding is not None or self._named is None)  # who names UTF-8 takes it as it is
        self._decoder: codecs.IncrementalDecoder | None = None  # None: UTF-8 that passes as it is
        self._assumed = self._begun = self._ended = False
        self._returns: bool | None = None  # whether lines end with carriage returns alone
        self._rest = b""  # an incomplete sequence
        self._ready = memoryview(b"")
        self._valid = self._damaged = self._lines = 0
        self._told = False
        self.encoding, self.characters = "utf-8", 0

    def readable(self) -> bool:
        """Whether it can be read from."""
        return True

    def readinto(self, room: Any) -> int:
        """Fill `room` with UTF-8 as far as the text goes; return how many bytes that are, 0 at the end."""
        view = memoryview(room).cast("B")
        while not self._ready:
            if self._ended:
                return 0
            direct = self._begun and self._decoder is None and len(view) >= BLOCK and not self._returns
            if direct and (size := self._pass(view)):
                return size
            if not direct:
                self._take(self._rest + self._read(BLOCK))
                self._end_lines()
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _end_lines(self) -> None:
        """Where the first lines end with carriage returns alone, make these and those of what follows line feeds."""
        if self._returns is None and not self._quiet:
            beginning = bytes(self._ready)
            self._returns = _ends_with_returns(beginning) or (False if b"\n" in beginning else None)
        if self._returns:
            self._ready = memoryview(bytes(self._ready).replace(b"\r", b"\n"))

    def _read(self, size: int) -> bytes:
        block = bytearray(size)
        return bytes(block[: self._fill(memoryview(block))])

    def _fill(self, room: memoryview) -> int:
        # readinto1 returns what a pipe has so far, where readinto waits for all that was asked for.
        stream: Any = self._stream
        size = int(getattr(stream, "readinto1", stream.readinto)(room))
        self._ended = not size
        return size

    def _pass(self, room: memoryview) -> int:
        """Read UTF-8 into `room` and return its size; 0 where it is not UTF-8, but decoded and made ready."""
        before = len(self._rest)
        room[:before] = self._rest
        size = before + self._fill(room[before:])
        end = self._checked(room[:size])
        if end is None:
            self._take(bytes(room[:size]))
            return 0
        self._rest = bytes(room[end:size])
        return end

    def _checked(self, content: memoryview) -> int | None:
        """Return where whole sequences of UTF-8 end; None where something is not UTF-8, or the end is within one."""
        end = characters = 0
        try:
            while end < len(content):
                text, size = codecs.utf_8_decode(content[end : end + _PIECE], "strict", False)
                if not size:
                    break
                end, characters = end + size, characters + len(text)
        except UnicodeDecodeError:
            return None
        if self._ended and end < len(content):
            return None
        self._valid += end - characters
        self.characters += characters
        return end

    def _take(self, content: bytes) -> None:
        """Decode content, which may end within a sequence, and make it ready."""
        self._rest = b""
        if not self._begun and content:
            content = self._begin(content)
        if self._decoder is None:
            end = self._checked(memoryview(content))
            if end is not None:
                self._ready, self._rest = memoryview(content)[:end], content[end:]
                self._lines += self._strict and content.count(b"\n", 0, end)
                return
            self._settle(content)
        self._decode(content)
        if self._ended:
            self._conclude()

    def _begin(self, content: bytes) -> bytes:
        """Settle the encoding by a byte order mark, or by name; return the content without the mark."""
        self._begun = True
        while len(content) < 4 and not self._ended:
            content += self._read(BLOCK)
        if content.startswith(BINARY):
            raise self._error(f"{self._name}: a picture or a program, from {content[:4]!r}; expected text")
        for mark, encoding in _MARKS:
            if content.startswith(mark):
                self._use(encoding)
                content = content[len(mark) :]
                break
        else:
            self._use(_in_order(self._named, content) or _without_mark(content) or "utf-8")
            self._assumed = not self._named and self.encoding != "utf-8"
            if self._named and self._decoder is not None:
                self._doubt(content)
        if self._check is not None and not self.encoding.startswith(("utf-16", "utf-32")):
            self._check(content)
        return content

    def _use(self, encoding: str) -> None:
        self.encoding = "utf-8" if encoding in _UTF8 else encoding
        if self.encoding != "utf-8":
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def _doubt(self, content: bytes) -> None:
        with contextlib.suppress(UnicodeDecodeError):
            text, size = codecs.utf_8_decode(content, "strict", False)
            if len(text) < size and not content.startswith(b"\0") and b"\0" not in content:
                warn_caller(
                    f"{self._name}: read as {self.encoding}, as asked, but its beginning is valid UTF-8 with letters "
                    "beyond ASCII; leave the encoding out to read it as UTF-8"
                )

    def _settle(self, content: bytes) -> None:
        """Find out what content that is not UTF-8 is: text of a code page, or UTF-8 with some damage."""
        sample = b"\n".join([content.rpartition(b"\n")[0] or content, *self._elsewhere()])
        valid, damaged = _judged(sample)
        valid += self._valid
        guess = self._named is None and 2 * damaged >= valid
        page = detected(sample, mixed=damaged < 2 * valid) if guess else None
        if page is not None:
            self._assumed = True
            self._use(page)
            return
        if self._strict:
            raise self._error(self._refusal(content))
        if self._named is None and _too_many(damaged, valid):
            raise self._error(self._neither(damaged, valid))
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def _elsewhere(self) -> list[bytes]:
        """Return parts of a file, spread over it, so that its beginning alone does not decide."""
        file = self._stream
        raw = getattr(file, "raw", file)
        if not isinstance(raw, io.FileIO) or not file.seekable():
            return []
        position, size = file.tell(), os.fstat(raw.fileno()).st_size
        parts = []
        for start in range(position, size, max(size // _SPREAD, BLOCK)):
            file.seek(start)
            parts.append(file.read(BLOCK).partition(b"\n")[2].rpartition(b"\n")[0])
        file.seek(position)
        return parts

    def _decode(self, content: bytes) -> None:
        decoder = self._decoder
        assert decoder is not None
        text = decoder.decode(content, self._ended)
        data = text.encode("utf-8", "surrogatepass")
        self.characters += len(text)
        if self.encoding == "utf-8":
            damaged = data.count(_REPLACED) - content.count(_REPLACED)
            self._damaged += damaged
            self._valid += len(data) - len(text) - 2 * damaged
        else:
            self._damaged += max(
                0, data.count(_REPLACED) - content.count("\ufffd".encode(self.encoding, "ignore") or _REPLACED)
            )
            if self._assumed:
                self._tell(text)
                self._contradict(content)
        self._ready = memoryview(data)

    def _tell(self, text: str) -> None:
        """Say once which encoding is assumed, with words to judge by."""
        examples = list(dict.fromkeys(_EXAMPLE.findall(text)))[:3]
        if self._told or not (examples or self._ended):
            return
        self._told = True
        such = f", which gives {', '.join(map(repr, examples))}" if examples else ""
        warn_caller(
            f"{self._name}: not UTF-8; read as {self.encoding}{such}; if that is wrong, name the encoding: {_HOW}"
        )

    def _contradict(self, content: bytes) -> None:
        with contextlib.suppress(UnicodeDecodeError):
            text, size = codecs.utf_8_decode(content, "strict", False)
            if size - len(text) > _FEW and not self.encoding.startswith("utf-"):
                raise self._error(
                    f"{self._name}: begins as text in {self.encoding} and goes on as UTF-8; expected one encoding; "
                    f"convert a part of it, or name one, such as utf-8, which replaces what is not valid: {_HOW}"
                )

    def _conclude(self) -> None:
        if self._assumed:
            self._tell("")
        if not self._damaged:
            return
        if self._quiet:
            return
        if self._named is None and not self._assumed and _too_many(self._damaged, self._valid):
            raise self._error(self._neither(self._damaged, self._valid))
        warn_caller(
            f"{self._name}: {self._damaged:,} byte sequences are not valid {self.encoding} and were replaced by U+FFFD"
            f"; if the text is in another encoding, name it: {_HOW}"
        )

    def _neither(self, damaged: int, valid: int) -> str:
        return (
            f"{self._name}: {damaged:,} of about {damaged + valid:,} sequences beyond ASCII are not valid UTF-8, and "
            f"the text fits no other encoding that firth recognises; name it, such as {LIKELY}, or utf-8, "
            f"which replaces what is not valid: {_HOW}"
        )

    def _refusal(self, content: bytes) -> str:
        start = _first_damage(content)
        number = self._lines + content.count(b"\n", 0, start) + 1
        return (
            f"{self._name} line {number}: not UTF-8 text at byte {start:,}; save it as UTF-8, or name its "
            f"encoding: {_HOW}"
        )


def _without_mark(content: bytes) -> str | None:
    """Return the encoding of text that is UTF-16 without a byte order mark, or ISO-2022, whose bytes are all ASCII."""
    if content.count(0) < _FEW:
        return next((name for mark, name in _ESCAPES if mark in content and _decodes(content, name)), None)
    even, odd = (content[first::2].count(0) / (len(content) // 2) for first in (0, 1))
    if even and odd:
        return None
    name, share = ("utf-16-be", even) if even else ("utf-16-le", odd)
    return name if share > _WIDE or _decodes(content, name) else None


def _in_order(named: str | None, content: bytes) -> str | None:
    """Return the encoding that the user names, with an order of bytes where there is no mark for it."""
    if named not in ("utf-16", "utf-32"):
        return named
    decoded = _without_mark(content) if named == "utf-16" else None
    return decoded if decoded and decoded.startswith(named) else f"{named}-le"


def _decodes(content: bytes, encoding: str) -> bool:
    """Whether content, which may be cut anywhere, is nothing but visible characters and spaces in an encoding."""
    try:
        text = codecs.getincrementaldecoder(encoding)("strict").decode(content)
    except UnicodeDecodeError:
        return False
    return all(character.isprintable() or character.isspace() for character in text)


def _ends_with_returns(content: bytes) -> bool:
    beginning = content[:BLOCK]
    return b"\r" in beginning.rstrip(b"\r") and b"\n" not in beginning


def _judged(content: bytes) -> tuple[int, int]:
    """Return about how many sequences beyond ASCII are valid UTF-8, and how many are damaged."""
    text = content.decode("utf-8", "replace")
    data = text.encode()
    damaged = data.count(_REPLACED) - content.count(_REPLACED)
    return len(data) - len(text) - 2 * damaged, damaged


def _too_many(damaged: int, valid: int) -> bool:
    return damaged > _FEW and damaged > _DAMAGED * (damaged + valid)


def _first_damage(content: bytes) -> int:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0


def decoded_text(
    content: bytes, name: str | os.PathLike[str], *, encoding: str | None = None, strict: bool = True
) -> str:
    """Return the text of bytes; the arguments are those of `Utf8Stream`."""
    try:
        # Most files by far: no byte order mark, nothing named, valid.
        plain = not content.startswith(tuple(mark for mark, _ in _MARKS)) and not _ends_with_returns(content)
        if plain and named_encoding(encoding) in (None, *_UTF8):
            return content.decode()
    except UnicodeDecodeError:
        pass
    return Utf8Stream(io.BytesIO(content), name, encoding=encoding, strict=strict).readall().decode()
