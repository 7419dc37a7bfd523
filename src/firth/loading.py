"""Load vectors and models: `firth.load`."""

import os
import re
from pathlib import Path
from typing import Any, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from firth import registry
from firth.arguments import explained, names_files
from firth.errors import ArgumentTypeError, FormatError, OptionError, brief
from firth.options import check_path
from firth.storage import model_folder
from firth.storage.files import as_path, check_exists
from firth.storage.snapshots import snapshot
from firth.storage.untrusted import DAMAGE
from firth.vectors.document_vectors import DocumentVectors
from firth.vectors.index.files import REMEDY, read_index
from firth.vectors.index.index import Index, read_options, searcher_of
from firth.vectors.index.results import Points
from firth.vectors.io import fasttext, floret, spacy
from firth.vectors.io.detect import detect, opened
from firth.vectors.io.formats import (
    EXCHANGES,
    check_format,
    damaged_archive,
    folder_format,
    is_transformers_folder,
    read_matrix,
)
from firth.vectors.io.table import Contents, Duplicates, LoadArguments, Reading, as_named
from firth.vectors.restore import from_fasttext
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

ModelT = TypeVar("ModelT")


@overload
def load(path: str | os.PathLike[str], kind: type[ModelT], **arguments: Unpack[LoadArguments]) -> ModelT: ...
@overload
def load(path: str | os.PathLike[str], kind: None = None, **arguments: Unpack[LoadArguments]) -> WordVectors | Any: ...
@explained
def load(
    path: str | os.PathLike[str],
    kind: Any = None,
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    errors: str = "strict",
    limit: int | None = None,
    dtype: npt.DTypeLike | None = None,
    duplicates: Duplicates = "raise",
    separator: str = " ",
    dim: int | None = None,
) -> Any:
    """Load a model or vectors.

    A folder that firth saved is mapped into memory and returns the model that was saved, of any kind. A file of another
    program is read whole (NumPy's and spaCy's matrices are mapped) and returns `WordVectors`, `SubwordVectors` or, for
    a fastText classifier, a `Classifier`.

    For type checkers and editors the result is `WordVectors`, unless `kind` says what it is.

    Args:
        path: the folder or file.
        kind: the class that the result must have, such as `firth.Classifier` or `firth.SubwordVectors`; None for any.
        format: one of `firth.vectors.io.formats.FORMATS`, such as "word2vec" or "spacy"; None detects it from the
            content.
        encoding: the encoding of the words in a file of another program.
        errors: what to do with bytes that cannot be decoded: "strict", "replace", "ignore" or "surrogateescape".
        limit: the maximum number of vectors to read, from the start.
        dtype: the precision in memory: float32, float16 or float64; None keeps the precision of a folder, and is
            float32 for other files.
        duplicates: what to do with repeated words: "raise", keep the "first", or "warn" and keep the first.
        separator: the separator between fields in a text file.
        dim: the dimension, for a text file without a header whose words contain spaces and end in numbers.

    Raises:
        FormatError: the content does not match the format; the message names the line or record.
        OptionError: the model is of another kind than `kind`, or an option is out of its range.
        ArgumentTypeError: `kind` is not a class.
        MissingExtraError: the format needs a package that is not installed.
        MissingFileError: nothing is at the path.
        OSError: the path cannot be read.
    """
    check_path(path)
    given, path = path, as_path(path)
    _check_class(kind)
    check_exists(path, f"a model or vectors{_from_elsewhere(os.fspath(given))}")
    if format is not None:
        check_format(format)
    reading = as_named(
        encoding=encoding,
        errors=errors,
        limit=limit,
        dtype=np.dtype(np.float32 if dtype is None else dtype),
        duplicates=duplicates,
        separator=separator,
        dim=dim,
    )
    model = _part(_read(path, format, reading), path, limit, dtype)
    if kind is not None and not isinstance(model, kind):
        own = type(model).__name__
        wanted = (
            f"{kind.__name__}, which trains models; expected the class of a model"
            if hasattr(kind, "train")
            else kind.__name__
        )
        more = instead(model) if kind is WordVectors else "; firth.load(path) opens it"
        raise OptionError(f"{path} holds {own}, expected {wanted}{more}")
    return model


