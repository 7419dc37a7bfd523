"""The transformer language model: what its options refuse, what it sees, and that it learns what a window can tell.

Sums to one, causality to the bit, chunks and searches are tested for every kind in `test_neural_model.py`.
"""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from firth.language.text import training_text
from tests.unit.neural.models.language.tiny import text_of, untrained

SMALL = {"dim": 8, "layers": 1, "heads": 2, "context": 6}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"heads": 3}, "heads=3: expected a divisor of dim=8"),
        ({"dim": 6, "heads": 2}, "rotary positions rotate pairs of numbers, and each head has 3"),
        ({"dim": 9, "heads": 3, "positions": "relative"}, "dim=9: sinusoids come in pairs"),
        ({"positions": "absolute"}, "positions='absolute': expected one of learned, sinusoidal"),
        ({"context": 0}, "context=0: expected a whole number of at least 1"),
        ({"output": "softmax"}, "output='softmax': expected one of"),
    ],
)
def test_options_that_cannot_be(wrong, sentence):
    with pytest.raises(OptionError, match=sentence):
        firth.TransformerLM(**{**SMALL, **wrong})


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize(("positions", "slides"), [("rotary", True), ("relative", True), ("learned", False)])
def test_a_word_is_predicted_from_what_its_layers_reach_and_no_more(tmp_path, positions, slides, layers):
    """Context 6, the word at place 20: each layer reaches 5 words further where the window slides. Added positions
    begin anew every 3 places, so that it is predicted from 4 to 6 words, whatever the layers. A change further back
    changes no bit."""
    text = text_of(tmp_path)
    model = untrained(firth.TransformerLM(**{**SMALL, "layers": layers}, positions=positions), text)
    prompts = np.tile(text.ids[:20], (21, 1))
    prompts[np.arange(20), np.arange(20)] += 1  # row p has another word at place p, the last row none
    scores, _ = model.start((prompts % len(text.vocabulary)).tolist())
    changed = np.flatnonzero((scores[:20] != scores[20]).any(1))
    least, most = (5 * layers + 1, 5 * layers + 1) if slides else (4, 6)
    assert least <= 20 - int(changed[0]) <= most
    assert changed.tolist() == list(range(changed[0], 20))  # every word within reach counts
    assert model.module.stack.reach == most


def test_added_positions_begin_every_batch_of_training_anew(tmp_path):
    """What is carried in training is what slides; the rest would learn from batches that see less and less."""
    text = text_of(tmp_path)
    ids = torch.arange(5)[None]
    for positions, carried in (("learned", False), ("rotary", True)):
        module = untrained(firth.TransformerLM(**SMALL, positions=positions), text).module
        assert (module.train()(ids)[1] is not None) == carried
        assert module.eval()(ids)[1] is not None


@pytest.mark.parametrize("positions", ["rotary", "relative"])
def test_it_learns_to_copy_from_its_window(tmp_path, positions):
    """Three words drawn at random, then the same three: the second half can be known, the first cannot.

    Of 6 words, chance is ln 6 = 1.79 nats. A model that could not look back, or looked one place off, stays there on
    the second half too; the first half says that nothing leaks from what comes later.
    """
    words = np.random.default_rng(0).integers(6, size=(500, 3))
    lines = [" ".join(f"w{i}" for i in (*row, *row)) for row in words.tolist()]
    corpus = firth.Corpus.build(lines, cache=tmp_path, min_count=1, tokens="whitespace")
    how = firth.TransformerLM(dim=32, layers=2, heads=2, context=14, dropout=0.0, positions=positions, bptt=14)
    training = firth.TrainingOptions(
        epochs=10, batch_size=16, lr=0.005, optimiser="adamw", schedule="cosine", clip_norm=1
    )
    model = how.train(corpus, training=training, progress=False)
    losses = -model.log_probs(model.token_ids(lines[:200])).reshape(200, 7)[20:].mean(0)
    assert losses[:3].min() > 1.6
    assert losses[3:6].max() < 0.5
    assert losses[6] < 0.1  # the end of the sentence


def test_the_same_seed_gives_the_same_bits(tmp_path):
    text = text_of(tmp_path)
    training = firth.TrainingOptions(epochs=1, batch_size=4)
    runs = [
        firth.TransformerLM(**SMALL, bptt=5).train(text, training=training, seed=s, progress=False) for s in (0, 0, 1)
    ]
    scores = [run.log_probs(text) for run in runs]
    assert (scores[0] == scores[1]).all()
    assert (scores[0] != scores[2]).any()


@pytest.mark.parametrize("tie", [True, False])
def test_it_begins_near_the_perplexity_of_knowing_nothing(tmp_path, tie):
    """500 words in a row, D = 200: the logit of the word just read is 4, so that the loss begins within 1 nat of log V.

    With rows of deviation 0.06 that logit was 200 * 0.06 = 12, and the loss some 5 nats above log V.
    """
    words = [" ".join(f"w{i}" for i in range(first, first + 25)) for first in range(0, 500, 25)]
    corpus = firth.Corpus.build(words * 2, cache=tmp_path, min_count=1, unknown="<unk>")
    text = training_text(corpus)
    model = untrained(firth.TransformerLM(layers=2, tie_weights=tie), text)
    assert -model.log_probs(text).mean() < np.log(len(text.vocabulary)) + 1
