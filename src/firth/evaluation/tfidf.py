"""TF-IDF baseline of sentence classification.

What: words and word pairs, weighted by TF-IDF, with the same logistic regression on the same folds. Vocabulary and
document frequencies come from the training sentences only.

Objective: the weight of term t in a sentence is count(t) (1 + ln((1 + n) / (1 + n_t))) for n training sentences, n_t of
them with the term; each sentence is scaled to length 1. Terms of only one training sentence are dropped.

Source: Salton and Buckley 1988; Wang and Manning 2012, Baselines and bigrams, for how hard it is to beat.

Cost: some seconds per set. The predictions depend on the set alone. They are cached in firth's cache folder, under a
checksum of the set and of this code.
"""

import contextlib
import hashlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from firth.evaluation import linear, selection
from firth.evaluation.linear import Ints, logistic_path
from firth.evaluation.selection import fit_classifier
from firth.storage.files import cache_folder, replacing_file
from firth.vectors.averages import word_bags

Mask = npt.NDArray[np.bool_]
PENALTIES = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5)  # for rows of length 1


def baseline_correct(
    texts: Sequence[Sequence[str]],
    labels: Ints,
    fold: Ints,
    *,
    development: Mask | None = None,
    seed: int = 0,
    fingerprint: str = "",
) -> Mask:
    """Return which sentences the baseline classifies correctly, trained on the other folds.

    Args:
        texts: n lists of tokens.
        labels: (n,).
        fold: (n,) fold of each sentence; -1 for sentences that are never tested.
        development: (n,) which sentences choose the penalty and are not trained on; None chooses it on training ones.
        seed: random seed of the choice of the penalty.
        fingerprint: checksum of all the above except the seed, the key of the cache; "" disables the cache.
    """
    chooses = np.zeros(len(texts), dtype=bool) if development is None else development
    path = _cache_path(fingerprint, fold, seed) if fingerprint else None
    cached = None if path is None else _load(path, len(texts))
    if cached is not None:
        return cached
    counts = word_bags([terms(text) for text in texts])[1]
    correct = np.zeros(len(texts), dtype=bool)
    for held_out in np.unique(fold[fold >= 0]):
        train, test = np.flatnonzero((fold != held_out) & ~chooses), np.flatnonzero(fold == held_out)
        train_rows, test_rows = tfidf_rows(counts[train], counts[test])
        held = (tfidf_rows(counts[train], counts[chooses])[1], labels[chooses]) if chooses.any() else None
        model = fit_classifier(
            logistic_path, train_rows, labels[train], development=held, penalties=PENALTIES, seed=seed
        )
        correct[test] = model.predict(test_rows) == labels[test]
    if path is not None:
        # the cache is optional: if it cannot be written, the next call computes the predictions again
        with contextlib.suppress(OSError), replacing_file(path) as file:
            np.save(file, correct)
    return correct


def terms(text: Sequence[str]) -> list[str]:
    """Return the words of a tokenised sentence in lower case, and its pairs of adjacent words."""
    words = [word.lower() for word in text]
    return words + [f"{first} {second}" for first, second in pairwise(words)]


def tfidf_rows(train: csr_array, test: csr_array) -> tuple[csr_array, csr_array]:
    """Return TF-IDF rows of length 1, with the document frequencies of the training rows.

    Args:
        train: (n, T) counts.
        test: (m, T) counts.
    """
    frequencies = np.bincount(train.indices, minlength=train.shape[1])
    columns = np.flatnonzero(frequencies > 1)
    weights = 1 + np.log((1 + train.shape[0]) / (1 + frequencies[columns]))
    return _weighted_rows(train[:, columns], weights), _weighted_rows(test[:, columns], weights)


def _weighted_rows(counts: csr_array, weights: npt.NDArray[np.float64]) -> csr_array:
    rows = csr_array(counts @ diags_array(weights))
    lengths = np.sqrt(rows.power(2).sum(axis=1))
    return csr_array(diags_array(1 / np.where(lengths > 0, lengths, 1)) @ rows)


def _cache_path(fingerprint: str, fold: Ints, seed: int) -> Path:
    # the code is part of the key, so that a change of the code invalidates the cache
    code = b"".join(Path(str(file)).read_bytes() for file in (__file__, linear.__file__, selection.__file__))
    key: Any = hashlib.sha256(code + fingerprint.encode() + fold.tobytes() + str(seed).encode())
    return cache_folder("baselines") / f"{key.hexdigest()}.npy"


def _load(path: Path, sentences: int) -> Mask | None:
    try:
        correct = np.load(path)
    except (OSError, ValueError, EOFError):
        return None
    return correct if correct.shape == (sentences,) and correct.dtype == bool else None
