"""The learning curve of a tagger: how good it is with 50, 100, 300 ... of the training sentences."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from firth.comparison.learning_curve import DRAWS, Ints, LearningCurve, Measured, learning_curve, share
from firth.errors import OptionError
from firth.evaluation.baselines import most_frequent
from firth.progress import Progress
from firth.randomness import generator
from firth.readers.span_tags import scheme_of
from firth.storage.skipping import SKIP
from firth.training_facts import check_whole

Columns = Mapping[str, Sequence[Sequence[str]]]  # tags of sentences, by target
TEST = 0.2  # share of the sentences that are test data where none are given


def tagging_curve(
    tagger: Any,
    source: Any,
    test: Any = None,
    *,
    sizes: list[int] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    on_error: str = SKIP,
    word_column: int | str | None = None,
    vectors: Any = None,
    embed: Any = None,
    training: Any = None,
) -> LearningCurve:
    """Train a tagger on more and more of its sentences, and judge each on the same test sentences.

    Args:
        tagger: options, such as `firth.Tagger()`.
        source: sentences with tags, in any form that `firth.Tagger.train` reads.
        test: sentences with tags to judge by; None for a fifth of the source.
        sizes: numbers of training sentences; None for 50, 100, 300, 1,000 ... and all.
        draws: of each size up to 300; larger ones are drawn once.
        on_error: as for `train`.
        word_column: as for `train`.
        vectors: as for `train`.
        embed: as for `train`.
        training: training options; None for those that follow from the number of sentences.

    Returns:
        F1 of spans or accuracy by size, of several targets the mean. Sentences with one tag only, and a single
        sentence, are not trained on: the score is that of their most frequent tag.

    Raises:
        CorpusError: a source is missing or holds no sentence.
        OptionError: there is no such size, or the data have no such target.
    """
    from firth.neural.models.tagging.data import Reading, TaggedExamples, default_targets, listed, read_tagged

    source, reading = listed(source), Reading(on_error, word_column)
    targets = tagger.target_names or default_targets(source)
    examples = read_tagged(source, targets, reading)
    if test is None:
        if len(examples) < 2:
            raise OptionError(f"{examples.name}: one sentence; expected test, or at least two sentences")
        order, size = generator(seed, "test").permutation(len(examples)), max(1, round(TEST * len(examples)))
        examples, tested = examples.rows(sorted(order[size:])), examples.rows(sorted(order[:size]))
    else:
        tested = read_tagged(test, targets, reading)

    def items(part: TaggedExamples) -> list[Any]:
        columns = zip(*part.tags.values(), strict=True)
        return [
            (sentence, dict(zip(targets, tags, strict=True)))
            for sentence, tags in zip(part.sentences, columns, strict=True)
        ]

    given = {"vectors": vectors, "embed": embed, "training": training}
    tests, spans = items(tested), list[bool]()
    marks_spans = {
        target: scheme_of([*column, *tested.tags[target]]) is not None for target, column in examples.tags.items()
    }

    def train_and_judge(rows: Ints, number: int) -> Measured:
        part = examples.rows(rows.tolist())
        if len(part) < 2 or any(len({tag for tags in column for tag in tags}) < 2 for column in part.tags.values()):
            spans.extend(marks_spans.values())
            return without_training(part.tags, tested.tags, marks_spans)
        own = type(tagger)(**{**vars(tagger), "targets": targets})
        model = check_whole(own.train(items(part), seed=number, threads=threads, progress=False, **given))
        scores = list(model.test(tests, seed=number, threads=threads, progress=False).values())
        spans.extend(score.spans is not None for score in scores)
        return mean_of([Measured(score.score, *score.interval) for score in scores])

    curve = learning_curve(
        train_and_judge, len(examples), name="tagger", measure="score", unit="sentences", sizes=sizes, draws=draws,
        seed=seed, progress=progress,
    )  # fmt: skip
    measure = "F1 of spans" if spans and all(spans) else "accuracy" if not any(spans) else "score"
    measure = f"mean {measure}, {', '.join(targets)}" if len(targets) > 1 else measure
    return LearningCurve(curve.name, measure, curve.unit, curve.points)


def without_training(tags: Columns, gold: Columns, marks_spans: Mapping[str, bool]) -> Measured:
    """Return the score of the most frequent tag, all that one tag or one sentence teaches; it finds no span."""
    scores = list[Measured]()
    for target, column in gold.items():
        tag, _ = most_frequent(chain.from_iterable(tags[target]))
        true = list(chain.from_iterable(column))
        scores.append(Measured(0.0, 0.0, 0.0) if marks_spans[target] else share(true.count(tag), len(true)))
    return mean_of(scores)


def mean_of(scores: Sequence[Measured]) -> Measured:
    """Return the mean of figures, and of the ends of their intervals."""
    ends = zip(*((score.value, score.low, score.high) for score in scores), strict=True)
    return Measured(*(sum(values) / len(values) for values in ends))
