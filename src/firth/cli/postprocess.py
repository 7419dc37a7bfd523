"""`firth postprocess` and `firth quantise`."""

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from firth import options
from firth import postprocess as steps
from firth.cli.arguments import AsJson, Overwrite, Quiet, Seed, Vectors, flag, names, output
from firth.cli.files import size_on_disk
from firth.cli.flag_messages import RENAMED
from firth.cli.output import print_json, working
from firth.cli.targets import check_vectors_target
from firth.cli.vectors import open_vectors, open_word_vectors
from firth.errors import OptionError
from firth.postprocess.transforms import HISTORY
from firth.spelling import one_spelling
from firth.vectors.codes import KINDS
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Step:
    """A step of `firth postprocess`.

    Attributes:
        run: takes vectors, what the flags in `needs` hold, and the options.
        kind: declares the options: the function itself, or a dataclass.
        first: the option whose name may be left out.
        needs: flags of which at least one must be given.
    """

    run: Callable[..., WordVectors]
    kind: Any
    first: str = ""
    needs: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The options."""
        parameters = inspect.signature(self.kind).parameters
        return [name for name in parameters if name not in ("vectors", "models", "pairs")]


def _counter_fit(vectors: WordVectors, synonyms: Any, antonyms: Any, **values: Any) -> WordVectors:
    return steps.counter_fit(vectors, synonyms, antonyms, steps.CounterFitting(**values))


STEPS = {
    "centre": Step(steps.centre, steps.centre),
    "remove-components": Step(steps.remove_components, steps.remove_components, "count"),
    "whiten": Step(steps.whiten, steps.whiten, "method"),
    "reduce": Step(steps.reduce, steps.reduce, "dim"),
    "normalise": Step(steps.normalise, steps.normalise, "norm"),
    "average": Step(steps.average, steps.average, "words", ("with",)),
    "concatenate": Step(steps.concatenate, steps.concatenate, "dim", ("with",)),
    "retrofit": Step(steps.retrofit, steps.retrofit, "alpha", ("synonyms",)),
    "counter-fit": Step(_counter_fit, steps.CounterFitting, "", ("synonyms", "antonyms")),
}

Output = Annotated[Path, output("Folder to write.")]


def postprocess(
    vectors: Vectors,
    step: Annotated[
        list[str],
        names(f"Steps in order: {', '.join(STEPS)}. Colons add options: reduce:50, whiten:zca:ridge=0.01.", "STEP"),
    ],
    output: Output,
    further: Annotated[
        list[str] | None, typer.Option("--with", help="Vectors to average or concatenate with.", metavar="VECTORS")
    ] = None,
    synonyms: Annotated[
        list[Path] | None, flag("File of synonyms: a pair, or a word and its synonyms, per line.", "FILE")
    ] = None,
    antonyms: Annotated[list[Path] | None, flag("File of antonyms: a pair per line.", "FILE")] = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Improve or combine word vectors: centre, whiten, reduce, normalise, join, retrofit, counter-fit.

    What each step did, such as the variance kept or the pairs used, is printed and saved in the metadata.
    """
    parsed_steps = [_parse(spec) for spec in step]
    _check_needs(parsed_steps, {"with": further, "synonyms": synonyms, "antonyms": antonyms})
    check_vectors_target(output, takes_files=True, overwrite=overwrite)
    pairs = {"synonyms": _pairs(synonyms or ()), "antonyms": _pairs(antonyms or ())}
    space, *more = (open_word_vectors(path, quiet) for path in (vectors, *(further or ())))
    before = len(space.metadata.get(HISTORY, []))
    for name, what, values in parsed_steps:
        with working(name, quiet):
            space = _applied(what, space, more, pairs, values)
    space.save(output)
    history = space.metadata[HISTORY][before:]
    if json:
        print_json({"vectors": str(output), "words": len(space), "dim": space.dim, "steps": history})
        return
    for facts in history:
        print("  ".join([facts["step"], *_shown({name: value for name, value in facts.items() if name != "step"})]))
    print(f"{output}: {len(space):,} words x {space.dim}")


vars(postprocess)[RENAMED] = {"dim": ""}  # the one that errors name is of a step, as in reduce:9


