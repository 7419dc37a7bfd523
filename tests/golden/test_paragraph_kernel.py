"""The trainers of documents draw what their plain twin draws, and learn what it learns to 1e-5."""

import numpy as np
import pytest

import firth
from firth.embeddings.bags import BLOCK, POOL, SLOTS
from firth.kernels.step_emission import MOST_HIDDEN
from tests.golden.twin_steps import Steps, random_rows

TOLERANCE = 1e-5


class Twin(Steps):
    def __init__(self, model, corpus, seed):
        super().__init__(model, corpus, seed)
        words, dim = len(corpus.vocabulary), model.dim
        self.bags = model.architecture == "dbow" and not model.words
        self.met = 0  # blocks of which a word was among its own noise
        self.joins = not self.bags and model.architecture == "dm" and model.combine == "concatenate"
        self.inputs = random_rows(seed, "input vectors", words, dim)
        self.documents = random_rows(seed, "document vectors", len(corpus), dim)
        self.outputs = np.zeros((words, dim * (2 * model.window + 1 if self.joins else 1)))

    def train_epoch(self):
        if self.bags and self.model.objective == "negative":
            self.train_bags()
            return
        for document, kept in self.pieces():
            if self.bags:
                for word in kept:
                    self.alone(document, *self.paths[word])
                self.predictions += len(kept)
                continue
            for t, before, after, noise in self.windows(kept):
                offsets = [j for j in range(-before, after + 1) if j]
                rows, signs = self.targets(kept[t], noise)
                self.window(document, [kept[t + j] for j in offsets], offsets, rows, signs)

    def alone(self, document, rows, signs):
        self.documents[document] += self.step(self.documents[[document]], rows, signs)[0]

    def window(self, document, context, offsets, rows, signs):
        model = self.model
        vectors = np.concatenate([self.inputs[context].reshape(-1, model.dim), self.documents[[document]]])
        self.predictions += len(vectors) if model.words else 1
        if model.words:
            for first in range(0, len(vectors), MOST_HIDDEN):
                some = slice(first, first + MOST_HIDDEN)
                # A context word of an earlier step has been updated when it stands in this one again.
                now = np.concatenate([self.inputs[context].reshape(-1, model.dim), self.documents[[document]]])[some]
                ascent = self.step(now, rows, signs)
                for place, change in zip(range(first, first + len(now)), ascent, strict=True):
                    if place < len(context):
                        self.inputs[context[place]] += change
                    else:
                        self.documents[document] += change
            return
        if self.joins:
            hidden = np.zeros((2 * model.window + 1, model.dim))
            slots = [model.window + j - (j > 0) for j in offsets]
            hidden[[*slots, -1]] = vectors
            ascents = self.step(hidden.reshape(1, -1), rows, signs).reshape(hidden.shape)[[*slots, -1]]
        else:
            mean = vectors.mean(0) if model.combine == "mean" else vectors.sum(0)
            ascents = np.repeat(self.step(mean[None], rows, signs), len(vectors), axis=0)
        np.add.at(self.inputs, context, ascents[:-1])
        self.documents[document] += ascents[-1]

    def train_bags(self):
        pieces = self.pieces()
        while pool := self.pool(pieces):
            waiting, slots = list(pool), []
            noise = self.draw(BLOCK * self.model.negative)
            while waiting or slots:
                while waiting and len(slots) < SLOTS:
                    slots.append(list(waiting.pop(0)))
                s = 0
                while s < len(slots):
                    document, words = slots[s]
                    if len(words) >= BLOCK:
                        s += 1
                        continue
                    if words:
                        self.block(document, words, self.draw(len(words) * self.model.negative))
                    slots[s] = slots[-1]  # the last slot moves into the one that is free
                    slots.pop()
                if not slots or (waiting and len(slots) < SLOTS):
                    continue
                following = self.draw(BLOCK * self.model.negative)
                rows = []
                for slot in slots:
                    document, words = slot[0], slot[1][:BLOCK]
                    slot[1] = slot[1][BLOCK:]
                    if any(word in own for word, own in zip(words, self.shares(noise), strict=True)):
                        self.block(document, words, noise)
                        self.met += 1
                    else:
                        self.alone(document, words, [1.0] * BLOCK)
                        rows.append(document)
                np.add.at(self.documents, rows, self.step(self.documents[rows], noise, [-1.0] * len(noise)))
                noise = following

    def shares(self, noise):
        """The noise words of each word of a block."""
        return [noise[i : i + self.model.negative] for i in range(0, len(noise), self.model.negative)]

    def block(self, document, words, noise):
        """One step against words and their noise, of which those that are the word take no part."""
        rows, signs = [], []
        for word, own in zip(words, self.shares(noise), strict=True):
            more, turns = self.targets(word, own)
            rows, signs = rows + more, signs + turns
        self.alone(document, rows, signs)

    def pool(self, pieces):
        """The next POOL pieces that hold a word; the learning rate is that at the first."""
        rate, pool = 0.0, []
        while len(pool) < POOL:
            try:
                document, kept = next(pieces)
            except StopIteration:
                break
            self.predictions += len(kept)
            if kept:
                rate = rate or self.rate
                pool.append((document, kept))
        self.rate = rate
        return pool


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """40 documents of 0 to 59 words by Zipf's law, one of 1,100 words that is read in pieces."""
    random = np.random.default_rng(0)
    law = 1 / np.arange(1, 201)
    lengths = [*random.integers(0, 60, 40), 1100]
    sentences = [[f"w{i}" for i in random.choice(200, size, p=law / law.sum())] for size in lengths]
    cache = tmp_path_factory.mktemp("cache")
    return firth.Corpus.build([["w0"], *sentences], min_count=1, keep_empty=True, cache=cache)


