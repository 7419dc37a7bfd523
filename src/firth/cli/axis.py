"""`firth axis`."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from firth.cli.arguments import AsJson, Overwrite, Poles, Quiet, SomeWords, Vectors, WordFile, names, number, output
from firth.cli.output import note, show
from firth.cli.targets import check_vectors_target
from firth.cli.vectors import open_vectors, open_word_vectors, read_poles, read_words, refuse_unknown
from firth.directions import axis as axis_of_pairs
from firth.directions import axis_between, neutralise, project
from firth.directions.axis import Axis
from firth.errors import OptionError
from firth.postprocess.word_pairs import read_word_pairs
from firth.runs.runs import Runs

FREQUENT = 10_000  # words to choose from where the user names none


def axis(
    vectors: Vectors,
    words: SomeWords = None,
    poles: Poles = None,
    pairs: Annotated[
        Path | None, names("File of word pairs that define the axis, the first pole's word first.", "FILE", "--pairs")
    ] = None,
    method: Annotated[
        str,
        typer.Option(help="With --pairs: mean of the differences, or first principal component.", metavar="mean|pca"),
    ] = "mean",
    word_file: WordFile = None,
    number: Annotated[int, number("Words to show at either end, where no words are given.")] = 10,
    output: Annotated[Path | None, output("Also save the vectors with the axis removed.")] = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Place words between two poles: the cosine with the direction from one pole to the other; of runs, with intervals.

    Words near the first pole come first, with cosines below 0. Without words, it shows those of the 10,000 most
    frequent words that are nearest to either pole.
    """
    if output is not None:
        check_vectors_target(output, takes_files=True, overwrite=overwrite)
    space = open_vectors(vectors, quiet, runs=True) if output is None else open_word_vectors(vectors, quiet)
    runs, space = (space, space.consensus) if isinstance(space, Runs) else (None, space)
    axis_in = _axis(poles or [], pairs, method)
    direction = axis_in(space)
    _note(direction)
    queries = list(dict.fromkeys([*(words or []), *(read_words(word_file) if word_file else [])]))
    covered = [word for word in queries if word in space]
    if covered or not queries:
        positions = _ends(_places(space, direction, covered), None if queries else number)
        if runs is None:
            _show(positions, direction, json)
        else:
            _show_runs(runs, axis_in, [word for word, _ in positions], direction, json)
    if output is not None:
        neutralise(space, direction).save(output)
        note(f"{output}: {len(space):,} words x {space.dim}, without {direction.name}")
    refuse_unknown(queries, space)


def _axis(poles: list[str], pairs: Path | None, method: Any) -> Callable[[Any], Axis]:
    """Return a function of vectors to the axis in them."""
    if len(poles) + (pairs is not None) != 1:
        raise OptionError("expected one axis: --poles A:B, or --pairs FILE")
    if poles and method != "mean":
        raise OptionError(f"--method {method} with --poles: it needs pairs; give --pairs FILE")
    if poles:
        first, second = read_poles(poles[0])
        return lambda space: axis_between(space, first, second)
    read = read_word_pairs(str(pairs))
    return lambda space: axis_of_pairs(space, read, method=method)


def _note(direction: Axis) -> None:
    if direction.missing:
        note(f"left out, for lack of a vector: {', '.join(direction.missing[:10])}")
    if direction.explained is not None:
        note(f"the first component explains {100 * direction.explained:.1f} % of the variance of the pairs")


def _places(space: Any, direction: Axis, words: list[str]) -> list[tuple[str, float]]:
    """Words with their cosines, in order of the cosine."""
    candidates = words or list(space.words[:FREQUENT])
    cosines = project(space, direction, candidates)
    return [(candidates[i], float(cosines[i])) for i in np.argsort(cosines, kind="stable").tolist()]


def _ends(positions: list[tuple[str, float]], number: int | None) -> list[tuple[str, float]]:
    return positions if number is None or 2 * number >= len(positions) else [*positions[:number], *positions[-number:]]


def _show(positions: list[tuple[str, float]], direction: Axis, json: bool) -> None:
    width = max(len(word) for word, _ in positions)
    for word, cosine in positions:
        show(json, {"word": word, "axis": direction.name, "cosine": cosine}, f"{word:<{width}}  {cosine:+.4f}")


def _show_runs(runs: Runs, axis_in: Callable[[Any], Axis], words: Sequence[str], direction: Axis, json: bool) -> None:
    """Print the places of words with their intervals, in order of the mean; each run has an axis of its own."""

    def positions(run: Any) -> list[float]:
        axis = axis_in(run)
        return [float(project(run, axis, [word])[0]) if word in run else math.nan for word in words]

    estimate, width = runs.estimate(positions), max(map(len, words))
    for i in np.argsort(estimate.value, kind="stable").tolist():
        mean, low, high = (float(figures[i]) for figures in (estimate.value, estimate.low, estimate.high))
        facts = {"word": words[i], "axis": direction.name, "cosine": mean, "low": low, "high": high, "runs": len(runs)}
        show(json, facts, f"{words[i]:<{width}}  {mean:+.4f}  [{low:+.4f}, {high:+.4f}]")
    if not json:
        note(f"mean cosine and 95 % interval of {len(runs)} runs")
