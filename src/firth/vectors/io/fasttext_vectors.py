"""Word vectors as fastText's models, and back; `firth.vectors.io.fasttext` has the files themselves."""

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.vectors.character_ngrams import Hashing
from firth.vectors.codes import Codes
from firth.vectors.int8 import Int8Matrix
from firth.vectors.io.fasttext import Arguments, FastTextFile, Matrix, SparseRows
from firth.vectors.io.table import check_finite
from firth.vectors.lexicon import Lexicon
from firth.vectors.ngram_rows import NgramRows
from firth.vectors.quantise import CODES, ProductQuantiser, QuantisedMatrix
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

OPTIONS = ("window", "epochs", "negative", "sample")  # of training, that a file has a place for
LOSSES = ("negative", "hierarchical", "softmax")
MODELS = ("cbow", "skipgram")


def from_file(file: FastTextFile, name: str) -> SubwordVectors:
    """Return the vectors of a model.

    Args:
        file: what was read, no classifier.
        name: of the vectors.

    Raises:
        FormatError: a vector is not finite.
    """
    a, words = file.arguments, len(file.words)
    matrix = file.input
    assert not isinstance(matrix, SparseRows)
    used, codes = None, None
    order = np.arange(matrix.shape[0])
    if file.pruned is not None:  # a file that is not quantised is never pruned
        ascending = np.argsort(file.pruned[:, 0])
        used = file.pruned[ascending, 0].astype(np.int64)
        order[words:] = words + file.pruned[ascending, 1]
    if isinstance(matrix, QuantisedMatrix):
        codes = matrix.part(order)
        own, rows = codes.rows(slice(words)), codes.part(slice(words, None))
        ngrams = NgramRows(_hashing(a), rows, used, used is not None)
    else:
        own, ngrams = matrix[:words], NgramRows(_hashing(a), matrix[words:])
    output = None
    if a.loss != "hierarchical" and not isinstance(file.output, QuantisedMatrix | SparseRows):
        output = file.output
    made = SubwordVectors.composed(
        Lexicon(file.words),
        own,
        ngrams,
        codes,
        counts=file.counts,
        output_vectors=output,
        metadata={"name": name, "fasttext": {**dataclasses.asdict(a), "tokens": file.tokens}},
    )
    check_finite(made.vectors, lambda row: f"{name}: the vector of {file.words[row]!r}")
    return made


def _hashing(a: Arguments) -> Hashing:
    return Hashing(max(a.min_n, 1), a.max_n if a.max_n >= a.min_n else 0, a.buckets)


def to_file(vectors: WordVectors | SubwordVectors) -> FastTextFile:
    """Return vectors as a model that fastText opens.

    Vectors without n-grams become a model without them.

    Raises:
        OptionError: the n-grams are hashed in another way, or the rows are int8 codes.
        FormatError: a word counts otherwise than fastText would count it.
    """
    known = vectors.known if isinstance(vectors, SubwordVectors) else vectors
    counts = np.ones(len(known), dtype=np.int64) if known.counts is None else known.counts
    ngrams = vectors.ngrams if isinstance(vectors, SubwordVectors) else None
    if ngrams is not None and ngrams.hashing.hashes:
        raise OptionError("these vectors have a table of floret's, which fastText cannot read: save them as floret")
    if len(known) == 0:
        raise FormatError("no words: fastText opens no model without any; expected at least one")
    return FastTextFile(
        arguments=_arguments(known, ngrams),
        words=known.words,
        counts=counts,
        labels=[],
        label_counts=np.zeros(0, dtype=np.int64),
        tokens=_tokens(known, counts),
        pruned=_pruned(ngrams),
        input=_input(vectors),
        output=_output(vectors),
    )


def _arguments(known: WordVectors, ngrams: NgramRows | None) -> Arguments:
    facts = known.metadata.get("fasttext")
    if isinstance(facts, dict):
        fields = {field.name for field in dataclasses.fields(Arguments)}
        return Arguments(**{name: value for name, value in facts.items() if name in fields})
    training = known.metadata.get("training")
    options: dict[str, Any] = training.get("options", {}) if isinstance(training, dict) else {}
    chosen = {name: options[name] for name in OPTIONS if name in options}
    how = Hashing(0, 0, 0) if ngrams is None else ngrams.hashing
    return Arguments(
        dim=known.dim,
        loss=options["objective"] if options.get("objective") in LOSSES else "negative",
        model=options["architecture"] if options.get("architecture") in MODELS else "skipgram",
        buckets=how.buckets if how.max_n >= how.min_n else 0,
        min_n=how.min_n if how.max_n >= how.min_n else 0,
        max_n=how.max_n if how.max_n >= how.min_n else 0,
        **chosen,
    )


def _tokens(known: WordVectors, counts: npt.NDArray[np.int64]) -> int:
    facts = known.metadata.get("fasttext")
    return int(facts["tokens"] if isinstance(facts, dict) and "tokens" in facts else counts.sum())


def _pruned(ngrams: NgramRows | None) -> Any:
    if ngrams is None or not ngrams.pruned or ngrams.used is None:
        return None
    return np.stack([ngrams.used, np.arange(len(ngrams.used))], axis=1).astype(np.int32)


def _input(vectors: WordVectors | SubwordVectors) -> Matrix:
    if isinstance(vectors, WordVectors):
        return np.asarray(vectors.vectors, dtype=np.float32)
    ngrams, own = vectors.ngrams, vectors.own
    if isinstance(vectors.codes, Int8Matrix):
        raise OptionError("int8 codes have no place in fastText's files: save as firth, or quantise as product codes")
    if vectors.codes is not None:
        return vectors.codes
    assert own is not None
    assert not isinstance(ngrams.matrix, Codes)
    used = np.arange(len(ngrams.matrix)) if ngrams.used is None else ngrams.used
    buckets = ngrams.hashing.buckets if ngrams.hashing.max_n >= ngrams.hashing.min_n else 0
    return SparseRows(first=own, buckets=buckets, used=used, rows=ngrams.matrix)


def _output(vectors: WordVectors | SubwordVectors) -> Matrix:
    known = vectors.known if isinstance(vectors, SubwordVectors) else vectors
    if isinstance(vectors, SubwordVectors) and vectors.codes is not None:
        nothing = ProductQuantiser(known.dim, known.dim, np.zeros(CODES * known.dim, dtype=np.float32))
        return QuantisedMatrix(np.zeros((len(known), 1), dtype=np.uint8), nothing)
    output = known.output_vectors
    if output is None or output.shape[1] != known.dim:
        return np.broadcast_to(np.zeros(known.dim, dtype=np.float32), known.vectors.shape)
    return np.asarray(output, dtype=np.float32)
