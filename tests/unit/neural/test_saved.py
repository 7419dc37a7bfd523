"""Fields of models in folders: what is written is read, and what does not fit is refused."""

import inspect
import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError
from firth.language.text import TextRules
from firth.neural.models.classification.predict import LabelModel
from firth.neural.models.graphs.predict import NodeModel
from firth.neural.models.language.language_model import new_module
from firth.neural.models.language.predict import NeuralLanguageModel
from firth.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("config.json", {"dim": 10**9}, r"config.json does not describe a graph network \(dim=1000000000\)"),
        ("config.json", {"dim": "x"}, "config.json does not describe a graph network"),
        ("config.json", {"dim": None}, "config.json does not describe a graph network"),
        ("config.json", {"model": "PointerNetwork"}, "does not describe a graph network .* expected one of GAT, GCN"),
        ("labels.json", ["a", "a"], r"does not describe a graph network \(2 labels\)"),
    ],
)
def test_a_folder_that_describes_no_model_is_refused(tmp_path, file, change, message):
    options = firth.GCN(hidden=2)
    model = NodeModel(options.build(3, 2), options, ["a", "b"], 3)
    model.save(tmp_path / "m")
    assert firth.load(tmp_path / "m").fingerprint() == model.fingerprint()
    (tmp_path / "m" / "checksums.json").unlink()
    path = tmp_path / "m" / file
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, **change} if isinstance(content, dict) else change))
    with pytest.raises(FormatError, match=message):
        firth.load(tmp_path / "m")


def test_fields_are_given_by_position_or_name_and_those_of_the_module_are_saved(tmp_path):
    options = firth.LogBilinearLM(dim=2, order=2)
    vocabulary = Vocabulary(["a", "<unk>"], np.array([2, 1]), 3)
    module, rules = new_module(options, vocabulary, 1, seed=0), TextRules(tokens="whitespace", eos=False)
    model = NeuralLanguageModel(module, options, vocabulary, rules=rules, metadata={"note": "untrained"})
    model.save(tmp_path / "m")
    config = json.loads((tmp_path / "m" / "config.json").read_text())
    assert [name for name in config if name in ("rules", "bos", "total")] == ["rules", "bos", "total"]
    restored = firth.load(tmp_path / "m")
    assert (restored.module.bos, restored.metadata) == (1, {"note": "untrained"})
    assert restored.fingerprint() == model.fingerprint()


def test_a_model_lacks_none_of_its_fields():
    options = firth.GCN(hidden=2)
    with pytest.raises(
        TypeError, match=r"NodeModel: missing a required argument: 'dim'; expected \(module, options, l"
    ):
        NodeModel(options.build(3, 2), options, ["a", "b"])
    with pytest.raises(TypeError, match="NodeModel: got an unexpected keyword argument 'width'"):
        NodeModel(options.build(3, 2), options, ["a", "b"], 3, width=3)
    names = ["module", "options", "reader", "labels", "metadata"]
    assert list(inspect.signature(LabelModel).parameters) == names
