"""Vectors of senses in firth's own format: a folder that is mapped, not read.

    model.safetensors    "senses" (S, D), "offsets" (V + 1,) int64, "priors" (S,) float64; where they are known "counts"
                         (V,) int64 and "global_vectors" (V, D); and what the reader reads
    ... of centres       "context_vectors" (V, E), "context_weights" (V,), "centres" (S, E)
    ... of likelihoods   "outputs"; with a tree "tree_starts" (V + 1,) int64, "tree_nodes" int64, "tree_signs" float32
    vocab.json           the V words
    labels.json          what the S senses are called, where they are called anything
    config.json          format, version, sizes, the reader's kind, and the caller's metadata
    README.md            a model card

`firth.storage.model_folder` has what all folders of firth's share.
"""

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError
from firth.kernels.trees import Tree
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.vectors.io.table import check_fits
from firth.vectors.lexicon import Lexicon
from firth.vectors.sense_readers import Centroids, Likelihood, Reader

if TYPE_CHECKING:
    from firth.vectors.sense_vectors import SenseVectors

KIND = "firth-senses"
Arrays = dict[str, npt.NDArray[Any]]


def save(senses: "SenseVectors", path: str | os.PathLike[str]) -> None:
    """Write senses as a folder.

    Args:
        senses: the senses.
        path: the folder; one of firth's that is there is replaced.

    Raises:
        OptionError: the path is a folder of something else, which is never replaced, or the metadata is not JSON.
        FormatError: a number is not finite.
        OSError: the folder cannot be written.
    """
    model_folder.check_target(path)
    arrays, reader = _reader_parts(senses.reader)
    arrays = {"senses": senses.vectors, "offsets": senses.offsets, "priors": senses.priors, **arrays}
    more = {"counts": senses.counts, "global_vectors": senses.global_vectors}
    arrays |= {name: array for name, array in more.items() if array is not None}
    for name, array in arrays.items():
        if array.dtype.kind == "f" and array.ndim == 2:
            check_fits([f"{name}, row {row}" for row in range(len(array))], array, array.dtype)
    content = ModelFolder(
        kind=KIND,
        arrays=arrays,
        texts={"vocab": senses.words, **({} if senses.labels is None else {"labels": senses.labels})},
        config={"count": len(senses), "senses": len(senses.vectors), "dim": senses.dim, "reader": reader},
        metadata=senses.metadata,
        card=_card(senses),
    )
    model_folder.write(path, content)


def restore(content: ModelFolder) -> "SenseVectors":
    """Return the senses of a folder.

    Raises:
        FormatError: the folder is damaged.
    """
    from firth.vectors.sense_vectors import SenseVectors

    words, dim, arrays = content.words(), content.config.get("dim"), content.arrays
    vectors = content.array("senses", (None, dim))
    try:
        return SenseVectors(
            Lexicon(words),
            content.offsets("offsets", len(words), len(vectors)),
            vectors,
            priors=content.array("priors", (len(vectors),)),
            reader=_reader(content, len(words), len(vectors)),
            counts=content.counts("counts", len(words)) if "counts" in arrays else None,
            labels=content.words("labels") if "labels" in content.texts else None,
            global_vectors=content.array("global_vectors", (len(words), None)) if "global_vectors" in arrays else None,
            metadata=content.metadata,
        )
    except (ShapeError, OptionError) as error:
        raise content.damaged(str(error)) from None


def _reader_parts(reader: Reader | None) -> tuple[Arrays, dict[str, Any]]:
    if reader is None:
        return {}, {"kind": "none"}
    if isinstance(reader, Centroids):
        arrays: Arrays = {
            "context_vectors": reader.context_vectors,
            "context_weights": np.asarray(reader.weights, dtype=np.float32),
            "centres": reader.centres,
        }
        return arrays, {"kind": "centroids", "temperature": float(reader.temperature), "decay": float(reader.decay)}
    arrays = {"outputs": reader.outputs}
    if reader.tree is not None:
        starts, nodes, signs = reader.tree.starts, reader.tree.nodes, reader.tree.signs
        arrays |= {"tree_starts": starts, "tree_nodes": nodes, "tree_signs": signs}
    return arrays, {"kind": "likelihood", "decay": float(reader.decay)}


def _reader(content: ModelFolder, words: int, senses: int) -> Reader | None:
    facts = content.config.get("reader")
    kind = facts.get("kind") if isinstance(facts, dict) else None
    if kind == "none":
        return None
    temperature, decay = (facts.get(name) if isinstance(facts, dict) else None for name in ("temperature", "decay"))
    if kind == "likelihood" and isinstance(decay, float):
        return Likelihood(content.array("outputs", (None, None)), _tree(content, words), decay)
    if kind != "centroids" or not isinstance(temperature, float) or not isinstance(decay, float):
        raise content.damaged(f"reader {facts} in config.json; expected one of none, centroids, likelihood")
    return Centroids(
        content.array("context_vectors", (words, None)),
        content.array("context_weights", (words,)),
        content.array("centres", (senses, None)),
        temperature,
        decay,
    )


def _tree(content: ModelFolder, words: int) -> Tree | None:
    if "tree_starts" not in content.arrays:
        return None
    nodes = content.numbers("tree_nodes", (None,), len(content.array("outputs", (None, None))))
    starts, signs = content.offsets("tree_starts", words, len(nodes)), content.array("tree_signs", (len(nodes),))
    if (np.abs(signs) != 1).any():
        raise content.damaged("a tree with a turn other than 1 and -1")
    return Tree(starts, nodes, signs)


def _card(senses: "SenseVectors") -> str:
    word = senses.words[int(senses.num_senses.argmax())] if len(senses) else "word"
    facts = "".join(f"| {key} | {json.dumps(value, ensure_ascii=False)} |\n" for key, value in _facts(senses).items())
    return (
        "---\nlibrary_name: firth\ntags: [word-embeddings, word-senses]\n---\n\n# Vectors of senses\n\n"
        f"| fact | value |\n|---|---|\n{facts}\n"
        f'```python\nimport firth\n\nsenses = firth.load("this/folder")\nsenses.senses({json.dumps(word)})\n```\n'
    )


def _facts(senses: "SenseVectors") -> dict[str, Any]:
    return {
        "words": len(senses),
        "words with several senses": int((senses.num_senses > 1).sum()),
        "senses": len(senses.vectors),
        "width": senses.dim,
    }
