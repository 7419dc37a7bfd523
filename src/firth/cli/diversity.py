"""`firth diversity`: how many patterns texts have, side by side."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.output import AsJson, print_json
from firth.errors import OptionError
from firth.evaluation.diversity import RESAMPLES, Diversity
from firth.evaluation.diversity import diversity as measure
from firth.evaluation.files import lines

_HEADINGS = (
    *("file", "patterns", "examples", "counted", "different", "distinct", "at equal size", "entropy", "95 % interval"),
    *("effective", "unseen"),
)


def diversity(
    files: Annotated[
        list[Path],
        typer.Argument(help="Texts, an example a line; empty lines are none.", show_default=False, metavar="FILE"),
    ],
    patterns: Annotated[
        list[str] | None,
        typer.Option(
            help="What counts as a pattern: the line as it stands, or n for the n-grams of its tokens. May be given "
            "several times. Default: line.",
            show_default=False,
            metavar="line|1..n",
        ),
    ] = None,
    tokens: Annotated[str, typer.Option(help="Tokens of n-grams.", metavar="unicode|whitespace|text8")] = "unicode",
    resamples: Annotated[int, typer.Option(help="Of the bootstrap over examples.")] = RESAMPLES,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    json: AsJson = False,
) -> None:
    """Show how diverse texts are, by the entropy of their patterns.

    Entropy is in nats, corrected for the patterns that so few examples cannot show, with its interval; effective is as
    many patterns, used evenly. Distinct (of n-grams: distinct-n) is different patterns by all counted. It falls as
    texts grow: "at equal size" is what to expect of it in so many patterns of each file as the smallest has. Unseen is
    the chance that one more would be new; where it is high, the entropy is a lower bound.
    """
    texts = {file: [line for _, line in lines(file, comments=False)] for file in files}
    facts = []
    for kind in patterns or ["line"]:
        wanted = _pattern(kind)
        found = {
            file: measure(text, patterns=wanted, tokens=tokens, resamples=resamples, seed=seed)
            for file, text in texts.items()
        }
        least = min(one.total for one in found.values())
        facts += [_facts(file, kind, one, least) for file, one in found.items()]
    if json:
        for each in facts:
            print_json(each)
    else:
        print(_table(facts))


def _pattern(kind: str) -> str | int:
    if kind == "line":
        return kind
    try:
        return int(kind)
    except ValueError:
        raise OptionError(f"patterns={kind!r}: expected line, or a whole number of at least 1") from None


def _facts(file: Path, kind: str, one: Diversity, least: int) -> dict[str, Any]:
    return {
        "file": str(file),
        "patterns": kind,
        "examples": one.examples,
        "counted": one.total,
        "different": one.patterns,
        "distinct": one.distinct,
        "distinct_alike": one.among(least) / least,
        "alike": least,
        "entropy": one.entropy,
        "corrected": one.corrected,
        "low": one.low,
        "high": one.high,
        "effective": one.effective,
        "unseen": one.unseen,
    }


def _table(facts: list[dict[str, Any]]) -> str:
    rows = [_HEADINGS, *map(_cells, facts)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADINGS))]
    return "\n".join("  ".join(map(_aligned, row, widths, range(len(row)))) for row in rows)


def _aligned(cell: str, width: int, place: int) -> str:
    return cell.ljust(width) if place < 2 else cell.rjust(width)


def _cells(one: dict[str, Any]) -> tuple[str, ...]:
    return (
        one["file"],
        one["patterns"],
        *(f"{one[name]:,}" for name in ("examples", "counted", "different")),
        *(f"{one[name]:.3f}" for name in ("distinct", "distinct_alike", "corrected")),
        f"{one['low']:.3f} to {one['high']:.3f}",
        f"{one['effective']:,.1f}",
        f"{one['unseen']:.3f}",
    )
