"""Word vectors as tables and tensors of other libraries, and back.

Two layouts of a table:

- *long*: a column `word`, a column `vector` of lists, and a column per attribute, such as `count`: pyarrow, Parquet,
  Hugging Face datasets;
- *wide*: one row per word and one column per dimension: pandas, whose index holds the words.

`from_table` reads both, from any library that narwhals supports. Nothing here is imported before it is used.
"""

import importlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import registry
from firth.errors import FormatError, OptionError, ShapeError, brief, import_extra
from firth.options import wrong_kind
from firth.storage.untrusted import parse_json
from firth.vectors.cosine import Matrix
from firth.vectors.io.table import PRECISIONS, Contents, check_finite
from firth.vectors.space import VectorSpace

WORD, VECTOR = "word", "vector"  # columns of the long layout
METADATA = b"firth"  # key of the vectors' metadata in the schema of an Arrow table
_TABLE = "a table of pandas, polars, pyarrow or another library that narwhals supports"


def to_pandas(space: VectorSpace) -> Any:
    """Return the vectors as a pandas DataFrame: the words as index, one column per dimension.

    The numbers are a copy, which can be changed.

    Raises:
        MissingExtraError: pandas is not installed.
    """
    pandas = import_extra("pandas", "make a DataFrame", "pandas")
    return pandas.DataFrame(np.array(space.vectors), index=pandas.Index(space.words, name=WORD))


def to_arrow(space: VectorSpace) -> Any:
    """Return the vectors as a pyarrow Table: `word`, `vector`, and one column per attribute, such as `count`.

    `vector` is a list of fixed size D, float32 or float64 (half precision becomes float32, which more programs read).
    Vectors in single or double precision are not copied. polars, DuckDB and others take the table as it is.

    Raises:
        MissingExtraError: pyarrow is not installed.
        FormatError: a word is not valid Unicode.
        OptionError: an attribute has the name of one of the first two columns.
    """
    return arrow_table(space, np.asarray(space.vectors))


def arrow_table(space: VectorSpace, matrix: Matrix) -> Any:
    """Return the table of `to_arrow` with a matrix (V, D) in the place of the vectors.

    Raises:
        OptionError: an attribute has the name of one of the first two columns.
    """
    arrow = import_extra("pyarrow", "make an Arrow table", "arrow")
    if matrix.dtype == np.float16:
        matrix = matrix.astype(np.float32)
    flat = arrow.array(np.ascontiguousarray(matrix).reshape(-1))
    columns = {WORD: _texts(arrow, space.words), VECTOR: arrow.FixedSizeListArray.from_arrays(flat, space.dim)}
    for name, values in space.attributes.items():
        if name in columns:
            raise OptionError(f"attribute {name!r}: the column of this name is taken; rename the attribute")
        columns[name] = _texts(arrow, values.tolist()) if values.dtype == object else arrow.array(values)
    table = arrow.table(columns)
    return table.replace_schema_metadata({METADATA: json.dumps(space.metadata, default=str).encode()})


def to_dataset(space: VectorSpace) -> Any:
    """Return the vectors as a Hugging Face `datasets.Dataset` with the columns of `to_arrow`.

    Raises:
        MissingExtraError: datasets is not installed.
        FormatError: a word is not valid Unicode.
        OptionError: an attribute has the name of one of the first two columns.
    """
    return import_extra("datasets", "make a Dataset", "datasets").Dataset(to_arrow(space))


