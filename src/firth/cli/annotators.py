"""What the commands of taggers, parsers and models of coreference share: to train the one of `--model`, to open one."""

import importlib
import inspect
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Checkpoint, Embed, Every, OneThread, Quiet, Seed, output
from firth.cli.flags import SETTINGS, Commands, Flags, Group, add_command, with_flags
from firth.cli.model_flag import PASSED_ON, chosen_model
from firth.cli.output import end, paragraphs, print_json, working
from firth.cli.targets import check_folder_target, checkpoint_in
from firth.comparison.named import Model as Named
from firth.comparison.named import named
from firth.errors import MissingExtraError, OptionError, counted
from firth.registry import plain_name
from firth.timing import running_clock
from firth.vectors.io.load import load, load_vectors


@dataclass(frozen=True)
class Summary:
    """What is told of a trained model.

    Attributes:
        described: what it knows, such as "17 tags of upos, 8,000 words".
        facts: the same as JSON.
        unit: "sentences" or "documents".
        data: number of what it read in them, such as "200,000 words".
        counts: keys of the facts of the training that JSON shows, besides the number of units.
        measure: what the figure of the best epoch is, if it must be said.
    """

    described: str
    facts: Mapping[str, Any]
    unit: str
    data: str
    counts: tuple[str, ...]
    measure: str = "{}"


@dataclass(frozen=True)
class Training:
    """What the commands that train models differ in.

    Attributes:
        group: of the commands, such as "tag".
        what: a model is, such as "tagger".
        kind: of their folders, which the output may replace.
        homes: module prefixes of the models.
        default: name of a model.
        source: annotation of the argument with the data.
        held_out: help of `--held-out`.
        about: help of the command.
        summary: tells of a model.
        vectors: whether models take word vectors.
        embed: whether models take embedders.
        several: whether `--held-out` takes several files.
        extra: annotation and default of further arguments of `train`, left out where they are None.
        tables: flags of how files are read.
        read: reads files, with `extra` and `tables` as keyword arguments; None where `train` itself reads them, with
            `extra`.
    """

    group: str
    what: str
    kind: str
    homes: tuple[str, ...]
    default: str
    source: Any
    held_out: str
    about: str
    summary: Callable[[Any], Summary]
    vectors: bool = True
    embed: bool = False
    several: bool = False
    extra: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    tables: Flags | None = None
    read: Callable[..., Any] | None = None

    def command(self) -> Callable[[typer.Context], None]:
        """Return the command, whose flags depend on the model that its arguments name."""

        def train(context: typer.Context) -> None:
            arguments = context.args or ["--help"]
            with running_clock():  # importing PyTorch counts against --minutes
                self.app(arguments)(["train", *arguments], prog_name=f"firth {self.group}")

        train.__doc__ = f"""Train a {self.what}: `firth {self.group} train FILE... -o OUT`.

        `firth {self.group} train --model NAME --help` shows the options of a model.
        """
        return train

    def app(self, arguments: Sequence[str]) -> typer.Typer:
        """Return the command `train` with the flags of the model that the arguments name.

        Raises:
            MissingExtraError: PyTorch is not installed.
        """
        models = named(self.homes)
        name = chosen_model(arguments, list(models), self.default)
        try:
            importlib.import_module("firth.neural")  # which says what is missing
        except MissingExtraError:
            raise MissingExtraError("torch", "neural", f"train a {self.what}") from None
        how = models[name]
        usual = how.kind.training
        flags = [_flags(how), Flags(type(usual), "Training", defaults=usual), *([self.tables] if self.tables else [])]
        command = with_flags(self._run, flags, training=self, name=name, how=how)
        app = typer.Typer(cls=Commands, pretty_exceptions_enable=False, add_completion=False, context_settings=SETTINGS)
        app.callback()(_shared)
        text = [how.description, paragraphs(command).partition("\n\n")[2]]
        add_command(app, "train", command, help="\n\n".join(text))
        return app

    @property
    def _run(self) -> Callable[..., None]:
        """The function that trains, with the help of this command in its signature."""

        def run(**values: Any) -> None:
            _train(**values)

        files: Any = list[Path] if self.several else Path
        kinds = {
            "source": self.source,
            "output": Annotated[Path, output(f"Folder to save the {self.what} in.")],
            "model": Annotated[str, model_help(self.homes)],
            "held_out": Annotated[files | None, typer.Option(help=self.held_out, metavar="FILE")],
        }
        parameters = inspect.signature(_train).parameters.values()
        replaced = [each.replace(annotation=kinds.get(each.name, each.annotation)) for each in parameters]
        replaced = [each for each in replaced if self.vectors or each.name != "vectors"]
        replaced = [each for each in replaced if self.embed or each.name != "embed"]
        model = next(number for number, each in enumerate(replaced) if each.name == "model")
        replaced[model] = replaced[model].replace(default=self.default)
        keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
        replaced[-1:-1] = [
            inspect.Parameter(name, keyword, default=default, annotation=kind)
            for name, (kind, default) in self.extra.items()
        ]
        run.__doc__ = (
            f"{self.about}\n\nCtrl-C or SIGTERM stops at a safe point and saves what was learned, if anything."
        )
        vars(run)["__signature__"] = inspect.Signature(replaced)
        return run


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


