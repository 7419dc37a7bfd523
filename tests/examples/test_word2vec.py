"""The plain file of word2vec: its gradients, and the same vectors as the compiled trainer from the same draws."""

import numpy as np
import pytest

import firth
from examples.plain import word2vec
from tests.examples.differences import check_gradients
from tests.golden.word2vec_twin import Twin


def test_gradients():
    rng = np.random.default_rng(0)
    h, u, signs = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), np.array([1.0, -1, -1, 0, -1])
    _, dh, du = word2vec.gradients(h, u, signs)
    check_gradients(lambda: -word2vec.gradients(h, u, signs)[0], [h, u], [dh, du])


class Plain(Twin):
    """The draws of the compiled trainer, the steps of the plain file."""

    def train_window(self, centre, context, noise):
        # Where a noise word is drawn twice, processors differ in which of its two steps sees the other.
        if len(set(noise)) < len(noise) or centre in noise:
            super().train_window(centre, context, noise)
        else:
            cbow = self.model.architecture == "cbow"
            window = centre, context, noise
            self.loss += word2vec.train_window(self.inputs, self.outputs, window, self.rate, cbow=cbow)
            self.predictions += 1 if cbow else len(context)


@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
def test_agrees_with_firth(architecture, tmp_path):
    """To 1e-5: some hundred updates of a row in float32, each rounded by 3e-8 (`tests/golden/rounding.py`)."""
    rng = np.random.default_rng(0)
    law = 1 / np.arange(1, 101)
    sentences = [[f"w{i}" for i in rng.choice(100, 20, p=law / law.sum())] for _ in range(12)]
    corpus = firth.Corpus.build(sentences, min_count=1, cache=tmp_path)
    model = firth.Word2Vec(architecture=architecture, dim=16, window=3, negative=4, epochs=2, lr=0.05, sample=1e-2)
    vectors = model.train(corpus, seed=1, threads=1, progress=False)
    plain = Plain(model, corpus, seed=1).train()
    assert np.abs(vectors.vectors - plain.inputs).max() < 1e-5
    assert np.abs(vectors.output_vectors - plain.outputs).max() < 1e-5
    assert vectors.metadata["training"]["loss"] == pytest.approx(plain.losses, rel=1e-5)
    assert np.abs(plain.outputs).max() > 1e-3  # something was learned that could be wrong


def test_two_topics_part(capsys, tmp_path):
    """Words of one topic never meet those of the other: neighbours of "w00" are words of its own topic."""
    rng = np.random.default_rng(0)
    topics = [["a" + "bcdefgh"[i] for i in range(7)], ["z" + "bcdefgh"[i] for i in range(7)]]
    lines = [" ".join(rng.choice(topics[number % 2], 8)) for number in range(300)]
    text = tmp_path / "topics.txt"
    text.write_text("\n".join(lines))
    sentences = [[ord(word[1]) - 98 + 7 * (word[0] == "z") for word in line.split()] for line in lines]
    v, _ = word2vec.train(sentences, [170] * 14, dim=8, epochs=20)
    assert all(row < 7 for row in word2vec.neighbours(v, 0, 6))
    word2vec.main([str(text), "--cbow"])
    printed = capsys.readouterr().out
    losses = [float(line.split()[3]) for line in printed.splitlines() if line.startswith("epoch")]
    assert losses[-1] < losses[-3]
