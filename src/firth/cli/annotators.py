"""What the commands of taggers and parsers share: training the model that `--model` names, and opening one."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from firth.cli.flags import SETTINGS, Commands, Flags, add_command, with_flags
from firth.cli.model_flag import chosen_model
from firth.cli.output import end, paragraphs, working
from firth.cli.targets import check_folder_target, check_writable
from firth.comparison.named import Model as Named
from firth.comparison.named import named
from firth.errors import MissingExtraError, OptionError
from firth.registry import load_folder, plain_name
from firth.vectors.io.load import load_vectors


def trainer(
    arguments: Sequence[str], run: Callable[..., None], *, homes: tuple[str, ...], default: str, what: str
) -> typer.Typer:
    """Return the command `train` with the flags of the model that the arguments name.

    Args:
        arguments: of the command line.
        run: takes `name` and `how`, the model, and its flags.
        homes: module prefixes of the models.
        default: name of a model.
        what: they are, such as "tagger".

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    models = named(homes)
    name = chosen_model(arguments, list(models), default)
    try:
        importlib.import_module("firth.neural")  # which says what is missing
    except MissingExtraError:
        raise MissingExtraError("torch", "neural", f"train a {what}") from None
    model = models[name]
    usual = model.kind.training
    command = with_flags(run, [_flags(model), Flags(type(usual), "Training", defaults=usual)], name=name, how=model)
    app = typer.Typer(cls=Commands, pretty_exceptions_enable=False, add_completion=False, context_settings=SETTINGS)
    app.callback()(_shared)
    text = [model.description, paragraphs(command).partition("\n\n")[2]]
    add_command(app, "train", command, help="\n\n".join(text))
    return app


def _shared() -> None:
    """Make typer expect the name of a command even if the app has only one."""


def _flags(model: Named) -> Flags:
    return Flags(model.kind, "Model", frozenset(model.preset) | model.unused)


def model_help(homes: tuple[str, ...]) -> Any:
    """Return the flag `--model`."""
    return typer.Option(
        help=f"Model: {', '.join(named(homes))}; --model NAME --help shows its options.",
        metavar="NAME",
        show_default=True,
    )


def trained(
    how: Named,
    source: Any,
    output: Path,
    report: Callable[[Any], None],
    *,
    vectors: Path | None,
    checkpoint: Path | None,
    quiet: bool,
    options: dict[str, Any],
    **run: Any,
) -> None:
    """Train a model, save it, and report on it.

    Args:
        how: the model.
        source: to train on.
        output: folder to save in.
        report: prints what came of it.
        vectors: file of vectors to start from.
        checkpoint: folder for checkpoints.
        quiet: whether no progress is shown.
        options: of the model and of training.
        **run: other arguments of `train`.

    Raises:
        OptionError: the folder holds something else.
    """
    check_folder_target(output)
    if checkpoint is not None:
        check_writable(checkpoint / "state")
    usual = how.kind.training
    training = replace(usual, **Flags(type(usual), "Training").select(options))
    if vectors is not None:
        with working(f"reading {vectors}", quiet):
            run["vectors"] = load_vectors(str(vectors))
    model = how.kind(**_flags(how).select(options), **how.preset).train(
        source, training=training, checkpoint=checkpoint, progress=not quiet, **run
    )
    model.metadata.setdefault("name", output.stem)
    model.save(output)
    report(model)
    end(model.metadata["training"])


def open_model(path: Path, kind: str) -> Any:
    """Return a model.

    Args:
        path: of its folder.
        kind: it must be of, such as "a tagger".

    Raises:
        OptionError: the folder holds something else.
    """
    content = load_folder(path)
    if plain_name(content) != kind:
        raise OptionError(f"{path} holds {plain_name(content)}, expected {kind}")
    return content
