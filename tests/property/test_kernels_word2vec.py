"""Whatever the corpus and the options, one thread of the compiled trainer computes what its plain twin computes."""

import tempfile

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import firth
from tests.golden.word2vec_twin import Twin

sentences = st.lists(st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=12), min_size=1, max_size=8)
models = st.fixed_dictionaries(
    {
        "architecture": st.sampled_from(["skipgram", "cbow"]),
        "dim": st.integers(1, 40),
        "window": st.integers(1, 15),
        "negative": st.integers(1, 15),
        "sample": st.sampled_from([0.0, 0.01, 0.3]),
        "epochs": st.integers(1, 3),
        "lr": st.floats(0.001, 0.1),
        "lr_end_factor": st.one_of(st.none(), st.floats(0, 1)),
        "noise_exponent": st.floats(-1, 2),
        "shrink_windows": st.booleans(),
        "shared_windows": st.one_of(st.none(), st.integers(1, 5)),
        "cbow_gradient": st.sampled_from(["full", "mean"]),
    }
)


def pairwise(options):
    return {**options, "architecture": "skipgram", "update": "pair", "shared_windows": None}


# Exactly two high slots and six low ones in the noise table: rounding decides which word fills which slot.
TIES = [list("aaabbcdfgh"), list("abbcdeefgh")]
TIED = {"architecture": "skipgram", "dim": 1, "window": 1, "negative": 1, "sample": 0.0, "epochs": 2, "lr": 0.0625,
        "noise_exponent": 1.125, "shrink_windows": False}  # fmt: skip


@example(TIES, TIED, 0)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sentences, st.one_of(models, models.map(pairwise)), st.integers(0, 2**32))
def test_any_corpus_and_options(sentences, options, seed):
    with tempfile.TemporaryDirectory() as cache:
        corpus = firth.Corpus.build(sentences, min_count=1, cache=cache)
        model = firth.Word2Vec(**options)
        twin = Twin(model, corpus, seed).train()
        if twin.losses == [0.0] * model.epochs:
            return  # nothing to predict, which the trainer warns of
        vectors = model.train(corpus, seed=seed, threads=1, progress=False)
    assert np.abs(vectors.vectors - twin.inputs).max() < 1e-5
    assert np.abs(vectors.output_vectors - twin.outputs).max() < 1e-5
    np.testing.assert_allclose(vectors.metadata["training"]["loss"], twin.losses, rtol=1e-5, atol=1e-6)
