"""The method `train` of every model of texts with labels: read the examples, create a module, run the training loop."""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.classify.class_weights import weights_of_counts
from firth.classify.examples import Examples
from firth.classify.labels import LabelSet, warn_alike, warn_joined, warn_several
from firth.corpus.size_defaults import log_choice
from firth.corpus.table_options import TableOptions
from firth.errors import CorpusError, OptionError
from firth.evaluation.baselines import FEWEST, most_frequent_of_texts, the_label, warn_if_trivial
from firth.neural.layers.label_heads import soft_labels
from firth.neural.models.classification.classifier import (
    LabelledOptions,
    LabelModule,
    LabelOptions,
    label_task,
    new_module,
)
from firth.neural.models.classification.data import (
    Item,
    batches_of,
    check_held_out_labels,
    development_split,
    label_set,
    label_targets,
    read_examples,
    scores_of,
)
from firth.neural.models.classification.predict import LabelModel
from firth.neural.models.classification.reader import ReadText, TextIds, TextReader, learn_reader
from firth.neural.models.language.train import digest
from firth.neural.models.tokens.embedders import Embedders, check_joins, embedders_digest, embedders_of
from firth.neural.models.tokens.features import cached_features
from firth.neural.supervised import digest as run_digest
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TableRunArguments
from firth.neural.training.row_updates import sparse_gradients
from firth.options import check_kind
from firth.progress import reporting
from firth.text.batches import warn_truncated
from firth.text.inputs import Text
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors

Options = TypeVar("Options", bound=LabelledOptions)
EVAL_BATCH = 128  # examples per batch of an evaluation


@explained
def train_label_model(
    options: LabelOptions,
    source: Any,
    labels: Any = None,
    *,
    column: str | int | None = None,
    held_out: Any = None,
    held_out_labels: Any = None,
    vectors: WordVectors | None = None,
    embed: Any = None,
    **run: Unpack[TableRunArguments],
) -> LabelModel:
    """Train a model on texts, or pairs of texts, with labels.

    Args:
        options: of the model.
        source: files with `__label__NAME` in each line, a table, a list of texts, or tuples of a text and its label or
            labels, as for `firth.TextClassifier.train`. With `pairs`: tuples `((first, second), label)`, or pairs with
            `labels`, or a table.
        labels: None where the labels are in `source`; the name of their column; or a label, or a list of labels, per
            text.
        column: the column of texts in a table; of pairs both columns, with a comma: "premise,hypothesis".
        held_out: examples that select the best epoch, in any form of `source`. Without them a tenth of the training
            examples is held out; test data never select a model.
        held_out_labels: labels of `held_out`, if they are not in it; a column's name in `labels` counts for both.
        vectors: word vectors to start from; words without one begin at random.
        embed: vectors of words in context, beside those of the model's own: `firth.ELMo(model)`,
            `firth.CoVe(translator)`, several in a list, or a trained encoder or its folder. It reads words as `tokens`
            splits them.
        **run: training options and circumstances of the run; see `RunConfig`; and how a table in a text file is read.

    Returns:
        The model of the best evaluation on held-out examples.

    Warns:
        UserWarning: texts are longer than `max_length`, and are truncated.

    Raises:
        CorpusError: the source is missing, not text, or empty; no example has a label, or all have the same; a score
            is out of its range.
        OptionError: an option is out of its range, the number of labels differs from the number of texts, or the
            checkpoint is of another run.
        DivergenceError: training diverged.
    """
    options = with_vectors(options, vectors)
    table_options, rest = TableOptions.among(run)
    config = RunConfig.of(options.training, rest)
    with running_clock():
        examples, validation, left_out = read_labelled(
            options, source, labels, column, held_out, held_out_labels, config, table_options
        )
        embedders = embedders_of(embed)
        check_joins(embedders, options.embed_places, f"a {type(options).__name__}")
        reader = words_of(options, (text for texts in examples.texts for text in texts), vectors, embedders)
        return train_module(options, reader, examples, validation, config, vectors=vectors, left_out=left_out)


