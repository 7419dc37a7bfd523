"""Which code page text that is not UTF-8 is in, judged by its letters beyond ASCII.

charset-normalizer tells apart scripts and double-byte encodings. Among code pages of one script it mistakes Spanish in
cp1252 for cp1250, and it reads no Korean. There the letters of languages decide: the page under which most bytes beyond
ASCII are letters of one language wins, with lower-case letters before capitals; between equals, the first.
"""

import functools
import re
from collections.abc import Iterator

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
    (_WESTERN, "éèêëàâäæçîïíñôóöœùûüúáåø"),  # English, with names and borrowed words
    (_CENTRAL, "ąćęłńóśźż"),  # Polish
    (_CENTRAL, "áčďéěíňóřšťúůýž"),  # Czech
    (_CENTRAL, "áäčďéíľĺňóôŕšťúýž"),  # Slovak
    (_CENTRAL, "áéíóöőúüű"),  # Hungarian
    (_CENTRAL, "čćđšž"),  # Croatian, Slovene
    (_CENTRAL, "ăâîşţ"),  # Romanian
    (("cp1257",), "ąčęėįšųūž"),  # Lithuanian
    (("cp1257",), "āčēģīķļņšūž"),  # Latvian
    (("cp1257",), "äöõüšž"),  # Estonian
    (("cp1254",), "çğıöşüâîû"),  # Turkish
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
_MARKS = frozenset("„“”‘’‚«»‹›–—…•§°€£¢¥©®™´·×÷¼½¾²³±µ¶†‡ \u00ad\u200c\u200d")  # of any language
_LEAST = 0.9  # share of the letters beyond ASCII that must be of the language
_CAPITAL = 0.5  # of a lower-case letter: text in koi8_r read as cp1251 has the letters of Russian in the other case
_CASELESS = 0.95  # of a letter of Arabic, which would win all ties for want of capitals
_HANGUL = 0.8  # share of the characters beyond ASCII
_IN_RUNS = 0.5  # share of the characters or bytes beyond ASCII beside another one: a lone cent sign is no Japanese
_DOUBLE = ("cp932", "euc_jp", "gb18030", "big5", "cp874")  # and Thai: as the library names them
_LIKELY = (
    "cp932", "euc_jp", "gb18030", "big5", "cp874", "cp1258", "cp1251", "koi8_r", "cp866", "cp1253", "cp1255",
    "cp1256", "cp1252", "cp1250", "cp1254", "cp1257",
)  # fmt: skip
_RUN = re.compile(rb"[\x80-\xff]{4,}")  # words of other scripts; accents of Latin letters stand alone
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
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
    if (
        named in _DOUBLE
        and max(_share_in_runs(sample.decode(each, "replace")) for each in (named, "latin1")) >= _IN_RUNS
    ):
        return named
    if mixed:
        return None
    runs = sum(map(len, _RUN.findall(sample)))
    pages = _pages(2 * runs <= sum(_counts(sample).values()))
    best = max(pages, key=lambda each: _score(sample, *each))
    return best[0] if _share(sample, *best) >= _LEAST else None


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


@functools.cache
def _weights(page: str, letters: str) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """Return the bytes of a page that are lower-case letters of the language, other letters of it, and marks."""
    lower, other, marks = set[int](), set[int](), set[int]()
    for byte in range(128, 256):
        letter = bytes([byte]).decode(page, "replace")
        if letter in letters:
            lower.add(byte)
        elif letter.lower() in letters:
            other.add(byte)
        elif letter in _MARKS:
            marks.add(byte)
    return frozenset(lower), frozenset(other), frozenset(marks)


def _tally(sample: bytes, page: str, letters: str) -> tuple[int, int, int, int]:
    counts = _counts(sample)
    groups = [sum(counts[byte] for byte in group) for group in _weights(page, letters)]
    return groups[0], groups[1], groups[2], sum(counts.values())


@functools.lru_cache(maxsize=4)
def _counts(sample: bytes) -> dict[int, int]:
    return {byte: sample.count(byte) for byte in range(128, 256)}


def _share(sample: bytes, page: str, letters: str) -> float:
    lower, other, marks, total = _tally(sample, page, letters)
    return (lower + other + marks) / total


def _score(sample: bytes, page: str, letters: str) -> float:
    lower, other, marks, total = _tally(sample, page, letters)
    return (_CASELESS if "ء" in letters else 1.0) * (lower + marks + _CAPITAL * other) / total


def _share_of_hangul(sample: bytes) -> float:
    beyond = [letter for letter in sample.decode("euc_kr", "replace") if letter > "\x7f"]
    return sum("가" <= letter <= "힣" for letter in beyond) / max(len(beyond), 1)


def _share_in_runs(text: str) -> float:
    runs = [len(run) for run in _BEYOND_ASCII.findall(text)]
    return sum(length for length in runs if length > 1) / max(sum(runs), 1)


def _named_by_library(sample: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=list(_LIKELY), preemptive_behaviour=False).best()
    return None if best is None else str(best.encoding)
