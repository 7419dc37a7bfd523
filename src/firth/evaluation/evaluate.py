"""`firth.evaluate`: scores vectors on gold-standard sets.

Words are looked up as the gold file writes them, then in lower case. The `unknown` policy says what happens to words
without a vector, and every row of the report gives the number of items it covers.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firth import data as named
from firth.arguments import explained
from firth.errors import DataError, OptionError
from firth.evaluation.report import EvaluationReport
from firth.evaluation.suite import POLICIES, EvaluationOptions, Space, Suite, Unknown
from firth.evaluation.suites import DEFAULT, SUITES
from firth.evaluation.tabulate import SetScore, report_of
from firth.kernels.threads import one_blas_thread
from firth.options import check_kind
from firth.progress import Progress, Report, Status, reporting
from firth.resampling import RESAMPLES
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

PathLike = str | os.PathLike[str]
GoldSets = PathLike | Sequence[PathLike] | None
Vectors = WordVectors | SubwordVectors


@explained
def evaluate(
    vectors: Vectors | Mapping[str, Vectors],
    *,
    similarity: GoldSets = None,
    analogies: GoldSets = None,
    suites: str | Iterable[str] | Mapping[str, GoldSets] | None = None,
    unknown: Unknown = "skip",
    data: PathLike | None = None,
    restrict_vocab: int = 300_000,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress = None,
) -> EvaluationReport:
    """Evaluate vectors on gold-standard sets.

    Args:
        vectors: the vectors, or several by name, which are then compared on the same items.
        similarity: files of scored word pairs, or names in `firth.data.SETS`.
        analogies: files of analogy questions, or names.
        suites: one suite, several, "all", or a mapping from suites to files or named sets (None for the suite's default
            sets). If neither this nor the two options above are given: similarity and analogies.
        unknown: policy for words without a vector. "skip": an item with such a word is left out; "count": it counts,
            with the answer of a model that knows nothing; "infer": vectors with subwords infer one from the word's
            n-grams.
        data: folder with local copies of the named sets; by default the environment variable FIRTH_DATA, else the sets
            are downloaded.
        restrict_vocab: number of words, from the first (the most frequent in sorted vectors), among which analogies are
            answered, as in gensim.
        resamples: resamples per bootstrap.
        seed: random seed.
        progress: how to show progress; see `firth.progress`.

    Returns:
        A report that prints as a table.

    Raises:
        DataError: a name is unknown, or a named set is missing or not the pinned version.
        FormatError: a gold file is not in its format.
        OptionError: a suite or policy does not exist, or `restrict_vocab` or `resamples` is below 1.
    """
    for option, value in (("restrict_vocab", restrict_vocab), ("resamples", resamples)):
        if value < 1:
            raise OptionError(f"{option}={value}: expected a whole number of at least 1")
    if unknown not in POLICIES:
        raise OptionError(f"unknown={unknown!r}: expected one of {', '.join(POLICIES)}")
    for name, one in vectors.items() if isinstance(vectors, Mapping) else [("vectors", vectors)]:
        check_kind(name, one, WordVectors, SubwordVectors)
    requests = _requests(suites, similarity, analogies)
    # Read every file before computing anything: a mistake in the last name should not cost the work on the others.
    golds = _distinct([gold for suite, sets in requests for gold in _read(suite, sets, data)])
    options = EvaluationOptions(unknown=unknown, restrict_vocab=restrict_vocab, resamples=resamples, seed=seed)
    models = vectors if isinstance(vectors, Mapping) else {_name(vectors): vectors}
    with reporting(progress) as report, one_blas_thread():
        scores = {name: _scores(Space(one, options), golds, options, report, name) for name, one in models.items()}
        report(Status(stage="intervals and tests"))
        return report_of(scores, options)


def check_sets(
    *,
    similarity: GoldSets = None,
    analogies: GoldSets = None,
    suites: str | Iterable[str] | Mapping[str, GoldSets] | None = None,
    data: PathLike | None = None,
) -> None:
    """Read gold-standard sets, with the arguments of `evaluate`, to find mistakes before a long training.

    Raises:
        DataError: as in `evaluate`.
        FormatError: as in `evaluate`.
        OptionError: as in `evaluate`.
    """
    for suite, sets in _requests(suites, similarity, analogies):
        _read(suite, sets, data)


@dataclass(frozen=True)
class _Gold:
    suite: Suite
    label: str
    content: Any


def _requests(
    suites: str | Iterable[str] | Mapping[str, GoldSets] | None, similarity: GoldSets, analogies: GoldSets
) -> list[tuple[Suite, GoldSets]]:
    sets_of: dict[str, GoldSets] = {}
    if suites is None and similarity is None and analogies is None:
        suites = DEFAULT
    if isinstance(suites, str):
        suites = SUITES if suites == "all" else [suites]
        suites = list(suites)
    if suites is not None:
        sets_of |= suites if isinstance(suites, Mapping) else dict.fromkeys(suites)
    sets_of |= {name: sets for name, sets in (("similarity", similarity), ("analogies", analogies)) if sets is not None}
    for name in sets_of:
        if name not in SUITES:
            raise OptionError(f"suite {name!r} does not exist: expected all, or one of {', '.join(SUITES)}")
    return [(suite, sets_of[name]) for name, suite in SUITES.items() if name in sets_of]


def _name(vectors: Vectors) -> str:
    return str(vectors.metadata.get("name", "vectors"))


def _read(suite: Suite, sets: GoldSets, data: PathLike | None) -> list[_Gold]:
    sets = suite.sets if sets is None else sets
    items: Sequence[PathLike] = [sets] if isinstance(sets, str | os.PathLike) else sets
    return [_Gold(suite, *_read_one(suite, item, data)) for item in items]


def _read_one(suite: Suite, item: PathLike, data: PathLike | None) -> tuple[str, Any]:
    if str(item) in named.SETS:
        return str(item), suite.read(named.path_of(str(item), data))
    path = Path(item)
    if not path.exists():
        names = ", ".join(name for name, one in named.SETS.items() if one.kind == suite.name)
        raise DataError(f"{path}: no such file and no named set; expected a path or one of {names}")
    return path.stem, suite.read(path)


def _distinct(golds: Sequence[_Gold]) -> list[_Gold]:
    """Number files of one suite that have the same name in different folders: each has its own row."""
    counts: Counter[tuple[str, str]] = Counter()
    numbered = []
    for gold in golds:
        counts[gold.suite.name, gold.label] += 1
        count = counts[gold.suite.name, gold.label]
        numbered.append(gold if count == 1 else replace(gold, label=f"{gold.label} ({count})"))
    return numbered


def _scores(
    space: Space, golds: Sequence[_Gold], options: EvaluationOptions, report: Report, name: str
) -> list[SetScore]:
    start, scores = time.monotonic(), list[SetScore]()
    for number, gold in enumerate(golds):
        seconds = time.monotonic() - start
        report(Status(stage=f"evaluating {name}", done=number, total=len(golds), unit="sets", seconds=seconds))
        scores += [
            SetScore(gold.suite.name, gold.label, one) for one in gold.suite.evaluate(space, gold.content, options)
        ]
    return scores
