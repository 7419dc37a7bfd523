"""Word vectors as fastText's models, and back; `firth.vectors.io.fasttext` has the files themselves."""

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.vectors.character_ngrams import Hashing, NgramRows
from firth.vectors.codes import Codes, Int8Matrix
from firth.vectors.io.fasttext import Arguments, FastTextFile, Matrix, SparseRows
from firth.vectors.quantise import CODES, ProductQuantiser, QuantisedMatrix
from firth.vectors.space import SubwordSpace, VectorSpace

OPTIONS = ("window", "epochs", "negative", "sample")  # of training, that a file has a place for
LOSSES = ("negative", "hierarchical", "softmax")
MODELS = ("cbow", "skipgram")


def hashing_of(a: Arguments) -> Hashing:
    """Return how a model hashes n-grams."""
    return Hashing(max(a.min_n, 1), a.max_n if a.max_n >= a.min_n else 0, a.buckets)


def to_file(space: VectorSpace, subwords: SubwordSpace | None) -> FastTextFile:
    """Return vectors as a model that fastText opens.

    Args:
        subwords: their n-grams; None makes a model without n-grams.

    Raises:
        OptionError: the n-grams are hashed in another way, or the rows are int8 codes.
        FormatError: a word counts otherwise than fastText would count it.
    """
    counts = np.ones(len(space), dtype=np.int64) if space.counts is None else space.counts
    ngrams = None if subwords is None else subwords.ngrams
    if ngrams is not None and ngrams.hashing.hashes:
        raise OptionError("these vectors have a table of floret's, which fastText cannot read: save them as floret")
    if len(space) == 0:
        raise FormatError("no words: fastText opens no model without any; expected at least one")
    return FastTextFile(
        arguments=_arguments(space, ngrams),
        words=space.words,
        counts=counts,
        labels=[],
        label_counts=np.zeros(0, dtype=np.int64),
        tokens=_tokens(space, counts),
        pruned=_pruned(ngrams),
        input=np.asarray(space.vectors, dtype=np.float32) if subwords is None else _input(subwords),
        output=_output(space, subwords),
    )


def _arguments(space: VectorSpace, ngrams: NgramRows | None) -> Arguments:
    facts = space.metadata.get("fasttext")
    if isinstance(facts, dict):
        fields = {field.name for field in dataclasses.fields(Arguments)}
        return Arguments(**{name: value for name, value in facts.items() if name in fields})
    training = space.metadata.get("training")
    options: dict[str, Any] = training.get("options", {}) if isinstance(training, dict) else {}
    training_options = {name: options[name] for name in OPTIONS if name in options}
    hashing = Hashing(0, 0, 0) if ngrams is None else ngrams.hashing
    return Arguments(
        dim=space.dim,
        loss=options["objective"] if options.get("objective") in LOSSES else "negative",
        model=options["architecture"] if options.get("architecture") in MODELS else "skipgram",
        buckets=hashing.buckets if hashing.max_n >= hashing.min_n else 0,
        min_n=hashing.min_n if hashing.max_n >= hashing.min_n else 0,
        max_n=hashing.max_n if hashing.max_n >= hashing.min_n else 0,
        **training_options,
    )


def _tokens(space: VectorSpace, counts: npt.NDArray[np.int64]) -> int:
    facts = space.metadata.get("fasttext")
    return int(facts["tokens"] if isinstance(facts, dict) and "tokens" in facts else counts.sum())


def _pruned(ngrams: NgramRows | None) -> Any:
    if ngrams is None or not ngrams.pruned or ngrams.used is None:
        return None
    return np.stack([ngrams.used, np.arange(len(ngrams.used))], axis=1).astype(np.int32)


def _input(vectors: SubwordSpace) -> Matrix:
    ngrams, own = vectors.ngrams, vectors.own
    if isinstance(vectors.codes, Int8Matrix):
        raise OptionError("int8 codes have no place in fastText's files: save as firth, or quantise as product codes")
    if vectors.codes is not None:
        return vectors.codes
    assert own is not None
    assert not isinstance(ngrams.matrix, Codes)
    filled = np.arange(len(ngrams.matrix)) if ngrams.used is None else ngrams.used
    buckets = ngrams.hashing.buckets if ngrams.hashing.max_n >= ngrams.hashing.min_n else 0
    return SparseRows(first=own, buckets=buckets, used=filled, rows=ngrams.matrix)


def _output(space: VectorSpace, subwords: SubwordSpace | None) -> Matrix:
    if subwords is not None and subwords.codes is not None:
        nothing = ProductQuantiser(space.dim, space.dim, np.zeros(CODES * space.dim, dtype=np.float32))
        return QuantisedMatrix(np.zeros((len(space), 1), dtype=np.uint8), nothing)
    output = space.output_vectors
    if output is None or output.shape[1] != space.dim:
        return np.broadcast_to(np.zeros(space.dim, dtype=np.float32), space.vectors.shape)
    return np.asarray(output, dtype=np.float32)
