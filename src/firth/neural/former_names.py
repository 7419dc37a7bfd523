"""Names in files of earlier versions of firth: options and tensors of neural models, translated when a file is read."""

from collections.abc import Mapping
from typing import Any

OPTIONS = {
    "characters": "char_dim",
    "clip": "clip_norm",
    "connect": "connection",
    "decay": "lr_decay",
    "embed": "embedding",
    "inner": "ffn_dim",
    "maps": "context_matrices",
    "noise": "dropout_kind",
    "plateau": "plateau_factor",
    "steps": "bptt",
    "tie": "tie_weights",
    "vary_steps": "vary_bptt",
}
VALUES = {("cell", "plain"): "rnn", ("embedding", "characters"): "char-cnn"}
PARTS = {  # of the dotted name of a tensor
    "backward_": "backward_layer",
    "fall": "down_proj",
    "inward": "in_proj",
    "maps": "context_matrices",
    "memory_norm": "cross_attention_norm",
    "network_norm": "ffn_norm",
    "onward": "forward_layer",
    "outward": "out_proj",
    "readers": "lstm",
    "rise": "up_proj",
    "to_memory": "cross_attention",
}


def current_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a model or of training under their present names."""
    renamed = {OPTIONS.get(name, name): value for name, value in options.items()}
    return {
        name: VALUES.get((name, value), value) if isinstance(value, str) else value for name, value in renamed.items()
    }


def current_identity(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity of a checkpoint under present names; `bptt` was an option of training earlier."""
    training, options = identity.get("training", {}), identity.get("options")
    if "steps" in training and isinstance(options, Mapping):
        former = {name: training[name] for name in ("steps", "vary_steps")}
        training = {name: value for name, value in training.items() if name not in former}
        options = current_options({**options, **former})
    return {**identity, "training": current_options(training), **({} if options is None else {"options": options})}


def current_tensor(name: str) -> str:
    """Return the present name of a tensor."""
    return ".".join(PARTS.get(part, part) for part in name.split("."))
