import numpy as np
import pytest

from firth.errors import FormatError
from firth.vectors.io import spacy


def test_a_table_by_hand():
    data = spacy.msgpack_table(np.array([5, 2**64 - 1], np.uint64), np.array([0, 7], np.uint32))
    assert data == bytes.fromhex(
        "df00000002 cf0000000000000005 ce00000000 cfffffffffffffffff ce00000007".replace(" ", "")
    )
    assert spacy.read_msgpack_table(data, "f") == [(5, 0), (2**64 - 1, 7)]


def test_every_width_of_a_number():
    data = bytes([0x83, 1, 0xCC, 200, 0xCD, 1, 0, 0xCE, 0, 1, 0, 0, 0x7F, 3])
    assert spacy.read_msgpack_table(data, "f") == [(1, 200), (256, 65536), (127, 3)]
    assert spacy.read_msgpack_table(bytes([0xDE, 0, 1, 1, 2]), "f") == [(1, 2)]


@pytest.mark.parametrize(
    "data", [b"", b"\x90", b"\x81\x01", b"\x81\x01\xff", b"\x80\x00", b"\xdf\xff\xff\xff\xff", b"\x81\x01\xcf\x00"]
)
def test_damage(data):
    with pytest.raises(FormatError, match="f: "):
        spacy.read_msgpack_table(data, "f")