def to_torch(space: VectorSpace, *, freeze: bool = False) -> Any:
    """Return a `torch.nn.Embedding` whose row i is the vector of word i, in single precision.

    The weights are a copy: training or changing them does not touch the vectors.

    Args:
        freeze: whether training leaves the weights unchanged.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    return registry.resolve(registry.TORCH_EMBEDDING)(space.vectors, freeze)


def from_torch(vectors_class: Any, words: Sequence[str], weight: Any) -> Any:
    """Return the rows of a PyTorch embedding as word vectors.

    Args:
        vectors_class: the class of the result.
        words: the V words, in row order.
        weight: a `torch.nn.Embedding`, or a tensor (V, D) on any device; it is copied.

    Raises:
        ArgumentTypeError: `weight` is something else.
        ShapeError: there are not as many rows as words.
        FormatError: a word occurs twice, or a number is complex or not finite.
    """
    tensor = getattr(weight, "weight", weight)
    if not hasattr(tensor, "detach"):
        raise wrong_kind("weight", weight, "a torch.nn.Embedding or a tensor")
    tensor = tensor.detach().cpu()
    if not str(tensor.layout).endswith("strided"):  # sparse
        tensor = tensor.to_dense()
    if str(tensor.dtype) == "torch.bfloat16":  # which NumPy does not have
        tensor = tensor.float()
    return _checked(vectors_class, list(words), np.array(tensor.numpy()))


def from_table(
    vectors_class: Any, table: Any, *, words: str | None = None, vectors: str | Sequence[str] | None = None
) -> Any:
    """Return the word vectors of a table: what `to_pandas`, `to_arrow` and `to_dataset` write, or a table of your own.

    Args:
        vectors_class: the class of the result.
        table: a table of pandas, polars, pyarrow or another library that narwhals supports; of a Hugging Face dataset,
            `dataset.with_format("arrow")[:]`.
        words: the column of words; default: the index of pandas if it holds strings, else "word", else the only column
            of strings.
        vectors: the column of vectors, or one column per dimension; default: "vector", else the only column of lists,
            else all columns of fractions in their order.

    All other columns of numbers and strings become attributes, and `count` the counts. A missing string is empty.

    Raises:
        ArgumentTypeError: `table` is something else.
        FormatError: a column is missing or ambiguous, a word is missing or occurs twice, the vectors hold something
            else than numbers, or a number is not finite.
        OptionError: `vectors` is an empty list.
        ShapeError: the vectors have different lengths.
    """
    contents = read_table(table, words, vectors)
    counts, attributes = contents.counts_and_others()
    return _checked(
        vectors_class, contents.words, contents.matrix, counts=counts, attributes=attributes, metadata=contents.metadata
    )


def read_table(table: Any, words: str | None = None, vectors: str | Sequence[str] | None = None) -> Contents:
    """Return what a table holds; see `from_table`.

    Raises:
        FormatError: a column is missing or ambiguous, a vector is missing or holds something else than numbers, or two
            columns have one name.
    """
    narwhals = importlib.import_module("narwhals.stable.v2")
    try:
        frame = narwhals.from_native(table, pass_through=True)
    except narwhals.exceptions.DuplicateError as error:
        raise FormatError(
            f"a table with two columns of one name ({' '.join(str(error).split())}); rename one"
        ) from None
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, narwhals.DataFrame):
        raise wrong_kind("table", table, _TABLE)
    index = narwhals.maybe_get_index(frame)
    kinds = {name: _kind(frame.get_column(name), narwhals) for name in frame.columns}
    used: list[Any] = []
    if words is None and index is not None and len(index) and all(isinstance(word, str) for word in index):
        tokens = list(index)
    else:
        used = [_column("words", words, WORD, [name for name, kind in kinds.items() if kind == "text"], kinds)]
        tokens = frame.get_column(used[0]).to_list()
    numbers = _vector_columns(vectors, kinds)
    matrix = _matrix(frame, numbers, kinds)
    rest = {str(name): frame.get_column(name) for name in frame.columns if name not in (*used, *numbers)}
    attributes = {name: _attribute(column) for name, column in rest.items() if not column.dtype.is_nested()}
    return Contents(tokens, matrix, attributes, _metadata(frame.to_native()))


def _checked(vectors_class: Any, words: list[Any], matrix: Matrix, **more: Any) -> Any:
    check_numbers(matrix, "the vectors")
    if matrix.dtype not in PRECISIONS:
        matrix = matrix.astype(np.float32)
    if matrix.ndim != 2 or len(matrix) != len(words):
        raise ShapeError(f"{len(words):,} words and vectors of shape {matrix.shape}; expected one row per word")
    check_finite(matrix, lambda row: f"the vector of {brief(words[row])}")
    return vectors_class(words, matrix, **more)


def _texts(arrow: Any, texts: list[str]) -> Any:
    try:
        return arrow.array(texts, arrow.large_string() if sum(map(len, texts)) > 2**28 else arrow.string())
    except UnicodeEncodeError as error:
        raise FormatError(f"{brief(error.object)} is not valid Unicode, and Arrow stores nothing else") from None


def _kind(column: Any, narwhals: Any) -> str:
    """Return what a column holds: "text", "vector", "fraction" or "other"."""
    dtype = column.dtype
    if isinstance(dtype, narwhals.List | narwhals.Array):
        return "vector"
    if isinstance(dtype, narwhals.String | narwhals.Categorical | narwhals.Enum):
        return "text"
    if isinstance(dtype, narwhals.Object):  # pandas: the first value tells
        first = column[0] if len(column) else ""
        return "text" if isinstance(first, str) else "vector" if hasattr(first, "__len__") else "other"
    return "fraction" if dtype.is_float() else "other"


def _column(argument: str, name: Any, default: str, candidates: list[Any], kinds: Mapping[Any, str]) -> Any:
    """Return the name of the column: the given one, the usual one, or the only candidate."""
    if name is not None:
        if name in kinds:
            return name
        raise FormatError(f"the table has no column {name!r}; expected one of {', '.join(map(str, kinds))}")
    if default in candidates or len(candidates) == 1:
        return default if default in candidates else candidates[0]
    columns = ", ".join(f"{name} ({kind})" for name, kind in list(kinds.items())[:12])
    raise FormatError(f"a table with the columns {columns or 'none'}; name the one of the {argument} with {argument}=")


def _vector_columns(given: str | Sequence[str] | None, kinds: Mapping[Any, str]) -> list[Any]:
    if given is not None and not isinstance(given, str):
        if not given:
            raise OptionError("vectors=[]: expected the column of vectors, or one column per dimension")
        return [_column("vectors", name, VECTOR, [], kinds) for name in given]
    lists = [name for name, kind in kinds.items() if kind == "vector"]
    fractions = [name for name, kind in kinds.items() if kind == "fraction"]
    if given is None and not lists and fractions:
        return fractions
    return [_column("vectors", given, VECTOR, lists, kinds)]


def _matrix(frame: Any, names: list[Any], kinds: Mapping[Any, str]) -> npt.NDArray[Any]:
    columns = ", ".join(map(repr, names))
    if kinds[names[0]] != "vector":
        matrix = np.stack([frame.get_column(name).to_numpy() for name in names], axis=1)
        return check_numbers(matrix, f"column {columns}")
    column = frame.get_column(names[0])
    cells = column.to_numpy()
    if cells.ndim == 1:
        if any(cell is None for cell in cells):
            raise FormatError(f"column {names[0]!r} has rows without a vector; drop them first")
        widths = {len(cell) for cell in cells}
        if len(widths) > 1:
            raise ShapeError(
                f"column {names[0]!r}: vectors of {min(widths)} to {max(widths)} numbers; expected one width"
            )
        cells = np.stack([np.asarray(cell) for cell in cells]) if len(cells) else np.zeros((0, 1), np.float32)
    return check_numbers(np.array(cells), f"column {columns}")


def check_numbers(matrix: npt.NDArray[Any], what: str) -> npt.NDArray[Any]:
    """Return a matrix that holds real numbers.

    Raises:
        FormatError: it holds something else: text, truth values, complex numbers, lists of vectors.
    """
    if matrix.ndim > 2 or matrix.dtype.kind not in "fiu":
        raise FormatError(f"{what}: {matrix.dtype} of shape {matrix.shape}; expected a vector of numbers for each word")
    return matrix


def _attribute(column: Any) -> npt.NDArray[Any]:
    values = np.array(column.to_numpy())
    if values.dtype.kind in "biuf":
        return values
    cells = zip(column.to_list(), column.is_null().to_list(), strict=True)
    return np.array(["" if is_missing else str(cell) for cell, is_missing in cells], dtype=object)


def _metadata(table: Any) -> dict[str, Any]:
    """Return the metadata that `to_arrow` put into the schema."""
    schema = getattr(getattr(table, "schema", None), "metadata", None)
    text = schema.get(METADATA) if isinstance(schema, Mapping) else None
    try:
        metadata = parse_json(text) if text else {}
    except ValueError:
        return {}
    return metadata if isinstance(metadata, dict) else {}
