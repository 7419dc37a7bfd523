"""Word vectors in firth's own format: a folder that opens in milliseconds, whatever its size, and in ten years.

    model.safetensors    "embeddings" (V, D), or codes in their place (`firth.vectors.codes`), of which the vectors
                         are made anew when they are opened; where they are known "output_embeddings" (V, D), "counts"
                         (V,) int64, and "attribute.NAME" (V,) for every other attribute of the words that is a number
    vocab.json           the V words, row by row: words may hold anything
    attributes.json      attributes of the words that are text, where there are any
    config.json          format, version, sizes, and the caller's metadata
    README.md            a model card

Vectors with subwords have the rows that they are made of as well: "word_rows" (V, D), the words' own rows, where they
have any, and "ngram_rows" (U, D) with "ngram_buckets" (U,) int64, the bucket of each, where not all have one; or codes
of V + U rows. config.json says how n-grams become buckets.

`firth.storage.model_folder` has what all folders of firth's share.
"""

import dataclasses
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.storage import model_folder, tensors
from firth.storage.model_folder import CONFIG, ModelFolder
from firth.vectors import codes
from firth.vectors.character_ngrams import Hashing
from firth.vectors.codes import Codes
from firth.vectors.io.table import check_fits, stored_dtype
from firth.vectors.space import SubwordSpace, VectorSpace

KIND, SUBWORDS = "firth-vectors", "firth-subwords"
MOST_HASHES = 4  # rows an n-gram of floret's tables


ROWS = ("embeddings", "output_embeddings", "word_rows", "ngram_rows")  # stored in the precision asked for


def save(vectors: VectorSpace, path: str | os.PathLike[str], dtype: npt.DTypeLike | None = None) -> None:
    """Write vectors as a folder.

    Args:
        path: the folder; one of firth's that is there is replaced.
        dtype: the precision to store the vectors in; None keeps theirs, or their codes.
    """
    model_folder.check_target(path)
    precision = stored_dtype(vectors.vectors, dtype)
    arrays, texts = parts(vectors)
    _check_rows(vectors, arrays, precision)
    facts: dict[str, Any] = {}
    if vectors.codes is not None and dtype is None:
        del arrays["embeddings"]
        arrays, facts = codes.arrays_of(vectors.codes) | arrays, codes.facts_of(vectors.codes)
    _write(path, KIND, vectors, arrays, texts, precision, facts)


def save_with_ngrams(vectors: SubwordSpace, path: str | os.PathLike[str], dtype: npt.DTypeLike | None = None) -> None:
    """Write vectors with subwords as a folder.

    Args:
        path: the folder; one of firth's that is there is replaced.
        dtype: the precision to store rows in; None keeps theirs. Codes of quantised rows stay as they are.
    """
    model_folder.check_target(path)
    words, ngrams = vectors.known, vectors.ngrams.without_zeros()
    precision = stored_dtype(words.vectors, dtype)
    arrays, texts = parts(words)
    del arrays["embeddings"]
    if vectors.codes is not None:
        arrays |= codes.arrays_of(vectors.codes)
    elif not isinstance(ngrams.matrix, Codes):
        arrays |= {"embeddings": words.vectors, "ngram_rows": ngrams.matrix}
        if vectors.own is not None:
            arrays["word_rows"] = vectors.own
    if ngrams.used is not None:
        arrays["ngram_buckets"] = ngrams.used
    _check_rows(words, arrays, precision)
    facts: dict[str, Any] = {
        "ngrams": {**dataclasses.asdict(ngrams.hashing), "pruned": ngrams.pruned},
        "own_rows": vectors.own is not None,
        **({} if vectors.codes is None else codes.facts_of(vectors.codes)),
    }
    _write(path, SUBWORDS, words, arrays, texts, precision, facts)


def _check_rows(words: VectorSpace, arrays: Mapping[str, npt.NDArray[Any]], precision: np.dtype[Any]) -> None:
    for name in (name for name in arrays if name in ROWS):
        check_fits(words.words if name != "ngram_rows" else range(len(arrays[name])), arrays[name], precision)


