"""Mutations of files: bytes, numbers in binary data, text, JSON, what is inside of packed files, and whole folders.

A seed is a mapping from names to contents, one entry for a file, several for a folder. Every choice comes from the
random generator given, so that a seed and a number make the same input again.
"""

import bz2
import gzip
import io
import json
import lzma
import random
import re
import struct
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

Files = dict[str, Any]  # bytes, or what makes something odd in place of the file
Random = random.Random

EXTREMES = (0, 1, 2, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**33, 2**40, 2**62)
SPREAD = (*EXTREMES, 2**63 - 1, 2**63, 2**64 - 1)
FLOATS = (float("nan"), float("inf"), -float("inf"), 1e38, 1e300, -0.0, 1e-45)
NUMBERS = (
    "0", "-1", "1", "2", "255", "65536", "2147483647", "2147483648", "-2147483648", "4294967296", "9223372036854775807",
    "9223372036854775808", "1e19", "1e308", "1e400", "-1e400", "nan", "inf", "-inf", "NaN", "Infinity", "1_000", "٣",
    "+5", "0x10", "1.5", "-0.0", "1e-320", "", "9" * 400, "9" * 5000, "1e999999999", ".", "1,5",
)  # fmt: skip
TEXTS = (
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", "\u2028".encode(), "\u00a0".encode(), "\U0010ffff".encode(),
    b"\r", b"\r\n", b"\n\n", b"\t", b" ", b'"', b"'", b"\\", b"#", b":", b",", b"{", b"[", b"%s", b"<unk>", b"</s>",
    b"\\u0000", b"\\ud800", b"-", b"__label__", b"a" * 5000, b"\n" * 3000,
)  # fmt: skip
NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
DEEP = 20_000  # brackets within brackets, more than any recursion in C or Python takes
BOMB = 3 << 20  # bytes of one letter that a packed file may unpack to


def mutated(files: Mapping[str, bytes], random: Random) -> Files:
    """Return other contents: one change in most cases, up to four in the rest."""
    changed = dict(files)
    for _ in range(random.choices((1, 2, 4), (8, 2, 1))[0]):
        if (len(changed) > 1 and random.random() < 0.05) or not changed:
            _change_names(changed, random)
        else:
            name = _chosen(changed, random)
            others = [content for content in changed.values() if content]
            changed[name] = changed_content(changed[name], random, others)
    return changed


def _chosen(files: Files, random: Random) -> str:
    """A name; small files, which tell how to read the others, come as often as large ones."""
    return random.choice(sorted(files))


def _change_names(files: Files, random: Random) -> None:
    names = sorted(files)
    match random.choice(("delete", "add", "swap", "move", "empty", "copy")) if names else "add":
        case "delete":
            del files[random.choice(names)]
        case "add":
            files[random.choice(("extra.json", "extra.txt", "model.bin", "vocab.json", "notes"))] = random.choice(
                (b"", b"{}", b"[]", b"text\n", b"\xff\x00")
            )
        case "swap":
            one, other = random.choice(names), random.choice(names)
            files[one], files[other] = files[other], files[one]
        case "move":
            files[f"{random.choice(names)}.moved"] = files.pop(random.choice(names))
        case "empty":
            files[random.choice(names)] = b""
        case "copy":
            files[random.choice(names)] = files[random.choice(names)]


def changed_content(content: bytes, random: Random, others: list[bytes]) -> bytes:
    """Return one change of a file's content, of a sort that suits it."""
    if random.random() < 0.6:
        for unpack in (_in_packed, _in_zip, _in_safetensors):
            found = unpack(content, random)
            if found is not None:
                return found
    text = b"\0" not in content[:1000] and _is_text(content)
    if text and content[:200].lstrip()[:1] in (b"{", b"[") and random.random() < 0.6:
        found = changed_json(content, random)
        if found is not None:
            return found
    if text and random.random() < 0.7:
        return random.choice(TEXT_CHANGES)(content, random)
    change = random.choice(BINARY_CHANGES)
    if change is _splice:
        return _splice(content, random, random.choice(others) if others else b"")
    return change(content, random)


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


# Bytes


