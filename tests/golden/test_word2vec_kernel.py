"""The compiled trainer draws what its plain twin draws, and learns what it learns to 1e-5."""

import numpy as np
import pytest

import firth
from tests.golden.rounding import tolerance
from tests.golden.word2vec_twin import Twin

TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """24 sentences of 1 to 29 words by Zipf's law: frequent ones are thinned out, stand twice, are their own noise."""
    random = np.random.default_rng(0)
    law = 1 / np.arange(1, 201)
    lengths = random.integers(1, 30, 24)
    sentences = [[f"w{i}" for i in random.choice(200, size, p=law / law.sum())] for size in lengths]
    return firth.Corpus.build(sentences, min_count=1, cache=tmp_path_factory.mktemp("cache"))


MODELS = {
    "skipgram": {},
    "pair": {"update": "pair"},
    "cbow": {"architecture": "cbow"},
    "cbow, gradient of the mean": {"architecture": "cbow", "cbow_gradient": "mean", "lr": 0.2},
    "noise of one window": {"shared_windows": 1},
    "noise of three windows": {"shared_windows": 3},
    "noise of seven windows": {"shared_windows": 7},
    "a learning rate that stays": {"lr_end_factor": 1.0},
    "a learning rate that falls to nothing": {"lr_end_factor": 0.0},
    "whole windows": {"shrink_windows": False},
    "windows wider than a step": {"window": 20, "shrink_windows": False},
    "cbow of wide windows": {"architecture": "cbow", "window": 20},
    "windows wider than a sentence": {"window": 1000, "negative": 2},
    "windows of one word": {"window": 1},
    "no subsampling": {"sample": 0.0},
    "strong subsampling": {"sample": 1e-5, "epochs": 5},
    "uniform noise": {"noise_exponent": 0.0},
    **{f"{k} noise words": {"negative": k} for k in (1, 2, 4, 6, 7, 11, 20)},
    **{f"{dim} wide": {"dim": dim} for dim in (1, 3, 16, 17, 100, 300)},
    **{objective: {"objective": objective, "lr": 0.05} for objective in ("hierarchical", "nce", "importance")},
    "softmax": {"objective": "softmax", "epochs": 1},
    "hierarchical, cbow": {"objective": "hierarchical", "architecture": "cbow"},
    "hierarchical, pair": {"objective": "hierarchical", "update": "pair"},
    "nce, pair": {"objective": "nce", "update": "pair"},
    "nce, cbow": {"objective": "nce", "architecture": "cbow"},
    "softmax, wide windows": {"objective": "softmax", "window": 20, "shrink_windows": False, "epochs": 1},
    "importance, wide windows": {"objective": "importance", "window": 20, "negative": 11},
    "cbow of sums": {"architecture": "cbow", "combine": "sum"},
    "cbow of scaled sums, uniform noise": {
        "architecture": "cbow",
        "combine": "sum",
        "score": "scaled",
        "noise_exponent": 0.0,
        "lr": 1.0,
    },
    "cbow of scaled means": {"architecture": "cbow", "score": "scaled", "cbow_gradient": "mean", "lr": 1.0},
    "softmax of scaled sums": {
        "architecture": "cbow",
        "combine": "sum",
        "score": "scaled",
        "objective": "softmax",
        "lr": 1.0,
        "epochs": 1,
    },
    "pair, 7 noise words, 3 wide": {"update": "pair", "negative": 7, "dim": 3},
}


@pytest.mark.parametrize("name", MODELS)
def test_the_compiled_trainer_computes_what_its_twin_does(name, corpus):
    model = firth.Word2Vec(**{"dim": 24, "epochs": 2, "lr": 0.05, "sample": 1e-2, **MODELS[name]})
    vectors = model.train(corpus, seed=3, threads=1, progress=False)
    twin = Twin(model, corpus, seed=3).train()
    assert vectors.output_vectors is not None
    near = tolerance(model.epochs * corpus.num_tokens * 2 * model.window)
    assert np.abs(vectors.vectors - twin.inputs).max() < near
    assert np.abs(vectors.output_vectors - twin.outputs).max() < near
    assert vectors.metadata["training"]["loss"] == pytest.approx(twin.losses, rel=TOLERANCE)
    assert np.abs(twin.outputs).max() > 100 * TOLERANCE  # something was learned that could be wrong


def test_a_sentence_longer_than_a_piece(tmp_path):
    """2,500 words are trained as 1,000, 1,000 and 500; no window reaches over a border."""
    random = np.random.default_rng(1)
    corpus = firth.Corpus.build([[f"w{i}" for i in random.integers(0, 50, 2500)]], min_count=1, cache=tmp_path)
    model = firth.Word2Vec(dim=16, sample=0, epochs=1, negative=3)
    vectors = model.train(corpus, threads=1, progress=False)
    twin = Twin(model, corpus, seed=0).train()
    assert np.abs(vectors.vectors - twin.inputs).max() < TOLERANCE
    assert vectors.metadata["training"]["loss"] == pytest.approx(twin.losses, rel=TOLERANCE)


@pytest.mark.parametrize(
    "change", [{"noise_exponent": 0.7}, {"window": 4}, {"sample": 2e-2}, {"shared_windows": 1}, {"lr_end_factor": 0.1}]
)
def test_another_model_would_be_seen(corpus, change):
    options = {"dim": 24, "epochs": 1, "lr": 0.05, "sample": 1e-2}
    vectors = firth.Word2Vec(**options).train(corpus, threads=1, progress=False)
    twin = Twin(firth.Word2Vec(**{**options, **change}), corpus, seed=0).train()
    assert np.abs(vectors.vectors - twin.inputs).max() > 10 * TOLERANCE
