import numpy as np
import pytest
from numba import njit

from firth.kernels.hash_words import find, home, key_of, key_of_two, rehashed


@njit
def key(arena, start, n):  # type: ignore[no-untyped-def]
    return key_of(arena, start, n)


@njit
def key_from_ends(first, last, n):  # type: ignore[no-untyped-def]
    return key_of_two(first, last, n)


@njit
def slot_of(slots, arena, starts, key, start, n):  # type: ignore[no-untyped-def]
    return find(slots, arena, starts, key, start, n)


@njit
def first_slot(key):  # type: ignore[no-untyped-def]
    return home(key)


def arena_of(words: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    text = b"".join(word + b"\n" for word in words)
    starts = np.cumsum([0, *(len(word) + 1 for word in words)])
    return np.frombuffer(text + bytes(16), dtype=np.uint8), starts


def table_of(words: list[bytes], keys: list[int], size: int) -> np.ndarray:
    """A reference table: linear probing in Python."""
    pairs = np.zeros((size, 2), dtype=np.uint64)
    for number, value in enumerate(keys):
        at = int(first_slot(np.uint64(value))) % size
        while pairs[at, 0]:
            at = (at + 1) % size
        pairs[at] = value, number
    return pairs.reshape(-1)


def test_short_words_are_their_own_keys() -> None:
    arena, starts = arena_of([b"a", b"ab", b"abcdefgh"])
    keys = [int(key(arena, starts[i], n)) for i, n in enumerate((1, 2, 8))]
    assert keys == [int.from_bytes(word, "little") for word in (b"a", b"ab", b"abcdefgh")]


@pytest.mark.parametrize("n", [9, 10, 15, 16])
def test_a_key_from_both_ends_is_the_key_of_the_word(n: int) -> None:
    data = bytes(range(65, 65 + n))
    arena, _ = arena_of([data])
    ends = (np.uint64(int.from_bytes(part, "little")) for part in (data[:8], data[-8:]))
    assert key_from_ends(*ends, n) == key(arena, 0, n)


def test_long_keys_depend_on_every_byte_and_never_look_like_short_ones() -> None:
    words = [bytes(97 + (i == place) for i in range(n)) for n in (9, 16, 17, 40) for place in range(n)]
    words += [b"a" * n for n in range(9, 60)]
    arena, starts = arena_of(words)
    keys = [int(key(arena, starts[i], len(word))) for i, word in enumerate(words)]
    assert len(set(keys)) == len(set(words))
    assert all(value % 256 == 0 and value for value in keys)


def test_words_with_the_same_key_are_distinguished_by_their_bytes() -> None:
    # A collision of 55 bits cannot be made by hand: the second word is looked for under the first one's key.
    words = [b"aaaaaaaaaaaa", b"aaaaaaaaaaab", b"aaaaaaaaaaaaa"]
    arena, starts = arena_of(words)
    shared = key(arena, 0, 12)
    slots = table_of(words[:1], [int(shared)], 8)
    taken = slot_of(slots, arena, starts, shared, starts[0], 12)
    assert slots[2 * taken] == shared
    for word in (1, 2):
        other = slot_of(slots, arena, starts, shared, starts[word], len(words[word]))
        assert slots[2 * other] == 0
        assert other == (taken + 1) % 8


def test_every_word_is_found_after_the_table_has_grown() -> None:
    words = [f"word{i}".encode() * (1 + i % 3) for i in range(3000)]
    arena, starts = arena_of(words)
    keys = [int(key(arena, starts[i], len(word))) for i, word in enumerate(words)]
    with np.errstate(over="ignore"):
        slots = rehashed(table_of(words, keys, 4096), 2)
    assert len(slots) == 2 * 8192
    for i, word in enumerate(words):
        slot = slot_of(slots, arena, starts, np.uint64(keys[i]), starts[i], len(word))
        assert slots[2 * slot + 1] == i
        assert slots[2 * slot] == keys[i]