def _place(content: bytes, random: Random) -> int:
    """A place, near the beginning more often than elsewhere."""
    if random.random() < 0.3:
        return random.randrange(min(len(content), 128) or 1)
    return random.randrange(len(content) or 1)


def _flip_bit(content: bytes, random: Random) -> bytes:
    if not content:
        return b"\x01"
    made, place = bytearray(content), _place(content, random)
    made[place] ^= 1 << random.randrange(8)
    return bytes(made)


def _set_bytes(content: bytes, random: Random) -> bytes:
    made = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8, 64))):
        if made:
            made[_place(content, random)] = random.choice((0, 255, random.randrange(256)))
    return bytes(made)


def _truncate(content: bytes, random: Random) -> bytes:
    return content[: random.choice((_place(content, random), max(len(content) - random.randrange(1, 17), 0)))]


def _insert(content: bytes, random: Random) -> bytes:
    place = _place(content, random)
    size = random.choice((1, 2, 4, 8, 100))
    return content[:place] + random.choice((bytes(size), b"\xff" * size, random.randbytes(size))) + content[place:]


def _delete(content: bytes, random: Random) -> bytes:
    place = _place(content, random)
    return content[:place] + content[place + random.choice((1, 2, 4, 8, 100)) :]


def _repeat(content: bytes, random: Random) -> bytes:
    low = _place(content, random)
    part = content[low : low + random.choice((1, 4, 8, 64, 1000))]
    return content[:low] + part * random.choice((2, 3, 50)) + content[low + len(part) :]


def _exchange(content: bytes, random: Random) -> bytes:
    size = random.choice((1, 4, 8, 32))
    one, other = sorted((_place(content, random), _place(content, random)))
    if other < one + size:
        return _flip_bit(content, random)
    made = bytearray(content)
    made[one : one + size], made[other : other + size] = content[other : other + size], content[one : one + size]
    return bytes(made)


def _append(content: bytes, random: Random) -> bytes:
    return content + random.choice((b"\0", b"\n", content, random.randbytes(random.choice((1, 7, 8, 500)))))


def _splice(content: bytes, random: Random, other: bytes = b"") -> bytes:
    low = _place(other, random)
    return content[: _place(content, random)] + other[low : low + random.choice((4, 16, 200, 10_000))]


def _extreme_integer(content: bytes, random: Random) -> bytes:
    """An integer of one to eight bytes, mostly where such numbers are aligned."""
    size = random.choice((1, 2, 4, 4, 8, 8))
    if len(content) < size:
        return _insert(content, random)
    place = min(_place(content, random), len(content) - size)
    place -= place % size if random.random() < 0.7 else 0
    order = random.choice(("little", "little", "little", "big"))
    there = int.from_bytes(content[place : place + size], order)  # type: ignore[arg-type]
    value = random.choice((*SPREAD, -1, -2, there + 1, there - 1, 2 * there, -there, there ^ (1 << (8 * size - 1))))
    written = (value % (1 << (8 * size))).to_bytes(size, order)  # type: ignore[arg-type]
    return content[:place] + written + content[place + size :]


def _extreme_float(content: bytes, random: Random) -> bytes:
    size, code = random.choice(((4, "<f"), (8, "<d"), (2, "<e")))
    place = _place(content, random)
    place -= place % size
    value = random.choice(FLOATS)
    try:
        written = struct.pack(code, value)
    except OverflowError:
        written = struct.pack(code, float("inf"))
    return content[:place] + written + content[place + size :]


BINARY_CHANGES: tuple[Callable[..., bytes], ...] = (
    _flip_bit, _flip_bit, _flip_bit, _set_bytes, _truncate, _insert, _delete, _repeat, _exchange, _append, _splice,
    _extreme_integer, _extreme_integer, _extreme_integer, _extreme_float,
)  # fmt: skip


# Text


def _number(content: bytes, random: Random) -> bytes:
    found = list(NUMBER.finditer(content))
    if not found:
        return _text(content, random)
    match = random.choice(found[:20] if random.random() < 0.4 else found)
    near = re.match(rb"\d{0,18}", match[0].lstrip(b"+-"))[0] or b"0"  # type: ignore[index]
    value = random.choice((*NUMBERS, str(int(near) + 1), str(int(near) - 1), f"-{near.decode()}"))
    if random.random() < 0.02:
        value = "7" * 60_000
    return content[: match.start()] + value.encode() + content[match.end() :]