def _read(path: Path, format: str | None, reading: Reading) -> Any:
    """Return what a path holds: part of it, for word vectors of other programs."""
    if format == "firth" or (format is None and model_folder.may_be_model_folder(path)):
        return registry.load_folder(path)
    return snapshot(path, lambda where: _read_other(where, format, reading))


def _read_other(path: Path, format: str | None, reading: Reading) -> Any:
    """Return what another program wrote, or could have."""
    if format is None and path.is_dir():
        format = folder_format(path)
        if format is None and is_transformers_folder(path):
            return registry.resolve(registry.TRANSFORMERS)(path)
    try:
        format = format or detect(path, reading.separator)
        if format == "spacy" and (ngrams := spacy.read_ngrams(path)) is not None:
            return SubwordVectors.composed([], None, ngrams, metadata={"name": path.name})
        if format in EXCHANGES:
            return _exchanged(EXCHANGES[format].read(path, reading), path)
        if format in ("fasttext", "floret"):
            return _load_subwords(path, format)
    except (*DAMAGE, OSError) as error:
        raise damaged_archive(path, error) from None
    words, matrix = read_matrix(path, format, reading)
    return WordVectors(words, matrix, metadata={"name": path.name.partition(".")[0]})


def _check_class(kind: Any) -> None:
    if kind is not None and not isinstance(kind, type):
        advice = f"; a file format is given by name: format={kind!r}" if isinstance(kind, str) else ""
        raise ArgumentTypeError(f"kind={brief(kind)}: expected a class, such as firth.WordVectors{advice}")


def _exchanged(contents: Contents, path: Path) -> WordVectors:
    counts, attributes = contents.counts_and_others()
    metadata = {"name": path.name.partition(".")[0], **contents.metadata}
    return WordVectors(contents.words, contents.matrix, counts=counts, attributes=attributes, metadata=metadata)


_INSTEAD = {  # class of a model: what to do with it, in messages about something else that was expected
    "Alignment": "; use `firth translate-words`; its sides are `.source` and `.target`",
    "Classifier": "; use `firth classify predict`",
    "Composition": "; its word vectors are `firth.load(path).vectors`",
    "DocumentVectors": "; its word vectors are `firth.load(path).words`",
    "Mixture": "; use `firth lm`",
    "NeuralLanguageModel": "; use `firth lm`; its word vectors are `firth.load(path).word_vectors()`",
    "NgramModel": "; use `firth lm`",
    "PipelineModel": (
        "; use `firth annotate TEXT --pipeline`; the folders model-1 and model-2 in it are its tagger and parser"
    ),
    "SubwordVectors": "; use firth.SubwordVectors, or its known words: `firth.load(path).known`",
    "Runs": (
        "; `firth convert` writes their consensus (`firth.load(path).consensus`), each folder run-01, run-02 in it "
        "holds word vectors, and `firth.load(path).estimate(function)` gives a function of word vectors an interval"
    ),
    "SenseVectors": "; one vector per word is `firth.load(path).single()`, one per sense `firth.load(path).apart()`",
}


def instead(model: object) -> str:
    """Return what to do with a model where word vectors are expected, as the end of a message."""
    return _INSTEAD.get(type(model).__name__, "")


def load_vectors(
    path: str | os.PathLike[str], *, documents: bool = False, runs: bool = False, **options: Unpack[LoadArguments]
) -> Any:
    """Load word vectors, with or without subwords; the arguments are those of `load`.

    Args:
        documents: whether document vectors are accepted too.
        runs: whether runs are, too.
        options: further arguments of `load`.

    Raises:
        OptionError: the path holds something else.
    """
    vectors = load(path, **options)
    if isinstance(vectors, WordVectors | SubwordVectors):
        return vectors
    if documents and isinstance(vectors, DocumentVectors):
        return vectors
    if runs and registry.plain_name(vectors) == "runs":
        return vectors
    raise OptionError(f"{path} holds {registry.plain_name(vectors)}, expected word vectors{instead(vectors)}")


