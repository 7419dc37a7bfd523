"""Save vectors in firth's folder or in another program's format."""

import warnings
from collections.abc import Callable
from pathlib import Path as FilePath

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.options import check_path
from firth.storage.files import named, replacing_file
from firth.vectors.io import binary, fasttext, fasttext_vectors, floret, folder, spacy, subword_folder, text
from firth.vectors.io.detect import check_file, packed, packing_of
from firth.vectors.io.formats import EXCHANGES, check_format, format_of
from firth.vectors.io.table import check_fits, stored_dtype
from firth.vectors.space import Path, SubwordSpace, VectorSpace


def save_words(
    vectors: VectorSpace, path: Path, format: str | None = None, *, dtype: npt.DTypeLike | None = None
) -> None:
    """Save vectors as a folder that `firth.load` maps, or as a file of another program.

    The output is written aside first: the old file or folder stays whole until the new one is.

    Args:
        path: the folder or file to write or replace; a file whose name ends in .gz, .bz2, .xz or .zip is packed.
        format: "firth", "word2vec", "word2vec-binary", "glove", "fasttext", "npy", "parquet", "projector",
            "sentence-transformers" or "spacy"; None goes by the name, see `firth.vectors.io.formats`.
        dtype: the precision to store: float32, float16 or float64; None keeps the present one. word2vec-binary,
            fasttext, sentence-transformers and spacy always store float32.

    Raises:
        OptionError: there is no such format or precision, or something else is there, which is never replaced.
        FormatError: a word cannot be written in this format, or a vector is not finite.
        MissingExtraError: the format needs a package that is not installed.
        OSError: the file cannot be written.
    """
    target, format = _target(path, format, subwords=False)
    if format == "firth":
        folder.save(vectors, target, dtype)
    elif format == "fasttext":
        fasttext.write(fasttext_vectors.to_file(vectors, None), target)
    elif format == "floret":
        raise OptionError("these vectors have no n-grams, and floret's files hold nothing else; save them as word2vec")
    else:
        _write_matrix(vectors, target, format, dtype)


def save_subwords(
    vectors: SubwordSpace, path: Path, format: str | None = None, *, dtype: npt.DTypeLike | None = None
) -> None:
    """Save vectors with subwords as a folder that `firth.load` maps, or as a file of another program.

    Args:
        path: the folder or file to write or replace, as in `WordVectors.save`.
        format: "firth", "fasttext" or "floret", or "spacy" for n-grams hashed by floret's method; all others keep the
            known words only, and warn. None goes by the name, see `firth.vectors.io.formats`.
        dtype: the precision to store: float32, float16 or float64; None keeps the present one. word2vec-binary,
            fasttext and floret always store float32.

    Raises:
        OptionError: there is no such format or precision, or something else is there, which is never replaced.
        FormatError: a word cannot be written in this format, or a vector is not finite.
        OSError: the file cannot be written.
    """
    target, format = _target(path, format, subwords=True)
    if format == "firth":
        subword_folder.save(vectors, target, dtype)
    elif format == "fasttext":
        fasttext.write(fasttext_vectors.to_file(vectors.known, vectors), target)
    elif format == "floret":
        with replacing_file(target) as file, packed(file, target) as content:
            floret.write(content, vectors.ngrams)
    elif format == "spacy" and vectors.ngrams.hashing.hashes:
        spacy.write_ngrams(vectors.ngrams, vectors.known.words, vectors.known.metadata, target)
    else:
        warnings.warn(
            f"{path}: {format} has no place for n-grams, so the file gives no vectors to words that it does not list; "
            "a folder of firth's or fastText's .bin keeps them",
            UserWarning,
            stacklevel=2,
        )
        _write_matrix(vectors.known, target, format, dtype)


def _target(path: Path, format: str | None, *, subwords: bool) -> tuple[FilePath, str]:
    """Return the path and the format to write, checked."""
    check_path(path)
    target = named(path)
    format = format_of(target, subwords=subwords) if format is None else format
    check_format(format)
    if format in EXCHANGES:
        if packing_of(target):
            raise OptionError(f"{path}: {format} is not packed; leave {packing_of(target)} out")
        EXCHANGES[format].check(target)
    elif format != "firth":
        if target.is_dir():
            raise OptionError(f"{path} is a folder; expected the name of a file to write as {format}")
        check_file(target)
    if format == "fasttext" and packing_of(target):
        raise OptionError(f"{path}: fastText's models are not packed; leave {packing_of(target)} out")
    return target, format


def _write_matrix(vectors: VectorSpace, path: FilePath, format: str, dtype: npt.DTypeLike | None) -> None:
    precision = stored_dtype(vectors.vectors, np.float32 if format == "word2vec-binary" else dtype)
    check_fits(vectors.words, vectors.vectors, precision)
    if format in EXCHANGES:
        EXCHANGES[format].write(vectors, path, precision)
        return
    rows = (row.astype(precision, copy=False) for row in vectors.vectors)
    header = None if format == "glove" else f"{len(vectors)} {vectors.dim}"
    write: Callable[..., None] = binary.write if format == "word2vec-binary" else text.write
    with replacing_file(path) as file, packed(file, path) as content:
        write(content, vectors.words, rows, header, str(path))
