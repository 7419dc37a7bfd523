"""Options, identities and tensors of earlier versions under their present names."""

import dataclasses

import pytest

import firth
from firth.errors import MissingExtraError
from firth.language.text import TextRules
from firth.senses.clustering import SenseClusters
from firth.senses.online import MultiSenseSkipGram
from firth.storage import former_names
from firth.storage.former_names import current_identity, current_names, current_options, current_tensor

TABLES = {name: table for name, table in vars(former_names).items() if name.isupper() and name != "NEURAL_VALUES"}


def fields(*kinds: type) -> set[str]:
    return {field.name for kind in kinds for field in dataclasses.fields(kind)}


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_every_former_name_is_translated_and_a_present_one_stays(table):
    for former, present in table.items():
        assert current_names({former: 1, "another": 2}, table) == {present: 1, "another": 2}
        assert current_names({present: 1}, table) == {present: 1}
        assert present not in table  # one step is enough


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_both_names_of_one_option_are_refused(table):
    for former, present in table.items():
        with pytest.raises(TypeError, match=f"'{former}' and '{present}', which are names of one option"):
            current_names({former: 1, present: 1}, table)


def test_what_holds_no_options_is_refused():
    for wrong in (None, ["eos"], 3):
        with pytest.raises(TypeError, match="expected options by name"):
            current_names(wrong, {})


def test_no_former_name_is_the_name_of_another_option():
    assert not fields(TextRules) & set(former_names.TEXT_RULES)
    assert not fields(SenseClusters, MultiSenseSkipGram, firth.Word2Vec) & set(former_names.TRAINER_OPTIONS)
    assert set(former_names.TRAINER_OPTIONS.values()) <= fields(SenseClusters, MultiSenseSkipGram)
    try:
        models = fields(firth.RecurrentLM, firth.TransformerLM, firth.FeedForwardLM, firth.LogBilinearLM)
        models |= fields(firth.TrainingOptions)
    except MissingExtraError:
        pytest.skip("PyTorch is not installed: pip install 'firth[neural]'")
    assert not models & set(former_names.NEURAL_OPTIONS)
    assert set(former_names.NEURAL_OPTIONS.values()) <= models


def test_options_and_values():
    former = {"cell": "plain", "connect": "dense", "embed": "characters", "tie": False, "noise": "weights", "dim": 3}
    present = {"cell": "rnn", "connection": "dense", "embedding": "char-cnn", "tie_weights": False,
               "dropout_kind": "weights", "dim": 3}  # fmt: skip
    assert current_options(former) == current_options(present) == present


def test_an_identity_moves_the_steps_to_the_model():
    former = {"options": {"model": "RecurrentLM", "tie": True}, "training": {"steps": 7, "vary_steps": True, "clip": 1}}
    present = {
        "options": {"model": "RecurrentLM", "tie_weights": True, "bptt": 7, "vary_bptt": True},
        "training": {"clip_norm": 1},
    }
    assert current_identity(former) == current_identity(present) == present
    assert current_identity({"recipe": "a line", "training": {"clip": 0}}) == {
        "recipe": "a line",
        "training": {"clip_norm": 0},
    }


def test_tensors():
    assert current_tensor("stack.blocks.0.attention.inward.weight") == "stack.blocks.0.attention.in_proj.weight"
    assert current_tensor("embedding.readers.onward.bias_ih") == "embedding.lstm.forward_layer.bias_ih"
    assert current_tensor("output.weight") == "output.weight"
