"""Options, identities and tensors of earlier versions under their present names; other names stay."""

import dataclasses

import numpy as np
import pytest

from firth.option_names import RENAMED
from firth.storage.former_names import (
    TENSORS,
    current_identity,
    current_layout,
    current_names,
    current_options,
    current_tensors,
)


@dataclasses.dataclass
class Model:
    """Options under present names, with one that has a name which was another's."""

    cell: str = dataclasses.field(default="rnn", metadata={"choices": ("rnn", "lstm")})
    tie_weights: bool = True
    bptt: int = 35
    noise: float = 0.0


@dataclasses.dataclass
class Own:
    """Options of one's own."""

    cell: str = dataclasses.field(default="plain", metadata={"choices": ("plain", "rnn")})
    steps: int = 1


@pytest.mark.parametrize(("former", "present"), RENAMED.items())
def test_a_former_name_is_translated_where_only_the_present_one_is_known(former, present):
    assert current_names({former: 1, "another": 2}, [present, "another"]) == {present: 1, "another": 2}
    assert current_names({present: 1}, [present]) == {present: 1}
    assert current_names({former: 1}, [former]) == {former: 1}
    assert current_names({former: 1, present: 2}, [former, present]) == {former: 1, present: 2}
    assert current_names({former: 1}, []) == {former: 1}
    assert present not in RENAMED  # one step is enough
    with pytest.raises(TypeError, match=f"'{former}' and '{present}', which are names of one option"):
        current_names({former: 1, present: 1}, [present])


@pytest.mark.parametrize("wrong", [None, ["eos"], 3, "eos"])
def test_what_holds_no_options_is_refused(wrong):
    with pytest.raises(TypeError, match="expected options by name"):
        current_names(wrong, ["eos"])


def test_options_and_values():
    former = {"cell": "plain", "tie": False, "steps": 3, "noise": 0.5}
    assert current_options(former, Model) == {"cell": "rnn", "tie_weights": False, "bptt": 3, "noise": 0.5}
    assert current_options({"cell": ["plain"]}, Model) == {"cell": ["plain"]}
    assert current_options({"cell": "plain", "steps": 2}, Own) == {"cell": "plain", "steps": 2}


def test_a_deleted_option_is_left_out_where_nothing_has_its_name():
    assert current_options({"bptt": 3, "feature_dropout": 0.1}, Model) == {"bptt": 3}
    kind = dataclasses.make_dataclass("Kind", [("feature_dropout", float)])
    assert current_options({"feature_dropout": 0.1}, kind) == {"feature_dropout": 0.1}


def test_an_identity_moves_bptt_to_the_model():
    former = {
        "options": {"model": "RecurrentLM", "cell": "plain", "tie": True},
        "training": {"steps": 7, "vary_steps": True, "clip": 1},
    }
    present = {
        "options": {"model": "RecurrentLM", "cell": "rnn", "tie_weights": True, "bptt": 7, "vary_bptt": True},
        "training": {"clip_norm": 1},
    }
    assert current_identity(former, present) == current_identity(present, present) == present


@pytest.mark.parametrize("own", [{}, {"recipe": "a line"}, {"options": {"steps": 3, "maps": 1, "cell": "plain"}}])
def test_an_identity_of_ones_own_keeps_its_names(own):
    former = {**own, "training": {"steps": 35, "vary_steps": False, "clip": 0}}
    present = {**own, "training": {"clip_norm": 0}}
    assert current_identity(former, present) == current_identity(present, present) == present


@pytest.mark.parametrize("wrong", [None, 3, "x", [1]])
def test_parts_of_an_identity_that_are_no_options_stay(wrong):
    run = {"options": {"bptt": 3}, "training": {"clip_norm": 0}}
    assert current_identity({"options": wrong, "training": wrong}, run) == {"options": wrong, "training": wrong}
    assert current_identity({}, run) == {}


def test_tensors():
    known = ["stack.0.in_proj.weight", "embedding.lstm.forward_layer.bias", "output.weight"]
    former = {"stack.0.inward.weight": 1, "embedding.readers.onward.bias": 2, "output.weight": 3}
    assert current_tensors(former, known) == dict(zip(known, (1, 2, 3), strict=True))
    assert current_tensors({"maps.0.inward": 1}, ["maps.0.in_proj"]) == {"maps.0.in_proj": 1}
    assert current_tensors({"maps": 1, "context_matrices": 2}, ["context_matrices"]) == {
        "maps": 1,
        "context_matrices": 2,
    }


@pytest.mark.parametrize("name", TENSORS)
def test_a_module_of_ones_own_keeps_its_names(name):
    tensors = {f"{name}.weight": 1, f"{name}.bias": 2, f"layers.0.{name}": 3}
    assert current_tensors(tensors, list(tensors)) == tensors


def test_the_layout_of_arcs():
    """v, the last row, gives way to u = 0, a last column; a tensor that the module has, or has nothing of, stays."""
    former = np.arange(1.0, 13).reshape(1, 4, 3)  # H = D = 3
    present = current_layout(former, {(1, 3, 4), (7,)})
    assert present.tolist() == [[[1, 2, 3, 0], [4, 5, 6, 0], [7, 8, 9, 0]]]
    for known in ({(1, 4, 3), (1, 3, 4)}, {(1, 3, 5)}, set()):
        assert current_layout(former, known) is former