def _train(
    training: Training,
    name: str,
    how: Named,
    source: Any,
    output: Path,
    model: str = "",
    held_out: Any = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Word vectors to start from.", metavar="VECTORS", show_default=False)
    ] = None,
    embed: Embed = None,
    seed: Seed = 0,
    threads: OneThread = None,
    checkpoint: Checkpoint = None,
    every: Every = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Train a model, save it, and report on it."""
    began = time.monotonic()
    check_folder_target(output, kinds=[training.kind])
    states = checkpoint_in(checkpoint, every)
    usual = how.kind.training
    given = {name: value for name in training.extra if (value := options.pop(name, None)) is not None}
    if training.read is not None:
        given |= training.tables.select(options) if training.tables else {}
        source = training.read(source, **given)
        held_out = None if held_out is None else training.read(held_out, **given)
        given = {}
    if vectors is not None:
        with working(f"reading {vectors}", quiet):
            given["vectors"] = load_vectors(str(vectors))
    if embed:
        with working(f"reading {' '.join(map(str, embed))}", quiet):
            given["embed"] = list(map(load, embed))
    trained = how.kind(**_flags(how).select(options), **how.preset).train(
        source,
        held_out=held_out,
        training=replace(usual, **Flags(type(usual), "Training").select(options)),
        seed=seed,
        threads=threads,
        checkpoint=states,
        progress=not quiet,
        **given,
    )
    trained.metadata.setdefault("name", output.stem)
    trained.save(output)
    _report(training, name, trained, output, time.monotonic() - began, json)
    end(trained.metadata["training"])


def _report(training: Training, name: str, model: Any, output: Path, seconds: float, json: bool) -> None:
    """Print what came of a training."""
    told, facts = training.summary(model), model.metadata["training"]
    best, held_out = facts["best"] or {}, f"held_out_{told.unit}"
    if json:
        numbers = {each: facts[each] for each in (told.unit, held_out, *told.counts, "interrupted")}
        figures = {each: value for each, value in best.items() if each.startswith("held_out_") and value is not None}
        print_json(
            {
                training.what.rpartition(" of ")[0] or training.what: str(output), "kind": name, **told.facts,
                "epochs": best.get("epoch"), **numbers, **figures,
                "training_seconds": facts["seconds"], "seconds": round(seconds, 3),
            }
        )  # fmt: skip
        return
    print(f"{output}: {name}, {told.described}, {seconds:.1f} s")
    unit = told.unit.removesuffix("s")
    print(f"trained on {counted(facts[told.unit], unit)}, {told.data}, in {facts['seconds']:.1f} s")
    if best:
        error = best.get("held_out_error")
        figure = f"{best['held_out_loss']:.3f}" if error is None else f"{100 * (1 - error):.2f}"
        right = told.measure.format(figure)
        print(f"best epoch {best['epoch']:g}: {right} on {counted(facts[held_out], f'held-out {unit}')}")
    print(f"next: firth {training.group} test {shlex.quote(str(output))} FILE")


def commands(help: str, **group: Callable[..., None]) -> typer.Typer:
    """Return a group of commands.

    Args:
        help: of the group.
        **group: functions by name; `train` reads its own flags.
    """
    app = typer.Typer(cls=Group, help=help)
    for name, function in group.items():
        if name == "train":
            app.command(name, help=paragraphs(function), context_settings=PASSED_ON)(function)
        else:
            add_command(app, name, function)
    return app


def open_model(path: Path, *kinds: str) -> Any:
    """Return a model.

    Args:
        path: of its folder.
        *kinds: of which it must be one, such as "a tagger".

    Raises:
        OptionError: the folder holds something else.
    """
    content: Any = load(path)
    if plain_name(content) not in kinds:
        raise OptionError(f"{path} holds {plain_name(content)}, expected {' or '.join(kinds)}")
    return content