def _text(content: bytes, random: Random) -> bytes:
    place = _place(content, random)
    return content[:place] + random.choice(TEXTS) + content[place:]


def _line(content: bytes, random: Random) -> bytes:
    """Lines dropped, repeated, exchanged, joined, emptied, or with their fields moved."""
    lines = content.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.choice(("drop", "repeat", "exchange", "join", "empty", "fields", "widen")):
        case "drop":
            del lines[one]
        case "repeat":
            lines.insert(one, lines[other])
        case "exchange":
            lines[one], lines[other] = lines[other], lines[one]
        case "join":
            lines[one : one + 2] = [b" ".join(lines[one : one + 2])]
        case "empty":
            lines[one] = random.choice((b"", b" ", b"\t\t"))
        case "fields":
            fields = lines[one].split()
            random.shuffle(fields)
            lines[one] = b" ".join(fields[: random.choice((1, 2, 100))])
        case "widen":
            lines[one] += random.choice((b" 1", b"\t1", b",1", b" x", b" 0.5" * 300))
    return b"\n".join(lines)


def _nested(content: bytes, random: Random) -> bytes:
    place = _place(content, random)
    return content[:place] + random.choice((b"[", b"{", b"(", b'{"a":')) * DEEP + content[place:]


TEXT_CHANGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _number, _number, _number, _text, _text, _line, _line, _nested, _flip_bit, _truncate, _delete, _repeat,
)  # fmt: skip


# JSON


def changed_json(content: bytes, random: Random) -> bytes | None:
    """Return other JSON, one line of it where every line is a text of its own; None where it is none."""
    try:
        return _changed_value(content, random)
    except (ValueError, RecursionError):
        pass
    lines = content.split(b"\n")
    place = random.randrange(len(lines))
    try:
        lines[place] = _changed_value(lines[place], random)
    except (ValueError, RecursionError):
        return None
    return b"\n".join(lines)


def _changed_value(content: bytes, random: Random) -> bytes:
    value = json.loads(content)
    places: list[tuple[Any, Any]] = []
    _collect(value, places)
    if not places:
        return json.dumps(random.choice(WRONG)).encode()
    near = [place for place in places if isinstance(place[0], dict)] or places
    holder, key = random.choice(near if random.random() < 0.7 else places)
    match random.choice(("wrong", "wrong", "near", "drop", "copy", "deep", "twice", "add", "huge")):
        case "wrong":
            holder[key] = random.choice(WRONG)
        case "near":
            holder[key] = _near(holder[key], random)
        case "drop":
            del holder[key]
        case "copy":
            source, other = random.choice(places)
            holder[key] = json.loads(json.dumps(source[other]))
        case "add" if isinstance(holder, dict):
            holder[random.choice(("", "extra", "__class__", str(key) * 2))] = random.choice(WRONG)
        case "add":
            holder.insert(key, random.choice(WRONG))
        case marked:
            before, holder[key] = holder[key], MARK
            raw = {"deep": "[" * DEEP + "]" * DEEP, "huge": random.choice(HUGE)}.get(marked)
            if raw is None:  # twice the same key, or an entry twice
                written = json.dumps(before)
                raw = (
                    f"{written}, {json.dumps(key)}: {random.choice(('1', written))}"
                    if isinstance(key, str)
                    else written
                )
            return json.dumps(value).replace(json.dumps(MARK), raw).encode("utf-8", "surrogatepass")
    return json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")


MARK = "\ue000mark"
HUGE = ("9" * 400, "-" + "9" * 5000, "1e400", "-1e400", "NaN", "Infinity", "1" + "0" * 19, "1.0", "-0")
WRONG: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 1.5, -2.5, 2**31, 2**31 - 1, -(2**31), 2**63, 2**40, 10**19, float("nan"),
    float("inf"), 1e300, "", "x", "\0", "\ud800", "a" * 5000, [], {}, [[]], [1], ["x"], {"a": 1}, [None],
    "__import__('os')", "../../x", "int32", "F32",
)  # fmt: skip


