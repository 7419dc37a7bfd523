"""The frame of the commands that train a model. A command is a value: its function reads the data, all else is here.

The flags of a command are the options of the model that its arguments name: `--model NAME`, or the name of a command in
a group. So the name is read first, then the flags are declared, then the arguments are parsed.
"""

import importlib
import inspect
import shlex
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer

from firth import hints
from firth.cli.arguments import AsJson, Checkpoint, Every, OneThread, Overwrite, Quiet, Seed, flag, output
from firth.cli.flags import SETTINGS, Commands, Flags, add_command, with_flags
from firth.cli.output import end, paragraphs, print_json, showing_choices, working
from firth.cli.targets import check_folder_target, checkpoint_in, is_resumed
from firth.comparison.models import Model, models_in
from firth.comparison.raw_vectors import vectors_of_raw
from firth.errors import MissingExtraError, OptionError, counted
from firth.loading import load, load_vectors
from firth.spelling import one_spelling
from firth.storage.kinds import LOADERS
from firth.timing import running_clock
from firth.vectors.subword_vectors import SubwordVectors

STOPS = "Ctrl-C or SIGTERM stops at a safe point and saves what was learned, if anything."
# Arguments that only models have whose `train` takes them.
_OPTIONAL = ("vectors", "embed", "start", "old_held_out", "seed", "threads", "checkpoint")

StartVectors = Annotated[Path | None, flag("Word vectors to start from.", "VECTORS")]
RawText = Annotated[
    list[str] | None,
    flag(
        "Raw text without annotation, a file, folder or glob: word vectors are trained on it first (fastText at its "
        "defaults), in place of --vectors. Several by several flags.",
        "TEXT",
    ),
]
Report = tuple[Mapping[str, Any], Sequence[str]]  # JSON, and the same as lines


