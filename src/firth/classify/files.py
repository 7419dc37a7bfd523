"""Read classifiers: firth's folder, and fastText's `.bin` and `.ftz` files; `firth.classify.saving` writes them.

Besides the files that every folder has (`firth.storage.model_folder`), the folder holds:

    model.safetensors    "inputs" (V + U, D) rows of words, then of buckets, or "input_codes" with their centroids;
                         "outputs" (L, D), or "output_codes"; "counts" (V,), "label_counts" (L,) int64;
                         "buckets" (U,) int32, the bucket of each row after the words
    vocab.json           the V words
    labels.json          the L labels, without their prefix

fastText's file does not store the label prefix. If all labels begin with `__label__`, that is the prefix; otherwise
the prefix is empty.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import registry
from firth.arguments import names_files
from firth.classify.classifier import Classifier
from firth.classify.features import FeatureMap, bucket_rows
from firth.classify.labels import UNBUILT
from firth.errors import FormatError, OptionError
from firth.kernels.labelled_text import EMPTY, REMOVED
from firth.readers.labelled import LABEL_PREFIX
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.storage.snapshots import snapshot
from firth.storage.untrusted import check_unpacked
from firth.vectors.io import fasttext
from firth.vectors.io.fasttext import FastTextFile, SparseRows
from firth.vectors.quantise import ProductQuantiser, QuantisedMatrix

LOSSES = ("softmax", "hierarchical", "negative", "ova")


@names_files
def load(path: str | os.PathLike[str]) -> Classifier:
    """Read a classifier: a folder of firth, or a `.bin` or `.ftz` file of fastText."""
    path = Path(path)
    if snapshot(path, Path.is_dir):
        content = registry.load_folder(path)
        if not isinstance(content, Classifier):
            kind = registry.plain_name(content)
            raise OptionError(f"{path} holds {kind}, expected a classifier of firth.TextClassifier or fastText")
        return content
    return from_fasttext(snapshot(path, fasttext.read), path.stem)


def restore(content: ModelFolder) -> Classifier:
    """Return the classifier of a folder."""
    words, labels, facts = content.words(), content.words("labels"), content.config
    if not labels or len(set(words)) != len(words) or len(set(labels)) != len(labels):
        raise content.damaged(
            f"{len(words):,} words and {len(labels):,} labels; expected at least one label and no duplicates"
        )
    sizes = {name: facts.get(name) for name in ("dim", "word_ngrams", "min_n", "max_n", "bucket_count")}
    if facts.get("loss") not in LOSSES or not all(type(n) is int and 0 <= n < 2**31 for n in sizes.values()):
        raise content.damaged(f"loss {facts.get('loss')!r} and the sizes {sizes} in config.json")
    dim, count = int(facts["dim"]), int(facts["bucket_count"])
    size = sum(array.nbytes for array in content.arrays.values())
    check_unpacked(content.path / model_folder.MODEL, 4 * count, f"{count:,} buckets", size)
    buckets = content.numbers("buckets", (None,), count)
    rows = bucket_rows(buckets, count, len(words), REMOVED if facts.get("other_buckets") == "removed" else EMPTY)
    if np.count_nonzero(rows >= 0) != len(buckets):
        raise content.damaged("a bucket with two rows")
    label_counts = content.counts("label_counts", len(labels))
    if error := _tree_error(facts["loss"], label_counts):
        raise content.damaged(error)
    return Classifier(
        map=FeatureMap(
            words=words,
            word_ngrams=int(facts["word_ngrams"]),
            min_n=int(facts["min_n"]),
            max_n=int(facts["max_n"]),
            buckets=count,
            bucket_rows=rows,
        ),
        labels=labels,
        counts=content.counts("counts", len(words)),
        label_counts=label_counts,
        inputs=_restored(content, "input", len(words) + len(buckets), dim),
        outputs=_restored(content, "output", len(labels), dim),
        loss=str(facts["loss"]),
        label_prefix=str(facts.get("label_prefix", LABEL_PREFIX)),
        metadata=dict(content.metadata),
    )


def _tree_error(loss: str, counts: npt.NDArray[np.int64]) -> str:
    """Return why labels with these counts have no tree, or "" if they have one."""
    if loss != "hierarchical" or counts.max(initial=0) < UNBUILT:
        return ""
    return f"a label with a count of {counts.max():,}, expected less than {UNBUILT:,}"


def _restored(content: ModelFolder, side: str, rows: int, dim: int) -> Any:
    if f"{side}_codes" not in content.arrays:
        return content.array(f"{side}s", (rows, dim), dtype=np.float32)
    codes = content.array(f"{side}_codes", (rows, None), "u")
    width = -(-dim // max(codes.shape[1], 1))
    quantiser = ProductQuantiser(dim, width, content.array(f"{side}_centroids", (256 * dim,), dtype=np.float32))
    if codes.shape[1] != quantiser.parts:
        raise content.damaged(f"{codes.shape[1]} codes per row of {dim} numbers, which fits no sub-vector width")
    if f"{side}_length_codes" not in content.arrays:
        return QuantisedMatrix(codes, quantiser)
    lengths = ProductQuantiser(1, 1, content.array(f"{side}_lengths", (256,), dtype=np.float32))
    return QuantisedMatrix(codes, quantiser, content.array(f"{side}_length_codes", (rows,), "u"), lengths)


def from_fasttext(file: FastTextFile, name: str = "classifier") -> Classifier:
    """Convert the content of a fastText file to a classifier; `name` appears in its metadata and in errors."""
    a, words = file.arguments, len(file.words)
    if a.model != "supervised":
        raise OptionError(f"{name} holds fastText {a.model} word vectors, expected a classifier")
    if error := _tree_error(a.loss, file.label_counts):
        raise FormatError(f"{name}: {error}; the file is damaged, copy it again")
    prefix = LABEL_PREFIX if all(label.startswith(LABEL_PREFIX) for label in file.labels) else ""
    buckets = a.buckets if file.input.shape[0] > words or file.pruned is not None else 0
    if file.pruned is None:
        rows = bucket_rows(np.arange(buckets), buckets, words, EMPTY)
    else:
        rows = np.full(buckets, REMOVED, dtype=np.int32)
        pairs = file.pruned[file.pruned[:, 0] < buckets]
        rows[pairs[:, 0]] = words + pairs[:, 1]
    facts = {"epochs": a.epochs, "min_count": a.min_count, "negative": a.negative}
    return Classifier(
        map=FeatureMap(
            words=file.words, word_ngrams=a.word_ngrams, min_n=a.min_n, max_n=a.max_n, buckets=buckets, bucket_rows=rows
        ),
        labels=[label.removeprefix(prefix) for label in file.labels],
        counts=file.counts,
        label_counts=file.label_counts,
        inputs=file.input.first if isinstance(file.input, SparseRows) else file.input,
        outputs=file.output.first if isinstance(file.output, SparseRows) else file.output,
        loss=a.loss,
        label_prefix=prefix,
        metadata={"name": name, "training": {"options": facts}},
    )
