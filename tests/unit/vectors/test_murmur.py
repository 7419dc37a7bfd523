"""MurmurHash3 against values that its author's program gives."""

import numpy as np
import pytest

from firth.vectors.murmur import murmur128

KNOWN = {  # text: the two halves for seed 0
    b"": (0, 0),
    b"hello": (0xCBD8A7B341BD9B02, 0x5B1E906A48AE1D19),
    b"hello, world": (0x342FAC623A5EBC8E, 0x4CDCBC079642414D),
    b"The quick brown fox jumps over the lazy dog.": (0xCD99481F9EE902C9, 0x695DA1A38987B6E7),
}


def halves(text: bytes, seed: int = 0) -> tuple[int, int]:
    parts = murmur128(np.frombuffer(text, dtype=np.uint8), np.array([0]), np.array([len(text)]), seed)[0].tolist()
    return parts[0] | parts[1] << 32, parts[2] | parts[3] << 32


@pytest.mark.parametrize("text", KNOWN)
def test_known_values(text):
    assert halves(text) == KNOWN[text]


def test_pieces_of_one_text_are_hashed_by_themselves():
    """Pieces of 0 to 40 bytes, some across others, of which none knows its neighbours."""
    random = np.random.default_rng(0)
    text = random.integers(0, 256, 200, dtype=np.uint8)
    starts = random.integers(0, 160, 60)
    ends = starts + np.arange(60) % 41
    together = murmur128(text, starts, ends, 7)
    for row, start, end in zip(together, starts, ends, strict=True):
        alone = murmur128(text[start:end], np.array([0]), np.array([end - start]), 7)[0]
        assert row.tolist() == alone.tolist()


def test_the_seed_matters():
    assert halves(b"hello", 1) != halves(b"hello", 0)


def test_nothing_to_hash():
    assert murmur128(np.zeros(0, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.int64), 0).shape == (0, 4)
