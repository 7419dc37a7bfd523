"""The classifier's step against central differences of each objective in float64.

With a learning rate of 1 and one text, what training adds to a row is the objective's derivative with respect to it.
The text has a word twice, and rows of n-grams.
"""

import numpy as np
import pytest

from firth.classify.features import encode_texts
from firth.classify.labels import label_children
from firth.classify.text_classifier import TextClassifier, shard_trainer
from firth.embeddings.shards import make_shards
from firth.kernels.trees import from_children
from firth.readers.labelled import read_labelled
from tests.gradients.steps import derivative, random_rows

DIM, NEGATIVES, TOLERANCE = 20, 4, 2e-6
TEXTS = ["one two two three", "four five"]
LABELS = {"softmax": 5, "hierarchical": 5, "ova": 5, "negative": 2}  # of two labels, noise is always the other


def log_sigma(x):
    return -np.logaddexp(0, -x)


def value(loss, v, u, rows, given, tree):
    """The objective from the module's docstring; leading axes are a batch."""
    s = np.einsum("...d,...ld->...l", v[..., rows, :].mean(-2), u)
    if loss == "ova":
        return log_sigma(np.where(np.isin(np.arange(u.shape[-2]), given), s, -s)).sum(-1)
    (label,) = given
    if loss == "softmax":
        return s[..., label] - np.log(np.exp(s).sum(-1))
    if loss == "negative":
        return log_sigma(s[..., label]) + NEGATIVES * log_sigma(-s[..., 1 - label])
    path = slice(*tree.starts[label : label + 2])
    return log_sigma(s[..., tree.nodes[path]] * tree.signs[path]).sum(-1)


def one_step(loss, seed, rate):
    """Train on one text; return what it had, what it added over the rate, and the objective of (inputs, outputs)."""
    count, random = LABELS[loss], np.random.default_rng(seed)
    # The text under test comes first; the others only bring the labels about.
    names = [f"label {i}" for i in range(count)]
    first = list(random.choice(names, 2 if loss == "ova" else 1, replace=False))
    model = TextClassifier(
        dim=DIM, lr=rate, epochs=1, loss=loss, negative=NEGATIVES, word_ngrams=2, min_n=2, max_n=3, buckets=1000,
        shuffle=False,
    )  # fmt: skip
    read = read_labelled([TEXTS[0], *TEXTS[1:] * count], [first, *names], None, "", print)
    texts = encode_texts(model, read, seed=0)
    matrices = texts.initial_matrices(DIM, seed=0, start=None)
    before = [random_rows(random, len(rows), DIM) for rows in (matrices.inputs, matrices.outputs)]
    matrices.inputs[:, :DIM], matrices.outputs[:, :DIM] = before
    (shard,) = make_shards(int(texts.starts[1]), 1, seed)  # the first text is the whole share
    shard_trainer(model, texts, 1, matrices)(shard, np.zeros(1, dtype=np.int64))
    rows = texts.features.rows[: texts.features.ends[0]]
    assert len(rows) > len(set(rows.tolist())) > 10
    assert not matrices.inputs[:, DIM:].any()
    v, u = (each.astype(np.float64) for each in before)
    added = [(matrices.inputs[:, :DIM] - v) / rate, (matrices.outputs[:, :DIM] - u) / rate]
    given = [texts.labels.ids[name] for name in first]
    tree = from_children(label_children(texts.labels.counts))
    return v, u, added, shard.loss[0], lambda v, u: value(loss, v, u, rows, given, tree)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loss", ["softmax", "hierarchical", "ova"])
def test_a_step_adds_the_derivative(loss, seed):
    v, u, (by_v, by_u), found, objective = one_step(loss, seed, rate=1.0)
    assert found == pytest.approx(-objective(v, u), rel=TOLERANCE)
    assert by_v == pytest.approx(derivative(lambda x: objective(x, u), v), abs=TOLERANCE)
    assert by_u == pytest.approx(derivative(lambda x: objective(v, x), u), abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
def test_negative_sampling_adds_the_derivative_to_first_order(seed):
    """Noise that is drawn again is scored anew: what is added over the rate nears the derivative as the rate falls."""
    errors = []
    for rate in (2.0**-3, 2.0**-6):
        v, u, (by_v, by_u), _, objective = one_step("negative", seed, rate)
        wrong_v = by_v - derivative(lambda x, u=u, f=objective: f(x, u), v)
        wrong_u = by_u - derivative(lambda x, v=v, f=objective: f(v, x), u)
        errors.append(max(np.abs(wrong_v).max(), np.abs(wrong_u).max()))
    assert 1e-4 < errors[0] < 1e-1
    assert errors[1] < errors[0] / 6