@dataclass(frozen=True)
class TrainCommand:
    """What the commands that train models differ in.

    Attributes:
        group: of the command, such as "tag".
        what: a model is, such as "tagger".
        homes: module prefixes of the models.
        train: reads the data and trains, by `Run.train`. Its arguments after the run are those of the command; those of
            `_shared` that it does not name follow them, before those that are keyword-only. Its docstring is the help.
        report: tells of a trained model.
        kinds: of folders that the output may replace.
        default: name of a model; None if the models are commands of a group.
        line: the first line of the help; None for "Train a WHAT: `firth GROUP train FILE... -o OUT`.".
        purpose: what needs PyTorch; None for "train a WHAT".
        lists: whether the help ends with the names of the models.
        renamed: flags of the model that have other names, since the command has flags of theirs.
        flags: returns flags besides those of a model and its training.
        without: returns the names of arguments that a model does not take.
        check: checks the output; None for a folder.
        variant: returns the command in place of this one for a model that reads other data; None for this one.
        options: returns the options of the model; None for those that its flags set.
        save: saves the model; None for its own `save`.
    """

    group: str
    what: str
    homes: tuple[str, ...]
    train: Callable[..., Any]
    report: Callable[["Run", Any], Report]
    kinds: Collection[str] = tuple(LOADERS)
    default: str | None = None
    line: str | None = None
    purpose: str | None = None
    lists: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)
    flags: Callable[[Model], Iterable[Flags]] = lambda model: ()
    without: Callable[[Model], Collection[str]] = lambda model: ()
    variant: Callable[[Model], "TrainCommand | None"] | None = None
    check: Callable[["Run"], None] | None = None
    options: Callable[["Run"], Any] | None = None
    save: Callable[[Any, Path], None] | None = None

    def command(self) -> Callable[[typer.Context], None]:
        """Return the command, whose flags depend on the model that its arguments name."""

        def train(context: typer.Context) -> None:
            arguments = context.args
            with running_clock():  # importing PyTorch counts against --minutes
                self.app(arguments)(["train", *arguments], prog_name=f"firth {self.group}")

        line = self.line or f"Train a {self.what}: `firth {self.group} train FILE... -o OUT`."
        several = f"`firth {self.group} train --model NAME --help` shows the options of a model."
        train.__doc__ = f"{line}\n\n{several}" if len(models_in(self.homes)) > 1 else line
        return train

    def app(self, arguments: Sequence[str]) -> typer.Typer:
        """Return the command `train` with the flags of the model that the arguments name."""
        models = models_in(self.homes)
        name = chosen_model(arguments, list(models), self.default or next(iter(models)))
        if models[name].home.startswith("firth.neural."):
            self.need_torch(name)
        command = self.of(models[name])
        text = [models[name].description, paragraphs(command).partition("\n\n")[2]]
        app = single_app()
        add_command(app, "train", command, help="\n\n".join(text))
        return app

    def need_torch(self, name: str) -> None:
        """Check that a model can be trained."""
        try:
            importlib.import_module("firth.neural")  # which says what is missing
        except MissingExtraError:
            purpose = self.purpose or f"train a {self.what}"
            raise MissingExtraError("torch", "neural", purpose.format(name=name)) from None

    def of(self, model: Model) -> Callable[..., None]:
        """Return the function that trains a model, with its flags."""
        other = None if self.variant is None else self.variant(model)
        if other is not None:
            return other.of(model)

        def run(**values: Any) -> None:
            self._run(model, values)

        models = f"\n\nModels: {', '.join(models_in(self.homes))}." if self.lists else ""
        run.__doc__ = f"{inspect.getdoc(self.train)}\n\n{STOPS}{models}"
        vars(run)["__signature__"] = inspect.Signature(self._parameters(model))
        return with_flags(run, [*model_flags(self, model), *self.flags(model)])

    def _parameters(self, model: Model) -> list[inspect.Parameter]:
        """The arguments of the command, in the order of the help."""
        own = list(inspect.signature(self.train).parameters.values())[1:]  # without the run
        names = {parameter.name for parameter in own}
        shared = list(inspect.signature(_shared).parameters.values())
        kinds: dict[str, Any] = {"output": Annotated[Path, output(f"Folder to save the {self.what} in.")]}
        if self.default is not None:
            kinds["model"] = Annotated[str, model_help(self.homes)]
        defaults = {"output": inspect.Parameter.empty, "model": self.default}
        shared[:0] = [
            inspect.Parameter(name, _POSITIONAL, default=defaults[name], annotation=kind)
            for name, kind in kinds.items()
        ]
        added = [parameter for parameter in shared if parameter.name not in names]
        first = [parameter for parameter in added if parameter.name in ("output", "model")]
        last = [parameter for parameter in own if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
        middle = [parameter for parameter in own[1:] if parameter not in last]
        order = [own[0], *first, *middle, *added[len(first) :], *last]
        takes = inspect.signature(model.kind.train).parameters
        without = {name for name in _OPTIONAL if name not in takes} | set(self.without(model))
        without |= {"every"} if "checkpoint" in without else set()
        without |= {"raw"} if "vectors" in without or "vectors" not in names else set()
        return [parameter.replace(kind=_POSITIONAL) for parameter in order if parameter.name not in without]

    def _run(self, model: Model, values: Mapping[str, Any]) -> None:
        """Train a model, save it, and report on it."""
        run = Run(self, model, values)
        with running_clock():
            if self.check is None:
                check_folder_target(run.output, kinds=self.kinds, overwrite=run.replaces)
            else:
                self.check(run)
            run.checkpoint = checkpoint_in(values.get("checkpoint"), values.get("every"))
            assert run.options is not None  # an option that is wrong is refused before the data are read
            own = list(inspect.signature(self.train).parameters)[1:]
            with showing_choices(run.quiet):
                trained = self.train(run, **{name: values.get(name) for name in own})
        trained.metadata.setdefault("name", run.output.stem)
        if self.save is None:
            trained.save(run.output)
        else:
            self.save(trained, run.output)
        facts, lines = self.report(run, trained)
        if values["json"]:
            print_json(facts)
        else:
            print(*lines, sep="\n")
        end(trained.metadata.get("training", {}))


@dataclass(frozen=True)
class Summary:
    """The report on a model that was trained on annotated data.

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

    def report(self, run: "Run", model: Any) -> Report:
        """Return the report on a training, as JSON and as lines."""
        facts, what = model.metadata["training"], run.command.what
        best, held_out, seconds = facts["best"] or {}, f"held_out_{self.unit}", run.seconds
        figures = {key: value for key, value in best.items() if key.startswith("held_out_") and value is not None}
        numbers = {key: facts[key] for key in (self.unit, held_out, *self.counts, "interrupted")}
        table = {
            what.rpartition(" of ")[0] or what: str(run.output), "kind": run.model.name, **self.facts,
            "epochs": best.get("epoch"), **numbers, **figures,
            "training_seconds": facts["seconds"], "seconds": round(seconds, 3),
        }  # fmt: skip
        unit = self.unit.removesuffix("s")
        lines = [
            f"{run.output}: {run.model.name}, {self.described}, {seconds:.1f} s",
            f"trained on {counted(facts[self.unit], unit)}, {self.data}, in {facts['seconds']:.1f} s",
        ]
        if best:
            error = best.get("held_out_error")
            figure = f"{best['held_out_loss']:.3f}" if error is None else f"{100 * (1 - error):.2f}"
            data = counted(facts[held_out], f"held-out {unit}")
            lines.append(f"best epoch {best['epoch']:g}: {self.measure.format(figure)} on {data}")
        lines.append(f"next: firth {run.command.group} test {shlex.quote(str(run.output))} FILE")
        return table, lines


@dataclass
class Run:
    """A training that the command line asks for.

    Attributes:
        command: that runs.
        model: that is trained.
        values: of the command line.
        checkpoint: what `--checkpoint` and `--every` say.
        start: the model of `--start`, opened.
        read: what the command has read, for its report.
    """

    command: TrainCommand
    model: Model
    values: Mapping[str, Any]
    checkpoint: Any = None
    start: Any = None
    read: dict[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    @property
    def output(self) -> Path:
        """Where the model is saved."""
        return Path(self.values["output"])

    @property
    def replaces(self) -> bool:
        """Whether the output may replace a trained model."""
        return bool(self.values["overwrite"]) or is_resumed(self.values.get("checkpoint"))

    @property
    def quiet(self) -> bool:
        """Whether no progress is shown."""
        return bool(self.values["quiet"])

    @property
    def seconds(self) -> float:
        """Time since the command began."""
        return time.monotonic() - self.began

    @cached_property
    def options(self) -> Any:
        """The options of the model."""
        return self.given() if self.command.options is None else self.command.options(self)

    def given(self) -> Any:
        """Return the options that the flags set, the others at their defaults."""
        return self.model.kind(**model_flags(self.command, self.model)[0].select(self.values), **self.model.preset)

    @property
    def training(self) -> Any:
        """The training options: those of the model with the flags applied; None for a model without any."""
        defaults = getattr(self.model.kind, "training", None)
        return None if defaults is None else replace(defaults, **Flags(type(defaults), "Training").select(self.values))

    def train(self, data: Any, *, trainer: Callable[..., Any] | None = None, **arguments: Any) -> Any:
        """Return the trained model.

        Args:
            trainer: trains in place of the options' own `train`.
            **arguments: of `train`; those that are None, or that it does not take, are left out.
        """
        given, raw = self.values.get("vectors"), self.values.get("raw")
        if given or raw:
            seed, threads = self.values.get("seed") or 0, self.values.get("threads")
            arguments["vectors"] = given_vectors(given, raw, seed=seed, threads=threads, quiet=self.quiet)
        if paths := self.values.get("embed"):
            with working(f"reading {' '.join(map(str, paths))}", self.quiet):
                arguments["embed"] = [load(path) for path in paths]
        arguments |= {"training": self.training, "seed": self.values.get("seed"), "checkpoint": self.checkpoint}
        takes = inspect.signature(self.options.train).parameters
        given = {name: value for name, value in arguments.items() if value is not None and name in takes}
        train = self.options.train if trainer is None else trainer
        if "threads" in takes:
            given["threads"] = self.values["threads"]
        return train(data, progress=not self.quiet, **given)


_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _shared(
    seed: Seed = 0,
    threads: OneThread = None,
    checkpoint: Checkpoint = None,
    every: Every = None,
    raw: RawText = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Hold the arguments of every command that trains."""


def given_vectors(
    vectors: Path | None, raw: Sequence[str] | None, *, seed: int, threads: int | None, quiet: bool
) -> Any:
    """Return the word vectors that `--vectors` or `--raw` give: read, or trained by fastText at its defaults.

    Raises:
        OptionError: both are given, or the path holds no word vectors.
    """
    if vectors and raw:
        raise OptionError("--vectors and --raw: expected one of them; --raw trains the vectors")
    if not vectors and not raw:
        return None
    if raw:
        return vectors_of_raw(list(raw), None, seed=seed, threads=threads or 1, progress=not quiet)
    with working(f"reading {vectors}", quiet):
        result: Any = load_vectors(str(vectors))
    return result.known if isinstance(result, SubwordVectors) else result


def model_flags(command: TrainCommand, model: Model) -> list[Flags]:
    """Return the flags of a model's options, and of its training if it has any."""
    flags = [Flags(model.kind, "Model", frozenset(model.preset) | model.unused, renamed=command.renamed)]
    if "training" in inspect.signature(model.kind.train).parameters:
        defaults = model.kind.training
        flags.append(Flags(type(defaults), "Training", defaults=defaults))
    return flags


def model_help(homes: tuple[str, ...]) -> Any:
    """Return the flag `--model`."""
    text = f"Model: {', '.join(models_in(homes))}; --model NAME --help shows its options."
    return typer.Option(help=text, metavar="NAME", show_default=True)


def single_app(**shown: Any) -> typer.Typer:
    """Return an app without commands, for those that the arguments name."""
    app = typer.Typer(
        cls=Commands, pretty_exceptions_enable=False, add_completion=False, context_settings=SETTINGS, **shown
    )
    app.callback()(_several)
    return app


def _several() -> None:
    """Make typer expect the name of a command even if the app has only one."""


def chosen_model(arguments: Sequence[str], models: Collection[str], default: str) -> str:
    """Return the name that follows `--model`, or the default."""
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