def load_words(path: str | os.PathLike[str], **options: Unpack[LoadArguments]) -> WordVectors:
    """Load word vectors; the arguments are those of `load`.

    Raises:
        OptionError: the path holds something else.
    """
    return load_as(path, WordVectors, "word vectors", **options)


def load_as(
    path: str | os.PathLike[str], kind: type[ModelT], expected: str, **options: Unpack[LoadArguments]
) -> ModelT:
    """Load what must be of one kind; the arguments are those of `load`.

    Args:
        kind: the class.
        expected: what the message asks for.
        options: further arguments of `load`.

    Raises:
        OptionError: the path holds something else.
    """
    try:
        model = load(path, **options)
    except FormatError:
        if issubclass(kind, WordVectors) or not Path(path).is_file():
            raise
        raise OptionError(f"{path} is a file that holds no model, expected {expected}") from None
    if not isinstance(model, kind):
        more = instead(model) if issubclass(kind, WordVectors) else ""
        raise OptionError(f"{path} holds {registry.plain_name(model)}, expected {expected}{more}")
    return model


def _part(vectors: Any, path: Path, limit: int | None, dtype: npt.DTypeLike | None) -> Any:
    """Return the first `limit` vectors in a precision; vectors that do not change stay mapped."""
    if limit is None and dtype is None:
        return vectors
    if not isinstance(vectors, WordVectors):
        raise OptionError(f"{path} holds {registry.plain_name(vectors)}: limit and dtype are for word vectors alone")
    selected = vectors if limit is None else vectors.first(limit)
    if dtype is None:
        return selected
    output = selected.output_vectors
    return WordVectors(
        selected.lexicon,
        np.asarray(selected.vectors, dtype=dtype),
        output_vectors=None if output is None else np.asarray(output, dtype=dtype),
        metadata=selected.metadata,
        attributes=selected.attributes,
    )


def _load_subwords(path: Path, format: str) -> Any:
    if format == "floret":
        with opened(path) as file:
            ngrams = floret.read(file, str(path))
        return SubwordVectors.composed([], None, ngrams, metadata={"name": str(path)})
    file_contents = fasttext.read(path)
    if file_contents.arguments.model == "supervised":
        return registry.resolve(registry.FASTTEXT_CLASSIFIER)(file_contents, path.stem)
    return from_fasttext(file_contents, path.stem)


def _from_elsewhere(path: str | bytes) -> str:
    """Return what to do with an address or a name on the Hugging Face hub, for the message that no file has it."""
    path = os.fsdecode(path)
    if "://" in path:
        return "; an address is not opened: download the file first"
    if re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", path) and not Path(path).parent.exists():
        return f"; firth.from_hub({path!r}) opens a model on the Hugging Face hub"
    return ""


Vectors = WordVectors | SubwordVectors | DocumentVectors


def searched_vectors(vectors: Vectors) -> WordVectors:
    """Return the vectors that an index searches: of the known words, or of the documents."""
    if isinstance(vectors, SubwordVectors):
        return vectors.known
    return vectors.documents if isinstance(vectors, DocumentVectors) else vectors


@names_files
def load_index(path: str | os.PathLike[str], vectors: Vectors) -> Index:
    """Read an index of some vectors.

    Args:
        path: the file.
        vectors: the vectors that were indexed, of words or of subwords.

    Returns:
        The index, its arrays mapped from the file.

    Raises:
        FormatError: the file is damaged, cut short or something else, or the vectors are others than were indexed.
        MissingExtraError: the index is an HNSW graph and usearch is not installed.
        OSError: the file cannot be opened.
    """
    space = searched_vectors(vectors)
    settings, arrays = read_index(Path(path), space)
    kind = settings["kind"]
    try:
        options = read_options(kind, settings["options"])
    except OptionError as error:
        raise FormatError(f"{path}: {error}; {REMEDY}") from None
    points, searcher = Points(space.vectors, space.norms), searcher_of(kind)
    if damage := searcher.damage_of(points, options, arrays):
        raise FormatError(f"{path}: a damaged index, {damage}; {REMEDY}")
    return Index(space, kind, searcher.restore(points, options, arrays))