MODELS = {
    "dm": {},
    "dm, sum": {"combine": "sum", "lr": 0.02},
    "dm, concatenate": {"combine": "concatenate", "window": 3},
    "dbow": {"architecture": "dbow"},
    "dbow with words": {"architecture": "dbow", "words": True},
    "dbow with words, whole windows": {"architecture": "dbow", "words": True, "shrink_windows": False},
    "dm, a tree": {"objective": "hierarchical"},
    "dm, concatenate, a tree": {"objective": "hierarchical", "combine": "concatenate", "shrink_windows": False},
    "dbow, a tree": {"architecture": "dbow", "objective": "hierarchical"},
    "dbow with words, a tree": {"architecture": "dbow", "words": True, "objective": "hierarchical"},
    "dm, noise of two windows": {"shared_windows": 2},
    "dbow, 1 noise word": {"architecture": "dbow", "negative": 1},
    "dbow, 13 noise words": {"architecture": "dbow", "negative": 13},
    "dbow, 3 wide": {"architecture": "dbow", "dim": 3},
    "dbow, no subsampling": {"architecture": "dbow", "sample": 0.0},
}


@pytest.mark.filterwarnings("ignore:.*hold no word of the vocabulary")
@pytest.mark.parametrize("name", MODELS)
def test_the_compiled_trainer_computes_what_its_twin_does(name, corpus):
    model = firth.ParagraphVectors(**{"dim": 24, "epochs": 2, "lr": 0.05, "sample": 1e-2, **MODELS[name]})
    found = model.train(corpus, seed=3, threads=1, progress=False)
    twin = Twin(model, corpus, seed=3).train()
    twin.documents[np.diff(corpus.offsets) == 0] = 0
    assert np.abs(found.vectors - twin.documents).max() < TOLERANCE
    assert np.abs(found.outputs - twin.outputs).max() < TOLERANCE
    if not twin.bags:
        assert np.abs(found.words.vectors - twin.inputs).max() < TOLERANCE
    assert found.metadata["training"]["loss"] == pytest.approx(twin.losses, rel=TOLERANCE)
    assert np.abs(twin.outputs).max() > 100 * TOLERANCE  # something was learned that could be wrong
    assert twin.met > 10 or not (twin.bags and model.objective == "negative")  # noise words that are the target


@pytest.mark.filterwarnings("ignore:.*hold no word of the vocabulary")
@pytest.mark.parametrize("change", [{"negative": 4}, {"sample": 2e-2}, {"noise_exponent": 0.7}, {"lr_end_factor": 0.1}])
@pytest.mark.parametrize("architecture", ["dm", "dbow"])
def test_another_model_would_be_seen(corpus, architecture, change):
    options = {"architecture": architecture, "dim": 24, "epochs": 1, "lr": 0.05, "sample": 1e-2}
    found = firth.ParagraphVectors(**options).train(corpus, threads=1, progress=False)
    twin = Twin(firth.ParagraphVectors(**{**options, **change}), corpus, seed=0).train()
    twin.documents[np.diff(corpus.offsets) == 0] = 0
    assert np.abs(found.vectors - twin.documents).max() > 10 * TOLERANCE
