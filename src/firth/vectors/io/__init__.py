"""Vectors in files: firth's own folder, and the formats that others read and write.

    firth             a folder: `firth.vectors.io.folder`
    word2vec          text with a first line "V D": word2vec, gensim, fastText's .vec
    word2vec-binary   the same with binary numbers
    glove             text without a first line
    fasttext          fastText's .bin and .ftz models: words, n-grams and all, or a classifier
    floret            floret's table of n-grams

Where no format is given, the name of what is written decides: .txt and .vec are word2vec, .bin word2vec-binary or, of
vectors with subwords, fasttext, .ftz fasttext, .floret floret, and everything else is a folder. A further .gz, .bz2,
.xz or .zip packs the file. Files are recognised by their content, whatever their name. FastText's models are never
packed.
"""

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import registry
from firth.errors import FormatError, OptionError, brief
from firth.options import check_path
from firth.storage import model_folder
from firth.storage.files import named, replacing_file
from firth.storage.untrusted import DAMAGE
from firth.vectors.io import binary, fasttext, fasttext_vectors, floret, folder, subword_folder, text
from firth.vectors.io.detect import check_file, detect, opened, packed, packing_of
from firth.vectors.io.table import Duplicates, Reading, check_fits, stored_dtype
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

FORMATS = ("firth", "word2vec", "word2vec-binary", "glove", "fasttext", "floret")
SUFFIXES = {
    ".bin": "word2vec-binary",
    ".txt": "word2vec",
    ".vec": "word2vec",
    ".ftz": "fasttext",
    ".floret": "floret",
}

__all__ = ["FORMATS", "format_of", "load", "load_vectors", "load_words", "save"]


def format_of(path: str | os.PathLike[str], *, subwords: bool = False) -> str:
    """Return the format that vectors are saved in under a name, where none is given.

    Args:
        path: the name.
        subwords: whether the vectors have subwords.

    Raises:
        OptionError: the name asks for a packed folder.
    """
    name = Path(path).name
    packing = packing_of(name)
    found = SUFFIXES.get(Path(name[: len(name) - len(packing)]).suffix.lower(), "firth")
    if subwords and found == "word2vec-binary":
        found = "fasttext"
    if packing and found == "firth":
        raise OptionError(f"{path}: a folder cannot be packed; expected a name such as {Path(name).stem}.vec{packing}")
    return found


