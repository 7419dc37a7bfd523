"""`firth diversity`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Quiet, Seed, names
from firth.cli.output import print_json, print_table, working
from firth.errors import OptionError
from firth.evaluation.diversity import RESAMPLES, Diversity
from firth.evaluation.diversity import diversity as measure
from firth.readers.lines import numbered_lines

_HEADINGS = (
    *("file", "patterns", "examples", "counted", "different", "distinct", "at equal size", "entropy", "95 % interval"),
    *("effective", "unseen"),
)


def diversity(
    files: Annotated[list[Path], names("Texts, one example per line; empty lines are skipped.", "FILE")],
    patterns: Annotated[
        list[str] | None,
        names(
            "Pattern to count: line for whole lines, or n for n-grams of tokens. May be repeated. Default: line.",
            "line|N",
            "--patterns",
        ),
    ] = None,
    tokens: Annotated[str, typer.Option(help="Tokeniser for n-grams.", metavar="words|whitespace|text8")] = "words",
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples, for the intervals.")] = RESAMPLES,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Measure how varied texts are by the entropy of their patterns.

    Entropy is in nats and corrected for the small sample; "effective" is the number of equally frequent patterns with
    that entropy. "Distinct" (distinct-n for n-grams) is different patterns divided by all patterns. It falls as texts
    grow, so "at equal size" gives its expectation in a sample as large as the smallest file. "Unseen" is the
    probability that the next pattern is new; where it is high, the entropy is a lower bound.
    """
    texts = {file: [line for _, line in numbered_lines(file, comments=False)] for file in files}
    facts = []
    for kind in patterns or ["line"]:
        pattern = _pattern(kind)
        with working("counting patterns", quiet):
            results = {
                file: measure(text, patterns=pattern, tokens=tokens, resamples=resamples, seed=seed)
                for file, text in texts.items()
            }
        least = min(result.total for result in results.values())
        facts += [_facts(file, kind, result, least) for file, result in results.items()]
    if json:
        for row in facts:
            print_json(row)
    else:
        print_table([_HEADINGS, *map(_cells, facts)], left=(0, 1))


def _pattern(kind: str) -> str | int:
    if kind == "line":
        return kind
    try:
        return int(kind)
    except ValueError:
        raise OptionError(f"patterns={kind!r}: expected line, or a whole number of at least 1") from None


def _facts(file: Path, kind: str, result: Diversity, least: int) -> dict[str, Any]:
    return {
        "file": str(file),
        "patterns": kind,
        "examples": result.examples,
        "counted": result.total,
        "different": result.patterns,
        "distinct": result.distinct,
        "distinct_alike": result.expected_patterns(least) / least,
        "alike": least,
        "entropy": result.entropy,
        "corrected": result.corrected,
        "low": result.low,
        "high": result.high,
        "effective": result.effective,
        "unseen": result.unseen,
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["file"],
        row["patterns"],
        *(f"{row[name]:,}" for name in ("examples", "counted", "different")),
        *(f"{row[name]:.3f}" for name in ("distinct", "distinct_alike", "corrected")),
        f"{row['low']:.3f} to {row['high']:.3f}",
        f"{row['effective']:,.1f}",
        f"{row['unseen']:.3f}",
    )