def read_labelled(
    options: LabelOptions,
    source: Any,
    labels: Any,
    column: str | int | None,
    held_out: Any,
    held_out_labels: Any,
    config: RunConfig,
    table_options: TableOptions,
) -> tuple[Examples, Examples, int]:
    """Return the training examples, those that select the model, and how many were left out.

    Arguments and errors are those of `train_label_model`.
    """
    with reporting(config.progress) as report:
        read: Any = functools.partial(read_examples, pairs=options.pairs, report=report, table_options=table_options)
        examples, left_out = _usable(read(source, labels, column))
        if held_out is None:
            return *development_split(examples, config.seed), left_out
        if held_out_labels is None and isinstance(labels, str):
            held_out_labels = labels
        validation, _ = _usable(read(held_out, held_out_labels, column))
        return examples, validation, left_out


def with_vectors(options: Options, vectors: WordVectors | None) -> Options:
    """Return the options with the width of given vectors, and no more extra words than they have."""
    if vectors is not None:
        check_kind("vectors", vectors, WordVectors)
    embedding = getattr(options, "embedding", None)
    if embedding is None and vectors is not None:
        raise OptionError(f"vectors with {type(options).__name__}, which reads characters: leave them out")
    if embedding not in (None, "tuned") and vectors is None:
        raise OptionError(f"embedding={embedding!r} without vectors: expected vectors=, or embedding='tuned'")
    if embedding is None:
        return options
    extra_words = 0 if vectors is None else min(int(getattr(options, "extra_words", 0)), len(vectors))
    changes: dict[str, Any] = {"extra_words": extra_words, **({} if vectors is None else {"dim": vectors.dim})}
    return dataclasses.replace(options, **changes)  # type: ignore[type-var]  # it is a dataclass


def words_of(
    options: LabelledOptions, texts: Iterable[Text], vectors: WordVectors | None, embedders: Embedders = ()
) -> TextReader:
    """Return the reader of a model, with the words of the training texts."""
    tokens, max_length = options.reads
    reader = learn_reader(
        texts,
        tokens,
        min_count=options.min_count,
        max_length=max_length,
        vectors=vectors,
        extra_words=int(getattr(options, "extra_words", 0)),
        embedders=embedders,
    )
    if options.min_count is None:
        log_choice({"min_count": reader.min_count}, reader.counted)
    return reader


@dataclass(frozen=True)
class _Read:
    """Examples as a model reads them."""

    items: list[Item[TextIds]]
    truncated: int
    left_out: int


def train_module(
    options: LabelOptions,
    reader: TextReader,
    examples: Examples,
    validation: Examples,
    config: RunConfig,
    *,
    vectors: WordVectors | None = None,
    left_out: int = 0,
    prepare: Callable[[LabelModule], None] | None = None,
) -> LabelModel:
    """Train a module on examples that are already read; `validation` selects the best epoch.

    `prepare`, if there is one, sets the first parameters of the new module.
    """
    labels, targets_of = learned_labels(options, examples.labels, examples.name)
    if not options.gives_scores:
        check_held_out_labels((label for names in validation.labels for label in names), labels.names)
    train, held_out = (
        _items(options, reader, part, targets_of(part.labels, part.name)) for part in (examples, validation)
    )
    if not train.items or not held_out.items:
        name = "held_out" if train.items else examples.name
        raise CorpusError(f"{name}: no text with a known label has a token; expected at least one")
    warn_truncated(train.truncated, len(examples), reader.max_length, reader.unit)
    module = new_module(options, reader, len(labels.names), config.seed, vectors, copies=2)
    identity: dict[str, Any] = {"texts": len(train.items)}
    if prepare is not None:
        prepare(module)
        identity["start"] = digest(module)
    batches = batches_of(train.items, reader.collate, batch_size=config.training.batch_size, seed=config.seed)
    evaluation = batches_of(held_out.items, reader.collate, batch_size=EVAL_BATCH, shuffle=False)
    by_error = not options.gives_scores
    weights = None
    if by_error and options.class_weights is not None:
        weights = torch.from_numpy(weights_of_counts(labels.counts)).float()
    task = label_task(
        module, batches, evaluation, predictions=len(held_out.items), by_error=by_error, class_weights=weights
    )
    identity["examples"] = _digest(train.items, held_out.items, reader, vectors)
    read = (text.words for item in (*train.items, *held_out.items) for text in item.texts if isinstance(text, ReadText))
    with cached_features(module, read, config.progress), sparse_gradients(module, config.training):
        facts = fit_model(task, options, config, identity)
    if by_error:
        _warn_if_trivial(facts, validation)
    facts |= {
        "held_out_texts": len(held_out.items),
        "texts_left_out": left_out + train.left_out + held_out.left_out,
        "texts_truncated": train.truncated,
    }
    return LabelModel(module, options, reader, labels, {"training": facts})