def _collect(value: Any, places: list[tuple[Any, Any]]) -> None:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in list(entries)[:200]:
        places.append((value, key))
        _collect(below, places)


def _near(value: Any, random: Random) -> Any:
    if value is None:
        return random.choice((0, False, "", [], {}))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        written = str(value) if abs(value) < 10**300 else "1"  # Python refuses to write integers of 4,300 digits
        return random.choice((value + 1, value - 1, -value, 2 * value, value * 1000, written, float(written), [value]))
    if isinstance(value, float):
        return random.choice((-value, value * 1e6, float(round(value)) if abs(value) < 1e300 else 0, str(value)))
    if isinstance(value, str):
        return random.choice((value + "x", value[:-1], value * 2, value.upper(), [value], value + "\n", f" {value}"))
    if isinstance(value, list):
        return random.choice((value[:-1], value * 2, value[::-1], dict(enumerate(value)), [*value, None]))
    if isinstance(value, dict):
        return random.choice((list(value.items()), {}, {key: [below] for key, below in value.items()}))
    return random.choice(WRONG)


# What is inside of other files


def _in_packed(content: bytes, random: Random) -> bytes | None:
    """A change behind the compression of gzip, bzip2, xz or zstandard, or a file that unpacks to far more."""
    for signature, unpack, pack in _PACKERS:
        if content.startswith(signature):
            try:
                inner = unpack(content)
            except Exception:
                return None
            if random.random() < 0.05:
                return pack(inner + random.choice((b"a", b"1", b" ", b"\n", b"a ")) * BOMB)
            return pack(changed_content(inner, random, [inner]))
    return None


def _zstandard() -> Any:
    import zstandard

    return zstandard


_PACKERS: tuple[tuple[bytes, Callable[[bytes], bytes], Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", gzip.decompress, lambda inner: gzip.compress(inner, 6, mtime=0)),
    (b"BZh", bz2.decompress, bz2.compress),
    (b"\xfd7zXZ\x00", lzma.decompress, lzma.compress),
    (
        b"\x28\xb5\x2f\xfd",
        lambda packed: bytes(_zstandard().ZstdDecompressor().decompress(packed, max_output_size=1 << 26)),
        lambda inner: bytes(_zstandard().ZstdCompressor().compress(inner)),
    ),
)


def _in_zip(content: bytes, random: Random) -> bytes | None:
    """A member changed, dropped, renamed, said to be encrypted, or of a method that nobody knows."""
    if not content.startswith(b"PK\x03\x04"):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:
        return None
    how = random.choice(("content", "content", "drop", "rename", "encrypted", "method", "bomb", "add"))
    name = random.choice(sorted(members)) if members else ""
    if how == "content" and members:
        members[name] = changed_content(members[name], random, [])
    elif how == "drop" and members:
        del members[name]
    elif how == "rename" and members:
        members[random.choice((f"../{name}", f"/{name}", name.upper(), "a" * 300))] = members.pop(name)
    elif how == "bomb" and members:
        members[name] += b"a" * BOMB
    elif how == "add":
        members[random.choice(("README", "folder/", "nested.zip"))] = b""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, inner in members.items():
            archive.writestr(each, inner)
    made = bytearray(packed.getvalue())
    if how in ("encrypted", "method"):
        for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            place = made.find(signature)
            if place >= 0:
                made[place + offset + 2 * (how == "method")] = 1 if how == "encrypted" else 99
    return bytes(made)


def _in_safetensors(content: bytes, random: Random) -> bytes | None:
    """The header changed as JSON, its length put right, or numbers among the tensors."""
    if len(content) < 16:
        return None
    size = int.from_bytes(content[:8], "little")
    if not 2 <= size <= len(content) - 8 or content[8:9] != b"{":
        return None
    header, body = content[8 : 8 + size], content[8 + size :]
    if random.random() < 0.5 and body:
        return content[: 8 + size] + random.choice(BINARY_CHANGES)(body, random)
    found = changed_json(header, random)
    if found is None:
        return None
    found += b" " * (-len(found) % 8)
    return len(found).to_bytes(8, "little") + found + body
