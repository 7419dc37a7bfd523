"""Classifiers in files: firth's folder, and fastText's `.bin` and `.ftz`.

The folder holds, beside what `firth.vectors.io.saved` tells of all folders:

    model.safetensors    "inputs" (V + U, D) rows of words, then of buckets, or "input_codes" and what they mean;
                         "outputs" (L, D), or "output_codes"; "counts" (V,), "label_counts" (L,) int64;
                         "buckets" (U,) int32, the bucket of each row behind the words
    vocab.json           the V words
    labels.json          the L labels, without their prefix

fastText's file does not tell the prefix of labels: where all begin with `__label__` that is taken off, else they stay
as they are.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.embeddings.classifier import Classifier
from firth.embeddings.label_tree import ENDLESS
from firth.embeddings.text_features import FeatureMap
from firth.errors import FormatError, OptionError
from firth.kernels.labelled_text import EMPTY, REMOVED
from firth.reading import check_unpacked
from firth.vectors.io import fasttext, saved
from firth.vectors.io.detect import check_file
from firth.vectors.io.fasttext import Arguments, FastTextFile, SparseRows
from firth.vectors.io.saved import Saved
from firth.vectors.quantise import ProductQuantiser, QuantisedMatrix

KIND = "firth-classifier"
PREFIX = "__label__"
LOSSES = ("softmax", "hierarchical", "negative", "ova")


def load(path: str | os.PathLike[str]) -> Classifier:
    """Read a classifier: a folder of firth's, or a `.bin` or `.ftz` file of fastText's.

    Raises:
        FormatError: it is neither, or is damaged.
        OptionError: it holds something else than a classifier.
        OSError: it cannot be read.
    """
    path = Path(path)
    if path.is_dir():
        found = saved.restored(saved.read(path))
        if not isinstance(found, Classifier):
            raise OptionError(f"{path} holds {type(found).__name__}, expected a classifier")
        return found
    return from_fasttext(fasttext.read(path), path.stem)


def save(classifier: Classifier, path: str | os.PathLike[str]) -> None:
    """Write a folder.

    Args:
        classifier: what to write.
        path: the folder; one of firth's that is there is replaced.

    Raises:
        OptionError: the path is a folder of something else, or the metadata is not JSON.
        OSError: the folder cannot be written.
    """
    c, m = classifier, classifier.map
    arrays: dict[str, npt.NDArray[Any]] = {
        "counts": c.counts,
        "label_counts": c.label_counts,
        "buckets": buckets_of(m, c.inputs.shape[0]),
    }
    content = Saved(
        kind=KIND,
        arrays={**arrays, **_stored("input", c.inputs), **_stored("output", c.outputs)},
        texts={"vocab": list(c.words), "labels": c.labels},
        facts={
            "loss": c.loss,
            "label_prefix": c.label_prefix,
            "dim": c.dim,
            "word_ngrams": m.word_ngrams,
            "min_n": m.min_n,
            "max_n": m.max_n,
            "bucket_count": m.buckets,
            "other_buckets": "removed" if _removes(m) else "zero",
        },
        metadata=c.metadata,
        card=card(c),
    )
    saved.write(path, content)


def restore(content: Saved) -> Classifier:
    """Return the classifier of a folder.

    Raises:
        FormatError: the folder is damaged.
    """
    words, labels, facts = content.words(), content.words("labels"), content.facts
    if not labels or len(set(words)) != len(words) or len(set(labels)) != len(labels):
        raise content.damaged(
            f"{len(words):,} words and {len(labels):,} labels; expected labels, and each of both once"
        )
    whole = {name: facts.get(name) for name in ("dim", "word_ngrams", "min_n", "max_n", "bucket_count")}
    if facts.get("loss") not in LOSSES or not all(type(n) is int and 0 <= n < 2**31 for n in whole.values()):
        raise content.damaged(f"loss {facts.get('loss')!r} and the sizes {whole} in config.json")
    dim, count = int(facts["dim"]), int(facts["bucket_count"])
    check_unpacked(content.path / saved.MODEL, 4 * count, f"{count:,} buckets")
    used = content.numbers("buckets", (None,), count)
    rows = rows_of(used, count, len(words), REMOVED if facts.get("other_buckets") == "removed" else EMPTY)
    if np.count_nonzero(rows >= 0) != len(used):
        raise content.damaged("a bucket that has two rows")
    label_counts = content.counts("label_counts", len(labels))
    if wrong := _tree_damage(facts["loss"], label_counts):
        raise content.damaged(wrong)
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
        inputs=_restored(content, "input", len(words) + len(used), dim),
        outputs=_restored(content, "output", len(labels), dim),
        loss=str(facts["loss"]),
        label_prefix=str(facts.get("label_prefix", PREFIX)),
        metadata=dict(content.metadata),
    )


def _tree_damage(loss: str, counts: npt.NDArray[np.int64]) -> str:
    """Return why no tree can be built over labels of these counts, or ""."""
    if loss != "hierarchical" or counts.max(initial=0) < ENDLESS:
        return ""
    return f"a label that stands in {counts.max():,} texts, expected fewer than {ENDLESS:,} for a tree"


def _stored(side: str, matrix: Any) -> dict[str, npt.NDArray[Any]]:
    if not isinstance(matrix, QuantisedMatrix):
        return {f"{side}s": np.asarray(matrix)}
    found: dict[str, npt.NDArray[Any]] = {
        f"{side}_codes": matrix.codes,
        f"{side}_centroids": matrix.quantiser.centroids,
    }
    if matrix.length_codes is not None and matrix.lengths is not None:
        found |= {f"{side}_length_codes": matrix.length_codes, f"{side}_lengths": matrix.lengths.centroids}
    return found


def _restored(content: Saved, side: str, rows: int, dim: int) -> Any:
    if f"{side}_codes" not in content.arrays:
        return content.array(f"{side}s", (rows, dim), dtype=np.float32)
    codes = content.array(f"{side}_codes", (rows, None), "u")
    width = -(-dim // max(codes.shape[1], 1))
    quantiser = ProductQuantiser(dim, width, content.array(f"{side}_centroids", (256 * dim,), dtype=np.float32))
    if codes.shape[1] != quantiser.parts:
        raise content.damaged(f"{codes.shape[1]} codes a row of {dim} numbers, which no width of parts makes")
    if f"{side}_length_codes" not in content.arrays:
        return QuantisedMatrix(codes, quantiser)
    lengths = ProductQuantiser(1, 1, content.array(f"{side}_lengths", (256,), dtype=np.float32))
    return QuantisedMatrix(codes, quantiser, content.array(f"{side}_length_codes", (rows,), "u"), lengths)


def buckets_of(map: FeatureMap, rows: int) -> npt.NDArray[np.int32]:
    """Return the bucket of each of the `rows` behind those of the words."""
    found = np.zeros(rows - len(map.words), dtype=np.int32)
    used = np.flatnonzero(map.bucket_rows >= 0)
    found[map.bucket_rows[used] - len(map.words)] = used
    return found


def rows_of(used: npt.NDArray[Any], count: int, words: int, other: int) -> npt.NDArray[np.int32]:
    """Return the row of each bucket.

    Args:
        used: (U,) the buckets of the rows behind those of the words.
        count: of all buckets.
        words: V.
        other: what stands for buckets without a row.
    """
    rows = np.full(count, other, dtype=np.int32)
    rows[used] = words + np.arange(len(used), dtype=np.int32)
    return rows


def _removes(map: FeatureMap) -> bool:
    return bool((map.bucket_rows == REMOVED).any())


def save_fasttext(classifier: Classifier, path: str | os.PathLike[str]) -> None:
    """Write a file that fastText opens: `.ftz`, as it calls it, where the classifier is quantised, else `.bin`.

    Args:
        classifier: what to write.
        path: the file to write or replace.

    Raises:
        OptionError: a file of something else is there.
        FormatError: a word or a label holds a space.
        OSError: the file cannot be written.
    """
    check_file(path)
    fasttext.write(to_fasttext(classifier), path)


def to_fasttext(classifier: Classifier) -> FastTextFile:
    """Return a classifier as fastText's file has it."""
    c, m = classifier, classifier.map
    options = c.metadata.get("training", {}).get("options", {})
    used = buckets_of(m, c.inputs.shape[0])
    pruned: npt.NDArray[np.int32] | None = None
    inputs: fasttext.Matrix = c.inputs
    if isinstance(c.inputs, QuantisedMatrix):
        pruned = np.stack([used, np.arange(len(used), dtype=np.int32)], axis=1)
    elif m.buckets:  # fastText's file has every bucket's row
        order = np.argsort(used)
        rows = np.asarray(c.inputs[len(m.words) :][order], dtype=np.float32)
        first = np.asarray(c.inputs[: len(m.words)], dtype=np.float32)
        inputs = SparseRows(first=first, buckets=m.buckets, used=used[order].astype(np.int64), rows=rows)
    return FastTextFile(
        arguments=Arguments(
            dim=c.dim,
            epochs=options.get("epochs", 5),
            min_count=options.get("min_count", 1),
            negative=options.get("negative", 5),
            word_ngrams=m.word_ngrams,
            loss=c.loss,
            model="supervised",
            buckets=m.buckets,
            min_n=m.min_n,
            max_n=m.max_n,
        ),
        words=list(m.words),
        counts=c.counts,
        labels=[c.label_prefix + label for label in c.labels],
        label_counts=c.label_counts,
        tokens=int(c.counts.sum() + c.label_counts.sum()),
        pruned=pruned,
        input=inputs,
        output=c.outputs,
    )


