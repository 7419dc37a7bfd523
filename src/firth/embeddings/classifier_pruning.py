"""A classifier made small: the rows of greatest length kept, and every row a few bytes.

Source: Joulin et al. 2016, "FastText.zip: compressing text classification models", sections 3.1 (product quantisation,
lengths apart) and 3.2 (pruning by the length of rows).

Departures: without retraining. N-grams whose bucket has no row no longer count among the features of a text, as in
fastText's pruned models.
"""

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.embeddings.classifier import Classifier
from firth.embeddings.classifier_files import buckets_of, rows_of
from firth.errors import OptionError
from firth.kernels.labelled_text import END, REMOVED
from firth.vectors.quantise import QuantisedMatrix, quantise_matrix


def quantised(
    classifier: Classifier, *, width: int, lengths: bool, keep: int | None, labels: bool, seed: int
) -> Classifier:
    """Return a classifier whose rows are codes; see `Classifier.quantise`.

    Raises:
        OptionError: an option is out of its range, or the classifier is quantised already.
    """
    if isinstance(classifier.inputs, QuantisedMatrix) or isinstance(classifier.outputs, QuantisedMatrix):
        raise OptionError("the classifier is quantised already; quantise the one that was trained")
    if keep is not None and (isinstance(keep, bool) or not isinstance(keep, int) or keep < 1):
        raise OptionError(f"keep={keep!r}: expected a whole number of rows, at least 1")
    c, words = classifier, len(classifier.words)
    chosen = longest_rows(classifier, keep)
    outputs: Any = c.outputs
    kept = chosen[chosen < words]
    used = buckets_of(c.map, c.inputs.shape[0])[chosen[chosen >= words] - words]
    rows = np.asarray(classifier.inputs[chosen], dtype=np.float32)
    inputs = quantise_matrix(rows, width=width, lengths=lengths, seed=seed)
    facts = {"width": width, "lengths": lengths, "keep": keep, "labels": labels, "seed": seed}
    return dataclasses.replace(
        c,
        map=dataclasses.replace(
            c.map,
            words=[c.words[row] for row in kept.tolist()],
            bucket_rows=rows_of(used, c.map.buckets, len(kept), REMOVED),
        ),
        counts=c.counts[kept],
        inputs=inputs,
        outputs=quantise_matrix(outputs, width=2, lengths=lengths, seed=seed) if labels else outputs,
        metadata={**c.metadata, "quantised": facts},
    )


def longest_rows(classifier: Classifier, keep: int | None) -> npt.NDArray[np.int64]:
    """Return, in their order, the rows of greatest length; that of `</s>` is always one."""
    rows = np.asarray(classifier.inputs, dtype=np.float32)
    if keep is None or keep >= len(rows):
        return np.arange(len(rows))
    norms = np.einsum("rd,rd->r", rows, rows, dtype=np.float64)
    end = classifier.map.ids.get(END.decode())
    if end is not None:
        norms[end] = np.inf
    return np.sort(np.argsort(-norms, kind="stable")[:keep])
