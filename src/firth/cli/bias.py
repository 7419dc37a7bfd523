"""`firth bias` and `firth debias`: what vectors hold against groups of people, and vectors that hold less."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firth import bias as instruments
from firth.bias import METHODS, METRICS, Change, Effects, Lists, Measured, Query
from firth.cli.output import AsJson, note, print_json
from firth.cli.queries import Vectors
from firth.cli.targets import check_vectors_target
from firth.data import path_of
from firth.errors import OptionError
from firth.postprocess.recorded import STEPS as DONE
from firth.vectors.io import load_vectors
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

_HEADINGS = ("query", "metric", "figure", "95 % interval", "p", "words")
_WAYS = "|".join(METHODS)

Test = Annotated[
    list[str] | None,
    typer.Option(
        "--test",
        help="Association test of Caliskan et al. 2017, weat-1 to weat-10. May be given several times.",
        metavar="NAME",
        show_default=False,
    ),
]
Sets = Annotated[
    Path | None, typer.Option(help="Word sets of your own: a JSON object of lists of words by name.", metavar="FILE")
]
Asked = Annotated[
    list[str] | None,
    typer.Option(
        "--query",
        help="Names of target sets, a colon, names of attribute sets: math,arts:male_terms,female_terms.",
        metavar="X,Y:A,B",
        show_default=False,
    ),
]
Data = Annotated[
    Path | None, typer.Option(help="Folder of local copies of the named sets, instead of a download.", metavar="DIR")
]
Seed = Annotated[int, typer.Option(help="Of random splits and resamples.")]


def bias(
    vectors: Vectors,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Measure; may be given several times. Default: weat.",
            metavar="|".join([*METRICS, "all"]),
            show_default=False,
        ),
    ] = None,
    test: Test = None,
    sets: Sets = None,
    query: Asked = None,
    data: Data = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Measure bias by sets of words.

    Without --test and --query: the ten tests of Caliskan et al. 2017. Queries name sets of --sets, or of those tests.
    Words that have no vector are left out, and named on standard error. The effect size of weat says how surely two
    groups differ, not by how much: the difference of cosines is its statistic, which --json prints.
    """
    space = load_vectors(vectors)
    metrics = list(METRICS) if metric and "all" in metric else metric or ["weat"]
    queries = _queries(test, sets, query, data)
    if test or query:
        found = [one for each in queries for one in _measured(space, each, metrics, seed)]
    else:
        found = [one for each in queries for one in _measured_if_known(space, each, metrics, seed)]
    if not found:
        raise OptionError(f"none of {len(queries)} tests could be asked: these vectors lack their words")
    if json:
        for one in found:
            print_json(one.row)
        return
    _print_table(_HEADINGS, [_shown(one) for one in found])
    _tell_missing(found)


