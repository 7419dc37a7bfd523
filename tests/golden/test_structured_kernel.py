"""The structured trainers draw what their plain twin draws, and learn what it learns to 1e-5."""

import numpy as np
import pytest

import firth
from tests.golden.twin_steps import Steps, random_rows

TOLERANCE = 1e-5


class Twin(Steps):
    def __init__(self, model, corpus, seed):
        super().__init__(model.with_defaults(), corpus, seed)
        words, dim, places = len(corpus.vocabulary), model.dim, 2 * model.window
        self.wide = model.architecture == "cwindow"
        self.inputs = random_rows(seed, "input vectors", words, dim) * (1 if self.wide else 0.5)
        self.outputs = np.zeros((words, places * dim) if self.wide else (words * places, dim))

    def train_epoch(self):
        for _, kept in self.pieces():
            for t, before, after, noise in self.windows(kept if len(kept) > 1 else []):
                offsets = [j for j in range(-before, after + 1) if j]
                (self.joined if self.wide else self.by_place)(kept, t, offsets, noise)

    def slot(self, offset):
        return self.model.window + offset - (offset > 0)

    def joined(self, kept, t, offsets, noise):
        """The context side by side predicts the centre; places without a word are zero."""
        hidden = np.zeros((2 * self.model.window, self.model.dim))
        for j in offsets:
            hidden[self.slot(j)] = self.inputs[kept[t + j]]
        ascent = self.step(hidden.reshape(1, -1), *self.targets(kept[t], noise)).reshape(hidden.shape)
        for j in offsets:
            self.inputs[kept[t + j]] += ascent[self.slot(j)]
        self.predictions += 1

    def by_place(self, kept, t, offsets, noise):
        """The centre predicts the word at each place by that place's output vectors."""
        rows, signs = [], []
        for j in offsets:
            words, turns = self.targets(kept[t + j], noise)
            rows += [word * 2 * self.model.window + self.slot(j) for word in words]
            signs += turns
        self.inputs[kept[t]] += self.step(self.inputs[[kept[t]]], rows, signs)[0]
        self.predictions += len(offsets)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    random = np.random.default_rng(0)
    law = 1 / np.arange(1, 201)
    lengths = random.integers(1, 30, 32)
    sentences = [[f"w{i}" for i in random.choice(200, size, p=law / law.sum())] for size in lengths]
    return firth.Corpus.build(sentences, min_count=1, cache=tmp_path_factory.mktemp("cache"))


MODELS = {
    "skipgram": {},
    "cwindow": {"architecture": "cwindow"},
    "skipgram, windows of drawn size": {"shrink_windows": True},
    "cwindow, windows of drawn size": {"architecture": "cwindow", "shrink_windows": True},
    "skipgram, noise of one window": {"shared_windows": 1},
    "cwindow, noise of three windows": {"architecture": "cwindow", "shared_windows": 3},
    "skipgram, a tree": {"objective": "hierarchical"},
    "cwindow, a tree": {"objective": "hierarchical", "architecture": "cwindow"},
    "skipgram, windows wider than a sentence": {"window": 40, "negative": 2},
    "cwindow, windows wider than a sentence": {"window": 40, "negative": 2, "architecture": "cwindow"},
    "skipgram, windows of one word": {"window": 1, "negative": 7},
    "cwindow, 3 wide": {"dim": 3, "architecture": "cwindow"},
    "skipgram, 100 wide": {"dim": 100},
}


@pytest.mark.parametrize("name", MODELS)
def test_the_compiled_trainer_computes_what_its_twin_does(name, corpus):
    model = firth.StructuredWord2Vec(**{"dim": 24, "epochs": 2, "lr": 0.05, "sample": 1e-2, **MODELS[name]})
    vectors = model.train(corpus, seed=3, threads=1, progress=False)
    twin = Twin(model, corpus, seed=3).train()
    assert np.abs(vectors.vectors - twin.inputs).max() < TOLERANCE
    assert vectors.metadata["training"]["loss"] == pytest.approx(twin.losses, rel=TOLERANCE)
    assert np.abs(twin.outputs).max() > 100 * TOLERANCE  # something was learned that could be wrong
    if model.objective == "negative":
        assert np.abs(vectors.output_vectors - twin.outputs.reshape(len(vectors), -1)).max() < TOLERANCE


@pytest.mark.parametrize("change", [{"window": 4}, {"negative": 4}, {"shrink_windows": True}, {"shared_windows": 3}])
@pytest.mark.parametrize("architecture", ["skipgram", "cwindow"])
def test_another_model_would_be_seen(corpus, architecture, change):
    options = {"architecture": architecture, "dim": 24, "epochs": 1, "lr": 0.05, "sample": 1e-2}
    vectors = firth.StructuredWord2Vec(**options).train(corpus, threads=1, progress=False)
    twin = Twin(firth.StructuredWord2Vec(**{**options, **change}), corpus, seed=0).train()
    assert np.abs(vectors.vectors - twin.inputs).max() > 10 * TOLERANCE