def from_fasttext(file: FastTextFile, name: str = "classifier") -> Classifier:
    """Return the classifier of a fastText file.

    Args:
        file: what was read.
        name: what to call it.

    Raises:
        OptionError: the file holds word vectors.
        FormatError: its counts of labels make no tree.
    """
    a, words = file.arguments, len(file.words)
    if a.model != "supervised":
        raise OptionError(f"{name} holds word vectors of fastText's {a.model}, expected a classifier")
    if wrong := _tree_damage(a.loss, file.label_counts):
        raise FormatError(f"{name}: {wrong}; the file is damaged, copy it again")
    prefix = PREFIX if all(label.startswith(PREFIX) for label in file.labels) else ""
    buckets = a.buckets if file.input.shape[0] > words or file.pruned is not None else 0
    if file.pruned is None:
        rows = rows_of(np.arange(buckets), buckets, words, EMPTY)
    else:
        rows = np.full(buckets, REMOVED, dtype=np.int32)
        inside = file.pruned[file.pruned[:, 0] < buckets]
        rows[inside[:, 0]] = words + inside[:, 1]
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


def card(classifier: Classifier) -> str:
    """Return the text of the README.md beside a saved classifier."""
    c = classifier
    labels = ", ".join(c.labels[:20]) + (", ..." if len(c.labels) > 20 else "")
    return f"""---
library_name: firth
tags: [text-classification]
---

# {" ".join(str(c.metadata.get("name", "Text classifier")).split())}

| fact | value |
|---|---|
| labels | {len(c.labels):,}: {labels.replace("|", " ")} |
| words | {len(c.words):,} |
| width | {c.dim} |
| loss | {c.loss} |

```python
import firth

classifier = firth.load("this/folder")
classifier.predict("a text")
```
"""
