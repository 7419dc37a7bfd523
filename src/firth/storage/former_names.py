"""Names in files of earlier versions of firth, one table per kind of file, translated when a file is read."""

from collections.abc import Mapping
from typing import Any

NEURAL_OPTIONS = {  # of neural models and their training, in folders and checkpoints
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
NEURAL_VALUES = {("cell", "plain"): "rnn", ("embedding", "characters"): "char-cnn"}
TENSORS = {  # parts of the dotted name of a tensor of a neural model
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
TRAINER_OPTIONS = {"least_contexts": "min_contexts", "min_prior": "min_share"}  # of word vectors and of senses
TEXT_RULES = {"ends": "eos"}  # of language models
NEURAL_CONFIG = {"begin": "bos"}  # of the folder of a neural language model


def current_names(options: Mapping[str, Any], former: Mapping[str, str]) -> dict[str, Any]:
    """Return options under their present names.

    Args:
        options: of a file.
        former: one of the tables of this module.

    Raises:
        TypeError: these are no options by name, or the file has one under both names.
    """
    if not isinstance(options, Mapping):
        raise TypeError(f"{options!r}: expected options by name")
    renamed = {former.get(name, name): value for name, value in options.items()}
    if len(renamed) < len(options):
        both = next(name for name in options if name in former and former[name] in options)
        raise TypeError(f"{both!r} and {former[both]!r}, which are names of one option")
    return renamed


def current_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a neural model, or of its training, under their present names.

    Raises:
        TypeError: these are no options by name, or the file has one under both names.
    """
    return {
        name: NEURAL_VALUES.get((name, value), value) if isinstance(value, str) else value
        for name, value in current_names(options, NEURAL_OPTIONS).items()
    }


def current_identity(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity of a neural checkpoint under present names; `bptt` was an option of training earlier.

    Raises:
        TypeError: these are no options by name, or the file has one under both names.
    """
    training, options = identity.get("training", {}), identity.get("options")
    if "steps" in training and isinstance(options, Mapping):
        former = {name: training[name] for name in ("steps", "vary_steps")}
        training = {name: value for name, value in training.items() if name not in former}
        options = current_options({**options, **former})
    return {**identity, "training": current_options(training), **({} if options is None else {"options": options})}


def current_tensor(name: str) -> str:
    """Return the present name of a tensor of a neural model."""
    return ".".join(TENSORS.get(part, part) for part in name.split("."))
