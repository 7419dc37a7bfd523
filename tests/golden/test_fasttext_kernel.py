"""The compiled FastText trainer draws what its plain twin draws, and learns what it learns to 1e-5."""

import numpy as np
import pytest

import firth
from tests.golden.fasttext_twin import Twin
from tests.golden.rounding import tolerance

TOLERANCE = 1e-5
SYLLABLES = ["ba", "né", "東京", "tor", "𝄞", "s"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """18 sentences of 1 to 24 words of one to four syllables, by Zipf's law."""
    random = np.random.default_rng(0)
    words = list(dict.fromkeys("".join(random.choice(SYLLABLES, random.integers(1, 5))) for _ in range(150)))
    law = 1 / np.arange(1, len(words) + 1)
    sentences = [list(random.choice(words, size, p=law / law.sum())) for size in random.integers(1, 25, 18)]
    return firth.Corpus.build(sentences, min_count=1, cache=tmp_path_factory.mktemp("cache"))


MODELS = {
    "skipgram": {},
    "cbow": {"architecture": "cbow"},
    "hierarchical": {"objective": "hierarchical"},
    "hierarchical, cbow": {"objective": "hierarchical", "architecture": "cbow"},
    "words alone": {"max_n": 0},
    "letters": {"min_n": 1, "max_n": 2},
    "n-grams that meet in few buckets": {"buckets": 29},
    "noise of one window": {"shared_windows": 1},
    "noise of five windows": {"shared_windows": 5},
    "whole windows": {"shrink_windows": False},
    "windows wider than a sentence": {"window": 40, "negative": 2},
    "softmax": {"objective": "softmax", "epochs": 1},
    "softmax, cbow": {"objective": "softmax", "architecture": "cbow"},
    "cbow of wide windows": {"architecture": "cbow", "window": 40, "lr": 0.01},
    "one noise word": {"negative": 1},
    "no subsampling, seven noise words": {"sample": 0.0, "negative": 7},
    "strong subsampling": {"sample": 1e-4, "epochs": 5},
    "a learning rate that stays": {"lr_end_factor": 1.0},
    **{f"{dim} wide": {"dim": dim} for dim in (16, 100)},
    "1 wide": {"dim": 1, "lr": 0.01},
}


@pytest.mark.parametrize("name", MODELS)
def test_the_compiled_trainer_computes_what_its_twin_does(name, corpus):
    options = {"dim": 24, "epochs": 2, "lr": 0.025, "sample": 1e-2, "min_n": 2, "max_n": 4, "buckets": 5000}
    model = firth.FastText(**{**options, **MODELS[name]})
    vectors = model.train(corpus, seed=3, threads=1, progress=False)
    twin = Twin(model, corpus, seed=3).train()
    near = tolerance(model.epochs * corpus.num_tokens * 2 * model.window)
    assert vectors.own == pytest.approx(twin.inputs[: len(twin.words)], abs=near)
    assert vectors.vectors == pytest.approx(np.array([twin.vector(word) for word in range(len(twin.words))]), abs=near)
    buckets = vectors.ngrams.used.tolist()
    assert sorted(twin.place) == buckets
    if buckets:
        assert vectors.ngrams.rows() == pytest.approx(twin.inputs[[twin.place[b] for b in buckets]], abs=near)
    if model.objective != "hierarchical":
        assert vectors.output_vectors == pytest.approx(twin.outputs, abs=near)
    assert vectors.metadata["training"]["loss"] == pytest.approx(twin.losses, rel=TOLERANCE)
    assert np.abs(twin.outputs).max() > 100 * TOLERANCE  # something was learned that could be wrong


@pytest.mark.parametrize("change", [{"noise_exponent": 0.7}, {"window": 4}, {"min_n": 3}, {"shared_windows": 3}])
def test_another_model_would_be_seen(corpus, change):
    options = {"dim": 24, "epochs": 1, "sample": 1e-2, "min_n": 2, "max_n": 4}
    vectors = firth.FastText(**options).train(corpus, threads=1, progress=False)
    twin = Twin(firth.FastText(**{**options, **change}), corpus, seed=0).train()
    assert np.abs(vectors.own - twin.inputs[: len(twin.words)]).max() > 10 * TOLERANCE
