"""The multi-sense trainer draws, chooses and learns what its plain twin does, to 1e-5; and what it once learned."""

import dataclasses
import types

import numpy as np
import pytest

import firth
from firth.kernels.sense_centres import PATIENCE
from firth.kernels.step_emission import MOST_HIDDEN
from tests.golden.twin_steps import Steps, random_rows

TOLERANCE = 1e-5


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


class Twin(Steps):
    """Senses are told apart from the second epoch on, as with warm_up=0.5 and two epochs."""

    def __init__(self, model, corpus, seed):
        plain = {**dataclasses.asdict(model.with_defaults()), "objective": "negative"}
        super().__init__(types.SimpleNamespace(**plain), corpus, seed)
        words = len(corpus.vocabulary)
        self.inputs = [[row] for row in random_rows(seed, "input vectors", words, model.dim)]
        self.outputs = np.zeros((words, model.dim))
        kept = self.keep * corpus.vocabulary.counts
        self.shares = kept / kept.sum()
        self.centres = [[np.zeros(model.dim)] for _ in range(words)]
        self.counts = [[0] for _ in range(words)]
        self.before = [[] for _ in range(words)]
        self.words = None

    def train_epoch(self):
        if self.losses:
            self.settle()
        for _, kept in self.pieces():
            if len(kept) < 2:
                continue
            senses = [0 if self.words is None else self.choose(kept, t) for t in range(len(kept))]
            for t, before, after, noise in self.windows(kept):
                places = [j for j in range(t - before, t + after + 1) if j != t]
                for first in range(0, len(places), MOST_HIDDEN):
                    self.train_pairs(kept, senses, places[first : first + MOST_HIDDEN], t, noise)

    def train_pairs(self, kept, senses, places, t, noise):
        hidden = np.array([self.inputs[kept[j]][senses[j]] for j in places])
        for j, ascent in zip(places, self.step(hidden, *self.targets(kept[t], noise)), strict=True):
            self.inputs[kept[j]][senses[j]] = self.inputs[kept[j]][senses[j]] + ascent
        self.predictions += len(places)

    def settle(self):
        mean = self.shares @ self.outputs
        rows = self.outputs - mean
        variances, axes = np.linalg.eigh((rows * self.shares[:, None]).T @ rows)
        variances = np.maximum(variances / variances.max(), 1e-6)
        self.words = rows @ (axes * variances**-self.model.whiten) @ axes.T

    def choose(self, kept, t):
        word, model = kept[t], self.model
        wide = model.context_window
        around = [j for j in range(max(0, t - wide), min(len(kept), t + wide + 1)) if j != t]
        if word >= model.sense_words or model.senses == 1:
            return 0
        context = unit(sum(self.words[kept[j]] / abs(j - t) for j in around))
        centres, counts, inputs = self.centres[word], self.counts[word], self.inputs[word]
        cosines = [unit(c) @ context if c.any() else 0.0 for c in centres]
        sense = int(np.argmax(cosines))
        if counts[0] and len(centres) < model.senses and self.opens(word, max(cosines)):
            inputs.append(inputs[sense].copy())
            centres.append(np.zeros(model.dim))
            counts.append(0)
            sense = len(centres) - 1
        centres[sense] = centres[sense] + context
        counts[sense] += 1
        return sense

    def opens(self, word, cosine):
        if self.model.nonparametric:
            return cosine < self.model.new_sense_below
        before = self.before[word]
        if len(before) >= PATIENCE and cosine < np.mean(before):
            before.clear()
            return True
        before.append(cosine)
        return False


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    random = np.random.default_rng(0)
    law = 1 / np.arange(1, 201)
    lengths = random.integers(1, 30, 90)
    sentences = [[f"w{i}" for i in random.choice(200, size, p=law / law.sum())] for size in lengths]
    return firth.Corpus.build(sentences, min_count=1, cache=tmp_path_factory.mktemp("cache"))


COMMON = {"dim": 24, "epochs": 2, "lr": 0.05, "sample": 1e-2, "warm_up": 0.5}
GROWING = {"nonparametric": True, "merge_above": 1.0, "min_share": 0.0}  # senses that grew stay as they are
MODELS = {
    "two senses": {},
    "three senses of 50 words": {"senses": 3, "sense_words": 50},
    "one sense": {"senses": 1},
    "no whitening": {"whiten": 0.0},
    "full whitening": {"whiten": 0.5, "dim": 7},
    "senses that grow": GROWING,
    "senses that hardly grow": {**GROWING, "new_sense_below": -0.4},
    "senses that grow at once": {**GROWING, "new_sense_below": 0.9, "senses": 6},
    "windows wider than a sentence": {"window": 40, "negative": 2},
    "windows of one word": {"window": 1, "shared_windows": 1, "context_window": 1},
    "windows of their full width": {"shrink_windows": False},
}


@pytest.mark.parametrize("name", MODELS)
def test_the_compiled_trainer_computes_what_its_twin_does(name, corpus):
    model = firth.MultiSenseSkipGram(**{**COMMON, **MODELS[name]})
    senses = model.train(corpus, seed=3, threads=1, progress=False)
    twin = Twin(model, corpus, seed=3).train()
    assert senses.metadata["training"]["loss"] == pytest.approx(twin.losses, rel=TOLERANCE)
    assert np.abs(senses.global_vectors - twin.outputs).max() < TOLERANCE
    assert np.abs(twin.outputs).max() > 100 * TOLERANCE  # something was learned that could be wrong
    assert senses.num_senses.tolist() == [len(rows) for rows in twin.inputs]
    for number, word in enumerate(senses.words):
        order = np.argsort(-np.array(twin.counts[number]), kind="stable")
        rows = senses.rows(word)
        assert np.abs(senses.vectors[rows] - np.array(twin.inputs[number])[order]).max() < TOLERANCE
        assert np.abs(senses.reader.centres[rows] - np.array(twin.centres[number])[order]).max() < 1e-3
        if any(twin.counts[number]):
            shares = np.array(twin.counts[number])[order] / sum(twin.counts[number])
            assert senses.priors[rows] == pytest.approx(shares)


def test_more_than_one_sense_is_at_stake(corpus):
    names = ("two senses", "senses that grow at once")
    twins = {
        name: Twin(firth.MultiSenseSkipGram(**{**COMMON, **MODELS[name]}), corpus, seed=3).train() for name in names
    }
    found = {name: max(len(rows) for rows in twin.inputs) for name, twin in twins.items()}
    assert found == {"two senses": 2, "senses that grow at once": 6}
    assert sum(len(rows) > 1 for rows in twins["two senses"].inputs) > 20


@pytest.mark.parametrize(
    "change", [{"whiten": 0.0}, {"window": 4}, {"context_window": 9}, {"senses": 3}, {"sense_words": 10}]
)
def test_another_model_would_be_seen(corpus, change):
    senses = firth.MultiSenseSkipGram(**COMMON).train(corpus, seed=3, threads=1, progress=False)
    twin = Twin(firth.MultiSenseSkipGram(**{**COMMON, **change}), corpus, seed=3).train()
    assert np.abs(senses.global_vectors - twin.outputs).max() > 10 * TOLERANCE
