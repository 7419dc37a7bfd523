"""Copying and coverage of translators: words that only the source has, phases of training, and a task for copies."""

import os

import numpy as np
import pytest
import torch

import firth
from firth.errors import OptionError
from firth.neural.models.translation.data import PairReader
from firth.neural.models.translation.predict import TranslationModel
from firth.neural.models.translation.scorer import TranslationScorer
from firth.neural.models.translation.units import learn_units
from firth.neural.training.devices import new_module

WORDS = {"source_units": "words", "target_units": "words", "min_count": 1, "label_smoothing": 0.0}


def untrained(seed=0, **how):
    options = firth.Translator(**{**WORDS, "copying": True, "hidden": 8, "max_length": 9, **how})
    units = learn_units(["a b c", "b a"], "words", 100)
    module = new_module(seed, options.build, units, units)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5, generator=torch.Generator().manual_seed(seed))
    return TranslationModel(module, options, PairReader(units, units, options.reverse_source, options.copying))


@pytest.mark.parametrize("reverse", [False, True])
def test_words_of_the_source_have_ids_after_the_vocabulary(reverse):
    reader = untrained(reverse_source=reverse).reader
    pair = reader.read("x a y x", "y b z x")
    V = len(reader.target)
    assert reader.target_tokens(pair.target[:-1].tolist(), pair.source) == ["y", "b", "<unk>", "x"]
    assert sorted(pair.source.unknown) == ["x", "y"]
    assert [each in (V, V + 1) for each in pair.source.copied[:-1]] == (
        [True, False, True, True][:: -1 if reverse else 1]
    )
    assert reader.target_tokens(pair.source.copied.tolist(), pair.source) == list(pair.source.tokens)


def test_scores_of_a_search_sum_to_one_and_are_those_of_training():
    """Sources have other unknown words than each other; translations with copied words have the scores of it."""
    model = untrained(seed=1)
    texts = ["x a x y", "b", "z a a"]
    batch = model.collator.sources([model.reader.read_source(text) for text in texts])
    scores, _ = TranslationScorer(model.module, batch).start([()] * 3)
    P = np.exp(np.asarray(scores))
    V = len(model.target)
    assert P.shape == (3, V + 2)
    assert P.sum(1) == pytest.approx(np.ones(3), abs=1e-6)
    assert (P[1, V:] == 0).all()
    assert P[2, V + 1] == 0
    with torch.no_grad():
        model.module.copy_gate.linear.bias.fill_(-3.0)  # mostly copies
    found = model.translate(texts, beam=3, n_best=3, unknown="kept")
    every = [(text, each) for text, best in zip(texts, found, strict=True) for each in (best, *best.others)]
    ended = [(text, each) for text, each in every if each.ended and each.tokens and "<unk>" not in each.tokens]
    assert any(set(each.tokens) & {"x", "y", "z"} for _, each in ended)
    scores = model.score([(text, each.text) for text, each in ended])
    assert scores == pytest.approx([each.log_prob for _, each in ended], abs=1e-4)


def test_ensembles_copy_the_same_sources():
    model = untrained()
    twice = firth.TranslationEnsemble([model, model])
    assert twice.translate("x a y").tokens == model.translate("x a y").tokens
    with pytest.raises(OptionError, match="model 2 does not copy what the first copies"):
        firth.TranslationEnsemble([model, untrained(copying=False)])


def test_coverage_is_used_from_a_share_of_the_run():
    """The loss falls below that of the first phase only by training; without the second phase w stays at 0."""
    pairs = [("a b c", "a b c"), ("b a", "b a"), ("c", "c")] * 10
    training = firth.TrainingOptions(epochs=2, batch_size=6, lr=0.01, schedule="constant")

    def trained(share):
        options = firth.Translator(**WORDS, hidden=8, coverage=True, coverage_loss=1.0, coverage_from=share)
        return options.train(pairs, held_out=pairs, training=training, progress=False).module.decoder.decoder

    assert not trained(1.0).coverage.any()
    late = trained(0.5)
    assert late.coverage.abs().max() > 0
    assert late.covering


def test_two_processes_leave_coverage_out_at_first_like_one():
    pytest.importorskip("lightning_fabric", reason="Fabric is not installed: pip install 'firth[distributed]'")
    if not hasattr(os, "fork"):
        pytest.skip("processes are copies of this one by POSIX's fork")
    pairs = [("a b c", "a b c"), ("b a", "b a"), ("c", "c")] * 4
    how = {"coverage": True, "coverage_loss": 1.0, "coverage_from": 0.5, "dropout": 0.0}

    def trained(processes):
        training = firth.TrainingOptions(epochs=2, batch_size=6, lr=0.01, processes=processes)
        model = firth.Translator(**WORDS, hidden=8, **how).train(
            pairs, held_out=pairs[:3], training=training, progress=False
        )
        return torch.cat([parameter.detach().flatten() for parameter in model.module.parameters()])

    torch.testing.assert_close(trained(2), trained(1), rtol=1e-3, atol=1e-5)


def copied_task(count, seed=0):
    """Texts of letters and of words that occur once: the model sees `<unk>` for each of these."""
    random = np.random.default_rng(seed)
    letters, digits = list("abcdef"), list("0123456789")

    def word():
        return "".join(random.choice(digits, 6)) if random.random() < 0.5 else str(random.choice(letters))

    texts = [" ".join(word() for _ in range(random.integers(2, 6))) for _ in range(count)]
    return [(text, text) for text in texts]


def exact(copying, pairs, epochs):
    how = {**WORDS, "min_count": 2, "hidden": 32, "dropout": 0.0, "joint": True, "copying": copying}
    training = firth.TrainingOptions(epochs=epochs, batch_size=32, lr=0.02, clip_norm=1.0, schedule="linear")
    model = firth.Translator(**how).train(pairs[:-100], held_out=pairs[-100:], training=training, progress=False)
    unknown = [each for each in pairs[-100:] if any(word.isdigit() for word in each[0].split())]
    found = model.translate([source for source, _ in unknown], beam=1, unknown="kept")
    return np.mean([each.text == target for each, (_, target) in zip(found, unknown, strict=True)])


@pytest.mark.filterwarnings("ignore:.* tokens of the texts are unknown")  # which is what is copied
def test_unknown_words_are_copied():
    assert exact(True, copied_task(700), 4) > 0.3


@pytest.mark.slow
def test_unknown_words_are_copied_exactly():
    pairs = copied_task(3000)
    assert exact(True, pairs, 6) >= 0.95
    assert exact(False, pairs, 6) == 0
