"""Options that a command line can name, found where public names live; nothing else is imported to find them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import firth


@dataclass(frozen=True)
class Model:
    """A preset of one options dataclass.

    Attributes:
        kind: the dataclass.
        preset: the options that make it this model; they have no flags.
    """

    kind: Any
    preset: Mapping[str, Any]


def named(homes: Sequence[str]) -> dict[str, Model]:
    """Return the models of the public names that live in some parts of the package.

    Args:
        homes: how the parts' modules begin, such as "firth.embeddings.".
    """
    # Where a name lives is told by the name's own module only once that is imported.
    kinds = [getattr(firth, name) for name, home in firth._MODULES.items() if home.startswith(tuple(homes))]
    return {name: Model(kind, preset) for kind in kinds for name, preset in vars(kind).get("models", {}).items()}
