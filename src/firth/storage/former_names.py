"""Names and layouts in files of earlier versions of firth, translated when a file is read.

A name is translated only where the reader does not know it and knows its present name: new options and modules, and
those of users, may have any name. `firth.option_names` has the table of options, which error messages quote, too.

Layouts: the arcs of a biaffine parser once had the scores h' U d + v' d in place of h' U d + u' h. The term v' d is the
same for all heads of a dependent and changes no probability and no tree, so that such a parser is read with u = 0.
"""

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from firth.option_names import RENAMED, RENAMED_VALUES

Tensor = TypeVar("Tensor")
NEURAL_CONFIG = {"begin": "bos"}  # of the folder of a neural language model
CLASSES = {"MaskedLM": "SentenceMaskedLM"}  # of options, in the folders of models
DELETED = {"feature_dropout"}  # options that changed training only, and are no more
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


def current_names(
    options: Mapping[str, Any], known: Collection[str], former: Mapping[str, str] = RENAMED
) -> dict[str, Any]:
    """Return options under their present names.

    Args:
        options: of a file.
        known: present names.
        former: present names by former ones.

    Raises:
        TypeError: these are no options by name, or the file has one under both names.
    """
    if not isinstance(options, Mapping):
        raise TypeError(f"{options!r}: expected options by name")
    renamed: dict[str, Any] = {}
    names = {name: former[name] for name in options if name not in known and former.get(name) in known}
    for name, value in options.items():
        if names.get(name) in options:
            raise TypeError(f"{name!r} and {names[name]!r}, which are names of one option")
        renamed[names.get(name, name)] = value
    return renamed


def current_options(options: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    """Return options of a file under their present names and with their present values.

    Args:
        options: of the file.
        kind: their class, a dataclass.

    Raises:
        TypeError: these are no options by name, or the file has one under both names.
    """
    choices = {field.name: field.metadata.get("choices") or () for field in dataclasses.fields(kind)}
    known = {name: value for name, value in current_names(options, choices).items() if name not in DELETED - {*choices}}
    return {name: _current_value(name, value, choices) for name, value in known.items()}


def _current_value(name: str, value: Any, choices: Mapping[str, Collection[str]]) -> Any:
    present = RENAMED_VALUES.get((name, value)) if isinstance(value, str) else None
    return present if present in choices.get(name, ()) and value not in choices[name] else value


def current_identity(identity: Mapping[str, Any], run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity of a checkpoint under the names of the run that resumes.

    Options that training has no longer, `bptt` and `vary_bptt`, are moved to the model if it has them.

    Args:
        identity: of the checkpoint.
        run: identity of the run, whose names are the present ones.

    Raises:
        TypeError: the checkpoint has one option under both names.
    """
    parts = {name: part for name, part in run.items() if isinstance(part, Mapping)}
    parts = {name: part for name, part in parts.items() if isinstance(identity.get(name), Mapping)}
    former = {name: current_names(identity[name], part) for name, part in parts.items()}
    training, options = former.get("training", {}), former.get("options", {})
    for name in ("steps", "vary_steps"):
        if name in training and name not in parts["training"]:
            value, present = training.pop(name), RENAMED[name]
            if present in parts.get("options", ()):
                options.setdefault(present, value)
    for name, value in options.items():
        ours = parts["options"].get(name)
        if isinstance(value, str) and value != ours and RENAMED_VALUES.get((name, value)) == ours:
            options[name] = ours
    return {**identity, **former}


def current_tensors(tensors: Mapping[str, Tensor], known: Collection[str]) -> dict[str, Tensor]:
    """Return tensors under their present names.

    Args:
        tensors: of a file.
        known: names of the module's tensors.
    """
    names = {name: name if name in known else _current_tensor(name, known) for name in tensors}
    return {name if names[name] in tensors else names[name]: tensor for name, tensor in tensors.items()}


def current_layout(array: npt.NDArray[Any], known: Collection[tuple[int, ...]]) -> npt.NDArray[Any]:
    """Return a tensor of a file in its present layout.

    Args:
        array: (L, H + 1, D) weights of arcs, which become (L, H, D + 1), or any other tensor, which stays.
        known: shapes of the module's tensors.
    """
    if array.ndim != 3 or array.shape in known:
        return array
    L, H, D = array.shape
    return np.pad(array[:, :-1], ((0, 0), (0, 0), (0, 1))) if (L, H - 1, D + 1) in known else array


def _current_tensor(name: str, known: Collection[str]) -> str:
    start = ""
    for part in name.split("."):
        same, renamed = f"{start}{part}.", f"{start}{TENSORS.get(part, part)}."
        start = renamed if _begins(renamed, known) and not _begins(same, known) else same
    return start[:-1]


def _begins(start: str, names: Collection[str]) -> bool:
    return any(f"{name}.".startswith(start) for name in names)
