import numpy as np
from numba import njit

from firth.kernels.scan_memory import ascii_digits, ascii_letters, at_most_space, first_byte, folded_run, load8, store8

HIGH = 0x80


@njit
def loaded(text, index):  # type: ignore[no-untyped-def]
    return load8(text, index)


@njit
def stored(text, index, value):  # type: ignore[no-untyped-def]
    store8(text, index, value)


@njit
def first(mask):  # type: ignore[no-untyped-def]
    return first_byte(mask)


def word(data: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(data, "little"))


def marks(mask: int) -> list[bool]:
    return [byte == HIGH for byte in int(mask).to_bytes(8, "little")]


def test_load_and_store_at_any_place() -> None:
    text = np.arange(20, dtype=np.uint8)
    for index in range(12):
        assert int(loaded(text, index)) == int.from_bytes(bytes(range(index, index + 8)), "little")
    stored(text, 3, word(b"abcdefgh"))
    assert text.tobytes() == bytes([0, 1, 2]) + b"abcdefgh" + bytes(range(11, 20))


def test_first_byte() -> None:
    assert [first(np.uint64(0x80 << 8 * i)) for i in range(8)] == list(range(8))
    assert first(np.uint64(0x8000800000)) == 2
    assert first(np.uint64(0)) == 8


def test_every_byte_at_every_place_among_every_neighbour() -> None:
    with np.errstate(over="ignore"):
        for byte in range(256):
            character = chr(byte)
            for place in range(8):
                for neighbour in (b"\0", b"a", b"\xff", b" ", b"z"):
                    data = bytearray(neighbour * 8)
                    data[place] = byte
                    x = word(bytes(data))
                    assert marks(ascii_letters(x))[place] == (character.isascii() and character.isalpha())
                    assert marks(ascii_digits(x))[place] == (character.isascii() and character.isdigit())


def test_spaces_are_found_up_to_the_first() -> None:
    with np.errstate(over="ignore"):
        for byte in range(256):
            data = b"\xffaz" + bytes([byte]) + b"a\x20\x21\xff"
            assert first(at_most_space(word(data))) == (3 if byte <= 0x20 else 5)


def test_a_run_is_folded_and_ends_where_it_should() -> None:
    @njit
    def run(x, bytewise, digits):  # type: ignore[no-untyped-def]
        return folded_run(x, bytewise, digits)

    for data, bytewise, digits, length in (
        (b"Abz[@`{9", False, True, 3),
        (b"AZaz09-x", False, True, 6),
        (b"AZaz09-x", False, False, 4),
        (b"A-\xc3\xa9\x21 xx", True, False, 5),
        (b"ABCDEFGH", False, False, 8),
    ):
        folded, stop = run(word(data), bytewise, digits)
        assert first(stop) == length
        inside = int(folded).to_bytes(8, "little")[:length]
        assert inside == (data[:length] if bytewise else data[:length].lower())
