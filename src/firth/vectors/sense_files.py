"""Sense vectors in firth's own format: a folder that is mapped into memory.

    model.safetensors      "senses" (S, D), "offsets" (V + 1,) int64, "priors" (S,) float64, optionally "counts" (V,)
                           int64 and "global_vectors" (V, D), and the arrays of the reader:
      Centroids            "context_vectors" (V, E), "context_weights" (V,), "centres" (S, E)
      Likelihood           "outputs"; with a tree "tree_starts" (V + 1,) int64, "tree_nodes" int64, "tree_signs" float32
    vocab.json             the V words
    labels.json            the S labels of the senses, if any
    config.json            format, version, sizes, the reader's kind, and the caller's metadata
    README.md              a model card

`firth.storage.model_folder` has the format shared by all folders.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.kernels.trees import Tree
from firth.storage.model_folder import ModelFolder
from firth.vectors.sense_readers import Centroids, Likelihood, Reader

KIND = "firth-senses"
Arrays = dict[str, npt.NDArray[Any]]


def reader_parts(reader: Reader | None) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays of a reader, and its settings for config.json."""
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


def read_reader(content: ModelFolder, words: int, senses: int) -> Reader | None:
    """Return the reader saved in a folder.

    Raises:
        FormatError: the folder is damaged.
    """
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


def card(facts: Mapping[str, int], word: str) -> str:
    """Return the model card: a table of facts, and code that looks up a word with several senses."""
    rows = "".join(f"| {key} | {value} |\n" for key, value in facts.items())
    return (
        "---\nlibrary_name: firth\ntags: [word-embeddings, word-senses]\n---\n\n# Vectors of senses\n\n"
        f"| fact | value |\n|---|---|\n{rows}\n"
        f'```python\nimport firth\n\nsenses = firth.load("this/folder")\nsenses.senses({json.dumps(word)})\n```\n'
    )
