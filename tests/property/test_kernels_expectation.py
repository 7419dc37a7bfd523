"""Window-batched and pair-at-a-time training agree in expectation: the promise of the window update, made checkable.

`update="window"` draws noise once for `shared_windows` windows and scores a window's pairs before any of them updates a
row; `update="pair"` draws for each pair and updates at once, as word2vec.c does. Over the noise both have the same
expected first-order update:

    E[dv_c]  = r sum_pairs [ sigma(-v_c . u_w) u_w - K sum_{n != w} P(n) sigma(v_c . u_n) u_n ]
    E[du_n] likewise, with the sum over all pairs of v_c in the place of u

The test trains a tiny corpus from the same non-zero vectors with many seeds for a few epochs, at a learning rate so
small that the vectors hardly move and second-order effects vanish in the sampling error. It compares the mean update of
each number of each row in an epoch with that formula, in standard errors of the mean. Of 72 z-scores the largest is
about 3; a wrong expectation shows at tens.
"""

import functools

import numpy as np
import pytest

import firth

SEEDS, EPOCHS, DIM, LR = 50, 4, 3, 2.0**-13
SENTENCES = [["a", "b", "c", "a"], ["a", "c", "d", "e", "f"], ["b", "a"], ["g", "a", "h", "a", "b", "i", "j", "k", "l"]]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return firth.Corpus.build(SENTENCES, min_count=1, cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def start(corpus):
    inputs, outputs = np.random.default_rng(4).uniform(-1, 1, (2, len(corpus.vocabulary), DIM)).astype(np.float32)
    return firth.WordVectors(corpus.vocabulary.words, inputs, output_vectors=outputs)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def predictions(corpus, cbow):
    """Every prediction of whole windows of two words a side: centre and context."""
    for sentence in corpus:
        ids = [corpus.vocabulary.ids[word] for word in sentence]
        for t, centre in enumerate(ids):
            context = [ids[c] for c in range(max(0, t - 2), min(len(ids), t + 3)) if c != t]
            yield from [(centre, context)] if cbow else [(centre, [c]) for c in context]


def expected_update(corpus, start, model):
    """The formula above in float64, a unit of learning rate."""
    v, u = start.vectors.astype(np.float64), start.output_vectors.astype(np.float64)
    noise = corpus.vocabulary.noise_probabilities(model.noise_exponent)
    dv, du = np.zeros_like(v), np.zeros_like(u)
    for centre, context in predictions(corpus, model.architecture == "cbow"):
        h = v[context].mean(0)
        slopes = -model.negative * np.where(np.arange(len(noise)) == centre, 0, noise) * sigmoid(u @ h)
        slopes[centre] = sigmoid(-u[centre] @ h)
        np.add.at(dv, context, slopes @ u)
        du += np.outer(slopes, h)
    return np.stack([dv, du])


@pytest.fixture(scope="module")
def mean_update(corpus, start):
    """A function of a model: the mean update of every number, a unit of learning rate, and its standard error."""
    begin = np.stack([start.vectors, start.output_vectors]).astype(np.float64)

    @functools.cache
    def means(model):
        updates = []
        for seed in range(SEEDS):
            end = model.train(corpus, seed=seed, threads=1, start=start, progress=False)
            updates.append((np.stack([end.vectors, end.output_vectors]) - begin) / (EPOCHS * LR))
        return np.mean(updates, 0), np.std(updates, 0, ddof=1) / np.sqrt(SEEDS)

    return means


def options(**changes):
    return firth.Word2Vec(
        **{
            "dim": DIM,
            "window": 2,
            "negative": 3,
            "sample": 0,
            "shrink_windows": False,
            "epochs": EPOCHS,
            "lr": LR,
            "lr_end_factor": 1,
            **changes,
        }
    )


MODELS = {
    "pair": {"update": "pair"},
    "window": {"shared_windows": 1},
    "noise of two windows": {"shared_windows": 2},
    "noise of three windows": {"shared_windows": 3},
    "cbow": {"architecture": "cbow"},
}


def largest_z(means, truth):
    mean, error = means
    return np.abs((mean - truth) / error).max()


@pytest.mark.parametrize("name", MODELS)
def test_the_mean_update_is_the_expected_one(name, corpus, start, mean_update):
    model = options(**MODELS[name])
    assert largest_z(mean_update(model), expected_update(corpus, start, model)) < 4


@pytest.mark.parametrize("name", ["pair", "noise of two windows"])
@pytest.mark.parametrize(
    "wrong", [{"noise_exponent": 0.5}, {"negative": 4}, {"architecture": "cbow", "update": "window"}]
)
def test_a_wrong_expectation_would_be_seen(name, wrong, corpus, start, mean_update):
    wrong = options(**{**MODELS[name], **wrong})
    assert largest_z(mean_update(options(**MODELS[name])), expected_update(corpus, start, wrong)) > 8


def test_window_and_pair_agree_with_drawn_windows_and_thinned_words(mean_update):
    """With every source of randomness on, the two means are compared with each other."""
    drawn = {"shrink_windows": True, "sample": 0.05}
    pair, window, other = (
        mean_update(options(**drawn, **change))
        for change in ({"update": "pair"}, {}, {"update": "pair", "noise_exponent": 0})
    )
    assert np.abs((pair[0] - window[0]) / np.hypot(pair[1], window[1])).max() < 4
    assert np.abs((other[0] - window[0]) / np.hypot(other[1], window[1])).max() > 8
