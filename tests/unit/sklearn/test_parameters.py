import dataclasses
import importlib
import inspect
import sys

import pytest
from sklearn.base import clone

import firth
from firth import sklearn as estimators
from firth.corpus.options import CorpusOptions
from firth.errors import MissingExtraError, UnknownOptionError
from firth.sklearn.parameters import SHARED, options_of

MODELS = {
    "AverageVectorizer": (firth.Word2Vec, {"score"}),
    "FastTextClassifier": (firth.TextClassifier, {"label_prefix"}),
    "LSAVectorizer": (firth.LatentSemanticAnalysis, set()),
    "LanguageModelFeatures": (firth.NgramLM, set()),
    "PPMIVectorizer": (firth.AssociationVectors, {"association"}),
    "ParagraphVectorizer": (firth.ParagraphVectors, set()),
    "PhraseJoiner": (firth.Phrases, set()),
    "RBMFeatures": (firth.RBM, set()),
}


def test_every_estimator_is_listed():
    assert sorted(MODELS) == sorted(estimators.__all__)


@pytest.mark.parametrize("name", MODELS)
def test_parameters_are_the_options_of_the_model(name):
    """No option of a model is forgotten when one is added, and defaults are those of the model."""
    estimator, (model, left_out) = getattr(estimators, name), MODELS[name]
    defaults = {field.name: field.default for field in dataclasses.fields(model) if field.name not in left_out}
    parameters = inspect.signature(estimator).parameters
    assert defaults.items() <= {name: parameter.default for name, parameter in parameters.items()}.items()
    assert left_out & parameters.keys() == set()
    assert estimator().get_params().items() >= defaults.items()
    if "tokens" in parameters:
        assert parameters["tokens"].default == CorpusOptions().tokens


def test_help_is_that_of_the_options():
    documentation = " ".join((estimators.AverageVectorizer.__doc__ or "").split())
    assert "dim: dimension of the vectors; default 100" in documentation
    assert "(skipgram, cbow); default 'skipgram'" in documentation
    assert documentation.index("Args:") < documentation.index("vectors: None") < documentation.index("dim: dimension")


@pytest.mark.parametrize("name", ["random_state", "n_jobs", "verbose"])
def test_parameters_of_all_estimators_have_one_help(name):
    takers = [getattr(estimators, each) for each in MODELS]
    takers = [each for each in takers if name in inspect.signature(each).parameters]
    assert len(takers) >= 6
    assert [each for each in takers if f"\n    {name}: {SHARED[name][1]}" not in each.__doc__] == []
    assert [each for each in takers if each().get_params()[name] is not SHARED[name][0]] == []


def test_a_wrong_name_is_answered_with_the_right_one():
    with pytest.raises(UnknownOptionError, match="n_components=50: LSAVectorizer has no such parameter; use dim"):
        estimators.LSAVectorizer(n_components=50)
    with pytest.raises(TypeError, match=r"seed=1: AverageVectorizer .*; use random_state"):
        estimators.AverageVectorizer(seed=1)
    with pytest.raises(TypeError, match=r"threads=2: PhraseJoiner .*; use n_jobs"):
        estimators.PhraseJoiner(threads=2)
    with pytest.raises(TypeError, match="takes parameters by name"):
        estimators.LSAVectorizer(50)


def test_options_of_selects():
    assert list(options_of(firth.LatentSemanticAnalysis, "drop", "dim")) == ["drop", "dim"]
    assert "dim" not in options_of(firth.LatentSemanticAnalysis, leave_out=["dim"])


def test_repr_shows_what_differs_from_the_defaults():
    assert repr(estimators.LSAVectorizer(dim=7, random_state=1)) == "LSAVectorizer(dim=7, random_state=1)"
    assert clone(estimators.LSAVectorizer(dim=7)).get_params()["dim"] == 7


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name == "firth.sklearn" or name.startswith("firth.sklearn.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r"scikit-learn is needed .*: pip install .*\[sklearn\]"):
        importlib.import_module("firth.sklearn")
