"""Vectors as tables of other libraries, and back: figures by hand, and round trips through the real libraries."""

import sys

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import torch

import firth
from firth.errors import ArgumentTypeError, FormatError, MissingExtraError, OptionError, ShapeError

WORDS = ["sea", "ship", "naïve"]
ROWS = np.array([[1, 0.5], [-2, 0.25], [3, 1e-9]], dtype=np.float32)


@pytest.fixture
def vectors():
    space = firth.WordVectors(WORDS, ROWS.copy(), counts=[9, 5, 2], metadata={"name": "small"})
    space.set_vecattr("ship", "kind", "vessel")
    return space


def same(space, *, attributes=True):
    assert space.words == WORDS
    np.testing.assert_array_equal(space.vectors, ROWS)
    if attributes:
        assert space.counts.tolist() == [9, 5, 2]
        assert space.attributes["kind"].tolist() == ["", "vessel", ""]


def test_a_frame_has_the_words_as_index_and_can_be_changed(vectors, tmp_path):
    vectors.save(tmp_path / "v.firth")
    mapped = firth.load(tmp_path / "v.firth")
    frame = mapped.to_pandas()
    assert frame.index.name == "word"
    assert frame.loc["ship"].tolist() == [-2, 0.25]
    frame.loc["ship"] = 0
    assert mapped["ship"].tolist() == [-2, 0.25]
    same(firth.WordVectors.from_table(vectors.to_pandas()), attributes=False)


def test_an_arrow_table_keeps_all(vectors):
    table = vectors.to_arrow()
    assert table.column_names == ["word", "vector", "count", "kind"]
    assert table.schema.field("vector").type == pyarrow.list_(pyarrow.float32(), 2)
    assert table["vector"][1].as_py() == [-2, 0.25]
    back = firth.WordVectors.from_table(table)
    same(back)
    assert back.metadata == {"name": "small"}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_precision(dtype):
    space = firth.WordVectors(["a"], np.array([[0.5, 2]], dtype=dtype))
    value = pyarrow.float64() if dtype is np.float64 else pyarrow.float32()
    assert space.to_arrow().schema.field("vector").type.value_type == value
    assert firth.WordVectors.from_table(space.to_arrow()).vectors.tolist() == [[0.5, 2]]


def test_polars_takes_the_arrow_table_and_gives_it_back(vectors):
    frame = polars.from_arrow(vectors.to_arrow())
    assert frame.filter(polars.col("count") > 4)["word"].to_list() == ["sea", "ship"]
    same(firth.WordVectors.from_table(frame))
    same(firth.WordVectors.from_table(frame.lazy()))
    lists = frame.with_columns(polars.col("vector").arr.to_list())
    same(firth.WordVectors.from_table(lists))


def test_wide_tables():
    frame = polars.DataFrame({"token": WORDS, "a": ROWS[:, 0], "b": ROWS[:, 1], "count": [9, 5, 2]})
    space = firth.WordVectors.from_table(frame)
    same(space, attributes=False)
    assert space.counts.tolist() == [9, 5, 2]
    assert firth.WordVectors.from_table(frame, vectors=["b"]).vectors.shape == (3, 1)
    same(firth.WordVectors.from_table(frame.to_pandas()), attributes=False)
    same(firth.WordVectors.from_table(frame.to_pandas().set_index("token")), attributes=False)


def test_a_frame_with_a_column_of_arrays():
    frame = pandas.DataFrame({"name": WORDS, "embedding": list(ROWS)})
    same(firth.WordVectors.from_table(frame), attributes=False)
    same(firth.WordVectors.from_table(frame, words="name", vectors="embedding"), attributes=False)


