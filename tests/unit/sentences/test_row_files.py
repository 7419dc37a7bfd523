"""Files of vectors: what other programs read in them, and how they go on."""

import json

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.sentences.row_files import FORMATS, continued, create, first_rows, format_of, npy_header

TEXTS = ['a "quoted" text', "two\nlines", "東京 \ud800"]
ROWS = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)


def read(path):
    """Texts (None for .npy) and vectors."""
    if path.suffix == ".npy":
        mapped = np.load(path, mmap_mode="r")
        assert isinstance(mapped, np.memmap)
        return None, np.asarray(mapped)
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return [row["text"] for row in rows], np.array([row["vector"] for row in rows], np.float32)
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install 'firth[arrow]'")
    table = parquet.read_table(path)
    return table["text"].to_pylist(), np.array(table["vector"].to_pylist(), np.float32)


@pytest.mark.parametrize("format", FORMATS)
def test_rows_come_back(format, tmp_path):
    path = tmp_path / f"v{format}"
    file = create(path, format, 4)
    size = file.append(TEXTS[:2], ROWS[:2])
    if format == ".parquet":
        assert not file.flush()
        file.close()
    else:
        assert file.flush()
        file.append(["cut"], ROWS[:1])
        file.close()
    assert first_rows(path, format, 4, 2).tobytes() == ROWS[:2].tobytes()
    again = continued(path, format, 4, size)
    again.append(TEXTS[2:], ROWS[2:])
    again.close()
    texts, rows = read(path)
    assert rows.tobytes() == ROWS.tobytes()
    assert texts in (None, TEXTS, [*TEXTS[:2], "東京 ?"])
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(("rows", "dim"), [(0, 1), (3, 4), (10**12, 4096)])
def test_headers_have_the_same_length(rows, dim):
    header = npy_header(rows, dim)
    assert len(header) == 128
    assert header.endswith(b"\n")


@pytest.mark.parametrize("format", FORMATS)
def test_damage(format, tmp_path):
    path = tmp_path / f"v{format}"
    path.write_bytes(b"{\n")
    with pytest.raises(FormatError, match="damaged"):
        first_rows(path, format, 4, 2)
    with pytest.raises(FormatError, match=r"2 bytes, expected at least 100; delete it to start again"):
        continued(path, format, 4, 100)


def test_other_names(tmp_path):
    with pytest.raises(OptionError, match=r"v\.txt: expected a name that ends in \.npy, \.jsonl, \.parquet"):
        format_of(tmp_path / "v.txt")
