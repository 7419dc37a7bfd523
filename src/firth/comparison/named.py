"""Models by name, found in the options classes among the public names of firth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import firth


@dataclass(frozen=True)
class Model:
    """An options dataclass with some options set.

    Attributes:
        kind: the dataclass.
        preset: the options that are set; they have no flags.
        description: one sentence: what the model is, and its paper.
    """

    kind: Any
    preset: Mapping[str, Any]
    description: str


def named(homes: Sequence[str]) -> dict[str, Model]:
    """Return the models whose options classes live in some parts of the package, by name.

    Args:
        homes: module prefixes, such as "firth.embeddings.".
    """
    # `firth._MODULES` knows where each public name lives, so that only these modules are imported.
    kinds = [getattr(firth, name) for name, home in firth._MODULES.items() if home.startswith(tuple(homes))]
    return {
        name: Model(kind, preset.options, preset.description)
        for kind in kinds
        for name, preset in vars(kind).get("presets", {}).items()
    }