def debias(
    vectors: Vectors,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write.", show_default=False, metavar="OUT")],
    method: Annotated[str, typer.Option(help="How.", metavar=_WAYS)] = "hard",
    pairs: Annotated[
        Path | None,
        typer.Option(
            help="Pairs that define the bias, JSON or a pair a line. Default: gender, of Bolukbasi et al. 2016, with "
            "their lists in the place of the next three.",
            metavar="FILE",
        ),
    ] = None,
    equalise: Annotated[
        Path | None, typer.Option(help="Pairs that should differ in the bias alone. Default: --pairs.", metavar="FILE")
    ] = None,
    specific: Annotated[
        Path | None, typer.Option(help="Words that keep it, for they have it by their meaning.", metavar="FILE")
    ] = None,
    neutral: Annotated[
        Path | None, typer.Option(help="Words that should not have it, to measure direct bias on.", metavar="FILE")
    ] = None,
    test: Test = None,
    sets: Sets = None,
    query: Asked = None,
    alpha: Annotated[float | None, typer.Option(help="Of half-sibling: the penalty. Default: 60.")] = None,
    components: Annotated[
        int | None, typer.Option(help="Of double-hard: components of frequency to try. Default: 4.")
    ] = None,
    rounds: Annotated[int | None, typer.Option(help="Of null-space: directions at most. Default: 35.")] = None,
    data: Data = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Take a bias out of vectors, and say what of it can still be found.

    Printed are direct bias and association tests before and after (weat-6, 7 and 8 where the bias is gender), and the
    control of Gonen and Goldberg 2019: how well two clusters, a classifier and the nearest words still tell to which
    side a word leaned. What a method did stands in the metadata. The vectors that are read stay as they are.
    """
    check_vectors_target(output, takes_files=True)
    space = _words_of(vectors)
    lists = _lists(pairs, equalise, specific, neutral, data)
    wanted = test if test or query or pairs else ["weat-6", "weat-7", "weat-8"]
    queries = _queries(wanted, sets, query, data) if wanted or query else []
    made = instruments.debias(space, method, lists, alpha=alpha, components=components, rounds=rounds)
    told = instruments.effects(space, made, lists, queries, seed=seed)
    made.save(output)
    steps = made.metadata[DONE][len(space.metadata.get(DONE, [])) :]
    if json:
        print_json({"vectors": str(output), "words": len(made), "dim": made.dim, "method": method, "steps": steps})
        for each in told.changes:
            print_json(each.row)
        print_json({"name": "control", **told.control.row})
    else:
        _print_effects(told)
        print(f"{output}: {len(made):,} words x {made.dim}, debiased by {method}")
    for line in told.left_out:
        note(line)
    _tell_missing([each.before for each in told.changes])


def _measured(space: WordVectors | SubwordVectors, query: Query, metrics: Sequence[str], seed: int) -> list[Measured]:
    return [one for metric in metrics for one in instruments.measure(space, query, metric, seed=seed)]


def _measured_if_known(
    space: WordVectors | SubwordVectors, query: Query, metrics: Sequence[str], seed: int
) -> list[Measured]:
    """Leave out a test of which these vectors lack a set, and say so: nobody asked for it by its name."""
    lacking = query.lacking(space)
    if lacking:
        note(f"{query.name} is left out: no word of {', '.join(lacking)} has a vector")
        return []
    return _measured(space, query, metrics, seed)


def _queries(
    tests: Sequence[str] | None, sets: Path | None, queries: Sequence[str] | None, data: Path | None
) -> list[Query]:
    if sets is not None and not queries:
        raise OptionError("--sets without --query: say which of its sets to compare, such as X,Y:A,B")
    if sets is not None and tests:
        raise OptionError("--sets with --test: the tests have sets of their own; leave out one of the two")
    found = instruments.weat_queries(tests, data) if tests or not queries else []
    if queries:
        named = instruments.read_sets(path_of("weat", data) if sets is None else sets)
        found += [_query(named, each) for each in queries]
    return found


def _query(named: dict[str, list[str]], asked: str) -> Query:
    targets, colon, attributes = (part.strip() for part in asked.partition(":"))
    if not (targets and colon and attributes):
        raise OptionError(f"--query {asked}: expected names of target sets, a colon, names of attribute sets")
    return instruments.query_of(named, _names(targets), _names(attributes))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _lists(
    pairs: Path | None, equalise: Path | None, specific: Path | None, neutral: Path | None, data: Path | None
) -> Lists:
    """The lists about gender where nothing defines another bias; each may be replaced."""
    usual = Lists.of_gender(data) if pairs is None else Lists(instruments.read_pairs(pairs))
    return Lists(
        usual.pairs,
        _or(instruments.read_pairs, equalise, usual.equalise_pairs),
        _or(instruments.read_words, specific, usual.specific),
        _or(instruments.read_words, neutral, usual.neutral),
    )


def _or(read: Callable[[Path], Any], path: Path | None, usual: Any) -> Any:
    return usual if path is None else read(path)


def _words_of(path: str) -> WordVectors:
    space: WordVectors | SubwordVectors = load_vectors(path)
    if isinstance(space, SubwordVectors):
        note(f"{path}: its n-grams are left behind; the result has the {len(space):,} known words")
        return space.known
    return space


def _shown(one: Measured) -> tuple[str, ...]:
    interval = "" if one.low is None else f"{one.low:.2f} to {one.high:.2f}"
    given = sum(each.given for each in one.coverage.values())
    return one.query, one.metric, f"{one.value:.3f}", interval, _chance(one.p), f"{one.words}/{given}"


def _chance(p: float | None) -> str:
    return "" if p is None else (f"{p:.1e}" if p < 0.001 else f"{p:.3f}")


def _print_effects(told: Effects) -> None:
    rows = [row for each in told.changes for row in _change(each)]
    before, after = told.control.before, told.control.after
    rows += [
        ("control", "two clusters agree", f"{before.clusters:.3f}", f"{after.clusters:.3f}", "", ""),
        ("control", "classifier's accuracy", f"{before.classifier:.3f}", f"{after.classifier:.3f}", "", ""),
        ("control", "neighbours' correlation", f"{before.neighbours:.3f}", f"{after.neighbours:.3f}", "", ""),
    ]
    _print_table(("query", "metric", "before", "after", "p before", "p after"), rows)


def _change(each: Change) -> list[tuple[str, ...]]:
    """An effect size is divided by the spread of what is left, however little that is: the sum stands below it."""
    before, after = each.before, each.after
    rows = [(before.query, before.metric, before.value, after.value, _chance(before.p), _chance(after.p))]
    if "statistic" in before.facts:
        rows.append((before.query, "s(X, Y, A, B)", before.facts["statistic"], after.facts["statistic"], "", ""))
    return [(name, what, f"{one:.3f}", f"{other:.3f}", *chances) for name, what, one, other, *chances in rows]


def _print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]
    for row in [headings, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _tell_missing(found: Sequence[Measured]) -> None:
    told: dict[str, None] = {}
    for one in found:
        for text in one.notes:
            told[f"{one.query}: {text}"] = None
    for text in told:
        note(text)
    lacking = list(dict.fromkeys(word for one in found for word in one.missing))
    if lacking:
        note(f"without a vector: {', '.join(lacking)}")
