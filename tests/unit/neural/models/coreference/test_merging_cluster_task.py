"""Expected costs of decisions, and learning to merge."""

import numpy as np
import torch

import firth
from firth.neural.models.coreference.merging import Decision, expected_costs
from firth.neural.models.tokens.reader import learn_token_reader
from firth.randomness import generator
from tests.unit.neural.models.coreference.toys import documents

SMALL = {"objective": "clusters", "dim": 3, "hidden": 4, "min_count": 1, "dropout": 0.0}


def module():
    built = firth.Coreference(**SMALL).build(learn_token_reader([["a"]], characters=False), 1)
    torch.nn.init.normal_(built.score.weight)
    torch.nn.init.normal_(built.stay.weight)
    return built


def test_expected_costs_are_those_of_a_loop():
    built, random = module(), generator(0, "decisions")
    decisions = [
        Decision(
            random.normal(size=3).astype(np.float32),
            random.normal(size=(count, 15)).astype(np.float32),
            random.random(1 + count).astype(np.float32),
        )
        for count in (3, 1, 5)
    ]
    costs = expected_costs(built, decisions)
    for cost, decision in zip(costs, decisions, strict=True):
        scores = built.action_scores(decision)
        torch.testing.assert_close(cost, scores.softmax(0) @ torch.from_numpy(decision.costs))
    costs.sum().backward()
    assert all(parameter.grad is not None for name, parameter in built.named_parameters() if "ranker" not in name)
    assert all(parameter.grad is None for parameter in built.ranker.parameters())


def test_an_untrained_policy_follows_the_scores_of_pairs():
    built = firth.Coreference(**SMALL).build(learn_token_reader([["a"]], characters=False), 1)
    merges = generator(0, "merges").normal(size=(4, 15)).astype(np.float32)
    scores = built.policy(merges, np.array([9.0, 0.3, 1.0], np.float32))
    np.testing.assert_allclose(scores, [0.3, *(merges[:, [5, 11]].mean(1))], atol=1e-6)


def test_training_and_its_folder(tmp_path):
    how = firth.TrainingOptions(epochs=8, batch_size=2, lr=0.02, optimiser="adam")
    options = firth.Coreference(**{**SMALL, "hidden": 12, "dim": 4, "merging_epochs": 2, "merging_lr": 0.01})
    model = options.train(documents(), held_out=documents(4), training=how, progress=False, checkpoint=tmp_path / "run")
    assert model.test(documents(4)).gold.scores.conll == 1
    assert model.metadata["training"]["ranking"]["epochs"] == 8
    model.save(tmp_path / "m")
    document = documents(1)[0]
    assert firth.load(tmp_path / "m").predict(document).clusters == document.clusters
