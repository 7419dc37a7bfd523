"""Commands whose flags are those of the model that `--model` names."""

from collections.abc import Collection, Sequence

from firth import hints
from firth.errors import OptionError
from firth.spelling import one_spelling

PASSED_ON = {  # settings of a command that passes its arguments on: the command of the model reads everything
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "allow_interspersed_args": False,
    "help_option_names": [],
}


def chosen_model(arguments: Sequence[str], models: Collection[str], default: str) -> str:
    """Return the name that follows `--model`, or the default.

    Raises:
        OptionError: there is no such model.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    name = default
    for i, word in enumerate(arguments[:end]):
        flag, equals, value = word.partition("=")
        if flag == "--model":
            name = value if equals else next(iter(arguments[i + 1 : end]), "")
    name = one_spelling(name).lower()
    if name not in models:
        other = hints.model(name, models)
        advice = "" if other is None else f"; use --model {other}"
        raise OptionError(f"--model {name}: expected one of {', '.join(models)}{advice}")
    return name