def _warn_if_trivial(facts: Mapping[str, Any], validation: Examples) -> None:
    """Warn of a training that ended no better than the most frequent label of the held-out texts."""
    error = (facts["best"] or {}).get("held_out_error")
    if error is not None and len(validation) >= FEWEST:
        label, frequency = most_frequent_of_texts(validation.labels)
        warn_if_trivial(
            1 - error, frequency, measure="accuracy", data=f"{len(validation):,} held-out texts",
            baseline=the_label(label), remedy="train for more epochs, give more texts of each label or word vectors "
            "(vectors=, --vectors, --raw), or take a linear model (--model linear)",
        )  # fmt: skip


Labels = Sequence[Sequence[str]]
Targets = Callable[[Labels, str], npt.NDArray[np.float32]]


def learned_labels(options: LabelledOptions, labels: Labels, name: str) -> tuple[LabelSet, Targets]:
    """Return the labels of a model, given those of the training examples and the name of their source.

    The function returned with them gives the (N, L) targets of labels or scores of a source with a name.
    """
    if not options.gives_scores:
        learned = label_set(labels, name)
        warn_joined(learned.names, name)
        warn_alike(learned.names, name)
        several = sum(len(set(row)) > 1 for row in labels)
        what = "this model learns one distribution, in which they share the probability"
        advice = "for labels that do not exclude each other use TextClassifier(loss='ova'), --model fasttext"
        warn_several(several, len(labels), what, advice)
        return learned, lambda rows, _: label_targets(rows, learned)
    names = [str(score) for score in range(options.lowest, options.highest + 1)]
    scale = LabelSet(names, np.zeros(len(names), np.int64))
    return scale, lambda rows, source: soft_labels(scores_of(rows, source), options.lowest, options.highest)


def _usable(examples: Examples) -> tuple[Examples, int]:
    """Return the examples that have a label and text, and how many have not."""
    rows = np.array(
        [
            bool(labels) and all(text.strip() for text in texts)
            for texts, labels in zip(examples.texts, examples.labels, strict=True)
        ]
    )
    if not rows.any():
        raise CorpusError(f"{examples.name}: every text with a label is empty; expected at least one that is not")
    return examples.rows(np.flatnonzero(rows)), int((~rows).sum())


def _items(options: LabelOptions, reader: TextReader, examples: Examples, targets: npt.NDArray[np.float32]) -> _Read:
    items, truncated, left_out = [], 0, 0
    for texts, target in zip(examples.texts, targets, strict=True):
        ids = [reader.read(text) for text in texts]
        if not target.any() or not all(map(len, ids)):
            left_out += 1
            continue
        truncated += any(map(reader.is_long, ids))
        items.append(Item(tuple(map(reader.shorten, ids)), target))
    return _Read(items, truncated, left_out)


def _digest(
    train: list[Item[TextIds]], held_out: list[Item[TextIds]], reader: TextReader, vectors: WordVectors | None
) -> str:
    """Return a digest of the data of a run."""
    items = (([ids.tobytes() for ids in item.texts], item.target) for item in (*train, *held_out))
    return run_digest(items, "\n".join(reader.words), vectors, embedders_digest(reader.embedders))
