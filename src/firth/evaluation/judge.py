"""`firth.evaluate`: any vectors on any suites, judged alike.

Words are looked up as the gold file writes them, then lower-cased. What becomes of words without a vector is the
`unknown` policy, and every figure says how many items it knew in full.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firth import data as named
from firth.errors import DataError, OptionError
from firth.evaluation.report import Report
from firth.evaluation.suite import POLICIES, Setting, Space, Suite, Unknown
from firth.evaluation.suites import DEFAULT, SUITES
from firth.evaluation.tabulate import Judged, report_of
from firth.kernels.threads import one_blas_thread
from firth.options import check_kind
from firth.progress import Progress, Status, reporting
from firth.progress import Report as Told
from firth.resampling import RESAMPLES
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
    progress: Progress = None,
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
        progress: what a user sees meanwhile; see `firth.progress`.

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
    for name, one in vectors.items() if isinstance(vectors, Mapping) else [("vectors", vectors)]:
        check_kind(name, one, WordVectors, SubwordVectors)
    wanted = _wanted(suites, similarity, analogies)
    # Every file is read before the first figure is made: a mistake in the last name should not cost the work on the
    # others.
    golds = _distinct([gold for suite, given in wanted for gold in _read(suite, given, data)])
    setting = Setting(unknown=unknown, restrict_vocab=restrict_vocab, resamples=resamples, seed=seed)
    several = vectors if isinstance(vectors, Mapping) else {_name(vectors): vectors}
    with reporting(progress) as report, one_blas_thread():
        judged = {name: _judge(Space(one, setting), golds, setting, report, name) for name, one in several.items()}
        report(Status(stage="intervals and tests"))
        return report_of(judged, setting)


def check_sets(
    *,
    similarity: Given = None,
    analogies: Given = None,
    suites: str | Iterable[str] | Mapping[str, Given] | None = None,
    data: PathLike | None = None,
) -> None:
    """Read gold sets, with the arguments of `evaluate`, so that a mistake in them is found before anything is trained.

    Raises:
        DataError: as in `evaluate`.
        FormatError: as in `evaluate`.
        OptionError: as in `evaluate`.
    """
    for suite, given in _wanted(suites, similarity, analogies):
        _read(suite, given, data)


@dataclass(frozen=True)
class _Gold:
    suite: Suite
    label: str
    content: Any


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


def _judge(space: Space, golds: Sequence[_Gold], setting: Setting, report: Told, name: str) -> list[Judged]:
    began, found = time.monotonic(), []
    for done, gold in enumerate(golds):
        spent = time.monotonic() - began
        report(Status(stage=f"judging {name}", done=done, total=len(golds), unit="sets", seconds=spent))
        found += [
            Judged(gold.suite.name, gold.label, figure) for figure in gold.suite.judge(space, gold.content, setting)
        ]
    return found
