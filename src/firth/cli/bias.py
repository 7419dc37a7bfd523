"""`firth bias` and `firth debias`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from firth import bias as instruments
from firth.bias import METHODS, METRICS, BiasLists, BiasScore, DebiasingEffects, Query, ScoreChange
from firth.bias.query import title_of
from firth.cli.arguments import AsJson, Data, Overwrite, Quiet, Seed, Vectors, flag, names, output
from firth.cli.output import note, print_json, print_table, working
from firth.cli.targets import check_vectors_target
from firth.cli.vectors import open_vectors, open_word_vectors
from firth.data import path_of
from firth.errors import OptionError, RareWordError
from firth.postprocess.transforms import HISTORY
from firth.runs.runs import Runs
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Space = WordVectors | SubwordVectors | Runs
_HEADINGS = ("query", "metric", "figure", "95 % interval", "p", "words")

Test = Annotated[
    list[str] | None,
    names("Association test of Caliskan et al. 2017, weat-1 to weat-10. May be repeated.", "NAME", "--test"),
]
Sets = Annotated[Path | None, flag("Your own word sets: a JSON object of word lists by name.", "FILE")]
Queries = Annotated[
    list[str] | None,
    names(
        "Target sets, a colon and attribute sets, by name: math,arts:male_terms,female_terms. May be repeated.",
        "X,Y:A,B",
        "--query",
    ),
]


def bias(
    vectors: Vectors,
    metric: Annotated[
        list[str] | None,
        names(f"Metric: {', '.join(METRICS)} or all. May be repeated. Default: weat.", "NAME", "--metric"),
    ] = None,
    test: Test = None,
    sets: Sets = None,
    query: Queries = None,
    data: Data = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Measure social bias in vectors with sets of words.

    The default is the ten tests of Caliskan et al. 2017. A query names sets of --sets, or of those tests. Words without
    a vector are left out and listed on standard error. The effect size of weat says how reliably two groups differ, not
    by how much; --json also prints the statistic, which is the difference of cosines. Of runs, the value is their mean
    and the interval that over runs.
    """
    space = open_vectors(vectors, quiet, runs=True)
    metrics = list(METRICS) if metric and "all" in metric else metric or ["weat"]
    queries = _queries(test, sets, query, data)
    measure = _measured if test or query else _measured_if_known
    with working("measuring", quiet):
        results = [result for item in queries for result in measure(space, item, metrics, seed)]
    if not results:
        raise OptionError(f"none of {len(queries)} tests can be run: these vectors lack their words")
    if json:
        for result in results:
            print_json(result.row)
        return
    print_table([_HEADINGS, *map(_cells, results)], left=range(len(_HEADINGS)))
    _note_missing(results)