def _write(
    path: str | os.PathLike[str],
    kind: str,
    words: VectorSpace,
    arrays: dict[str, npt.NDArray[Any]],
    texts: dict[str, Any],
    precision: np.dtype[Any],
    facts: Mapping[str, Any],
) -> None:
    content = ModelFolder(
        kind=kind,
        arrays=arrays,
        dtypes={name: precision for name in arrays if name in ROWS},
        texts=texts,
        config={"count": len(words), "dim": words.dim, "dtype": str(precision), **facts},
        metadata=words.metadata,
        card=card(words, str(precision)),
    )
    model_folder.write(path, content)


def parts(vectors: VectorSpace) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the texts that make up word vectors.

    Raises:
        OptionError: an attribute is neither numbers nor text.
    """
    arrays, columns = {"embeddings": vectors.vectors}, {}
    if vectors.output_vectors is not None:
        arrays["output_embeddings"] = vectors.output_vectors
    for name, values in vectors.attributes.items():
        if values.dtype == object:
            columns[name] = [str(value) for value in values]
        elif name == "count":
            arrays["counts"] = values
        elif tensors.holds(values.dtype):
            arrays[f"attribute.{name}"] = values
        else:
            raise OptionError(f"attribute {name!r} of {values.dtype} cannot be saved: expected numbers or text")
    return arrays, {"vocab": vectors.words, **({"attributes": columns} if columns else {})}


def columns_in(content: ModelFolder, name: str) -> dict[str, npt.NDArray[Any]]:
    """Return the attributes of words that are texts.

    Raises:
        FormatError: it is damaged.
    """
    columns = content.texts.get(name, {})
    if not isinstance(columns, dict) or not all(isinstance(values, list) for values in columns.values()):
        raise content.damaged(f"{name}.json without a list for each attribute of the words")
    if not all(isinstance(value, str) for values in columns.values() for value in values):
        raise content.damaged(f"{name}.json with an attribute that is not text")
    return {key: np.array(values, dtype=object) for key, values in columns.items()}


def rows_in(content: ModelFolder, words: list[str]) -> npt.NDArray[Any] | Codes:
    """Return the vectors or their codes, as many as there are words."""
    promised = (content.config.get("count"), content.config.get("dim"))
    if "embeddings" not in content.arrays and "codes" in content.arrays:
        if len(words) != promised[0] or not isinstance(promised[1], int):
            raise content.damaged(f"{len(words):,} words, and {promised} in {CONFIG}; expected the same")
        return codes.codes_in(content, len(words), promised[1])
    if "embeddings" not in content.arrays:
        raise content.damaged(f"tensors {', '.join(content.arrays) or 'none'}; expected 'embeddings'")
    shape = content.arrays["embeddings"].shape
    if shape != promised or len(words) != shape[0]:
        raise content.damaged(f"{len(words):,} words, vectors {shape}, and {promised} in {CONFIG}; expected the same")
    return content.arrays["embeddings"]


def card(vectors: VectorSpace, dtype: str) -> str:
    """Return the text of the README.md beside saved vectors."""
    name = str(vectors.metadata.get("name", "Word vectors"))
    facts = "".join(f"| {_cell(key)} | {_cell(value)} |\n" for key, value in vectors.metadata.items() if key != "name")
    return f"""---
library_name: firth
tags: [word-embeddings, static-embeddings]
---

# {" ".join(name.split())}

| fact | value |
|---|---|
| words | {len(vectors):,} |
| width | {vectors.dim} |
| precision | {dtype} |
| output vectors (training can go on) | {"yes" if vectors.output_vectors is not None else "no"} |
{facts}
```python
import firth

vectors = firth.load("this/folder")
vectors.most_similar({json.dumps(vectors.words[0] if vectors.words else "word")})
```

`model.safetensors` holds the matrix (`embeddings`, one row a word), `vocab.json` the words row by row.
"""


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(text.split()).replace("|", "\\|")


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
