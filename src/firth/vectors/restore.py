"""Vectors from what files and folders hold: word vectors and subword vectors of a folder, of fastText."""

import dataclasses

import numpy as np

from firth.errors import OptionError, ShapeError
from firth.storage.model_folder import ModelFolder
from firth.vectors import codes as code_arrays
from firth.vectors.character_ngrams import NgramRows
from firth.vectors.io import fasttext_vectors, folder
from firth.vectors.io.fasttext import FastTextFile, SparseRows
from firth.vectors.io.table import check_finite
from firth.vectors.lexicon import Lexicon
from firth.vectors.quantise import QuantisedMatrix
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors


def from_fasttext(file: FastTextFile, name: str) -> SubwordVectors:
    """Return the vectors of a model."""
    a, words = file.arguments, len(file.words)
    matrix = file.input
    assert not isinstance(matrix, SparseRows)
    buckets, codes = None, None
    order = np.arange(matrix.shape[0])
    if file.pruned is not None:  # a file that is not quantised is never pruned
        ascending = np.argsort(file.pruned[:, 0])
        buckets = file.pruned[ascending, 0].astype(np.int64)
        order[words:] = words + file.pruned[ascending, 1]
    if isinstance(matrix, QuantisedMatrix):
        codes = matrix.part(order)
        own, rows = codes.rows(slice(words)), codes.part(slice(words, None))
        ngrams = NgramRows(fasttext_vectors.hashing_of(a), rows, buckets, buckets is not None)
    else:
        own, ngrams = matrix[:words], NgramRows(fasttext_vectors.hashing_of(a), matrix[words:])
    output = None
    if a.loss != "hierarchical" and not isinstance(file.output, QuantisedMatrix | SparseRows):
        output = file.output
    vectors = SubwordVectors.composed(
        Lexicon(file.words),
        own,
        ngrams,
        codes,
        counts=file.counts,
        output_vectors=output,
        metadata={"name": name, "fasttext": {**dataclasses.asdict(a), "tokens": file.tokens}},
    )
    check_finite(vectors.vectors, lambda row: f"{name}: the vector of {file.words[row]!r}")
    return vectors


def restore_words(content: ModelFolder) -> WordVectors:
    """Return the word vectors of a folder.

    Raises:
        FormatError: the folder is damaged.
    """
    arrays, words = content.arrays, content.words()
    rows = folder.rows_in(content, words)
    attributes = {
        name.removeprefix("attribute."): array for name, array in arrays.items() if name.startswith("attribute.")
    }
    attributes |= folder.columns_in(content, "attributes")
    try:
        return WordVectors(
            Lexicon(words),
            rows,
            counts=content.counts("counts", len(words)) if "counts" in arrays else None,
            output_vectors=arrays.get("output_embeddings"),
            metadata=content.metadata,
            attributes=attributes,
        )
    except ShapeError as error:
        raise content.damaged(str(error)) from None


def restore_subwords(content: ModelFolder) -> SubwordVectors:
    """Return the vectors of a folder.

    Raises:
        FormatError: the folder is damaged.
    """
    words, count, dim = content.words(), content.config.get("count"), content.config.get("dim")
    if not isinstance(dim, int) or dim < 1 or len(words) != count:
        raise content.damaged(f"{len(words):,} words, and {count} of width {dim} in config.json; expected the same")
    hashing, pruned = folder.hashing_in(content)
    buckets = folder.buckets_in(content, hashing.buckets)
    rows = len(buckets) if buckets is not None else hashing.buckets
    more = {name: array for name, array in content.arrays.items() if name not in ("embeddings", "codes")}
    try:
        if "codes" in content.arrays:
            own = len(words) if content.config.get("own_rows") else 0
            matrix = code_arrays.codes_in(content, own + rows, dim)
            ngrams = NgramRows(hashing, matrix.part(slice(own, None)), buckets, pruned)
            composed = SubwordVectors.composed(words, matrix.rows(slice(own)) if own else None, ngrams, matrix)
            word_vectors = restore_words(dataclasses.replace(content, arrays={**more, "embeddings": composed.vectors}))
            return SubwordVectors(word_vectors, composed.own, ngrams, matrix)
        word_vectors = restore_words(content)
        ngrams = NgramRows(hashing, content.array("ngram_rows", (rows, dim)), buckets, pruned)
        own_rows = content.array("word_rows", (len(words), dim)) if content.config.get("own_rows") else None
        return SubwordVectors(word_vectors, own_rows, ngrams)
    except (ShapeError, OptionError) as error:
        raise content.damaged(str(error)) from None
