import io
import json

import numpy as np
import pytest

from firth.errors import FormatError
from firth.storage import tensors


def written(tmp_path, arrays, **dtypes):
    path = tmp_path / "t.safetensors"
    with path.open("wb") as file:
        tensors.write(file, arrays, {name: dtypes.get(name, array.dtype) for name, array in arrays.items()})
    return path


def test_types_shapes_and_order(tmp_path):
    arrays = {
        "half": np.ones((3, 5), np.float16),
        "empty": np.empty((0, 4), np.float32),
        "wide": np.array([-1, 2**62]),
        "flags": np.array([True, False]),
        "number": np.array(2.5, np.float32),
    }
    again = tensors.mapped(written(tmp_path, arrays))
    assert list(again) == list(arrays)
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        assert again[name].shape == array.shape
        assert np.array_equal(again[name], array)


def test_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(tensors, "BLOCK", 100)
    matrix = np.arange(700, dtype=np.float64).reshape(70, 10)[:, ::-1]  # not in one piece
    assert np.array_equal(tensors.mapped(written(tmp_path, {"m": matrix}, m=np.float32))["m"], matrix)


@pytest.mark.parametrize(
    "header",
    [
        b'{"m":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}',
        b'{"m":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}}',
        b'{"m":{"dtype":"F32","shape":[-1],"data_offsets":[0,-4]}}',
        b'{"m":{"dtype":"F32","shape":[1]}}',
        b'{"m":5}',
        b"[1]     ",
        b"\xff\xff\xff",
        b"[" * 100_000,
        b'{"m":{"dtype":"F32","shape":[1e400],"data_offsets":[0,4]}}',
    ],
)
def test_headers_that_contradict_themselves(tmp_path, header):
    path = tmp_path / "t.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    with pytest.raises(FormatError, match="a damaged safetensors header"):
        tensors.mapped(path)


def test_bfloat16_is_read_as_float32(tmp_path):
    """1, -2, 0.15625 and infinity: sign, eight bits of exponent, seven of fraction (the upper half of a float32)."""
    entries = {
        name: {"dtype": "BF16", "shape": s, "data_offsets": o}
        for name, s, o in (("m", [2, 2], [0, 8]), ("e", [0], [8, 8]))
    }
    header = json.dumps(entries).encode()
    path = tmp_path / "t.safetensors"
    numbers = np.array([0x3F80, 0xC000, 0x3E20, 0x7F80], "<u2").tobytes()
    path.write_bytes(len(header).to_bytes(8, "little") + header + numbers)
    found = tensors.mapped(path)
    assert found["m"].dtype == found["e"].dtype == np.float32
    assert found["m"].tolist() == [[1.0, -2.0], [0.15625, np.inf]]
    path.write_bytes(len(header).to_bytes(8, "little") + header + numbers[:6])
    with pytest.raises(FormatError, match="cut short"):
        tensors.mapped(path)


def test_a_type_that_is_not_read_is_named(tmp_path):
    header = b'{"m":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}}'
    path = tmp_path / "t.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    with pytest.raises(FormatError, match=r"numbers of the type 'F8_E4M3'; expected one of F64, F32, .*, BF16"):
        tensors.mapped(path)


def test_what_can_be_written():
    assert tensors.holds(np.dtype(np.int64))
    assert not tensors.holds(np.dtype(object))
    assert not tensors.holds(np.dtype("U5"))


def test_the_header_ends_on_a_cache_line():
    file = io.BytesIO()
    tensors.write(file, {"m": np.zeros(1)}, {"m": np.float64})
    assert (len(file.getvalue()) - 8) % 64 == 0
