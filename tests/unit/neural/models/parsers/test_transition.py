"""Transition parsers of every system, oracle and beam: what they learn, and that they always give trees."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.training.options import RunConfig
from firth.readers.conllu import DependencySentence
from firth.readers.tree import tree_problem
from tests.unit.neural.models.parsers.tiny import SIZES, single_words, treebank

SYSTEMS = pytest.mark.parametrize("system", ["arc-standard", "arc-eager"])
TRAINING = firth.TrainingOptions(epochs=5, batch_size=4, lr=0.01)


@SYSTEMS
@pytest.mark.parametrize(("oracle", "activation"), [("static", "relu"), ("dynamic", "cube")])
def test_it_learns_the_language(system, oracle, activation):
    options = firth.TransitionParser(**SIZES, system=system, oracle=oracle, activation=activation)
    parser = options.train(treebank(60), held_out=treebank(20, 1), training=TRAINING, progress=False)
    assert parser.test(treebank(20, 2), progress=False).gold.las > 0.9
    parser.module.beam = 4
    assert parser.test(treebank(20, 2), progress=False).gold.las > 0.9


@SYSTEMS
@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("tag", ["upos", "features", "none"])
def test_random_parameters_give_trees(system, beam, tag):
    """Of sentences of 1 to 30 known and unknown words and tags."""
    options = firth.TransitionParser(dim=4, tag_dim=3, hidden=5, system=system, beam=beam, tag=tag, spelling=beam > 1)
    vocabulary, random = options.vocabulary(treebank(9), None), np.random.default_rng(0)
    sentences = []
    for length in range(1, 31):
        words, tags = random.choice(["the", "cat", "unheard"], length), random.choice(["NOUN", "X"], length)
        sentences.append(DependencySentence.of(words.tolist()).annotated(tags=tags.tolist()))
    for seed in range(3):
        torch.manual_seed(seed)
        module = options.build(vocabulary, None).eval()
        for parameter in module.parameters():
            torch.nn.init.normal_(parameter)
        for sentence, (heads, relations) in zip(sentences, module.parse(sentences), strict=True):
            assert len(heads) == len(relations) == len(sentence)
            assert tree_problem((heads - 1).tolist()) == ""
            assert 0 <= relations.min() <= relations.max() < len(vocabulary.relations)
            assert np.array_equal(relations == vocabulary.root, heads == 0)


def test_batches_do_not_change_the_trees(transition_parser):
    sentences = treebank(25, 6)
    together = transition_parser.predict(sentences)
    assert together == [transition_parser.predict([sentence])[0] for sentence in sentences]


@SYSTEMS
@pytest.mark.parametrize("follow", [0.0, 1.0])
def test_every_state_that_is_explored_has_a_right_action(system, follow):
    """One that is allowed: an action without loss always exists."""
    from firth.neural.models.parsers.transition import oracle_states

    options = firth.TransitionParser(**SIZES, system=system)
    module = options.build(options.vocabulary(treebank(9), None), None)
    task = options.task(module, treebank(9), treebank(9), RunConfig(firth.TrainingOptions(batch_size=50)))
    (batch,) = task.batches.epoch(0)
    states = oracle_states(module, batch, module.first_layer(batch), follow)
    kinds = np.array([0, 1, *([2] * 7), *([3] * 7)])
    right = states.targets >= 0
    assert right.any(1).all()
    assert (states.kinds[:, None] >> kinds[states.targets] & 1)[right].all()


def test_a_treebank_of_single_words_gives_labels_to_other_arcs():
    """And its root keeps the label that no other word has."""
    parser = firth.TransitionParser(**SIZES).train(single_words(), training=TRAINING, progress=False)
    assert parser.relations == ["root", "dep"]
    assert sorted(parser.predict([(["a", "b", "c"], ["X"] * 3)])[0].relations) == ["dep", "dep", "root"]


@SYSTEMS
@pytest.mark.parametrize("oracle", ["static", "dynamic"])
def test_training_in_half_precision(system, oracle):
    training = firth.TrainingOptions(epochs=5, batch_size=4, lr=0.01, precision="bf16")
    options = firth.TransitionParser(**SIZES, system=system, oracle=oracle)
    parser = options.train(treebank(60), held_out=treebank(20, 1), training=training, progress=False)
    assert parser.test(treebank(20, 2), progress=False).gold.las > 0.9