def quantise(
    vectors: Vectors,
    output: Output,
    kind: Annotated[
        str,
        typer.Option(
            help="int8: one byte per number, almost no loss; product: one byte per --width numbers.",
            metavar="|".join(KINDS),
        ),
    ] = "int8",
    width: Annotated[int, typer.Option(help="With product: numbers that one byte stands for.")] = 2,
    lengths: Annotated[
        bool, typer.Option("--lengths/--no-lengths", help="With product: store lengths apart, in one byte each.")
    ] = True,
    keep: Annotated[int | None, flag("Keep this many of the most frequent words. Default: all.")] = None,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Make vectors four to eight times smaller, and measure how many neighbours stay the same."""
    check_vectors_target(output, takes_files=True, overwrite=overwrite)
    space = open_vectors(vectors, quiet)
    full = space if keep is None else space.first(keep)
    with working("quantising", quiet):
        small = full.quantise(kind, width=width, lengths=lengths, seed=seed)
        fidelity = steps.fidelity(_known(full), _known(small), seed=seed)
    small.save(output)
    facts = {"vectors": str(output), "kind": kind, "words": len(small), "dim": small.dim}
    before, output_vectors = size_on_disk(Path(vectors)), _known(space).output_vectors
    dropped = 0 if output_vectors is None else output_vectors.nbytes
    sizes = {"bytes_before": before, "bytes_of_output_vectors": dropped, "bytes": size_on_disk(output)}
    if json:
        print_json({**facts, **sizes, **asdict(fidelity)})
        return
    print(f"{output}: {len(small):,} words x {small.dim} as {kind} codes")
    share = f", {dropped:,} of them output vectors, which are for training" if dropped else ""
    print(f"bytes            {sizes['bytes']:,}, before {before:,}{share}")
    print(f"recall at {fidelity.neighbours:<6} {fidelity.recall:.4f}")
    print(f"mean cosine      {fidelity.cosine:.4f}")


def _known(space: WordVectors | SubwordVectors) -> WordVectors:
    return space.known if isinstance(space, SubwordVectors) else space


def _parse(spec: str) -> tuple[str, Step, dict[str, Any]]:
    """Return the step that `reduce:50` or `whiten:zca:ridge=0.01` names, and its options."""
    name = one_spelling(spec.partition(":")[0])
    if name not in STEPS:
        raise OptionError(f"step {name!r}: expected one of {', '.join(STEPS)}")
    step = STEPS[name]
    values = options.parse_spec(spec, step.names, first=step.first)
    arguments = {key: _value(step.kind, key, value) for key, value in values.items()}
    missing = [
        parameter.name
        for parameter in inspect.signature(step.kind).parameters.values()
        if parameter.name in step.names and parameter.default is parameter.empty and parameter.name not in arguments
    ]
    if missing:
        raise OptionError(f"step {spec!r} without {missing[0]}: expected {name}:{missing[0].upper()}")
    return name, step, arguments


def _value(kind: Any, name: str, text: str) -> Any:
    if typing.get_type_hints(kind)[name] != Sequence[float] | None:
        return options.parsed(kind, name, text)
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"{name}={text!r}: expected numbers separated by commas") from None


def _check_needs(parsed_steps: Sequence[tuple[str, Step, Any]], files: Mapping[str, Any]) -> None:
    for name, step, _ in parsed_steps:
        if step.needs and not any(files[flag] for flag in step.needs):
            raise OptionError(f"step {name} without {' or '.join(f'--{flag}' for flag in step.needs)}: give it a file")
    needed = {flag for _, step, _ in parsed_steps for flag in step.needs}
    for name, value in files.items():
        if value and name not in needed:
            raise OptionError(f"--{name} with no step that uses it: leave it out, or add such a step")


def _pairs(files: Sequence[Path]) -> list[tuple[str, str]]:
    return [pair for file in files for pair in steps.read_word_pairs(file)]


def _applied(
    step: Step, space: WordVectors, more: Sequence[WordVectors], pairs: Mapping[str, Any], values: Mapping[str, Any]
) -> WordVectors:
    if "with" in step.needs:
        return step.run([space, *more], **values)
    return step.run(space, *(pairs[flag] for flag in step.needs), **values)


def _shown(facts: Mapping[str, Any]) -> list[str]:
    """What a step did, for a person; figures that do not apply are left out."""
    return [
        name if value is True else f"{name} {_text(value)}"
        for name, value in facts.items()
        if value is not None and value is not False
    ]


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"({', '.join(_shown(value))})"
    if isinstance(value, list):
        return ", ".join(_text(part) for part in value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
