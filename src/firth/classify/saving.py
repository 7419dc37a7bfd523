"""Write classifiers: firth's folder, and fastText's `.bin` and `.ftz` files; `firth.classify.files` describes both.

A classifier saves itself by these functions, so that they take one as `Any`: its module imports this one.
"""

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.kernels.labelled_text import REMOVED
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.vectors.io import fasttext
from firth.vectors.io.detect import check_file
from firth.vectors.io.fasttext import Arguments, FastTextFile, SparseRows
from firth.vectors.quantise import QuantisedMatrix

KIND = "firth-classifier"


def save(classifier: Any, path: str | os.PathLike[str]) -> None:
    """Write a folder; an older folder of firth at `path` is replaced."""
    c, m = classifier, classifier.map
    arrays: dict[str, npt.NDArray[Any]] = {
        "counts": c.counts,
        "label_counts": c.label_counts,
        "buckets": m.row_buckets(c.inputs.shape[0]),
    }
    content = ModelFolder(
        kind=KIND,
        arrays={**arrays, **_stored("input", c.inputs), **_stored("output", c.outputs)},
        texts={"vocab": list(c.words), "labels": c.labels},
        config={
            "loss": c.loss,
            "label_prefix": c.label_prefix,
            "dim": c.dim,
            "word_ngrams": m.word_ngrams,
            "min_n": m.min_n,
            "max_n": m.max_n,
            "bucket_count": m.buckets,
            "other_buckets": "removed" if (m.bucket_rows == REMOVED).any() else "zero",
        },
        metadata=c.metadata,
        card=card(c),
    )
    model_folder.write(path, content)


def _stored(side: str, matrix: Any) -> dict[str, npt.NDArray[Any]]:
    if not isinstance(matrix, QuantisedMatrix):
        return {f"{side}s": np.asarray(matrix)}
    arrays: dict[str, npt.NDArray[Any]] = {
        f"{side}_codes": matrix.codes,
        f"{side}_centroids": matrix.quantiser.centroids,
    }
    if matrix.length_codes is not None and matrix.lengths is not None:
        arrays |= {f"{side}_length_codes": matrix.length_codes, f"{side}_lengths": matrix.lengths.centroids}
    return arrays


def save_fasttext(classifier: Any, path: str | os.PathLike[str]) -> None:
    """Write a file that fastText opens: `.ftz` for a quantised classifier, `.bin` otherwise."""
    check_file(path)
    fasttext.write(to_fasttext(classifier), path)


def to_fasttext(classifier: Any) -> FastTextFile:
    """Convert a classifier to the content of a fastText file."""
    c, m = classifier, classifier.map
    options = c.metadata.get("training", {}).get("options", {})
    buckets = m.row_buckets(c.inputs.shape[0])
    pruned: npt.NDArray[np.int32] | None = None
    inputs: fasttext.Matrix = c.inputs
    if isinstance(c.inputs, QuantisedMatrix):
        pruned = np.stack([buckets, np.arange(len(buckets), dtype=np.int32)], axis=1)
    elif m.buckets:  # fastText's file has a row for every bucket
        order = np.argsort(buckets)
        rows = np.asarray(c.inputs[len(m.words) :][order], dtype=np.float32)
        first = np.asarray(c.inputs[: len(m.words)], dtype=np.float32)
        inputs = SparseRows(first=first, buckets=m.buckets, used=buckets[order].astype(np.int64), rows=rows)
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


def card(classifier: Any) -> str:
    """Return the model card, the README.md of a saved classifier."""
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
