"""The fixed sample of a text, on which the loss is measured without learning."""

import itertools

import numpy as np
import pytest

import firth
from firth.embeddings import training
from firth.embeddings.shards import LARGEST_SAMPLE, SMALLEST_SAMPLE, mean_loss, sample_shards

FAMILIES = {
    "skip-gram": firth.Word2Vec,
    "skip-gram, pair by pair": lambda **how: firth.Word2Vec(update="pair", **how),
    "cbow": lambda **how: firth.Word2Vec(architecture="cbow", **how),
    "full softmax": lambda **how: firth.Word2Vec(objective="softmax", **how),
    "nce": lambda **how: firth.Word2Vec(objective="nce", **how),
    "importance": lambda **how: firth.Word2Vec(objective="importance", **how),
    "hierarchical": lambda **how: firth.Word2Vec(objective="hierarchical", **how),
    "structured": firth.StructuredWord2Vec,
    "continuous window": lambda **how: firth.StructuredWord2Vec(architecture="cwindow", **how),
    "subwords": lambda **how: firth.FastText(buckets=1000, **how),
    "subwords, cbow": lambda **how: firth.FastText(buckets=1000, architecture="cbow", **how),
    "dm": firth.ParagraphVectors,
    "dbow": lambda **how: firth.ParagraphVectors(architecture="dbow", **how),
    "dbow with words": lambda **how: firth.ParagraphVectors(architecture="dbow", words=True, **how),
}


@pytest.mark.parametrize(
    ("tokens", "size"),
    [(0, 0), (1, 1), (5, 5), (1000, 1000), (20_000, SMALLEST_SAMPLE), (1_000_000, 20_000), (10**8, LARGEST_SAMPLE)],
)
def test_the_sample_lies_in_the_text_and_is_as_large_as_said(tokens, size):
    shards = sample_shards(tokens, seed=0)
    assert sum(shard.last - shard.first for shard in shards) == pytest.approx(size, abs=len(shards))
    assert all(0 <= shard.first <= shard.last <= tokens for shard in shards)
    assert all(one.last <= other.first for one, other in itertools.pairwise(shards))


def test_the_sample_is_the_same_each_time():
    one, other = sample_shards(100_000, seed=3), sample_shards(100_000, seed=3)
    assert [shard.random[0] for shard in one] == [shard.random[0] for shard in other]
    assert len({int(shard.random[0]) for shard in one}) == len(one)


def test_shards_without_predictions_have_no_loss():
    assert mean_loss(sample_shards(0, seed=0)) == 0


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """100 sentences by Zipf's law over 50 words."""
    random, law = np.random.default_rng(1), 1 / np.arange(1, 51)
    texts = [[f"w{i}" for i in row] for row in random.choice(50, (100, 20), p=law / law.sum())]
    return firth.Corpus.build(texts, min_count=1, cache=tmp_path_factory.mktemp("cache"), progress=False)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("family", FAMILIES)
def test_measuring_changes_no_bit(family, threads, small, monkeypatch):
    """The loss is measured twice, which gives the same figure, and what was trained stays as it was."""
    before = training.TrainingRun.measure

    def measure(run):
        kept = [run.matrices.inputs.copy(), run.matrices.outputs.copy()]
        first, second = before(run), before(run)
        assert first == second > 0
        for rows, now in zip(kept, (run.matrices.inputs, run.matrices.outputs), strict=True):
            assert np.array_equal(rows, now)
        return first

    monkeypatch.setattr(training.TrainingRun, "measure", measure)
    model = FAMILIES[family](dim=8, epochs=2, sample=0, window=2)
    trained = model.train(small, threads=threads, progress=False)
    assert len(trained.metadata["training"]["sample_loss"]) == 2


def test_the_sample_tells_progress_where_the_training_loss_rises():
    """150 articles of eight words each: what they have in common is forgotten while the next one is read.

    Measured: the mean over each epoch 0.71, 0.84, 0.81, 0.87, 1.29; on the sample 5.7, 5.9, 5.3, 3.8, 2.2.
    """
    random = np.random.default_rng(0)
    words = [f"{first}{vowel}{last}ing" for first in "bcdfglmnpr" for vowel in "aeiou" for last in "bdglmnrstv"]
    texts: list[list[str]] = []
    for _ in range(150):
        own = random.choice([f"{word}{i}" for i, word in enumerate(3 * words)], 8, replace=False)
        texts += [list(random.choice(own, 12)) for _ in range(6)]
    corpus = firth.Corpus.build(texts, min_count=1, progress=False)
    model = firth.FastText(dim=16, epochs=5, lr=0.2, sample=0, buckets=5000)
    told = model.train(corpus, seed=1, threads=1, progress=False).metadata["training"]
    assert told["loss"][-1] > 1.4 * told["loss"][0]
    assert told["sample_loss"][1:] == sorted(told["sample_loss"][1:], reverse=True)
    assert told["sample_loss"][-1] < 0.5 * told["sample_loss"][0]


def test_a_checkpoint_keeps_it(zipf, tmp_path):
    model = firth.Word2Vec(dim=8, epochs=3)
    whole = model.train(zipf, seed=2, threads=1, progress=False, checkpoint=tmp_path / "run")
    again = model.train(zipf, seed=2, threads=1, progress=False, checkpoint=tmp_path / "run")
    assert len(whole.metadata["training"]["sample_loss"]) == 3
    assert again.metadata["training"]["sample_loss"] == whole.metadata["training"]["sample_loss"]