@pytest.mark.parametrize(
    ("columns", "how", "error", "message"),
    [
        ({"a": ["x"], "b": ["y"], "v": [[1.0]]}, {}, FormatError, "name the one of the words with words="),
        ({"a": ["x"], "v": [[1.0]]}, {"words": "b"}, FormatError, "no column 'b'; expected one of a, v"),
        ({"a": ["x"], "v": [[1.0]], "w": [[1.0]]}, {}, FormatError, "name the one of the vectors with vectors="),
        ({"a": ["x", "y"], "v": [[1.0], [1.0, 2.0]]}, {}, ShapeError, "vectors of 1 to 2 numbers"),
        ({"a": ["x", "y"], "v": [[1.0], None]}, {}, FormatError, "rows without a vector"),
        ({"a": ["x", "x"], "v": [[1.0], [2.0]]}, {}, FormatError, "'x' is word 0 and word 1"),
        ({"a": ["x", None], "v": [[1.0], [2.0]]}, {}, FormatError, "word 1 is None"),
        ({"a": ["x"], "v": [[float("nan")]]}, {}, FormatError, "the vector of 'x'.*finite"),
        ({"a": ["x"], "v": [[[1.0]]]}, {}, FormatError, "column 'v': object of shape.*expected a vector of numbers"),
        ({"a": ["x"], "v": [["1", "2"]]}, {}, FormatError, "column 'v'.*expected a vector of numbers"),
        ({"a": ["x"], "v": [[True, False]]}, {}, FormatError, "column 'v': bool.*expected a vector of numbers"),
        ({"a": ["x"], "b": ["1"]}, {"words": "a", "vectors": ["b"]}, FormatError, "column 'b'.*vector of numbers"),
        ({"a": ["x"], "v": [1.0]}, {"vectors": []}, OptionError, r"vectors=\[\]: expected the column"),
    ],
)
def test_what_is_wrong_with_a_table(columns, how, error, message):
    with pytest.raises(error, match=message):
        firth.WordVectors.from_table(pyarrow.table(columns), **how)


def test_a_missing_string_is_empty():
    kinds = ["fruit", None]
    for table in (
        pyarrow.table({"word": ["pear", "sea"], "vector": [[1.0], [2.0]], "kind": kinds}),
        pandas.DataFrame({"word": ["pear", "sea"], "x": [1.0, 2.0], "kind": kinds}),
    ):
        assert firth.WordVectors.from_table(table).attributes["kind"].tolist() == ["fruit", ""]


def test_what_is_no_table():
    with pytest.raises(FormatError, match="two columns of one name"):
        firth.WordVectors.from_table(pandas.DataFrame([["a", "b", 1.0]], columns=["w", "w", "x"]))
    with pytest.raises(ArgumentTypeError, match="expected a table of pandas, polars"):
        firth.WordVectors.from_table([("a", [1.0])])


def test_what_arrow_cannot_hold():
    with pytest.raises(FormatError, match="not valid Unicode"):
        firth.WordVectors(["\ud800"], [[1.0]]).to_arrow()
    space = firth.WordVectors(["a"], [[1.0]])
    space.set_vecattr("a", "vector", 1)
    with pytest.raises(OptionError, match="attribute 'vector'"):
        space.to_arrow()


@pytest.mark.parametrize(
    ("package", "method"), [("pandas", "to_pandas"), ("pyarrow", "to_arrow"), ("datasets", "to_dataset")]
)
def test_a_missing_package_is_named(vectors, monkeypatch, package, method):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=f"{package} is needed to make"):
        getattr(vectors, method)()


def test_an_embedding_is_a_copy_that_trains(vectors, tmp_path):
    vectors.save(tmp_path / "v.firth")
    mapped = firth.load(tmp_path / "v.firth")
    embedding = mapped.to_torch()
    assert embedding(torch.tensor([1])).tolist() == [[-2, 0.25]]
    embedding(torch.tensor([0])).sum().backward()
    torch.optim.SGD(embedding.parameters(), lr=1.0).step()
    assert embedding.weight[0].tolist() == [0, -0.5]
    assert mapped["sea"].tolist() == [1, 0.5]
    trained = firth.WordVectors.from_torch(mapped.words, embedding)
    assert trained["sea"].tolist() == [0, -0.5]
    assert not mapped.to_torch(freeze=True).weight.requires_grad


def test_rows_of_a_tensor():
    tensor = torch.tensor([[1.5], [2.5]], dtype=torch.bfloat16)
    space = firth.WordVectors.from_torch(["a", "b"], tensor)
    assert (space.vectors.dtype, space.vectors.tolist()) == (np.float32, [[1.5], [2.5]])
    with pytest.raises(ShapeError, match=r"1 words and vectors of shape \(2, 1\)"):
        firth.WordVectors.from_torch(["a"], tensor)
    with pytest.raises(ArgumentTypeError, match=r"expected a torch\.nn\.Embedding"):
        firth.WordVectors.from_torch(["a"], [[1.0]])
    assert firth.WordVectors.from_torch(["a", "b"], torch.eye(2).to_sparse()).vectors.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(FormatError, match="complex64"):
        firth.WordVectors.from_torch(["a", "b"], torch.eye(2) * 1j)