def load(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    encoding: str = "utf-8",
    errors: str = "strict",
    limit: int | None = None,
    dtype: npt.DTypeLike | None = None,
    duplicates: Duplicates = "raise",
    separator: str = " ",
    dim: int | None = None,
) -> Any:
    """Read vectors: a folder that firth saved is mapped, a foreign file is read whole or not at all.

    What was saved comes back: `WordVectors`, `SubwordVectors`, or whatever else a folder of firth's or a fastText model
    holds.

    Args:
        path: the folder or file.
        format: "firth", "word2vec", "word2vec-binary", "glove", "fasttext" or "floret"; None finds out from the
            content.
        encoding: the encoding of the words of a foreign file.
        errors: what to do with bytes that are no text: "strict", "replace", "ignore" or "surrogateescape".
        limit: read the first so many vectors.
        dtype: the precision to hold the vectors in: float32, float16 or float64; None is the folder's own, and
            float32 for a foreign file.
        duplicates: what to do with a word that repeats: "raise", keep the "first", or "warn" and keep the first.
        separator: what stands between a word and its numbers in a text file.
        dim: the width, for a text file without a header whose words hold spaces and end in numbers.

    Raises:
        FormatError: the content is not what the format promises; the message names the line or record.
        OptionError: an option is out of its range.
        OSError: the path does not exist or cannot be read.
    """
    check_path(path)
    path = named(path)
    how = Reading(
        encoding=encoding,
        errors=errors,
        limit=limit,
        dtype=np.dtype(np.float32 if dtype is None else dtype),
        duplicates=duplicates,
        separator=separator,
        dim=dim,
    )
    if format is not None:
        _check_format(format)
    if format == "firth" or (format is None and model_folder.may_be_model_folder(path)):
        found = registry.load_folder(path)
        return found if limit is None and dtype is None else _part(found, path, limit, dtype)
    try:
        kind = format or detect(path)
        if kind in ("fasttext", "floret"):
            found = _read_subwords(path, kind)
            return found if limit is None and dtype is None else _part(found, path, limit, dtype)
        words, matrix = _read(path, kind, how)
    except (*DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FormatError(f"{path}: damaged packed data ({error}); copy it again") from None
    return WordVectors(words, matrix, metadata={"name": path.name.partition(".")[0]})


_INSTEAD = {
    "Alignment": "; `firth translate-words` asks it, and its sides are `.source` and `.target`",
    "Classifier": "; `firth classify predict` asks it",
    "Composition": "; those of its words are `firth.load(path).vectors`",
    "DocumentVectors": "; those of its words are `firth.load(path).words`",
    "Mixture": "; `firth lm` asks it",
    "NeuralLanguageModel": "; `firth lm` asks it, and those of its words are `firth.load(path).word_vectors()`",
    "NgramModel": "; `firth lm` asks it",
    "SenseVectors": "; one vector a word is `firth.load(path).single()`, one a sense `firth.load(path).apart()`",
}


def load_vectors(path: str | os.PathLike[str], *, documents: bool = False, **how: Any) -> Any:
    """Read vectors of words, `WordVectors` or `SubwordVectors`, with the arguments of `load`.

    Args:
        path: the folder or file.
        documents: whether vectors of documents will do too.
        how: as in `load`.

    Raises:
        OptionError: the path holds something else.
    """
    found = load(path, **how)
    if isinstance(found, WordVectors | SubwordVectors):
        return found
    from firth.vectors.document_vectors import DocumentVectors

    if documents and isinstance(found, DocumentVectors):
        return found
    kind = type(found).__name__
    raise OptionError(f"{path} holds {kind}, expected vectors of words" + _INSTEAD.get(kind, ""))


def load_words(path: str | os.PathLike[str], **how: Any) -> WordVectors:
    """Read word vectors, with the arguments of `load`.

    Raises:
        OptionError: the path holds something else.
    """
    found = load(path, **how)
    if not isinstance(found, WordVectors):
        raise OptionError(f"{path} holds {type(found).__name__}, expected word vectors")
    return found


def _part(vectors: Any, path: Path, limit: int | None, dtype: npt.DTypeLike | None) -> WordVectors:
    """Return the first vectors in a precision; what need not change stays mapped."""
    if not isinstance(vectors, WordVectors):
        raise OptionError(f"{path} holds {type(vectors).__name__}: limit and dtype are for word vectors alone")
    some = vectors if limit is None else vectors.first(limit)
    if dtype is None:
        return some
    output = some.output_vectors
    return WordVectors(
        some.lexicon,
        np.asarray(some.vectors, dtype=dtype),
        output_vectors=None if output is None else np.asarray(output, dtype=dtype),
        metadata=some.metadata,
        attributes=some.attributes,
    )


def _read_subwords(path: Path, format: str) -> Any:
    if format == "floret":
        with opened(path) as table:
            return floret.read(table, str(path))
    file = fasttext.read(path)
    if file.arguments.model == "supervised":
        return registry.resolve(registry.FASTTEXT_CLASSIFIER)(file, path.stem)
    return fasttext_vectors.from_file(file, path.stem)


def _read(path: Path, format: str, how: Reading) -> tuple[list[str], npt.NDArray[Any]]:
    # A number too large for the precision becomes infinite, and is reported with its place.
    with opened(path) as file, np.errstate(over="ignore"):
        if format == "word2vec-binary":
            return binary.read(file, str(path), how)
        return text.read(file, str(path), format == "word2vec", how)


def save(
    vectors: WordVectors | SubwordVectors,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
) -> None:
    """Write vectors, aside first: the old file or folder stays whole until the new one is.

    Args:
        vectors: the vectors. Subwords go into the formats "firth", "fasttext" and "floret"; the others have no place
            for them, and a warning says so.
        path: the folder or file to write or replace; a file whose name ends in .gz, .bz2, .xz or .zip is packed.
        format: "firth", "word2vec", "word2vec-binary", "glove", "fasttext" or "floret"; None goes by the name, see
            `firth.vectors.io`.
        dtype: the precision to store: float32, float16 or float64; None keeps the present one. The binary form,
            fastText's and floret's always have float32.

    Raises:
        OptionError: there is no such format or precision, or something else is there, which is never replaced.
        FormatError: a word cannot be written in this format, or a vector is not finite.
        OSError: the file cannot be written.
    """
    check_path(path)
    path = named(path)
    format = format_of(path, subwords=isinstance(vectors, SubwordVectors)) if format is None else format
    _check_format(format)
    if format == "firth":
        if isinstance(vectors, SubwordVectors):
            subword_folder.save(vectors, path, dtype)
        else:
            folder.save(vectors, path, dtype)
        return
    if Path(path).is_dir():
        raise OptionError(f"{path} is a folder; expected the name of a file to write as {format}")
    check_file(path)
    if format == "fasttext":
        if packing_of(path):
            raise OptionError(f"{path}: fastText's models are not packed; leave {packing_of(path)} out")
        fasttext.write(fasttext_vectors.to_file(vectors), path)
        return
    if format == "floret":
        _save_floret(vectors, path)
        return
    if isinstance(vectors, SubwordVectors):
        warnings.warn(
            f"{path}: {format} has no place for n-grams, so the file gives no vectors to words that it does not list; "
            "a folder of firth's or fastText's .bin keeps them",
            UserWarning,
            stacklevel=3,
        )
        vectors = vectors.known
    kept = stored_dtype(vectors.vectors, np.float32 if format == "word2vec-binary" else dtype)
    check_fits(vectors.words, vectors.vectors, kept)
    rows = (row.astype(kept, copy=False) for row in vectors.vectors)
    header = None if format == "glove" else f"{len(vectors)} {vectors.dim}"
    write: Callable[..., None] = binary.write if format == "word2vec-binary" else text.write
    with replacing_file(path) as file, packed(file, path) as content:
        write(content, vectors.words, rows, header, str(path))


def _save_floret(vectors: WordVectors | SubwordVectors, path: str | os.PathLike[str]) -> None:
    if not isinstance(vectors, SubwordVectors):
        raise OptionError("these vectors have no n-grams, and floret's files hold nothing else; save them as word2vec")
    with replacing_file(path) as file, packed(file, path) as content:
        floret.write(content, vectors)


def _check_format(format: str) -> None:
    if format not in FORMATS:
        raise OptionError(f"format={brief(format)}: expected one of {', '.join(FORMATS)}")
