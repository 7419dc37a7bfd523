"""The task of context2vec: which sentences and words count, and their losses."""

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError
from firth.neural.models.context2vec.context2vec import context_task, sentence_batches
from firth.vocabulary import Vocabulary


class Text:
    """Sentences as lists of ids, in place of those of a corpus."""

    def __init__(self, *rows):
        self.rows, self.lengths = rows, np.array([len(row) for row in rows])

    def __len__(self):
        return len(self.rows)

    def sentence(self, number, limit):
        return np.array(self.rows[number][:limit])


TEXT = Text([0, 1, 2, 3, 0], [1], [], [3, 4], [2, 2, 4])  # 4 is unknown


def test_sentences_of_two_words_count_as_far_as_they_are_read():
    batches = sentence_batches(TEXT, limit=4, batch_size=2, shuffle=False)
    found = [(batch.ids.tolist(), batch.lengths.tolist()) for batch in batches.epoch(0)]
    assert found == [([[3, 4, 0], [2, 2, 4]], [2, 3]), ([[0, 1, 2, 3]], [4])]
    assert batches.lengths.tolist() == [4, 2, 3]
    with pytest.raises(CorpusError, match="none of 2 sentences has 2 words"):
        sentence_batches(Text([1], []), limit=4, batch_size=2)


def test_the_held_out_loss_is_the_mean_over_known_words_with_the_same_noise():
    """By hand: -log sigma(t . c + b), and negative / samples times the sum over shared noise words, but the target."""
    torch.manual_seed(0)
    words = Vocabulary(["a", "b", "c", "d", "<unk>", "</s>"], np.array([9, 5, 4, 3, 2, 4]), 27)
    module = firth.Context2Vec(dim=5, hidden=4, samples=6, negative=3.0).build(words).double().eval()
    with torch.no_grad():
        module.output.full.weight.normal_()
        module.output.full.bias.normal_()
    batches = sentence_batches(TEXT, limit=4, batch_size=2, shuffle=False)
    task = context_task(module, SimpleNamespace(), batches)
    assert task.eval_predictions == 9
    losses = []
    torch.manual_seed(0)
    with torch.no_grad():
        for batch in batches.epoch(0):
            noise = module.output.noise.sample(6).tolist()
            contexts = module(batch.ids, batch.lengths)
            scores = contexts @ module.targets.T + module.output.full.bias
            for row, (ids, length) in enumerate(zip(batch.ids.tolist(), batch.lengths.tolist(), strict=True)):
                for step, target in enumerate(ids[:length]):
                    if target != 4:
                        own = scores[row, step].sigmoid()
                        others = sum(torch.log(1 - own[word]) for word in noise if word != target)
                        losses.append(float(-torch.log(own[target]) - 3 / 6 * others))
    expected = np.mean(losses)
    assert len(losses) == 7
    assert task.evaluate() == {"loss": pytest.approx(expected, rel=1e-9)}
    assert task.evaluate() == task.evaluate()
    assert context_task(module, SimpleNamespace(), None).evaluate() == {}
