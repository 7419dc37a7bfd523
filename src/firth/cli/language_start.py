"""`firth lm train --start`: training that starts from a trained model."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from firth.cli.flags import Flags
from firth.cli.output import working
from firth.cli.texts import CORPUS
from firth.comparison.named import Model, named
from firth.errors import OptionError

NEURAL = ("firth.neural.models.language.", "firth.neural.models.bidirectional.")


def open_start(path: Path, model: Model, quiet: bool) -> Any:
    """Return the neural language model to start from.

    Args:
        path: of the start.
        model: that is trained.
        quiet: whether no progress is shown.

    Raises:
        OptionError: the start is another model.
    """
    from firth.neural.models.language.start import opened_start  # imports PyTorch

    with working(f"reading {path}", quiet):
        start = opened_start(path)
    if not _is(start.options, model):
        own = next((each for each, other in named(NEURAL).items() if _is(start.options, other)), "another model")
        raise OptionError(f"--start {path}: {path} was made by firth lm train {own}, not {model.name}; train {own}")
    return start


def _is(options: Any, model: Model) -> bool:
    return type(options) is model.kind and all(getattr(options, name) == value for name, value in model.preset.items())


def started_options(start: Any, flags: Flags, values: Mapping[str, Any]) -> Any:
    """Return the options of a start with those that the command line changes.

    Args:
        start: the model.
        flags: of the model's options.
        values: of the command.

    Raises:
        OptionError: an option of the network, or of the text, is given that contradicts the start.
    """
    from firth.neural.models.language.start import differences

    options = replace(start.options, **flags.select(values))
    different = differences(options, start.options)
    if different:
        shown = {name: f"--{flags.renamed.get(name, name).replace('_', '-')}" for name in different}
        given = ", ".join(f"{shown[name]} {_shown(own)}" for name, (own, _) in different.items())
        found = ", ".join(f"{shown[name]} {_shown(theirs)}" for name, (_, theirs) in different.items())
        raise OptionError(f"{given} with --start: the start has {found}, which cannot change; leave it out")
    stop_words = {} if values.get("stop_words") is None else {"stop_words": values["stop_words"]}
    text = [
        f"--{name.replace('_', '-')} {_shown(value)}" for name, value in {**CORPUS.select(values), **stop_words}.items()
    ]
    if text:
        raise OptionError(f"{', '.join(text)} with --start: the text is read like that of the start; leave it out")
    return options


def _shown(value: Any) -> str:
    return shlex.quote(str(value))
