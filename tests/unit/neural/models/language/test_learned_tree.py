"""Trees out of a model's contexts: words that stand in like places hang together."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from firth.language.text import training_text
from firth.neural.models.language.language_model import LearnedTree
from firth.neural.models.language.learned_tree import cluster_words, set_tree
from tests.unit.neural.models.language.tiny import QUICK, corpus, untrained

TRAINING = firth.TrainingOptions(epochs=12, batch_size=4, lr=0.02)


def classes(tmp_path):
    """Sentences of a noun, a verb and a noun out of eight each: three places to stand in, the ends among them."""
    random = np.random.default_rng(0)
    lines = [f"n{random.integers(8)} v{random.integers(8)} n{random.integers(8)}" for _ in range(300)]
    return firth.Corpus.build(lines, cache=tmp_path, min_count=1, tokens="whitespace")


def test_words_of_a_kind_hang_together(tmp_path):
    """Some node of the tree has all verbs below it and no noun: a random tree of 18 words hardly ever has one."""
    text = training_text(classes(tmp_path))
    first = firth.LogBilinearLM(dim=16, order=3, bptt=8, output="tree:tree=random").train(
        text, training=TRAINING, progress=False
    )
    codes = cluster_words(first.module, text, LearnedTree(), seed=0)
    words, leaves = text.vocabulary.words, len(codes.leaf_words)
    below = [{words[word]} for word in codes.leaf_words.tolist()]
    for one, other in codes.children.tolist():
        below.append(below[one] | below[other])
    assert below[-1] == set(words)
    assert {word for word in words if word.startswith("v")} in below[leaves:]


def test_training_learns_the_tree_first_and_files_bring_it_back(tmp_path):
    text = training_text(corpus(tmp_path / "cache"))
    how = firth.LogBilinearLM(dim=8, order=3, output="tree:tree=learned:overlap=0.2:bootstrap=1")
    model = how.train(text, training=QUICK, checkpoint=tmp_path / "run", progress=False)
    tree = model.module.output.codes
    assert len(tree.leaf_words) >= len(text.vocabulary)
    assert (tmp_path / "run" / "random-tree").is_dir()
    model.save(tmp_path / "model")
    again = firth.load(tmp_path / "model")
    assert (again.module.output.codes.children == tree.children).all()
    assert (again.log_probs(text) == model.log_probs(text)).all()
    assert np.exp(again.start([[1, 2]])[0]).sum() == pytest.approx(1.0, abs=1e-5)


def test_a_seed_decides_the_tree_and_leaves_torchs_own_randomness_alone(tmp_path):
    text = training_text(corpus(tmp_path))
    model = untrained(firth.LogBilinearLM(dim=8, order=3, output="tree"), text)
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    one, again = (cluster_words(model.module, text, LearnedTree(), seed=1) for _ in range(2))
    set_tree(model.module, one, text.vocabulary, seed=1)
    assert (torch.rand(2) == expected).all()
    assert (one.children == again.children).all()
    assert (model.module.output.codes.leaf_words == one.leaf_words).all()


def test_options_out_of_range_are_refused():
    with pytest.raises(OptionError, match=r"overlap=0\.7: expected a finite number from 0 to 0\.49"):
        firth.LogBilinearLM(output="tree:tree=learned:overlap=0.7")
    with pytest.raises(OptionError, match="bootstrap=0: expected a whole number of at least 1"):
        firth.RecurrentLM(output="tree:tree=learned:bootstrap=0")


def test_minutes_are_shared_out(tmp_path, clock):
    """A quarter of them for the model with the random tree, three quarters for the one that is wanted."""
    how = firth.LogBilinearLM(dim=8, order=3, output="tree:tree=learned")
    training = firth.TrainingOptions(epochs=10_000, minutes=0.01, batch_size=4)
    model = how.train(corpus(tmp_path), training=training, progress=False)
    told = model.metadata["training"]
    assert told["minutes"] == pytest.approx(0.0075)
    assert told["ended"] == "minutes"
    assert 0 < told["seconds"] < 0.5
    assert clock.now < 0.7
