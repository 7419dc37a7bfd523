"""Files of the Embedding Projector, in a folder that TensorBoard opens too.

    vectors.tsv              one vector per line, numbers between tabs
    metadata.tsv             one word per line; with attributes, such as counts, columns under a line of names
    projector_config.pbtxt   where TensorBoard finds the two: `tensorboard --logdir FOLDER`

On projector.tensorflow.org, "Load" takes the first two files.

Source: TensorBoard's documentation, "Visualizing Data using the Embedding Projector".
"""

import contextlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, brief
from firth.storage.untrusted import file_bytes
from firth.storage.user_files import check_file
from firth.vectors.io.foreign_folder import check_folder, replacing
from firth.vectors.io.table import Contents, Reading, settle
from firth.vectors.io.text import DIGITS, encoded
from firth.vectors.space import VectorSpace

VECTORS, METADATA, CONFIG = "vectors.tsv", "metadata.tsv", "projector_config.pbtxt"
OWN = frozenset({VECTORS, METADATA, CONFIG})
LAYOUT = "files of the Embedding Projector"
HEAD = "word"  # name of the first column, where there are several
WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
FRACTION = re.compile(rf"{WHOLE.pattern}(\.[0-9]*)?([eE][+-]?[0-9]+)?|nan|-?inf")
_CONFIG = f'embeddings {{\n  tensor_name: "words"\n  tensor_path: "{VECTORS}"\n  metadata_path: "{METADATA}"\n}}\n'


def check(path: Path) -> None:
    """Check that a folder can be written; see `check_folder`."""
    check_folder(path, OWN, LAYOUT)


def is_folder(path: Path) -> bool:
    """Return whether a folder holds both files."""
    return (path / VECTORS).is_file() and (path / METADATA).is_file()


def write(space: VectorSpace, path: Path, dtype: np.dtype[Any]) -> None:
    """Write the folder.

    Raises:
        OptionError: the path is a file or a folder of something else, or an attribute is called "word".
    """
    if HEAD in space.attributes:
        raise OptionError(f"attribute {HEAD!r}: the column of this name is taken; rename the attribute")
    form = "\t".join([f"%.{DIGITS[dtype.itemsize]}g"] * space.dim) + "\n"
    columns = [space.words, *([str(value) for value in values.tolist()] for values in space.attributes.values())]
    with replacing(path, OWN, LAYOUT) as folder:
        with (folder / METADATA).open("wb") as file:
            if len(columns) > 1:
                file.write(_line([HEAD, *space.attributes], path))
            for row in zip(*columns, strict=True):
                file.write(_line(row, path))
        with (folder / VECTORS).open("wb") as file:
            for vector in space.vectors:
                file.write((form % tuple(vector.astype(dtype).tolist())).encode())
        (folder / CONFIG).write_text(_CONFIG, encoding="ascii")


def _line(cells: Any, path: Path) -> bytes:
    for cell in cells:
        if any(mark in cell for mark in "\t\n\r"):
            raise FormatError(
                f"{path}: {brief(cell)} contains a tab or a newline, which end a cell in the Projector's files; "
                "replace it first"
            )
    return b"\t".join(encoded(cell, str(path)) for cell in cells) + b"\n"


def read(path: Path, reading: Reading) -> Contents:
    """Return the words and vectors of a folder, and the further columns of its metadata as text.

    Raises:
        FormatError: a line is damaged, or the files have different numbers of lines.
    """
    where = path / VECTORS
    check_file(where)
    if not where.stat().st_size:
        raise FormatError(f"{where}: an empty file, expected vectors")
    try:
        matrix = np.loadtxt(where, dtype=reading.dtype, delimiter="\t", comments=None, ndmin=2, encoding="utf-8")
    except ValueError as error:
        raise FormatError(f"{where}: {error}; expected numbers between tabs, as many in each line") from None
    text = reading.word(file_bytes(path / METADATA), str(path / METADATA))
    rows = [line.split("\t") for line in text.removesuffix("\n").split("\n")]
    names = rows.pop(0) if len(rows) == len(matrix) + 1 else [HEAD]
    if len(rows) != len(matrix):
        raise FormatError(f"{path}: {len(matrix):,} vectors and {len(rows):,} lines of metadata; expected as many")
    for number, row in enumerate(rows):
        if len(row) != len(names):
            raise FormatError(f"{path / METADATA} row {number + 1}: {len(row)} cells, expected {len(names)}")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    words = columns.pop(HEAD if HEAD in columns else names[0])
    attributes = {name: _values(cells) for name, cells in columns.items()}
    return settle(words, matrix, lambda row: f"{where} line {row + 1}", reading, attributes=attributes)


def _values(cells: list[str]) -> npt.NDArray[Any]:
    """Return a column as whole numbers, as fractions, or as text, such as 01234, whose zero a number would lose."""
    for form, dtype in ((WHOLE, np.int64), (FRACTION, np.float64)):
        with contextlib.suppress(OverflowError):
            if all(map(form.fullmatch, cells)):
                return np.array(cells, dtype=dtype)
    return np.array(cells, dtype=object)
