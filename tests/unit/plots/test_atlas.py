import numpy as np
import pyarrow.parquet
import pytest

import firth
from firth import plots
from firth.errors import OptionError, ShapeError

# "b" is 0.8 like "a" and 0.6 like "c"; "a" and "c" are at right angles; "d" is twice "a".
VECTORS = firth.WordVectors(["a", "b", "c", "d"], np.array([[1, 0], [0.8, 0.6], [0, 1], [2, 0]], dtype=np.float32))


def test_columns_by_hand(tmp_path):
    path = tmp_path / "v.parquet"
    plots.embedding_atlas(VECTORS, path, neighbours=2, method="pca")
    table = pyarrow.parquet.read_table(path)
    assert table.column_names == ["word", "vector", "x", "y", "neighbors"]
    first, second = table["neighbors"].to_pylist()[:2]
    assert first["ids"] == [3, 1]
    assert first["distances"] == pytest.approx([0, 0.2], abs=1e-6)
    assert second["ids"] == [0, 3]
    places = np.stack([table["x"].to_numpy(), table["y"].to_numpy()], axis=1)
    assert places[0] == pytest.approx(places[3], abs=1e-5)
    assert np.linalg.norm(places[0] - places[2]) == pytest.approx(np.sqrt(2), abs=1e-5)  # the plane keeps distances
    back = firth.load(path)
    assert back.words == VECTORS.words
    assert set(back.attributes) == {"x", "y"}


def test_no_neighbours(tmp_path):
    plots.embedding_atlas(VECTORS, tmp_path / "v.parquet", neighbours=0)
    assert "neighbors" not in pyarrow.parquet.read_schema(tmp_path / "v.parquet").names
    plots.embedding_atlas(VECTORS.first(3), tmp_path / "v.parquet")
    assert [len(row["ids"]) for row in pyarrow.parquet.read_table(tmp_path / "v.parquet")["neighbors"].to_pylist()] == [
        2
    ] * 3


@pytest.mark.parametrize(
    ("name", "how", "message"),
    [
        ("v.csv", {}, "ends in .parquet"),
        ("v.parquet", {"neighbours": -1}, "neighbours=-1"),
        ("v.parquet", {"method": "mds"}, "method='mds'"),
    ],
)
def test_wrong_options(tmp_path, name, how, message):
    with pytest.raises(OptionError, match=message):
        plots.embedding_atlas(VECTORS, tmp_path / name, **how)


def test_attributes_of_these_names(tmp_path):
    space = firth.WordVectors(["a"], [[1.0]])
    space.set_vecattr("a", "x", 1.0)
    with pytest.raises(OptionError, match="attributes called x"):
        plots.embedding_atlas(space, tmp_path / "v.parquet")


def test_a_map_that_is_known(tmp_path):
    places = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], dtype=np.float32)
    plots.embedding_atlas(VECTORS, tmp_path / "v.parquet", places=places)
    table = pyarrow.parquet.read_table(tmp_path / "v.parquet")
    np.testing.assert_array_equal(np.stack([table["x"].to_numpy(), table["y"].to_numpy()], axis=1), places)
    with pytest.raises(ShapeError, match=r"places \(3, 2\) of 4 words: expected \(4, 2\)"):
        plots.embedding_atlas(VECTORS, tmp_path / "v.parquet", places=places[:3])
