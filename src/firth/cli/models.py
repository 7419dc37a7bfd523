"""What `firth train MODEL` can train, read from the trainers themselves: a new family adds nothing here.

A public name that lives in `firth.embeddings` may have an attribute `models`: what the command line calls it, and for
each such name the options that make it this model.
"""

from collections.abc import Mapping
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


def _found() -> dict[str, Model]:
    homes = firth._HOMES  # where a name lives is told by the name's own module only once that is imported
    kinds = [getattr(firth, name) for name, home in homes.items() if home.startswith("firth.embeddings.")]
    return {name: Model(kind, preset) for kind in kinds for name, preset in vars(kind).get("models", {}).items()}


MODELS = _found()
