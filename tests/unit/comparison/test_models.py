"""A model by its name, with options behind colons."""

import pytest

import firth
from firth.comparison.models import trainer, vector_models
from firth.errors import OptionError


def test_every_model_has_a_name():
    assert {
        "skipgram",
        "cbow",
        "hierarchical",
        "structured",
        "fasttext",
        "glove",
        "ppmi",
        "coals",
        "lsa",
        "ngram",
    } < set(vector_models())


def test_options_of_the_name_go_before_those_of_all():
    common = {"dim": 20, "window": 3, "epochs": None}
    assert trainer("skipgram", common) == firth.Word2Vec(dim=20, window=3)
    assert trainer("glove:window=8:x-max=10", common) == firth.GloVe(dim=20, window=8, x_max=10.0)
    assert trainer("cbow:shrink-windows=no", common) == firth.Word2Vec(
        architecture="cbow", dim=20, window=3, shrink_windows=False
    )
    assert trainer("lsa", common) == firth.LatentSemanticAnalysis(dim=20)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("word2vec", "model 'word2vec': expected one of"),
        ("skipgram:size=3", "'size=3' in 'skipgram:size=3': skipgram has no such option; use dim"),
        ("skipgram:widnow=3", "skipgram has no such option; did you mean window"),
        ("skipgram:min_alpha=0.1", "skipgram has no such option; use lr_end_factor"),
        ("skipgram:size", "'size' in 'skipgram:size': expected OPTION=VALUE with one of"),
        ("skipgram:dim", "'dim' in"),
        ("skipgram:dim=x", "dim='x': expected a number"),
        ("skipgram:dim=0", "dim=0"),
        ("skipgram:shrink_windows=maybe", "expected yes or no"),
        ("cbow:architecture=skipgram", "'architecture=skipgram' in"),
    ],
)
def test_what_is_no_model(spec, said):
    with pytest.raises(OptionError, match=said):
        trainer(spec, {})
