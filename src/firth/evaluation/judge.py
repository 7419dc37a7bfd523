"""`firth.evaluate`: any vectors on any suites, judged alike.

Words are looked up as the gold file writes them, then lower-cased. What becomes of words without a vector is the
`unknown` policy, and every figure says how many items it knew in full.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from firth import data as named
from firth.errors import DataError, OptionError
from firth.evaluation.report import Contrast, Report, Row
from firth.evaluation.resampling import RESAMPLES, Sample, bootstrap_interval, value_of
from firth.evaluation.significance import difference, holm, wilson_interval
from firth.evaluation.suite import POLICIES, Figure, Setting, Space, Suite, Unknown
from firth.evaluation.suites import DEFAULT, SUITES
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

PathLike = str | os.PathLike[str]
Given = PathLike | Sequence[PathLike] | None
Vectors = WordVectors | SubwordVectors


def evaluate(
    vectors: Vectors | Mapping[str, Vectors],
    *,
    similarity: Given = None,
    analogies: Given = None,
    suites: str | Iterable[str] | Mapping[str, Given] | None = None,
    unknown: Unknown = "skip",
    data: PathLike | None = None,
    restrict_vocab: int = 300_000,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Report:
    """Judge vectors on gold sets.

    Args:
        vectors: the vectors, or several by name, which are then set against each other on the same items.
        similarity: files of scored pairs, or names of `firth.data.SETS`.
        analogies: files of questions, or names.
        suites: which instruments: a name, several, "all", or names with files or named sets of their own (None for the
            suite's usual ones). When nothing is asked for: similarity and analogies.
        unknown: the policy for words without a vector. "skip": an item that needs one is left out of the figure;
            "count": it stays, answered as by a model that knows nothing; "infer": vectors with subwords make one up of
            the word's n-grams.
        data: a folder of local copies of the named sets; by default the environment variable FIRTH_DATA names it, and
            without that the sets are downloaded.
        restrict_vocab: answers to analogies are looked for among this many words from the front, the most frequent ones
            where the vectors are in that order; as in gensim.
        resamples: of the bootstrap.
        seed: of every random draw.

    Returns:
        A report that prints as a table.

    Raises:
        DataError: a name is unknown, or a named set is absent or not the pinned one.
        FormatError: a gold file is not in its format.
        OptionError: there is no such suite or policy, or `restrict_vocab` or `resamples` is below one.
    """
    for option, value in (("restrict_vocab", restrict_vocab), ("resamples", resamples)):
        if value < 1:
            raise OptionError(f"{option}={value}: expected a whole number of at least 1")
    if unknown not in POLICIES:
        raise OptionError(f"unknown={unknown!r}: expected one of {', '.join(POLICIES)}")
    wanted = _wanted(suites, similarity, analogies)
    # Every file is read before the first figure is made: a mistake in the last name should not cost the work on the
    # others.
    golds = _distinct([gold for suite, given in wanted for gold in _read(suite, given, data)])
    setting = Setting(unknown=unknown, restrict_vocab=restrict_vocab, resamples=resamples, seed=seed)
    several = vectors if isinstance(vectors, Mapping) else {_name(vectors): vectors}
    judged = {name: _judge(Space(one, setting), golds, setting) for name, one in several.items()}
    rows = _rows(judged, setting)
    return Report(rows, _contrasts(judged, rows, setting))


@dataclass(frozen=True)
class _Gold:
    suite: Suite
    label: str
    content: Any


Judged = list[tuple[_Gold, Figure]]


def _wanted(
    suites: str | Iterable[str] | Mapping[str, Given] | None, similarity: Given, analogies: Given
) -> list[tuple[Suite, Given]]:
    asked: dict[str, Given] = {}
    if suites is None and similarity is None and analogies is None:
        suites = DEFAULT
    if isinstance(suites, str):
        suites = SUITES if suites == "all" else [suites]
        suites = list(suites)
    if suites is not None:
        asked |= suites if isinstance(suites, Mapping) else dict.fromkeys(suites)
    asked |= {
        name: given for name, given in (("similarity", similarity), ("analogies", analogies)) if given is not None
    }
    for name in asked:
        if name not in SUITES:
            raise OptionError(f"no suite is called {name!r}: expected all, or one of {', '.join(SUITES)}")
    return [(suite, asked[name]) for name, suite in SUITES.items() if name in asked]


def _name(vectors: Vectors) -> str:
    return str(vectors.metadata.get("name", "vectors"))


def _read(suite: Suite, given: Given, data: PathLike | None) -> list[_Gold]:
    wanted = suite.sets if given is None else given
    items: Sequence[PathLike] = [wanted] if isinstance(wanted, str | os.PathLike) else wanted
    return [_Gold(suite, *_read_one(suite, item, data)) for item in items]


def _read_one(suite: Suite, item: PathLike, data: PathLike | None) -> tuple[str, Any]:
    if str(item) in named.SETS:
        return str(item), suite.read(named.path_of(str(item), data))
    path = Path(item)
    if not path.exists():
        names = ", ".join(name for name, one in named.SETS.items() if one.kind == suite.name)
        raise DataError(f"{path}: no such file, and no named set; expected a path or one of {names}")
    return path.stem, suite.read(path)


def _distinct(golds: Sequence[_Gold]) -> list[_Gold]:
    """Number the files of one suite that have the same name, from different folders: each is a line of its own."""
    found: Counter[tuple[str, str]] = Counter()
    numbered = []
    for gold in golds:
        found[gold.suite.name, gold.label] += 1
        again = found[gold.suite.name, gold.label]
        numbered.append(gold if again == 1 else replace(gold, label=f"{gold.label} ({again})"))
    return numbered


def _judge(space: Space, golds: Sequence[_Gold], setting: Setting) -> Judged:
    return [(gold, figure) for gold in golds for figure in gold.suite.judge(space, gold.content, setting)]


def _rows(judged: Mapping[str, Judged], setting: Setting) -> list[Row]:
    """Rows in the order of the vectors, made line by line: models that count as many items share their draws."""
    lines = [
        [_row(name, gold, figure, setting) for name, (gold, figure) in zip(judged, line, strict=True)]
        for line in zip(*judged.values(), strict=True)
    ]
    return [row for rows in zip(*lines, strict=True) for row in rows]


def _row(name: str, gold: _Gold, figure: Figure, setting: Setting) -> Row:
    value, low, high = _measured(figure, setting)
    return Row(
        vectors=name,
        suite=gold.suite.name,
        set=gold.label + figure.part,
        metric=figure.metric,
        value=value,
        low=low,
        high=high,
        covered=figure.covered,
        total=figure.total,
        baseline=figure.baseline,
        baseline_name=figure.baseline_name,
    )


def _measured(figure: Figure, setting: Setting) -> tuple[float, float, float]:
    sample, items = figure.sample, int(figure.sample.counted.sum())
    value = value_of(sample.statistic, items)
    if figure.share:
        return value, *(wilson_interval(round(value * items), items) if items else (value, value))
    return value, *bootstrap_interval(sample.statistic, items, resamples=setting.resamples, seed=setting.seed)


def _contrasts(judged: Mapping[str, Judged], rows: Sequence[Row], setting: Setting) -> list[Contrast]:
    """The best of each line against the others; lines that were judged alike stand in the same places."""
    if len(judged) < 2:
        return []
    each = len(rows) // len(judged)
    made = []
    for place in range(each):
        line = rows[place::each]
        measured = [i for i, row in enumerate(line) if not np.isnan(row.value)]
        if line[0].is_section or len(measured) < 2:
            continue
        best = max(measured, key=lambda i: line[i].value)
        samples = [all_[place][1].sample for all_ in judged.values()]
        made += _against(line, samples, best, [i for i in measured if i != best], setting)
    return made


def _against(
    line: Sequence[Row], samples: Sequence[Sample], best: int, others: Sequence[int], setting: Setting
) -> list[Contrast]:
    found = [difference(samples[best], samples[i], resamples=setting.resamples, seed=setting.seed) for i in others]
    corrected = holm([one.p for one in found])
    return [
        Contrast(
            suite=line[best].suite,
            set=line[best].set,
            metric=line[best].metric,
            best=line[best].vectors,
            other=line[i].vectors,
            difference=one.value,
            low=one.low,
            high=one.high,
            p=one.p,
            corrected=p,
            test=one.test,
            items=one.items,
        )
        for i, one, p in zip(others, found, corrected, strict=True)
    ]
