"""word2vec files with gensim's arguments: `WordVectors.load_word2vec_format` and `save_word2vec_format`."""

import contextlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path as FilePath
from typing import Any, BinaryIO, TypeVar

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError, OptionError
from firth.storage.files import replacing_file
from firth.storage.user_files import naming
from firth.vectors.io import binary as binary_form
from firth.vectors.io import text as text_form
from firth.vectors.io.detect import check_file, opened, packed
from firth.vectors.io.table import check_fits
from firth.vectors.space import Path, VectorSpace

Vectors = TypeVar("Vectors")


@names_files
def load(
    vectors_class: type[Vectors],
    fname: Path,
    fvocab: Path | None = None,
    binary: bool = False,
    encoding: str = "utf8",
    unicode_errors: str = "strict",
    limit: int | None = None,
    datatype: npt.DTypeLike = np.float32,
    no_header: bool = False,
) -> Vectors:
    """Read a word2vec file with gensim's arguments; `firth.load(path)` finds most of them out.

    Args:
        vectors_class: the class of the result.
        fname: the file to read.
        fvocab: a file with one "word count" line a word.
        binary: whether the file has the binary form.
        encoding: the encoding of the words.
        unicode_errors: what to do with bytes that are no text: "strict", "ignore", "replace", "surrogateescape".
        limit: number of vectors to read, from the first.
        datatype: the precision to hold the vectors in.
        no_header: whether the file begins with the first vector, as GloVe's do.

    Raises:
        FormatError: the file does not hold what the format promises. A word that repeats keeps its first vector,
            with a warning.
        OptionError: a binary file without a header.
    """
    if binary and no_header:
        raise OptionError(
            "no_header=True with binary=True: expected a header, without which a binary file cannot be read"
        )
    format = "word2vec-binary" if binary else "glove" if no_header else "word2vec"
    options: dict[str, Any] = {"encoding": encoding, "errors": unicode_errors, "dtype": datatype}
    import firth  # whose public names include the classes that this module serves

    vectors = firth.load(fname, format=format, limit=limit or None, duplicates="warn", **options)
    counts = None
    if fvocab is not None:
        count_of = _read_counts(FilePath(fvocab), encoding, unicode_errors)
        if missing := [word for word in vectors.words if word not in count_of]:
            warnings.warn(
                f"{fvocab}: no count for {len(missing)} of {len(vectors)} words, such as {missing[0]!r}; they count 0",
                UserWarning,
                stacklevel=2,
            )
        counts = [count_of.get(word, 0) for word in vectors.words]
    new: Callable[..., Vectors] = vectors_class
    return new(vectors.lexicon, vectors.vectors, counts=counts, metadata=vectors.metadata)


def _read_counts(path: FilePath, encoding: str, errors: str) -> dict[str, int]:
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
    vectors: VectorSpace,
    fname: Path,
    fvocab: Path | None = None,
    binary: bool = False,
    total_vec: int | None = None,
    write_header: bool = True,
    prefix: str = "",
    append: bool = False,
    sort_attr: str = "count",
) -> None:
    """Write a word2vec file with gensim's arguments; see also `save(path, format="word2vec")`.

    Args:
        fname: the file to write.
        fvocab: a second file, for one "word count" line a word.
        binary: whether to write the binary form.
        total_vec: the number of vectors to state in the header; None means V.
        write_header: whether to write the header line.
        prefix: text to put before every word.
        append: whether to add to the file instead of replacing it.
        sort_attr: the attribute to sort by, greatest first; words without it stay in their order.

    Raises:
        OptionError: `fvocab` is wanted and there is no such attribute.
        FormatError: a word cannot be written in this format.
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
def _writing(path: Path, append: bool) -> Iterator[BinaryIO]:
    if append:
        with naming(path), FilePath(path).open("ab") as grown, packed(grown, path) as file:
            yield file
    else:
        check_file(path)
        with replacing_file(path) as aside, packed(aside, path) as file:
            yield file
