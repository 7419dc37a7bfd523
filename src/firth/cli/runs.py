"""Runs on the command line: training, neighbours and similarities with intervals, stability."""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from firth.cli.arguments import flag
from firth.cli.output import note, print_json, print_table, printable, show
from firth.cli.targets import check_folder_target
from firth.errors import OptionError
from firth.runs.files import KIND, remove_runs
from firth.vectors.io.formats import format_of

Number = Annotated[
    int | None, flag("Train N times on documents drawn with replacement, for intervals; see firth neighbours.", "N")
]
Resample = Annotated[
    str | None, flag("With --runs: draw documents, or vary the seed alone. Default: documents.", "documents|none")
]


def check_flags(runs: int | None, resample: str | None, single: Mapping[str, Any]) -> None:
    """Check that flags go together.

    Args:
        single: values of flags that one training has, and several do not, by their names.
    """
    if runs is None:
        if resample is not None:
            raise OptionError(f"--resample {resample} without --runs; expected --runs with a number, such as --runs 20")
        return
    if given := [name for name, value in single.items() if value]:
        raise OptionError(
            f"{' and '.join(given)} with --runs: each run is a training of its own, with one thread and from the "
            "start; leave it out. --threads says how many go on at one time, and the same command goes on after Ctrl-C"
        )


def check_runs_target(output: Path, *, overwrite: bool) -> None:
    """Check that runs can be saved in a folder, or that more of them can; with `overwrite`, remove those there."""
    if format_of(output) != "firth":
        raise OptionError(f"{output}: runs are saved as a folder; expected a name without the ending of a file format")
    check_folder_target(output, "runs", {KIND}, overwrite=True)
    if overwrite and output.is_dir():
        remove_runs(output)


def train_runs(model: Any, text: Any, output: Path, json: bool, began: float, **arguments: Any) -> Any:
    """Train runs into a folder, and print how it went."""
    from firth.runs.training import bootstrap

    runs = bootstrap(model, text, checkpoint=output, **arguments)
    facts, seconds = runs.metadata["training"], time.monotonic() - began
    interrupted = bool(runs.metadata.get("interrupted"))
    if json:
        names = ("resample", "documents")
        print_json({
            "path": str(output), "runs": len(runs), "asked": facts["runs"], "words": len(runs.words), "dim": runs.dim,
            **{name: facts[name] for name in names}, "seconds": round(seconds, 3), "interrupted": interrupted,
        })  # fmt: skip
        return runs
    asked = "" if len(runs) == facts["runs"] else f" of {facts['runs']}"
    print(f"{output}: {len(runs)}{asked} runs x {len(runs.words):,} words x {runs.dim}, {seconds:.1f} s in total")
    print(_drawn(facts))
    return runs


def _drawn(facts: Mapping[str, Any]) -> str:
    units = f"{facts['documents']:,} {'sentences' if facts.get('document') == 'sentence' else 'documents'}"
    if facts["resample"] == "none":
        return f"each run: the same {units} with another seed"
    return f"each run: {units} drawn with replacement, and another seed"


def print_neighbours(
    runs: Any, words: Sequence[str], number: int, display: Any, flags: Mapping[str, Any], json: bool
) -> None:
    """Print the neighbours of words with their intervals.

    Args:
        display: returns a word as people read it.
        flags: flags of searches that runs do not have, by their names.
    """
    if given := [name for name, value in flags.items() if value]:
        raise OptionError(f"{' and '.join(given)} with runs: all words of all runs are compared; leave it out")
    for word in words:
        answers = runs.most_similar(word, number)
        if json:
            rows = [
                {"word": n.word, "score": n.similarity, "low": n.low, "high": n.high, "share": n.share} for n in answers
            ]
            print_json({"query": word, "runs": len(runs), "neighbours": rows})
            continue
        if len(words) > 1:
            print(display(word))
        cells = [
            (
                printable(display(n.word)),
                f"{n.similarity:.4f}",
                f"{n.low:.4f}",
                f"{n.high:.4f}",
                f"{100 * n.share:.0f} %",
            )
            for n in answers
        ]
        print_table([("word", "mean", "low", "high", "in ten nearest"), *cells], left=(0,))
    if words and not json:
        note(f"mean cosine and 95 % interval of {len(runs)} runs; share of the runs with the word in the ten nearest")


def print_similarity(runs: Any, a: str, b: str, keys: Sequence[str], json: bool) -> None:
    """Print the similarity of two words with its interval."""
    estimate = runs.similarity(*keys)
    facts = {"a": a, "b": b, "similarity": estimate.value, "low": estimate.low, "high": estimate.high}
    show(json, {**facts, "runs": estimate.runs}, estimate)


def runs_facts(runs: Any) -> dict[str, Any]:
    """Return facts about runs, with how stable they are, for `firth info`."""
    training = dict(runs.metadata["training"])
    asked = training.pop("runs")
    missing = sorted(set(range(1, asked + 1)) - set(runs.numbers))
    bands = runs.stability()
    return {
        "kind": "runs",
        "runs": len(runs),
        **({"missing": missing} if missing else {}),
        "words": len(runs.words),
        "dim": runs.dim,
        "training": training,
        "stable": round(sum(band.stable * band.words for band in bands if not math.isnan(band.stable))),
        "stability": [band._asdict() for band in bands],
    }


def print_stability(bands: Sequence[Mapping[str, Any]]) -> None:
    """Print how stable neighbours are, by the frequency of the word."""
    print("stability: how many of a word's ten nearest two runs share, by the frequency of the word")
    rows = [
        (
            f"{band['least']:,} or more" if band["most"] is None else f"{band['least']:,} to {band['most']:,}",
            f"{band['words']:,}",
            "-" if math.isnan(band["overlap"]) else f"{10 * band['overlap']:.1f} of 10",
            "-" if math.isnan(band["stable"]) else f"{100 * band['stable']:.0f} %",
        )
        for band in bands
    ]
    print_table(
        [("  occurrences", "words", "shared", "stable"), *((f"  {row[0]}", *row[1:]) for row in rows)], left=(0,)
    )
    print("stable words: two runs share five of their ten nearest or more; of each band a hundred words are looked at")
