"""Which code page text that is not UTF-8 is in, judged by its letters beyond ASCII.

charset-normalizer tells apart scripts and double-byte encodings. Among code pages of one script it mistakes Spanish in
cp1252 for cp1250, and it reads no Korean. There the letters of languages decide: the page under which most bytes beyond
ASCII are letters of one language where such letters stand wins; between equals, the first. A capital behind a small
letter, and a sign such as ¾ within a word, speak against a page.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

# Letters beyond ASCII in lower case, by the code pages that a language is written in.
_WESTERN = ("cp1252", "iso8859_15", "mac_roman", "cp850")
_CENTRAL = ("cp1250", "iso8859_2", "cp852")
_LATIN: tuple[tuple[tuple[str, ...], str], ...] = (
    (_WESTERN, "éèêëàâæçîïôœùûü"),  # French
    (_WESTERN, "äöüß"),  # German
    (_WESTERN, "áéíñóúü¿¡ºª"),  # Spanish
    (_WESTERN, "ãáàâçéêíõóôúü"),  # Portuguese
    (_WESTERN, "àèéìíîòóùú"),  # Italian
    (_WESTERN, "åäöéæøüà"),  # Swedish, Danish, Norwegian, Finnish
    (_WESTERN, "áðéíóúýþæö"),  # Icelandic
    (_WESTERN, "éëïóöüèáíú"),  # Dutch
    (_WESTERN, "àçèéíïòóúü·"),  # Catalan
    (_WESTERN, "áéíóú"),  # Irish
    (_WESTERN, "áæíðóøúý"),  # Faroese
    (_WESTERN, "éèêëàâäæçîïíñôóöœùûüúáåø"),  # English, with names and borrowed words
    (_CENTRAL, "ąćęłńóśźż"),  # Polish
    (_CENTRAL, "áčďéěíňóřšťúůýž"),  # Czech
    (_CENTRAL, "áäčďéíľĺňóôŕšťúýž"),  # Slovak
    (_CENTRAL, "áéíóöőúüű"),  # Hungarian
    (_CENTRAL, "čćđšž"),  # Croatian, Slovene
    (_CENTRAL, "ăâîşţ"),  # Romanian
    (_CENTRAL, "ćčěłńóŕřšśžź"),  # Sorbian
    (("cp1257",), "ąčęėįšųūž"),  # Lithuanian
    (("cp1257",), "āčēģīķļņšūž"),  # Latvian
    (("cp1257",), "äöõüšž"),  # Estonian
    (("cp1254",), "çğıöşüâîû"),  # Turkish
    (("iso8859_3",), "ĉĝĥĵŝŭ"),  # Esperanto
    (("iso8859_3",), "àċèġħìòùż"),  # Maltese
    (("cp1258",), "ăâđêôơưàáèéìíòóùúý\u0300\u0301\u0303\u0309\u0323"),  # Vietnamese
)
_OTHER: tuple[tuple[tuple[str, ...], str], ...] = (
    (("cp1255", "cp862"), "אבגדהוזחטיךכלםמןנסעףפץצקרשת"),  # its bytes are letters of cp1251, too
    (("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic"), "абвгдежзийклмнопрстуфхцчшщъыьэюяё"),  # Russian
    (("cp1251", "koi8_u"), "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"),  # Ukrainian
    (("cp1251",), "абвгдеёжзійклмнопрстуўфхцчшыьэюя"),  # Belarusian
    (("cp1251",), "абвгдђежзѕиіјклљмнњопрстћќуфхцчџшѓ"),  # Serbian, Macedonian
    (("cp1253", "iso8859_7"), "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ"),
    (("cp1256", "iso8859_6"), "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگکٹڈڑںھہے،؟؛ًٌَُِّْـ"),
)
_MARKS = frozenset("„“”‘’‚«»‹›–—…•§°ºª€£¢¥©®™´·×÷¼½¾²³±µ¶†‡ \u00ad\u200c\u200d")  # of any language
_WITHIN = frozenset("’–—…·\u00a0\u00ad\u200c\u200d")  # of them, those that stand between letters, too
_BEHIND = frozenset("“”‘»›°ºª®™²³´†‡") | _WITHIN  # and those that follow a letter
_LEAST = 0.9  # share of the letters beyond ASCII that must be of the language
_CAPITAL = 0.5  # of a lower-case letter: text in koi8_r read as cp1251 has the letters of Russian in the other case
_CASELESS = 0.95  # of a letter of Arabic, which would win all ties for want of capitals
_HANGUL = 0.8  # share of the characters beyond ASCII
_LONG = 9.0  # bytes beyond ASCII in a run, on average: Thai has no spaces
_IN_RUNS = 0.5  # share of the characters beyond ASCII: a lone cent sign is no Japanese, nor is ää in a word
_DOUBLE = ("cp932", "euc_jp", "gb18030", "big5", "cp874")  # and Thai: as the library names them
_LIKELY = (
    "cp932", "euc_jp", "gb18030", "big5", "cp874", "cp1258", "cp1251", "koi8_r", "cp866", "cp1253", "cp1255",
    "cp1256", "cp1252", "cp1250", "cp1254", "cp1257",
)  # fmt: skip
_RUN = re.compile(rb"[\x80-\xff]{4,}")  # words of other scripts; accents of Latin letters stand alone
_BEYOND = re.compile(rb"[\x80-\xff]")
_BEYOND_RUN = re.compile(rb"[\x80-\xff]+")
# A run of characters, in a group if it is one character that no letter of Latin stands beside.
_BEYOND_ASCII = re.compile(r"((?<![a-zA-Z])[^\x00-\x7f](?![a-zA-Z]|[^\x00-\x7f]))|[^\x00-\x7f]+")
_CONTROLS = tuple(byte for byte in range(32) if byte not in b"\t\n\x0b\x0c\r\x1a\x1b")
_RARE = 100  # bytes of text to a control character
# Pictures, sounds and programs.
BINARY = (b"\x89PNG", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"\x7fELF", b"OggS\0", b"\xca\xfe\xba\xbe")
_SAMPLE = 1 << 17  # bytes that are judged
LIKELY = "cp1252 (Western European), cp1250 (Central European), cp1251 (Cyrillic), gb18030, shift_jis"


def detected(content: bytes, *, mixed: bool = False) -> str | None:
    """Return Python's name of the encoding that text which is not UTF-8 is probably in, or None.

    Args:
        content: a part of the text that holds bytes beyond ASCII.
        mixed: whether much of it is valid UTF-8, as happens by chance in double-byte encodings only.
    """
    sample = b"".join(_lines_beyond_ascii(content))
    if not sample or sum(map(sample.count, _CONTROLS)) > len(sample) // _RARE:
        return None
    named = _named_by_library(sample)
    if _share_of_hangul(sample) >= _HANGUL:
        return "cp949"
    if named == "cp874" and not _has_long_runs(sample):
        named = None
    if named in _DOUBLE and _share_in_runs(sample, named) >= _IN_RUNS:
        return named
    if mixed:
        return None
    latin = 2 * sum(map(len, _RUN.findall(sample))) <= len(_BEYOND.findall(sample))
    positions = _places(sample, latin=latin)
    # A page whose letters fit, even if the score of one that does not is higher.
    fits = [page for page in _pages(latin) if _share(positions, *page) >= _LEAST]
    page = max(fits, key=lambda candidate: _score(positions, *candidate))[0] if fits else None
    return _greek(sample) if page in ("cp1253", "iso8859_7") else page


def _greek(sample: bytes) -> str:
    """Return which of two pages differ in Ά: the byte of one is an apostrophe in the other."""
    standard = len(re.findall(rb"\xb6[\xc1-\xfe]|[\xc1-\xfe]\xa2(?![\xc1-\xfe])", sample))
    return "iso8859_7" if standard > len(re.findall(rb"\xa2[\xc1-\xfe]", sample)) else "cp1253"


def _lines_beyond_ascii(content: bytes) -> Iterator[bytes]:
    size = 0
    for line in content.splitlines(keepends=True):
        if not line.isascii():
            yield line
            size += len(line)
            if size > _SAMPLE:
                return


@functools.cache
def _pages(latin: bool) -> tuple[tuple[str, str], ...]:
    return tuple((page, letters) for pages, letters in (_LATIN if latin else _OTHER) for page in pages)


class _Place(NamedTuple):
    """A byte beyond ASCII and what stands beside it."""

    byte: int
    behind_letter: bool
    behind_lower: bool
    before_letter: bool


def _places(sample: bytes, *, latin: bool) -> Counter[_Place]:
    """Return where bytes beyond ASCII stand; in words of scripts other than Latin those beside them are letters."""
    ascii_lower, ascii_letters = frozenset(range(97, 123)), frozenset((*range(65, 91), *range(97, 123)))
    letters = ascii_letters if latin else ascii_letters.union(range(128, 256))
    around = b"\n" + sample + b"\n"
    starts = (match.start() for match in _BEYOND.finditer(around))
    return Counter(
        _Place(around[i], around[i - 1] in letters, around[i - 1] in ascii_lower, around[i + 1] in letters)
        for i in starts
    )


@functools.cache
def _kinds(page: str, letters: str) -> tuple[frozenset[int], frozenset[int], dict[int, str]]:
    """Return the bytes of a page that are lower-case letters of the language, other letters of it, and marks."""
    lower, other, marks = set[int](), set[int](), dict[int, str]()
    for byte in range(128, 256):
        letter = bytes([byte]).decode(page, "replace")
        if letter in letters:
            lower.add(byte)
        elif letter.lower() in letters:
            other.add(byte)
        elif letter in _MARKS:
            marks[byte] = letter
    return frozenset(lower), frozenset(other), marks


def _weight(position: _Place, page: str, letters: str) -> float:
    """Return how well a byte fits where it stands, from 0 to 1."""
    lower, other, marks = _kinds(page, letters)
    if position.byte in lower:
        return 1.0
    if position.byte in other:
        return 0.0 if position.behind_lower else _CAPITAL
    mark = marks.get(position.byte)
    if mark is None or (position.behind_letter and mark not in (_WITHIN if position.before_letter else _BEHIND)):
        return 0.0
    return 1.0


def _share(positions: Counter[_Place], page: str, letters: str) -> float:
    return sum(count for position, count in positions.items() if _weight(position, page, letters)) / positions.total()


def _score(positions: Counter[_Place], page: str, letters: str) -> float:
    total = sum(count * _weight(position, page, letters) for position, count in positions.items())
    return (_CASELESS if "ء" in letters else 1.0) * total / positions.total()


def _share_of_hangul(sample: bytes) -> float:
    beyond = [letter for letter in sample.decode("euc_kr", "replace") if letter > "\x7f"]
    return sum("가" <= letter <= "힣" for letter in beyond) / max(len(beyond), 1)


def _has_long_runs(sample: bytes) -> bool:
    runs = _BEYOND_RUN.findall(sample)
    return sum(map(len, runs)) >= _LONG * len(runs)


def _share_in_runs(sample: bytes, page: str) -> float:
    """Return the share of characters beyond ASCII that stand beside others, or are of two bytes and within no word."""
    text = sample.decode(page, "replace")
    runs = list(_BEYOND_ASCII.finditer(text))
    good = (
        len(run[0])
        for run in runs
        if len(run[0]) > 1 or (run[1] is not None and len(run[1].encode(page, "ignore")) > 1)
    )
    return sum(good) / max(sum(len(run[0]) for run in runs), 1)


def _named_by_library(sample: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=list(_LIKELY), preemptive_behaviour=False).best()
    return None if best is None else str(best.encoding)
