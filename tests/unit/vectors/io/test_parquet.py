import duckdb
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import firth
from firth.errors import FormatError, OptionError

VECTORS = firth.WordVectors(["sea", "ship", "tea"], np.eye(3, dtype=np.float32), counts=[3, 2, 1])


def test_other_programs_read_it_and_so_do_we(tmp_path):
    path = tmp_path / "v.parquet"
    VECTORS.save(path)
    assert duckdb.sql(f"select word, vector[2] from '{path}' where count < 3 order by count desc").fetchall() == [
        ("ship", 1.0),
        ("tea", 0.0),
    ]
    back = firth.load(path)
    assert (back.words, back.counts.tolist()) == (VECTORS.words, [3, 2, 1])
    np.testing.assert_array_equal(back.vectors, np.eye(3))
    assert firth.load(path, limit=2).counts.tolist() == [3, 2]
    assert firth.load(path, dtype="float16").vectors.dtype == np.float16
    VECTORS.save(path)  # replaces its own


def test_tables_of_others(tmp_path):
    table = pyarrow.table({"token": ["a", "b"], "embedding": [[1.0, 2.0], [3.0, 4.0]], "extra": [{"x": 1}, {"x": 2}]})
    pyarrow.parquet.write_table(table, tmp_path / "v")
    assert firth.load(tmp_path / "v").vectors.tolist() == [[1, 2], [3, 4]]
    pyarrow.parquet.write_table(pyarrow.table({"text": ["a"]}), tmp_path / "t.parquet")
    with pytest.raises(FormatError, match=r"t\.parquet: a table with the columns text \(text\)"):
        firth.load(tmp_path / "t.parquet")
    with pytest.raises(OptionError, match="holds something else"):
        VECTORS.save(tmp_path / "t.parquet")


def test_damage(tmp_path):
    path = tmp_path / "v.parquet"
    VECTORS.save(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FormatError, match="damaged Parquet"):
        firth.load(path)
