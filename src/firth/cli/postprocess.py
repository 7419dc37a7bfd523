"""`firth postprocess` and `firth quantise`: vectors to better, joined or smaller ones."""

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from firth import options
from firth import postprocess as steps
from firth.cli.files import size_on_disk
from firth.cli.output import AsJson, note, print_json
from firth.cli.queries import Vectors
from firth.cli.targets import check_vectors_target
from firth.errors import OptionError
from firth.postprocess.recorded import STEPS as DONE
from firth.vectors.codes import KINDS
from firth.vectors.io import load_vectors
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Step:
    """A step by its name on the command line.

    Attributes:
        run: the function; of vectors, of what it needs besides, and of its options.
        kind: what the options are written in: the function itself, or a dataclass.
        first: the option that may be given without its name.
        needs: flags without which it has nothing to do; one of them is enough.
    """

    run: Callable[..., WordVectors]
    kind: Any
    first: str = ""
    needs: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The options."""
        found = inspect.signature(self.kind).parameters
        return [name for name in found if name not in ("vectors", "models", "pairs")]


def _counter_fit(vectors: WordVectors, synonyms: Any, antonyms: Any, **how: Any) -> WordVectors:
    return steps.counter_fit(vectors, synonyms, antonyms, steps.CounterFitting(**how))


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

Output = Annotated[
    Path, typer.Option("--output", "-o", help="Folder to write.", show_default=False, metavar="OUT")
]  # fmt: skip


def postprocess(
    vectors: Vectors,
    step: Annotated[
        list[str],
        typer.Argument(
            help=f"What to do, in order: {', '.join(STEPS)}; options behind colons: reduce:50, whiten:zca:ridge=0.01.",
            metavar="STEP",
            show_default=False,
        ),
    ],
    output: Output,
    others: Annotated[
        list[str] | None, typer.Option("--with", help="Vectors to average or concatenate with.", metavar="VECTORS")
    ] = None,
    synonyms: Annotated[
        list[Path] | None,
        typer.Option(help="File of words that are alike, a pair or a word and all its synonyms a line."),
    ] = None,
    antonyms: Annotated[list[Path] | None, typer.Option(help="File of pairs of opposites.")] = None,
    json: AsJson = False,
) -> None:
    """Centre, whiten, reduce, normalise, join, retrofit or counter-fit vectors of words.

    What a step found, such as the variance kept or the pairs used, is printed and kept in the metadata. The vectors
    that are read stay as they are.
    """
    chosen = [_parsed(each) for each in step]
    _check_needs(chosen, {"with": others, "synonyms": synonyms, "antonyms": antonyms})
    check_vectors_target(output, takes_files=True)
    pairs = {"synonyms": _pairs(synonyms or ()), "antonyms": _pairs(antonyms or ())}
    space, *more = (words_of(path) for path in (vectors, *(others or ())))
    before = len(space.metadata.get(DONE, []))
    for _, what, how in chosen:
        space = _applied(what, space, more, pairs, how)
    space.save(output)
    done = space.metadata[DONE][before:]
    if json:
        print_json({"vectors": str(output), "words": len(space), "dim": space.dim, "steps": done})
        return
    for each in done:
        print("  ".join([each["step"], *_shown({name: value for name, value in each.items() if name != "step"})]))
    print(f"{output}: {len(space):,} words x {space.dim}")


def quantise(
    vectors: Vectors,
    output: Output,
    kind: Annotated[
        str,
        typer.Option(
            help="int8: a byte a number, next to no loss; product: a byte for every --width numbers.",
            metavar="|".join(KINDS),
        ),
    ] = "int8",
    width: Annotated[int, typer.Option(help="Numbers that one byte of product codes stands for.")] = 2,
    lengths: Annotated[
        bool, typer.Option("--lengths/--no-lengths", help="Keep lengths apart in product codes, in a byte more each.")
    ] = True,
    keep: Annotated[
        int | None, typer.Option(help="Keep so many of the first words, which are the commonest; by default all.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the learning of product codes, and of the words looked at.")] = 0,
    json: AsJson = False,
) -> None:
    """Make vectors four to eight times smaller, and say how much of their neighbourhoods is left."""
    check_vectors_target(output, takes_files=True)
    space = load_vectors(vectors)
    kept = space if keep is None else space.first(keep)
    small = kept.quantise(kind, width=width, lengths=lengths, seed=seed)
    left = steps.fidelity(_known(kept), _known(small), seed=seed)
    small.save(output)
    facts = {"vectors": str(output), "kind": kind, "words": len(small), "dim": small.dim}
    before, output_side = size_on_disk(Path(vectors)), _known(space).output_vectors
    dropped = 0 if output_side is None else output_side.nbytes
    sizes = {"bytes_before": before, "bytes_of_output_vectors": dropped, "bytes": size_on_disk(output)}
    if json:
        print_json({**facts, **sizes, **asdict(left)})
        return
    print(f"{output}: {len(small):,} words x {small.dim} as {kind} codes")
    of_which = f", {dropped:,} of them output vectors, which are for training" if dropped else ""
    print(f"bytes            {sizes['bytes']:,}, before {before:,}{of_which}")
    print(f"recall at {left.neighbours:<6} {left.recall:.4f}")
    print(f"mean cosine      {left.cosine:.4f}")


def _known(space: WordVectors | SubwordVectors) -> WordVectors:
    return space.known if isinstance(space, SubwordVectors) else space


def words_of(path: str) -> WordVectors:
    """Return the words of a file of vectors; n-grams are left behind, and that is said.

    Raises:
        FormatError: the file holds no vectors of words.
    """
    space: WordVectors | SubwordVectors = load_vectors(path)
    if isinstance(space, SubwordVectors):
        note(f"{path}: its n-grams are left behind; the result has the {len(space):,} known words")
    return _known(space)


def _parsed(spec: str) -> tuple[str, Step, dict[str, Any]]:
    """Return the step that is meant by `reduce:50` or `whiten:zca:ridge=0.01`, and its options."""
    name = spec.partition(":")[0]
    if name not in STEPS:
        raise OptionError(f"step {name!r}: expected one of {', '.join(STEPS)}")
    step = STEPS[name]
    values = options.parse_spec(spec, step.names, first=step.first)
    how = {key: _value(step.kind, key, value) for key, value in values.items()}
    missing = [
        parameter.name
        for parameter in inspect.signature(step.kind).parameters.values()
        if parameter.name in step.names and parameter.default is parameter.empty and parameter.name not in how
    ]
    if missing:
        raise OptionError(f"step {spec!r} without {missing[0]}: expected {name}:{missing[0].upper()}")
    return name, step, how


def _value(kind: Any, name: str, text: str) -> Any:
    if typing.get_type_hints(kind)[name] != Sequence[float] | None:
        return options.parsed(kind, name, text)
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"{name}={text!r}: expected numbers between commas") from None


def _check_needs(chosen: Sequence[tuple[str, Step, Any]], given: Mapping[str, Any]) -> None:
    for name, step, _ in chosen:
        if step.needs and not any(given[flag] for flag in step.needs):
            raise OptionError(f"step {name} without {' or '.join(f'--{flag}' for flag in step.needs)}: give it a file")
    wanted = {flag for _, step, _ in chosen for flag in step.needs}
    for flag, value in given.items():
        if value and flag not in wanted:
            raise OptionError(f"--{flag} with no step that uses it: leave it out, or add such a step")


def _pairs(files: Sequence[Path]) -> list[tuple[str, str]]:
    return [pair for file in files for pair in steps.read_word_pairs(file)]


def _applied(
    step: Step, space: WordVectors, more: Sequence[WordVectors], pairs: Mapping[str, Any], how: Mapping[str, Any]
) -> WordVectors:
    if "with" in step.needs:
        return step.run([space, *more], **how)
    return step.run(space, *(pairs[flag] for flag in step.needs), **how)


def _shown(facts: Mapping[str, Any]) -> list[str]:
    """What a step found, for a person; what it did not find or was not asked for is left out."""
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
