"""An output layer in a word: its kind, and its options behind colons."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.models.language.language_model import LearnedTree, learned_tree, output_layer, parse_output
from tests.unit.neural.models.language.tiny import text_of


def test_options_are_numbers_words_and_yes_or_no():
    assert parse_output("full") == ("full", {})
    assert parse_output("full:bias=no") == ("full", {"bias": False})
    assert parse_output("adaptive:tails=3:shrink=2.5") == ("adaptive", {"tails": 3, "shrink": 2.5})
    assert learned_tree("tree:tree=random") is None
    assert learned_tree("full") is None
    assert learned_tree("tree:tree=learned:overlap=0.1") == LearnedTree(overlap=0.1)


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("softmax", "output='softmax': expected one of full"),
        ("full:colour=red", "'colour=red' in 'full:colour=red': full has no such option; expected one of bias"),
        ("full:bias", "expected OPTION=VALUE with one of bias"),
        ("full:words=3", "full has no such option; expected one of bias"),
        ("tree:tree=learned:codes=2", "tree has no such option; did you mean max_codes"),
    ],
)
def test_what_is_no_output_is_refused(spec, found):
    with pytest.raises(OptionError, match=found):
        parse_output(spec)


def test_the_layer_is_of_the_vocabularys_size_and_counts(tmp_path):
    vocabulary = text_of(tmp_path).vocabulary
    layer = output_layer("full", 3, vocabulary)
    shares = vocabulary.counts.clip(1) / vocabulary.counts.clip(1).sum()
    assert layer.bias.exp().tolist() == pytest.approx(shares.tolist(), rel=1e-5)
    assert output_layer("full:bias=no", 3, vocabulary).bias is None
