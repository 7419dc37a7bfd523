"""word2vec files with gensim's arguments, behind `WordVectors.load_word2vec_format` and `save_word2vec_format`."""

import contextlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.storage.files import replacing_file
from firth.vectors import io
from firth.vectors.io import binary as binary_form
from firth.vectors.io import text as text_form
from firth.vectors.io.detect import check_file, opened, packed
from firth.vectors.io.table import check_fits

if TYPE_CHECKING:
    from firth.vectors.word_vectors import WordVectors

PathLike = str | os.PathLike[str]


def load(
    fname: PathLike,
    fvocab: PathLike | None,
    binary: bool,
    encoding: str,
    unicode_errors: str,
    limit: int | None,
    datatype: npt.DTypeLike,
    no_header: bool,
) -> "WordVectors":
    """Read a word2vec file; see `WordVectors.load_word2vec_format`.

    Args:
        fname: the file.
        fvocab: a file of counts.
        binary: whether it has the binary form.
        encoding: the encoding of the words.
        unicode_errors: what to do with bytes that are no text.
        limit: read the first so many.
        datatype: the precision to hold the vectors in.
        no_header: whether it begins with the first vector.

    Raises:
        OptionError: a binary file without a header.
        FormatError: a file does not hold what its format promises.
    """
    if binary and no_header:
        raise OptionError(
            "no_header=True with binary=True: expected a header, without which a binary file cannot be read"
        )
    form = "word2vec-binary" if binary else "glove" if no_header else "word2vec"
    how: dict[str, Any] = {"encoding": encoding, "errors": unicode_errors, "limit": limit or None, "dtype": datatype}
    vectors = io.load_words(fname, format=form, duplicates="warn", **how)
    if fvocab is None:
        return vectors
    counts = _read_counts(Path(fvocab), encoding, unicode_errors)
    if missing := [word for word in vectors.words if word not in counts]:
        told = f"{fvocab}: no count for {len(missing)} of {len(vectors)} words, such as {missing[0]!r}; they count 0"
        warnings.warn(told, UserWarning, stacklevel=3)
    return type(vectors)(
        vectors.lexicon,
        vectors.vectors,
        counts=[counts.get(word, 0) for word in vectors.words],
        metadata=vectors.metadata,
    )


def _read_counts(path: Path, encoding: str, errors: str) -> dict[str, int]:
    counts = {}
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                word, count = line.rstrip(b" \r\n").rsplit(b" ", 1)
                counts[word.decode(encoding, errors)] = int(np.int64(int(count)))
            except (ValueError, OverflowError):
                raise FormatError(f"{path} line {number}: {line[:60]!r}, expected a word and its count") from None
    return counts


def save(
    vectors: "WordVectors",
    fname: PathLike,
    fvocab: PathLike | None,
    binary: bool,
    total_vec: int | None,
    write_header: bool,
    prefix: str,
    append: bool,
    sort_attr: str,
) -> None:
    """Write a word2vec file; see `WordVectors.save_word2vec_format`.

    Args:
        vectors: the vectors.
        fname: the file.
        fvocab: a file for the counts.
        binary: whether to write the binary form.
        total_vec: the number in the header.
        write_header: whether to write the header.
        prefix: text before every word.
        append: whether to add to the file.
        sort_attr: the attribute to sort by.

    Raises:
        OptionError: `fvocab` is wanted and there is no such attribute.
    """
    values = vectors.attributes.get(sort_attr)
    if fvocab is not None and values is None:
        raise OptionError(
            f"fvocab={str(fvocab)!r}: the words have no attribute {sort_attr!r} to write, expected one that is set"
        )
    rows = np.arange(len(vectors)) if values is None else np.argsort(-values, kind="stable")
    words = [prefix + vectors.words[row] for row in rows]
    if fvocab is not None and values is not None:
        with _writing(fvocab, append) as file:
            file.writelines(
                text_form.encoded(word, str(fvocab)) + f" {value}\n".encode()
                for word, value in zip(words, values[rows], strict=True)
            )
    check_fits(vectors.words, vectors.vectors, vectors.vectors.dtype)
    header = f"{len(vectors) if total_vec is None else total_vec} {vectors.dim}" if write_header else None
    write = binary_form.write if binary else text_form.write
    with _writing(fname, append) as file:
        write(file, words, (vectors.vectors[row] for row in rows), header, str(fname))


@contextlib.contextmanager
def _writing(path: PathLike, append: bool) -> Iterator[BinaryIO]:
    if append:
        with Path(path).open("ab") as grown, packed(grown, path) as file:
            yield file
    else:
        check_file(path)
        with replacing_file(path) as aside, packed(aside, path) as file:
            yield file
