"""Options, identities and tensors of earlier versions under their present names."""

from firth.neural.former_names import current_identity, current_options, current_tensor


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
