"""Self-critical training: the estimate against the exact gradient of an enumerable task, and rewards."""

import itertools

import numpy as np
import pytest
import torch

import firth
from firth.errors import OptionError
from firth.neural.models.translation.data import Pair, PairReader
from firth.neural.models.translation.predict import TranslationModel
from firth.neural.models.translation.train import ReinforcementTask, reinforce, reward_of
from firth.neural.models.translation.units import BOS, EOS, UNKNOWN, learn_units
from firth.neural.training.devices import new_module

LONGEST = 3
EVERY = [
    (*words, EOS) if ended else words
    for n in range(LONGEST + 1)
    for words in itertools.product((3, 4), repeat=n)
    for ended in ((True,) if n < LONGEST else (False,))
]  # of three symbols: a, b and the end


def model():
    how = {"source_units": "words", "target_units": "words", "min_count": 1, "label_smoothing": 0.0}
    options = firth.Translator(**how, hidden=4, max_length=5)
    units = learn_units(["a b a"], "words", 10)
    module = new_module(0, options.build, units, units).double()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.7, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        module.output.bias[:2] = -1e4  # neither <unk> nor <s>: three symbols are left
    return TranslationModel(module, options, PairReader(units, units))


def reward(text, reference):
    return {"": 0.1, "a": 1.0, "b b": 2.0, "a b a": -1.0}.get(text, 0.3)


def task_of(trained, pairs, **how):
    rewards = reward_of(how.pop("reward", reward))
    read = [trained.reader.read(*pair, keep_words=True) for pair in pairs]
    batches = trained.reader.batches(read, 5000, shuffle=False)
    return ReinforcementTask(trained, batches, batches, rewards, mixture=1.0, longest=LONGEST, predictions=1)


def gradient(loss, module):
    parts = [each for name, each in module.named_parameters() if name != "output.bias"]
    found = torch.autograd.grad(loss, parts, allow_unused=True)
    return torch.cat([each.flatten() for each in found if each is not None])


def test_the_estimate_has_the_direction_of_the_exact_gradient():
    """The greedy text is a baseline, which changes the variance of the estimate and not its mean."""
    trained = model()
    torch.manual_seed(1)
    (batch,) = task_of(trained, [("a b", "b b")] * 5000).batches.epoch(0)
    task = task_of(trained, [("a b", "b b")])
    estimate = gradient(task.reinforced_loss(batch), trained.module)
    reader = trained.reader
    source = reader.read_source("a b")
    trained.module.eval()  # without dropout
    both = reader.collator.pairs([Pair(source, np.array(ids)) for ids in EVERY])
    log_probs = torch.zeros(len(EVERY), dtype=torch.float64).index_add(
        0, both.counted.nonzero()[:, 0], trained.module.log_prob_of(both)
    )
    assert log_probs.exp().sum().item() == pytest.approx(1)
    rewards = [reward(reader.target.text(reader.target.tokens(i for i in ids if i != EOS)), "") for ids in EVERY]
    exact = gradient(-(log_probs.exp() * torch.tensor(rewards)).sum(), trained.module)
    assert torch.cosine_similarity(estimate, exact, dim=0) > 0.98
    assert BOS not in batch.targets


def test_a_model_learns_what_is_rewarded():
    trained = model()
    trained.module.float()
    pairs = [("a b", "a b"), ("b", "a"), ("a", "b")] * 20
    training = firth.TrainingOptions(epochs=4, batch_size=20, lr=0.03)
    before = [each.text for each in trained.translate(["a b", "b"], beam=1)]
    longer = reinforce(
        trained, pairs, lambda text, _: text.split().count("b"), mixture=1.0, held_out=pairs[:3], max_length=4,
        training=training, progress=False,
    )  # fmt: skip
    assert all(each.text.split().count("b") >= 3 for each in longer.translate(["a b", "b"], beam=1))
    assert [each.text for each in trained.translate(["a b", "b"], beam=1)] == before
    assert longer.metadata["reinforcement"]["mixture"] == 1.0


def test_the_reward_is_of_the_text_that_users_get():
    """Unknown words of a text are copied, those of its reference stand as they are."""
    trained, seen = model(), []
    with torch.no_grad():
        trained.module.output.bias[UNKNOWN] = 1e4
    pairs = [("a q", "q b"), ("r", "s"), ("b", "a")]
    task = task_of(trained, pairs, reward=lambda *pair: seen.append(pair) or 0.0)
    with torch.no_grad():
        task.evaluate()
    shown = trained.translate([text for text, _ in pairs], beam=1, options=firth.GenerationOptions(max_length=LONGEST))
    assert sorted(seen) == sorted((each.text, pair[1]) for each, pair in zip(shown, pairs, strict=True))
    assert "r r r" in [text for text, _ in seen]


def test_rewards_of_rouge_are_those_of_the_evaluation():
    pytest.importorskip("rouge_score", reason="rouge-score is not installed: pip install 'firth[generation]'")
    texts, references = ["a b c", "x"], ["a c", "y"]
    assert reward_of("rouge-l")(texts, references).tolist() == pytest.approx([0.8, 0.0])


def test_rewards_that_are_not_finite_are_refused():
    with pytest.raises(OptionError, match="reward of 'a' is nan: expected a finite number"):
        reward_of(lambda text, reference: float("nan"))(["a"], ["b"])
    with pytest.raises(OptionError, match="reward='bleurt': expected a function"):
        reward_of("bleurt")
    with pytest.raises(OptionError, match="mixture=2"):
        reinforce(model(), [("a", "b")], mixture=2)
