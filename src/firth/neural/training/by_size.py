"""Defaults of neural models that follow from the size of the training data.

A model leaves to the data what is `firth.options.BY_SIZE`: options of its own with that default, and training options
in its class attribute `training`. Its `train` reads the data, asks a rule of the model for all of them, and fills in
those that the caller gave no value for. What was chosen is logged, and stands in the options that are saved and in
`metadata["training"]`.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from firth.corpus.size_defaults import log_choice
from firth.neural.training.options import RunConfig, TrainingOptions

Options = TypeVar("Options", bound=Any)


def with_size_defaults(
    options: Options, config: RunConfig, chosen: Mapping[str, Any], size: str
) -> tuple[Options, RunConfig]:
    """Return the options of a model and of its training with values in place of None.

    Args:
        options: of the model.
        chosen: value of every option, of either, that the model leaves to the data, by name.
        size: of the data, such as "300 sentences, 7,000 words", for the log.
    """
    of_training = _unset(config.training, chosen)
    of_model = _unset(options, {name: value for name, value in chosen.items() if name not in _TRAINING})
    log_choice({name: value for name, value in {**of_model, **of_training}.items() if value is not None}, size)
    return replace(options, **of_model), config.with_training(**of_training)


def _unset(options: Any, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are chosen for options that are None."""
    names = {field.name for field in fields(options)}
    return {name: value for name, value in chosen.items() if name in names and getattr(options, name) is None}


_TRAINING = {field.name for field in fields(TrainingOptions)}
