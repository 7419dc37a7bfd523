"""`firth axis`: where words stand between two poles, and vectors without that."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from firth.cli.output import AsJson, complain, note, print_json
from firth.cli.postprocess import words_of
from firth.cli.queries import Vectors
from firth.cli.targets import check_vectors_target
from firth.cli.word_lists import read_poles, read_words
from firth.directions import axis as axis_of_pairs
from firth.directions import axis_between, neutralise, project
from firth.directions.axis import Axis
from firth.errors import OptionError
from firth.postprocess.word_pairs import read_word_pairs
from firth.vectors.io import load_vectors

FREQUENT = 10_000  # words that are looked through where none are named


def axis(
    vectors: Vectors,
    words: Annotated[
        list[str] | None, typer.Argument(help="Words to place.", show_default=False, metavar="WORD")
    ] = None,
    poles: Annotated[
        list[str] | None,
        typer.Option(
            help="Two poles, each a word or several between commas: cold:hot, she,her:he,him.",
            show_default=False,
            metavar="A:B",
        ),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(help="File of pairs that differ in one thing, the first pole's word first.", metavar="FILE"),
    ] = None,
    method: Annotated[
        str, typer.Option(help="Of --pairs: mean of the differences, or first component.", metavar="mean|pca")
    ] = "mean",
    word_file: Annotated[
        str | None,
        typer.Option("--words", help="File of words to place, one a line; - for standard input.", metavar="FILE"),
    ] = None,
    number: Annotated[
        int, typer.Option("--number", "-n", help="Words shown at either end, where none are named.")
    ] = 10,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder to save the vectors in, with the axis taken out.", metavar="OUT"),
    ] = None,
    json: AsJson = False,
) -> None:
    """Show where words stand between two poles: the cosine with the direction from one to the other.

    Words that lean to the first pole come first, with cosines below 0. Without words, those of the 10,000 most frequent
    that lean most to either pole.
    """
    if number < 1:
        raise OptionError(f"-n {number}: expected a whole number of at least 1")
    if output is not None:
        check_vectors_target(output, takes_files=True)
    space = load_vectors(vectors) if output is None else words_of(vectors)
    along = _axis(space, poles or [], pairs, method)
    given = [*(words or []), *(read_words(word_file) if word_file else [])]
    known = [word for word in dict.fromkeys(given) if word in space]
    unknown = [word for word in dict.fromkeys(given) if word not in space]
    if known or not given:
        _show(_places(space, along, known), None if given else number, along, json)
    if output is not None:
        _without(space, along, output)
    if unknown:
        for word in unknown[:-1]:
            complain(str(space.lexicon.unknown(word)))
        raise space.lexicon.unknown(unknown[-1])


def _axis(space: Any, poles: list[str], pairs: Path | None, method: str) -> Axis:
    if len(poles) + (pairs is not None) != 1:
        raise OptionError("expected one axis: --poles A:B, or --pairs FILE")
    if poles and method != "mean":
        raise OptionError(f"--method {method} with --poles: components are of pairs; give --pairs FILE")
    how: Any = method
    found = (
        axis_between(space, *read_poles(poles[0]))
        if poles
        else axis_of_pairs(space, read_word_pairs(str(pairs)), method=how)
    )
    if found.missing:
        note(f"without a vector, and left out: {', '.join(found.missing[:10])}")
    if found.explained is not None:
        note(f"the first component has {100 * found.explained:.1f} % of the pairs' variance")
    return found


def _places(space: Any, along: Axis, words: list[str]) -> list[tuple[str, float]]:
    """Words with their cosines, the first pole's end first."""
    chosen = words or list(space.words[:FREQUENT])
    cosines = project(space, along, chosen)
    return [(chosen[i], float(cosines[i])) for i in np.argsort(cosines, kind="stable").tolist()]


def _show(places: list[tuple[str, float]], number: int | None, along: Axis, json: bool) -> None:
    ends = places if number is None or 2 * number >= len(places) else [*places[:number], *places[-number:]]
    width = max(len(word) for word, _ in ends)
    for word, cosine in ends:
        if json:
            print_json({"word": word, "axis": along.name, "cosine": cosine})
        else:
            print(f"{word:<{width}}  {cosine:+.4f}")


def _without(space: Any, along: Axis, output: Path) -> None:
    neutralise(space, along).save(output)
    note(f"{output}: {len(space):,} words x {space.dim}, without {along.name}")
