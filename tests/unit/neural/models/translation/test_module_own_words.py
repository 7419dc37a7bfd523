"""Scheduled sampling of translators: what the decoder reads, bits without it, gradients."""

import itertools

import pytest
import torch

import firth
from firth.neural.layers.scheduled_sampling import FeedingOptions
from firth.neural.models.translation.data import PairReader
from firth.neural.models.translation.predict import TranslationModel
from firth.neural.models.translation.units import BOS, learn_units
from firth.neural.training.devices import new_module

TEXTS = ["a b c", "b a x", "c c a b", "y"]
WORDS = {"source_units": "words", "target_units": "words", "min_count": 1, "hidden": 4, "dropout": 0.0}
KINDS = {
    "lstm": {},
    "no attention": {"attention": "none", "decoder": "gru"},
    "copying": {"copying": True, "coverage": True, "coverage_loss": 0.5, "label_smoothing": 0.0},
    "transformer": {"encoder": "transformer", "decoder": "transformer", "heads": 2},
}
SOFT = FeedingOptions(share=0.0, own="soft")


def untrained(**how):
    options = firth.Translator(**{**WORDS, "max_length": 9, **how})
    units = learn_units(["a b c", "b a", "c c a b"], "words", 100)
    module = new_module(0, options.build, units, units)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5, generator=torch.Generator().manual_seed(0))
    model = TranslationModel(module, options, PairReader(units, units, False, options.copying))
    batch = model.collator.pairs([model.reader.read(*pair) for pair in itertools.pairwise(TEXTS)])
    return module.double().train(), batch


@pytest.mark.parametrize("how", KINDS.values(), ids=KINDS)
def test_the_gradient_through_own_words_equals_differences(how):
    module, batch = untrained(**how)

    def loss():
        losses = module.losses(batch, feeding=SOFT)
        return (losses.tokens + losses.coverage).sum()

    loss().backward()
    for name, parameter in module.named_parameters():
        flat, gradient = parameter.data.view(-1), parameter.grad.view(-1)
        at = int(gradient.abs().argmax())
        kept, values = flat[at].item(), []
        for step in (1e-5, -1e-5):
            flat[at] = kept + step
            values.append(loss().item())
        flat[at] = kept
        assert gradient[at].item() == pytest.approx((values[0] - values[1]) / 2e-5, rel=1e-4, abs=1e-6), name


@pytest.mark.parametrize("how", [KINDS["lstm"], KINDS["copying"]], ids=["lstm", "copying"])
@torch.no_grad()
def test_without_true_words_the_decoder_reads_the_words_of_greedy_search(how):
    """At a low temperature the mean of all words is the most probable one."""
    module, batch = untrained(**how)
    found = module.losses(batch, feeding=FeedingOptions(share=0.0, own="soft", temperature=1e-4)).tokens
    memory, state = module.encode(batch.sources)
    B, T = batch.targets.shape
    ids, rows, losses = torch.full((B,), BOS), torch.arange(B), []
    for t in range(T):
        outputs, attention, state = module.decoder.read(module.embedded(ids[:, None]), memory, state)
        hidden, weights = outputs[:, -1], None if attention is None else attention[:, -1]
        log_prob = module.next_log_prob(ids, hidden, weights, batch.sources, rows)
        if module.copy_gate is None:
            losses.append(module.output.loss(hidden, batch.targets[:, t]))
        else:
            losses.append(-log_prob.gather(1, batch.targets[:, t : t + 1])[:, 0])
        ids = log_prob.argmax(1)
    assert torch.allclose(found, torch.stack(losses, 1)[batch.counted])
    assert not torch.allclose(found, module.losses(batch).tokens)


@torch.no_grad()
def test_a_transformer_reads_its_own_words_in_a_second_pass():
    """The words that a first pass over true words predicts."""
    module, batch = untrained(**KINDS["transformer"])
    found = module.losses(batch, exact=True, feeding=FeedingOptions(share=0.0, own="soft", temperature=1e-4)).tokens
    memory, state = module.encode(batch.sources)
    true = torch.nn.functional.pad(batch.targets[:, :-1], (1, 0), value=BOS)
    hidden, _ = module.decode(true, memory, state)
    own = module.output.log_prob(hidden.flatten(0, 1)).argmax(1).view(true.shape)
    hidden, _ = module.decode(torch.cat([true[:, :1], own[:, :-1]], 1), memory, state)
    expected = -module.output.log_prob_of(hidden[batch.counted], batch.targets[batch.counted])
    assert torch.allclose(found, expected)


@pytest.mark.parametrize("how", KINDS.values(), ids=KINDS)
def test_true_words_alone_are_ordinary_training_bit_for_bit(how):
    """Neither a rate of 0 nor the start of a linear schedule changes a bit, or draws a random number."""
    module, batch = untrained(**how)
    expected = module.losses(batch).tokens
    before = torch.random.get_rng_state()
    assert torch.equal(module.losses(batch, feeding=FeedingOptions(share=1.0)).tokens, expected)
    assert torch.equal(torch.random.get_rng_state(), before)
    training = firth.TrainingOptions(epochs=1, batch_size=3, lr=0.01)
    pairs = list(itertools.pairwise(TEXTS)) * 2
    states = []
    for options in ({}, {"scheduled_sampling": "draw", "sampling_rate": 0.0}, {"scheduled_sampling": "draw"}):
        translator = firth.Translator(**{**WORDS, **how, "dropout": 0.1}, **options)
        model = translator.train(pairs, held_out=pairs, training=training, progress=False)
        states.append(torch.cat([each.flatten() for each in model.module.parameters()]))
    assert torch.equal(states[0], states[1])
    assert not torch.equal(states[0], states[2])


def test_models_train_with_own_words():
    pairs = [("a b c", "c b a"), ("b a", "a b"), ("c", "c")] * 10
    how = {**WORDS, "hidden": 16, "label_smoothing": 0.0, "scheduled_sampling": "gumbel", "sampling_rate": 0.5}
    training = firth.TrainingOptions(epochs=12, batch_size=6, lr=0.05, schedule="constant")
    model = firth.Translator(**how).train(pairs, held_out=pairs, training=training, progress=False)
    assert [each.text for each in model.translate([source for source, _ in pairs[:3]])] == ["c b a", "a b", "c"]


def test_the_share_of_own_words_rises():
    options = firth.Translator(scheduled_sampling="soft", sampling_rate=0.5, sampling_temperature=0.3)
    assert options.feeding(0.5) == FeedingOptions(share=0.75, own="soft", temperature=0.3)
    assert firth.Translator().feeding(0.5) is None


def test_local_attention_and_own_words_train_in_half_precision():
    pairs = [("a b c", "c b a"), ("b a", "a b"), ("c", "c")] * 4
    training = firth.TrainingOptions(epochs=1, batch_size=6, lr=0.01, precision="bf16")
    for local in ("monotonic", "predictive"):
        how = {**WORDS, "local": local, "window": 2, "scheduled_sampling": "soft", "sampling_schedule": "constant"}
        for further in ({}, {"scheduled_sampling": "none"}, {"intra_temporal": True, "intra_decoder": True}):
            translator = firth.Translator(**{**how, **further})
            model = translator.train(pairs, held_out=pairs, training=training, progress=False)
            assert model.metadata["training"]["best"]["held_out_loss"] < 4
