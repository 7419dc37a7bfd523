"""The models of `firth train` and `firth compare`, read from the options classes: a new family adds nothing here.

An options class in `firth.embeddings` or `firth.senses` names its models in the attribute `presets`.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from firth import options
from firth.comparison.named import named
from firth.errors import OptionError

TRAINERS = ("firth.embeddings.", "firth.senses.")
MODELS = named(TRAINERS)


def trainer(spec: str, common: Mapping[str, Any]) -> Any:
    """Return the options object that a spec names, such as `skipgram` or `skipgram:window=10:sample=0`.

    Args:
        spec: a name of `MODELS`, and options of that model behind colons.
        common: options for every model that has them; those of the spec go before.

    Raises:
        OptionError: there is no such model, or a value is out of its range.
    """
    name = spec.partition(":")[0]
    if name not in MODELS:
        raise OptionError(f"model {name!r}: expected one of {', '.join(sorted(MODELS))}")
    model = MODELS[name]
    names = {field.name for field in dataclasses.fields(model.kind) if field.metadata} - set(model.preset)
    arguments = {key: value for key, value in common.items() if key in names and value is not None}
    for key, value in options.parse_spec(spec, names).items():
        arguments[key] = options.parsed(model.kind, key, value)
    return model.kind(**arguments, **model.preset)
