"""What a plain classifier of word counts reaches: the baseline that sentence vectors must beat.

What: words and pairs of neighbouring words, weighted by TF-IDF, classified by the same logistic regression, on the same
folds. Which words there are, and how rare they are, is learnt from training sentences alone.

Objective: the weight of term t in a sentence is count(t) (1 + ln((1 + n) / (1 + n_t))), n training sentences, n_t of
them with the term; each sentence has length 1. Terms of a single training sentence are left out.

Source: Salton and Buckley 1988; Wang and Manning 2012, Baselines and bigrams, for how hard it is to beat.

Cost: some seconds a set. The answers depend on the set alone, so they are kept in firth's cache folder by the set's
checksum and this code's, and are made once.
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

from firth.evaluation import linear
from firth.evaluation.linear import Ints, fit_chosen, logistic_path
from firth.storage.files import cache_folder, replacing_file
from firth.vectors.averages import word_bags

Right = npt.NDArray[np.bool_]
PENALTIES = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5)  # of rows of length 1


def right_answers(
    texts: Sequence[Sequence[str]], labels: Ints, fold: Ints, *, seed: int = 0, fingerprint: str = ""
) -> Right:
    """Return which sentences the baseline classifies right, each by a model of the sentences outside its fold.

    Args:
        texts: n lists of tokens.
        labels: (n,).
        fold: (n,) the part of each sentence; -1 for one that is only trained on.
        seed: of the choice of the penalty.
        fingerprint: a checksum of all the above but the seed, under which the answers are kept; "" keeps nothing.
    """
    place = _kept_at(fingerprint, fold, seed) if fingerprint else None
    kept = None if place is None else _kept(place, len(texts))
    if kept is not None:
        return kept
    counts = word_bags([terms(text) for text in texts])[1]
    right = np.zeros(len(texts), dtype=bool)
    for part in np.unique(fold[fold >= 0]):
        train, test = np.flatnonzero(fold != part), np.flatnonzero(fold == part)
        rows, judged = weighted(counts[train], counts[test])
        model = fit_chosen(logistic_path, rows, labels[train], PENALTIES, seed=seed)
        right[test] = model.predict(judged) == labels[test]
    if place is not None:
        # A cache that cannot be written is no reason to fail: the answers are made anew next time.
        with contextlib.suppress(OSError), replacing_file(place) as file:
            np.save(file, right)
    return right


def terms(text: Sequence[str]) -> list[str]:
    """Return the words of a sentence, in lower case, and its pairs of neighbours.

    Args:
        text: its tokens.
    """
    words = [word.lower() for word in text]
    return words + [f"{one} {other}" for one, other in pairwise(words)]


def weighted(train: csr_array, test: csr_array) -> tuple[csr_array, csr_array]:
    """Return TF-IDF rows of counts, both by the frequencies of the first.

    Args:
        train: (n, T) counts.
        test: (m, T) counts.
    """
    having = np.bincount(train.indices, minlength=train.shape[1])
    kept = np.flatnonzero(having > 1)
    weights = 1 + np.log((1 + train.shape[0]) / (1 + having[kept]))
    return _of_length_one(train[:, kept], weights), _of_length_one(test[:, kept], weights)


def _of_length_one(counts: csr_array, weights: npt.NDArray[np.float64]) -> csr_array:
    rows = csr_array(counts @ diags_array(weights))
    lengths = np.sqrt(rows.power(2).sum(axis=1))
    return csr_array(diags_array(1 / np.where(lengths > 0, lengths, 1)) @ rows)


def _kept_at(fingerprint: str, fold: Ints, seed: int) -> Path:
    # Whoever changes the code gets new answers, and whoever does not never waits twice.
    code = b"".join(Path(str(file)).read_bytes() for file in (__file__, linear.__file__))
    key: Any = hashlib.sha256(code + fingerprint.encode() + fold.tobytes() + str(seed).encode())
    return cache_folder("baselines") / f"{key.hexdigest()}.npy"


def _kept(place: Path, sentences: int) -> Right | None:
    try:
        answers = np.load(place)
    except (OSError, ValueError, EOFError):
        return None
    return answers if answers.shape == (sentences,) and answers.dtype == bool else None
