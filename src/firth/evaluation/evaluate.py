"""`firth.evaluate`: scores word vectors and encoders of texts on gold-standard sets.

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
from firth.errors import ArgumentTypeError, DataError, OptionError, brief, warn_caller
from firth.evaluation.report import EvaluationReport
from firth.evaluation.selection import PROTOCOLS, ProtocolName
from firth.evaluation.suite import POLICIES, EvaluationOptions, Space, Suite, TextSpace, Unknown
from firth.evaluation.suites import DEFAULT, DEFAULT_OF_TEXTS, SUITES
from firth.evaluation.tabulate import SetScore, report_of
from firth.kernels.threads import one_blas_thread
from firth.progress import Progress, Report, Status, reporting
from firth.resampling import RESAMPLES
from firth.sentences.encoded_texts import TextEncoder, as_encoder
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

PathLike = str | os.PathLike[str]
GoldSets = PathLike | Sequence[PathLike] | None
Model = WordVectors | SubwordVectors | TextEncoder


@explained
def evaluate(
    vectors: Model | Mapping[str, Model],
    *,
    similarity: GoldSets = None,
    analogies: GoldSets = None,
    suites: str | Iterable[str] | Mapping[str, GoldSets] | None = None,
    unknown: Unknown = "skip",
    protocol: ProtocolName = "firth",
    data: PathLike | None = None,
    restrict_vocab: int = 300_000,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress = None,
) -> EvaluationReport:
    """Evaluate word vectors and encoders of texts on gold-standard sets.

    Word vectors are scored by all suites: in those of sentences, as averages in two weightings. Other models with
    `encode` are scored by the suites of sentences; beside such a model, word vectors are encoders, too: averages as
    saved with them, else plain means.

    Args:
        vectors: the model, or several by name, which are then compared on the same items.
        similarity: files of scored word pairs, or names in `firth.data.SETS`.
        analogies: files of analogy questions, or names.
        suites: one suite, several, "all", or a mapping from suites to files or named sets (None for the suite's default
            sets). If neither this nor the two options above are given: similarity and analogies for word
            vectors, and all suites of sentences for encoders.
        unknown: policy for words without a vector. "skip": an item with such a word is left out; "count": it counts,
            with the answer of a model that knows nothing; "infer": vectors with subwords infer one from the word's
            n-grams.
        protocol: how classifiers of sentences choose their penalty: "firth" on the development sentences or a part of
            the training sentences; "senteval" by ten inner folds, on unscaled vectors, as SentEval does.
        data: folder with local copies of the named sets; by default the environment variable FIRTH_DATA, else the sets
            are downloaded.
        restrict_vocab: number of words, from the first (the most frequent in sorted vectors), among which analogies are
            answered, as in gensim.
        resamples: resamples per bootstrap.

    Returns:
        A report that prints as a table.

    Raises:
        DataError: a name is unknown, or a named set is missing or not the pinned version.
        FormatError: a gold file is not in its format.
        ArgumentTypeError: a model gives texts no vectors, or word vectors are expected.
        OptionError: a suite, policy or protocol does not exist, or `restrict_vocab` or `resamples` is below 1.
    """
    for option, value in (("restrict_vocab", restrict_vocab), ("resamples", resamples)):
        if value < 1:
            raise OptionError(f"{option}={value}: expected a whole number of at least 1")
    if unknown not in POLICIES:
        raise OptionError(f"unknown={unknown!r}: expected one of {', '.join(POLICIES)}")
    if protocol not in PROTOCOLS:
        raise OptionError(f"protocol={protocol!r}: expected one of {', '.join(PROTOCOLS)}")
    models = _comparable(vectors if isinstance(vectors, Mapping) else {_name(vectors): vectors})
    of_words = all(isinstance(model, WordVectors | SubwordVectors) for model in models.values())
    requests = _requests(suites, similarity, analogies, DEFAULT if of_words else DEFAULT_OF_TEXTS)
    _check_suites(requests, models)
    # Read every file before computing anything: a mistake in the last name should not cost the work on the others.
    golds = _distinct([gold for suite, sets in requests for gold in read_sets(suite, sets, data)])
    options = EvaluationOptions(
        unknown=unknown, restrict_vocab=restrict_vocab, resamples=resamples, seed=seed, protocol=protocol
    )
    with reporting(progress) as report, one_blas_thread():
        scores = {name: _scores(_space(model, options), golds, options, report, name) for name, model in models.items()}
        report(Status(stage="intervals and tests"))
        return report_of(scores, options)


def check_sets(
    *,
    similarity: GoldSets = None,
    analogies: GoldSets = None,
    suites: str | Iterable[str] | Mapping[str, GoldSets] | None = None,
    data: PathLike | None = None,
) -> None:
    """Read gold-standard sets, with the arguments of `evaluate`, to find mistakes before a long training."""
    for suite, sets in _requests(suites, similarity, analogies):
        read_sets(suite, sets, data)


@dataclass(frozen=True)
class Gold:
    """A gold-standard set that was read.

    Attributes:
        content: as the suite reads it.
    """

    suite: Suite
    label: str
    content: Any


def _requests(
    suites: str | Iterable[str] | Mapping[str, GoldSets] | None,
    similarity: GoldSets,
    analogies: GoldSets,
    default: Sequence[str] = DEFAULT,
) -> list[tuple[Suite, GoldSets]]:
    sets_of: dict[str, GoldSets] = {}
    if suites is None and similarity is None and analogies is None:
        suites = default
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


def _name(model: Model) -> str:
    return str(model.metadata.get("name", "vectors")) if isinstance(model, WordVectors | SubwordVectors) else "encoder"


def _comparable(models: Mapping[str, Model]) -> Mapping[str, Model]:
    """Models that are all word vectors, or all encoders."""
    if all(isinstance(model, WordVectors | SubwordVectors) for model in models.values()):
        return models
    return {name: as_encoder(model) for name, model in models.items()}


def _check_suites(requests: Sequence[tuple[Suite, GoldSets]], models: Mapping[str, Model]) -> None:
    """Raise an error if a suite needs word vectors and a model is an encoder."""
    suite = next((suite for suite, _ in requests if not suite.of_texts), None)
    name = next((name for name, model in models.items() if not isinstance(model, WordVectors | SubwordVectors)), None)
    if suite is not None and name is not None:
        kind = type(models[name]).__name__
        raise ArgumentTypeError(
            f"suite {suite.name!r} evaluates word vectors, and {name} is an encoder of texts ({kind}): expected "
            f"suites of sentences only: {', '.join(DEFAULT_OF_TEXTS)}"
        )


def _space(model: Model, options: EvaluationOptions) -> Space | TextSpace:
    return Space(model, options) if isinstance(model, WordVectors | SubwordVectors) else TextSpace(model)


def read_sets(suite: Suite, sets: GoldSets, data: PathLike | None) -> list[Gold]:
    """Return the sets of a suite.

    Args:
        sets: a named set or a file, several, or None for those of the suite.
        data: folder with local copies of the named sets, or None.
    """
    sets = suite.sets if sets is None else sets
    items: Sequence[PathLike] = [sets] if isinstance(sets, str | os.PathLike) else sets
    return [Gold(suite, *_read_one(suite, item, data)) for item in items]


def _read_one(suite: Suite, item: PathLike, data: PathLike | None) -> tuple[str, Any]:
    if str(item) in named.SETS:
        files = named.paths_of(str(item), data)
        return str(item), suite.read(files if suite.of_files else files[-1])
    path = Path(item)
    if not path.exists():
        names = ", ".join(name for name, entry in named.SETS.items() if entry.kind == suite.name)
        raise DataError(f"{path}: no such file and no named set; expected a path or one of {names}")
    return path.stem, suite.read([path] if suite.of_files else path)


def _distinct(golds: Sequence[Gold]) -> list[Gold]:
    """Number files of one suite that have the same name in different folders: each has its own row."""
    counts: Counter[tuple[str, str]] = Counter()
    numbered = []
    for gold in golds:
        counts[gold.suite.name, gold.label] += 1
        count = counts[gold.suite.name, gold.label]
        numbered.append(gold if count == 1 else replace(gold, label=f"{gold.label} ({count})"))
    return numbered


def _scores(
    space: Space | TextSpace, golds: Sequence[Gold], options: EvaluationOptions, report: Report, name: str
) -> list[SetScore]:
    start, scores = time.monotonic(), list[SetScore]()
    for number, gold in enumerate(golds):
        seconds = time.monotonic() - start
        report(Status(stage=f"evaluating {name}", done=number, total=len(golds), unit="sets", seconds=seconds))
        set_scores = [
            SetScore(gold.suite.name, gold.label, score) for score in gold.suite.evaluate(space, gold.content, options)
        ]
        if isinstance(space, Space) and set_scores and not any(set_score.score.covered for set_score in set_scores):
            _warn_uncovered(space, gold.label, name)
        scores += set_scores
    return scores


def _warn_uncovered(space: Space, label: str, name: str) -> None:
    """Warn that no item of a set could be scored, and why."""
    unknown, words = list(space.unknown), space.vectors.words
    if not unknown:
        return
    asked, known_examples = (", ".join(map(brief, examples[:3])) for examples in (unknown, words))
    warn_caller(
        f"{label}: no item has all its words in {name}: it asks for {asked}, and the {len(words):,} words of the "
        f"vectors are such as {known_examples}; expected a set in the language and the spelling of the vectors"
    )
