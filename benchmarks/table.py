"""The one table: made from the results, and from nothing else."""

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import contest, records
from benchmarks.running import whole_rounds
from benchmarks.suites import quality

SUITES = ("speed", "corpus", "families", "counts", "queries", "encode", "startup")
HEADING = """# Measured results

Written by `python -m benchmarks table` from the `.jsonl` files beside it, which hold every single run.
Contenders take turns on the same machine, file and options; a figure is the median of its runs, with the least
and the greatest. A ratio is the peer's median over firth's, with the least and the greatest ratio inside one
round. Machines differ: only ratios carry over. Words are those of the text times the epochs.
"""

Row = dict[str, Any]


def write(results: Path) -> Path:
    """Write `README.md` beside the results and return its path."""
    target = results / "README.md"
    target.write_text(render(results), encoding="utf-8")
    return target


def render(results: Path) -> str:
    """The page, as Markdown."""
    parts = [HEADING]
    for suite in SUITES:
        parts += _suite(suite, records.last_series(records.read(results / f"{suite}.jsonl")))
    parts += _quality(records.last_series(records.read(results / "quality.jsonl")))
    if len(parts) == 1:
        parts.append("Nothing has been measured yet.\n")
    return "\n".join(parts)


def _suite(suite: str, series: Mapping[str, tuple[Row, list[Row]]]) -> list[str]:
    if not series:
        return []
    targets, figures = [], []
    for header, runs in series.values():
        rounds = whole_rounds(runs, header["contenders"])
        if rounds:
            targets += list(_owed(header, rounds))
            figures += list(_figures(header, rounds))
    return [
        f"## {suite.capitalize()}\n",
        _machines([header for header, _ in series.values()]),
        _table(("job", "compared", "owed", "measured", "reached"), targets),
        _table(("job", "who", "seconds", "M words", "M words/s", "GFLOP/s", "peak MB", "runs"), figures),
    ]


def _owed(header: Row, rounds: Mapping[int, Mapping[str, Row]]) -> Iterator[tuple[str, ...]]:
    for target in header["targets"]:
        ours, peer = target["ours"], target["peer"]
        ratios = [row[peer]["seconds"] / row[ours]["seconds"] for row in rounds.values()]
        ratio = _median(rounds, peer, "seconds") / _median(rounds, ours, "seconds")
        ratio_text = f"{ratio:.1f}x ({min(ratios):.1f}-{max(ratios):.1f})"
        yield (
            header["title"],
            f"{ours} : {peer}",
            f"{target['at_least']:.3g}x",
            ratio_text,
            _yes(ratio >= target["at_least"]),
        )
    for limit in header["limits"]:
        figure = _median(rounds, limit["ours"], limit["figure"])
        owed = f"at most {limit['at_most']:.3g} {limit['unit']}"
        yield header["title"], limit["ours"], owed, f"{figure:.3g} {limit['unit']}", _yes(figure <= limit["at_most"])


def _figures(header: Row, rounds: Mapping[int, Mapping[str, Row]]) -> Iterator[tuple[str, ...]]:
    for name in header["contenders"]:
        seconds = [row[name]["seconds"] for row in rounds.values()]
        middle = statistics.median(seconds)
        rate = f"{header['words'] / middle / 1e6:.2f}" if header["words"] else ""
        flops = [row[name].get("report", {}).get("gflops") for row in rounds.values()]
        speed = f"{statistics.median(flops):.0f}" if None not in flops else ""
        peak = f"{_median(rounds, name, 'peak_mb'):.0f}"
        seconds_text = f"{middle:.4g} ({min(seconds):.4g}-{max(seconds):.4g})"
        words = f"{header['words'] / 1e6:.2f}" if header["words"] else ""
        yield header["title"], name, seconds_text, words, rate, speed, peak, str(len(seconds))


def _median(rounds: Mapping[int, Mapping[str, Row]], name: str, figure: str) -> float:
    return statistics.median(row[name][figure] for row in rounds.values())


def _yes(condition: bool) -> str:
    return "yes" if condition else "**no**"


def _machines(headers: list[Row]) -> str:
    """One line a machine, with the states of the source that ran on it."""
    sources: dict[str, list[str]] = {}
    for header in headers:
        sources.setdefault(_machine(header), []).append(header["source"])
    return "\n".join(f"{line}; source {', '.join(sorted(set(states)))}.\n" for line, states in sources.items())


def _machine(header: Row) -> str:
    machine, versions = header["machine"], header["versions"]
    flags = ", ".join(machine["vector_flags"]) or "no known vector flags"
    if "compiled_for" in machine:
        flags += f" alone: kernels compiled for {machine['compiled_for']}, products of matrices limited likewise"
    installed = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"{machine['processor']}, {machine['cpus']} processors ({flags}), {machine['memory_gib']} GiB, "
        f"{machine['system']}, Python {machine['python']}; "
        f"{installed}"
    )


def _quality(series: Mapping[str, tuple[Row, list[Row]]]) -> list[str]:
    if not series:
        return []
    parts = ["## Quality\n", " ".join((quality.__doc__ or "").split()) + "\n"]
    for header, runs in series.values():
        rates = {name: contest.best_rate(runs, name) for name in header["contenders"] if _rates(runs, name)}
        options = header["options"]
        text = f" of {options['words']:,} words" if "text" in options else ""
        parts.append(f"### {header['title']}, {options['epochs']} epochs{text}\n")
        parts.append(_machines([header]))
        sets = [figure["set"] for figure in runs[0]["figures"]]
        lines = []
        # A best rate is known once others have been tried.
        searched = {name: rate for name, rate in rates.items() if len(_rates(runs, name)) > 1}
        for question, rate_of in (("equal options", dict.fromkeys(rates, options["lr"])), ("own best rate", searched)):
            for name, lr in rate_of.items():
                rows = [row for row in runs if row["contender"] == name and row["lr"] == lr]
                if rows:
                    lines.append((question, name, f"{lr:g}", *_means(rows, sets), str(len(rows))))
        parts.append(_table(("question", "who", "lr", *sets, "seeds"), lines))
        grid = [
            (row["contender"], f"{row['lr']:g}", *(f"{100 * figure['value']:.1f}" for figure in row["figures"]))
            for row in runs
            if row["seed"] == 1
        ]
        parts.append(_table(("who, seed 1", "lr", *sets), sorted(grid)))
    parts.append(
        "Figures are percentages: mean over seeds, then the mean bounds of the 95 % intervals over the items "
        "(bootstrap for correlations, Wilson's for shares).\n"
    )
    return parts


def _rates(runs: list[Row], name: str) -> set[float]:
    return {row["lr"] for row in runs if row["contender"] == name and row["seed"] == 1}


def _means(runs: list[Row], sets: list[str]) -> Iterator[str]:
    for name in sets:
        figures = [figure for row in runs for figure in row["figures"] if figure["set"] == name]
        value, low, high = (
            100 * statistics.fmean(figure[part] for figure in figures) for part in ("value", "low", "high")
        )
        yield f"{value:.1f} [{low:.1f}, {high:.1f}]"


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    lines = [columns, tuple("---" for _ in columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
