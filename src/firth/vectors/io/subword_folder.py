"""Vectors with subwords in firth's own format: the folder of word vectors, with the rows that they are made of.

    model.safetensors    what word vectors have; "word_rows" (V, D), the words' own rows, where they have any; and
                         "ngram_rows" (U, D) with "ngram_buckets" (U,) int64, the bucket of each, where not all have one
    ... quantised        codes of V + U rows in their place (`firth.vectors.codes`); vectors are made anew when they
                         are opened
    config.json          what word vectors have, and how n-grams become buckets

`firth.storage.model_folder` has what all folders of firth's share.
"""

import dataclasses
import os

import numpy as np
import numpy.typing as npt

from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.vectors import codes
from firth.vectors.character_ngrams import Hashing
from firth.vectors.codes import Codes
from firth.vectors.io import folder
from firth.vectors.io.table import check_fits, stored_dtype
from firth.vectors.space import SubwordSpace

SUBWORDS = "firth-subwords"
MOST_HASHES = 4  # rows an n-gram of floret's tables


def save(vectors: SubwordSpace, path: str | os.PathLike[str], dtype: npt.DTypeLike | None = None) -> None:
    """Write vectors as a folder.

    Args:
        path: the folder; one of firth's that is there is replaced.
        dtype: the precision to store rows in; None keeps theirs. Codes of quantised rows stay as they are.
    """
    model_folder.check_target(path)
    words, ngrams = vectors.known, vectors.ngrams.without_zeros()
    precision = stored_dtype(words.vectors, dtype)
    arrays, texts = folder.parts(words)
    del arrays["embeddings"]
    if vectors.codes is not None:
        arrays |= codes.arrays_of(vectors.codes)
    elif not isinstance(ngrams.matrix, Codes):
        arrays |= {"embeddings": words.vectors, "ngram_rows": ngrams.matrix}
        if vectors.own is not None:
            arrays["word_rows"] = vectors.own
    if ngrams.used is not None:
        arrays["ngram_buckets"] = ngrams.used
    rows = [name for name in arrays if name in ("embeddings", "output_embeddings", "word_rows", "ngram_rows")]
    for name in rows:
        check_fits(words.words if name != "ngram_rows" else range(len(arrays[name])), arrays[name], precision)
    content = ModelFolder(
        kind=SUBWORDS,
        arrays=arrays,
        dtypes=dict.fromkeys(rows, precision),
        texts=texts,
        config={
            "count": len(words),
            "dim": words.dim,
            "dtype": str(precision),
            "ngrams": {**dataclasses.asdict(ngrams.hashing), "pruned": ngrams.pruned},
            "own_rows": vectors.own is not None,
            **({} if vectors.codes is None else codes.facts_of(vectors.codes)),
        },
        metadata=words.metadata,
        card=folder.card(words, str(precision)),
    )
    model_folder.write(path, content)


def hashing_in(content: ModelFolder) -> tuple[Hashing, bool]:
    """Return how n-grams become buckets, and whether rows were pruned.

    Raises:
        FormatError: the folder is damaged.
    """
    facts = content.config.get("ngrams")
    names = {field.name for field in dataclasses.fields(Hashing)}
    if (
        not isinstance(facts, dict)
        or set(facts) != names | {"pruned"}
        or not all(isinstance(value, int) and 0 <= value < 2**32 for value in facts.values())
    ):
        raise content.damaged(f"n-grams {facts} in config.json; expected whole numbers for {', '.join(sorted(names))}")
    if facts["min_n"] < 1 or facts["hashes"] > MOST_HASHES:
        raise content.damaged(
            f"n-grams {facts} in config.json; expected min_n from 1 on, and up to {MOST_HASHES} hashes"
        )
    return Hashing(**{name: facts[name] for name in names}), bool(facts["pruned"])


def buckets_in(content: ModelFolder, buckets: int) -> npt.NDArray[np.int64] | None:
    """Return which buckets have rows, ascending, or None where all have."""
    if "ngram_buckets" not in content.arrays:
        return None
    buckets_used = content.numbers("ngram_buckets", (None,), buckets).astype(np.int64, copy=False)
    if (buckets_used[1:] <= buckets_used[:-1]).any():
        raise content.damaged("tensor 'ngram_buckets' does not ascend")
    return buckets_used