def debias(
    vectors: Vectors,
    output: Annotated[Path, output("Folder to write.")],
    method: Annotated[str, typer.Option(help="Method.", metavar="|".join(METHODS))] = "hard",
    pairs: Annotated[
        Path | None,
        names(
            "Word pairs that define the bias, JSON or one pair per line. Default: gender, with the word lists of "
            "Bolukbasi et al. 2016.",
            "FILE",
            "--pairs",
        ),
    ] = None,
    equalise: Annotated[Path | None, flag("Pairs that may differ in the bias only. Default: --pairs.", "FILE")] = None,
    specific: Annotated[Path | None, flag("Words that keep the bias, because it is their meaning.", "FILE")] = None,
    neutral: Annotated[Path | None, flag("Neutral words, to measure the direct bias on.", "FILE")] = None,
    test: Test = None,
    sets: Sets = None,
    query: Queries = None,
    alpha: Annotated[float | None, flag("With half-sibling: ridge penalty. Default: 60.")] = None,
    components: Annotated[int | None, flag("With double-hard: frequency components to try. Default: 4.")] = None,
    rounds: Annotated[int | None, flag("With null-space: directions to remove, at most. Default: 35.")] = None,
    data: Data = None,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Reduce social bias in vectors, and measure what is left.

    Prints direct bias and association tests before and after (weat-6, 7 and 8 for gender), and the control of Gonen and
    Goldberg 2019: how well two clusters, a classifier and the nearest words still tell which side a word leaned to.
    """
    check_vectors_target(output, takes_files=True, overwrite=overwrite)
    space = open_word_vectors(vectors, quiet)
    lists = _lists(pairs, equalise, specific, neutral, data)
    tests = test if test or query or pairs else ["weat-6", "weat-7", "weat-8"]
    queries = _queries(tests, sets, query, data) if tests or query else []
    with working(f"debiasing by {method}", quiet):
        debiased = instruments.debias(space, method, lists, alpha=alpha, components=components, rounds=rounds)
    with working("measuring what is left", quiet):
        effects = instruments.effects(space, debiased, lists, queries, seed=seed)
    debiased.save(output)
    steps = debiased.metadata[HISTORY][len(space.metadata.get(HISTORY, [])) :]
    if json:
        print_json(
            {"vectors": str(output), "words": len(debiased), "dim": debiased.dim, "method": method, "steps": steps}
        )
        for change in effects.changes:
            print_json(change.row)
        print_json({"name": "control", **effects.control.row})
    else:
        _print_effects(effects)
        print(f"{output}: {len(debiased):,} words x {debiased.dim}, debiased by {method}")
    for line in effects.left_out:
        note(line)
    _note_missing([change.before for change in effects.changes])


def _measured(space: Space, query: Query, metrics: Sequence[str], seed: int) -> list[BiasScore]:
    return [result for metric in metrics for result in instruments.measure(space, query, metric, seed=seed)]


def _measured_if_known(space: Space, query: Query, metrics: Sequence[str], seed: int) -> list[BiasScore]:
    """Skip a default test, with a note, if its words have no vectors."""
    if lacking := query.unknown_sets(space.consensus if isinstance(space, Runs) else space):
        note(f"{title_of(query.name)} is left out: no word of {', '.join(lacking)} has a vector")
        return []
    try:
        return _measured(space, query, metrics, seed)
    except RareWordError as error:  # of runs, none of which has all of its words
        note(f"left out: {error}")
        return []


def _queries(
    tests: Sequence[str] | None, sets: Path | None, queries: Sequence[str] | None, data: Path | None
) -> list[Query]:
    if sets is not None and not queries:
        raise OptionError("--sets without --query: say which of its sets to compare, such as X,Y:A,B")
    if sets is not None and tests:
        raise OptionError("--sets with --test: the tests have sets of their own; leave out one of the two")
    result = instruments.weat_queries(tests, data) if tests or not queries else []
    if queries:
        word_sets = instruments.read_sets(path_of("weat", data) if sets is None else sets)
        result += [_query(word_sets, query) for query in queries]
    return result


def _query(sets: dict[str, list[str]], query: str) -> Query:
    targets, colon, attributes = (part.strip() for part in query.partition(":"))
    if not (targets and colon and attributes):
        raise OptionError(f"--query {query}: expected names of target sets, a colon, names of attribute sets")
    return instruments.query_of(sets, _names(targets), _names(attributes))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _lists(
    pairs: Path | None, equalise: Path | None, specific: Path | None, neutral: Path | None, data: Path | None
) -> BiasLists:
    """The word lists about gender, unless pairs define another bias; the user's files replace single lists."""
    default = BiasLists.of_gender(data) if pairs is None else BiasLists(instruments.read_pairs(pairs))
    return BiasLists(
        default.pairs,
        default.equalise_pairs if equalise is None else instruments.read_pairs(equalise),
        default.specific if specific is None else instruments.read_words(specific),
        default.neutral if neutral is None else instruments.read_words(neutral),
    )


def _cells(result: BiasScore) -> tuple[str, ...]:
    interval = "" if result.low is None else f"{result.low:.2f} to {result.high:.2f}"
    total = sum(coverage.given for coverage in result.coverage.values())
    p = _probability(result.p)
    return title_of(result.query), result.metric, f"{result.value:.3f}", interval, p, f"{result.words}/{total}"


def _probability(p: float | None) -> str:
    return "" if p is None else (f"{p:.1e}" if p < 0.001 else f"{p:.3f}")


def _print_effects(effects: DebiasingEffects) -> None:
    before, after = effects.control.before, effects.control.after
    rows = [
        ("query", "metric", "before", "after", "p before", "p after"),
        *(row for change in effects.changes for row in _rows(change)),
        ("control", "two clusters agree", f"{before.clusters:.3f}", f"{after.clusters:.3f}", "", ""),
        ("control", "classifier's accuracy", f"{before.classifier:.3f}", f"{after.classifier:.3f}", "", ""),
        ("control", "neighbours' correlation", f"{before.neighbours:.3f}", f"{after.neighbours:.3f}", "", ""),
    ]
    print_table(rows, left=range(len(rows[0])))


def _rows(change: ScoreChange) -> list[tuple[str, ...]]:
    """The effect size and, below it, the statistic: an effect size is relative to the spread, however small that is."""
    before, after = change.before, change.after
    name = title_of(before.query)
    rows = [(name, before.metric, before.value, after.value, _probability(before.p), _probability(after.p))]
    if "statistic" in before.facts:
        rows.append((name, "s(X, Y, A, B)", before.facts["statistic"], after.facts["statistic"], "", ""))
    return [(name, what, f"{first:.3f}", f"{other:.3f}", *chances) for name, what, first, other, *chances in rows]


def _note_missing(results: Sequence[BiasScore]) -> None:
    for text in dict.fromkeys(f"{title_of(result.query)}: {text}" for result in results for text in result.notes):
        note(text)
    if missing := list(dict.fromkeys(word for result in results for word in result.missing)):
        note(f"without a vector: {', '.join(missing)}")
