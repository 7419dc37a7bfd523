"""TextClassifier: fastText's classifier, a mean of vectors and a linear layer over labels.

What: a text is the mean of the vectors of its words, of the n-grams of its words and, where asked for, of the n-grams
of characters in its words; from this mean its labels are predicted.

Objective, for a text with rows v_1 .. v_M and a label y of L, h = 1/M sum_m v_m and s_l = h . u_l:

    softmax       s_y - log sum_l e^{s_l}
    hierarchical  sum over the path to y of log sigma(t h . u_node), t = +1 to the left and -1 to the right
    negative      log sigma(s_y) + sum_k log sigma(-s_{n_k}), n_k drawn from counts^0.5, never y
    ova           sum over the text's labels of log sigma(s_l), and over all others of log sigma(-s_l)

A text with several labels is a prediction of one of them, drawn anew in each epoch; `ova` (one against all) predicts
all at once.

Source: Joulin et al. 2017, "Bag of tricks for efficient text classification", sections 2, 2.1 (hierarchical softmax)
and 2.2 (hashed n-grams of words); Bojanowski et al. 2017, "Enriching word vectors with subword information", for
n-grams of characters. Negative sampling, one-against-all, the tokens, the hashes and the labels drawn are those of
fastText's program.

Departures:
- Only buckets that a training text meets have rows. An n-gram in another bucket counts among the M of a text, with a
  row of zeros; fastText leaves such rows at the random numbers that they began with.
- Texts are gone through in an order drawn once (`shuffle=True`), and not as the file has them: a file sorted by its
  labels spoils a classifier. Texts without a label or without a feature are left out beforehand.
- Noise labels of a step are scored before the first is updated, but one that is drawn again is scored anew. The
  logistic function is exact to float32, where fastText reads a table of 512 numbers.
- The gradient of h is divided by M, as the derivative asks, and as fastText does for classifiers (and not for vectors).
- Each thread's learning rate falls with the tokens that it has read of its own share.

Cost: 4 M D + 6 D N flops a text, N the output rows of a prediction: L, a path, or 1 + `negative`; (V + buckets met) D +
L D float32, and 4 bytes a feature of the training texts, which are held in memory. With one thread a seed gives the
same bits on every run of one machine; with more, threads write to shared rows without locks.
"""

import dataclasses
import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth import options
from firth.embeddings.classifier import Classifier
from firth.embeddings.classifier_texts import Texts, encode
from firth.embeddings.label_tree import label_children
from firth.embeddings.training import LearningRate, Matrices, Run, Shard, TrainShard, usable_threads
from firth.errors import OptionError
from firth.kernels.compiled import compiled
from firth.kernels.memory import get_int64, set_int64
from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import alias_table
from firth.kernels.objectives import (
    NEGATIVE,
    SOFTMAX,
    Predictor,
    draw_word,
    end_outputs,
    place_output,
    predict,
    predictor,
    scoring,
    take_step,
)
from firth.kernels.pieces import ShardState
from firth.kernels.random import below, draw
from firth.kernels.step import call_rows, take_loss
from firth.kernels.targets import Addresses, Work, addresses, new_work
from firth.kernels.trees import from_children
from firth.options import option, options_class
from firth.progress import Progress, reporting
from firth.readers.labelled import LabelledTexts, read_labelled
from firth.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from firth.embeddings.autotune import Tuned

LOSSES = ("softmax", "hierarchical", "negative", "ova")
ALL = -1  # the kind of "ova" in the kernel
NOISE_EXPONENT = 0.5  # of the labels' counts
LOSS_INTERVAL = 4096  # texts between two readings of the running likelihood
WORSE = 8.0  # times the untrained loss: a mean beyond it is no learning


@options_class
class TextClassifier:
    """fastText's classifier: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Joulin et al. 2017; the module's docstring gives the formulas and every departure.
    """

    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    lr: float = option(0.1, "learning rate at the start; it falls to 0", minimum=0, exclusive=True)
    epochs: int = option(5, "passes over the texts", minimum=1)
    loss: str = option("softmax", "how labels are predicted", choices=LOSSES)
    negative: int = option(5, "noise labels a prediction, with loss='negative'", minimum=1)
    word_ngrams: int = option(1, "the most words of an n-gram; 1 for words alone", minimum=1)
    min_n: int = option(0, "the fewest characters of an n-gram", minimum=0)
    max_n: int = option(0, "the most characters of an n-gram; 0 for none", minimum=0)
    buckets: int = option(2_000_000, "numbers that the hashes of n-grams are brought down to", minimum=1, maximum=2**30)
    min_count: int = option(1, "words that stand in the texts less often are left out", minimum=1)
    min_count_label: int = option(0, "labels that fewer texts have are left out", minimum=0)
    label_prefix: str = option("__label__", "what labels that stand in a text begin with")
    shuffle: bool = option(True, "go through the texts in an order drawn once, and not as they come")

    def __post_init__(self) -> None:
        options.check(self)
        if self.max_n and self.min_n > self.max_n:
            raise OptionError(f"min_n={self.min_n}, max_n={self.max_n}: expected min_n to be at most max_n")
        if not isinstance(self.label_prefix, str) or any(map(str.isspace, self.label_prefix)):
            raise OptionError(f"label_prefix={self.label_prefix!r}: expected a text without spaces")

    def train(
        self,
        source: Any,
        labels: Any = None,
        *,
        column: str | None = None,
        seed: int = 0,
        threads: int | None = None,
        start: WordVectors | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Classifier:
        """Train a classifier on texts with labels.

        Args:
            source: files whose lines hold a text and its labels (a path, glob or folder, several paths, or "-"), a
                table (CSV, TSV, JSONL, Parquet), a data frame, rows as mappings; a list of texts; or tuples of a text
                and its label or labels.
            labels: None where labels stand in the texts or tuples; the column that holds them; or, beside texts, a
                label each, or a list of labels each: a list or a series.
            column: the column of texts; by default the only other one, "text", or the only one that holds text.
            seed: of every random draw; with one thread it decides every bit of the result.
            threads: how many; by default one a processor.
            start: vectors that words of the texts start from, instead of random ones.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            checkpoint: a folder in which the state is kept every five minutes, and after each epoch where that takes
                no more than a twentieth of the time; a later call with
                the same texts, options, seed and threads goes on from it.

        Returns:
            A classifier, with `metadata["training"]`: options, seed, threads, loss (nats a text, one figure an epoch),
            words, seconds, and how many texts were used and left out.

        Raises:
            CorpusError: the source is missing, no text, or empty; no text has a label, or all have the same.
            OptionError: `threads` is below one, the labels do not fit the texts, or the checkpoint is of another run.
            ShapeError: `start` has another width.
            DivergenceError: numbers or loss grew as no learning could make them.
        """
        usable_threads(threads)
        with reporting(progress) as report:
            read = read_labelled(source, labels, column, self.label_prefix, report)
        return train_on(self, read, seed=seed, threads=threads, start=start, progress=progress, checkpoint=checkpoint)

    def autotune(
        self,
        source: Any,
        labels: Any = None,
        *,
        validation: Any,
        validation_labels: Any = None,
        column: str | None = None,
        seconds: float = 300.0,
        trials: int | None = None,
        metric: str = "f1",
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
    ) -> "Tuned":
        """Search for the options that do best on a validation set; see `firth.embeddings.autotune.autotune`."""
        from firth.embeddings.autotune import Search, autotune

        beside = labels if validation_labels is None else validation_labels
        with reporting(progress) as report:
            read = read_labelled(source, labels, column, self.label_prefix, report)
            judged = read_labelled(validation, beside, column, self.label_prefix, report)
        search = Search(seconds=seconds, trials=trials, metric=metric, seed=seed, threads=threads)
        return autotune(self, read, judged, search, progress=progress)

    def untrained_loss(self, counts: npt.NDArray[np.int64]) -> float:
        """Return the loss a text before any training, in nats.

        Args:
            counts: (L,) of the labels, the commonest first.
        """
        if self.loss == "softmax":
            return math.log(len(counts))
        if self.loss == "hierarchical":
            lengths = from_children(label_children(counts)).lengths
            return float((lengths * counts).sum() / counts.sum()) * math.log(2.0)
        return (len(counts) if self.loss == "ova" else self.negative + 1) * math.log(2.0)


def train_on(
    model: TextClassifier,
    read: LabelledTexts,
    *,
    seed: int,
    threads: int | None,
    start: WordVectors | None = None,
    progress: Progress = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Classifier:
    """Train on texts that were read; with the arguments and errors of `TextClassifier.train`, see `TextClassifier`."""
    count = usable_threads(threads)
    texts = encode(model, read, seed=seed)
    run = Run(
        corpus=texts,
        matrices=texts.initial_matrices(model.dim, seed=seed, start=start),
        train_shard=lambda shard, stop: train_shard(shard, stop),
        options={"model": "classifier", **dataclasses.asdict(model)},
        epochs=model.epochs,
        rate=LearningRate(model.lr, 0.0),
        untrained_loss=WORSE / 1.5 * model.untrained_loss(texts.labels.counts),
        seed=seed,
        threads=count,
        finish=lambda trained, facts: finished(model, texts, trained, facts),
    )
    train_shard = shard_trainer(model, texts, run.matrices, count)
    return run.train(progress=progress, checkpoint=checkpoint)


def finished(model: TextClassifier, texts: Texts, trained: Matrices, facts: dict[str, Any]) -> Classifier:
    """Return the classifier that a run has made.

    Args:
        model: the options.
        texts: what it was trained on.
        trained: the rows.
        facts: what is known of the run.
    """
    labels = texts.labels
    return Classifier(
        map=texts.map,
        labels=labels.names,
        label_counts=labels.counts,
        counts=trained.counts,
        inputs=trained.inputs[:, : model.dim],
        outputs=trained.outputs[:, : model.dim],
        loss=model.loss,
        label_prefix=model.label_prefix,
        metadata={"training": {**facts, "texts": len(texts.order), "texts_left_out": texts.left_out}},
    )


def shard_trainer(model: TextClassifier, texts: Texts, matrices: Matrices, threads: int) -> TrainShard:
    """Return the function that trains one shard.

    Args:
        model: the options.
        texts: what is trained on.
        matrices: what is trained.
        threads: how many shards there are.
    """
    counts = texts.labels.counts
    number = len(counts)
    probabilities = counts**NOISE_EXPONENT / (counts**NOISE_EXPONENT).sum()
    tree = from_children(label_children(counts)) if model.loss == "hierarchical" else None
    # One against all takes the steps of negative sampling, with every label listed.
    by = scoring(
        "negative" if model.loss == "ova" else model.loss, probabilities, negative=model.negative,
        noise=alias_table(probabilities), tree=tree,
    )  # fmt: skip
    longest = int(texts.features.sizes.max())
    task = Task(
        order=texts.order,
        starts=texts.starts,
        features=texts.features.rows,
        ends=texts.features.ends,
        labels=texts.features.labels,
        label_ends=texts.features.label_ends,
        kind=ALL if model.loss == "ova" else by.kind,
        lr=model.lr,
        total=max(1, model.epochs * texts.num_tokens // threads),
    )

    def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
        most = max(number, model.negative + 1, tree.longest if tree else 0)
        work = new_work(1, model.negative, 1, matrices.inputs.shape[1], outputs=most, contexts=longest)
        at = addresses(work, matrices.inputs, matrices.outputs, dim=model.dim, normalised=by.kind == SOFTMAX)
        train_texts(task, work, at, predictor(by, at, shard.loss), shard.state(stop))

    return train_shard


class Task(NamedTuple):
    """What a shard's kernel reads."""

    order: npt.NDArray[np.int64]  # (K,) texts
    starts: npt.NDArray[np.int64]  # (K + 1,) tokens before each
    features: npt.NDArray[np.int32]  # rows
    ends: npt.NDArray[np.int64]  # (texts,)
    labels: npt.NDArray[np.int32]
    label_ends: npt.NDArray[np.int64]  # (texts,)
    kind: int  # of firth.kernels.objectives, or ALL
    lr: float
    total: int  # tokens the shard reads in all epochs: the learning rate's schedule


@compiled
def train_texts(
    task: Task,
    work: Work,
    at: Addresses,
    by: Predictor,
    state: ShardState,
) -> None:
    """Train on the texts that begin before the shard's last token."""
    order, starts, features, ends = task.order, task.starts, task.features, task.ends
    labels, label_ends, kind = task.labels, task.label_ends, task.kind
    position, read, random, predictions = state.position, state.read, state.random, state.predictions
    stop, last, count, since = state.stop, state.last, by.words, 0
    place = np.searchsorted(starts, position[0])  # in `order`
    if kind == ALL:
        for label in range(count):
            place_output(at, label, label, -1)
        end_outputs(at, count)
    while position[0] < last and stop[0] == 0:
        if place >= order.size or starts[place] >= last:
            position[0] = last  # the last text of the share before reaches into this one
            break
        text = order[place]
        place += 1
        if place < order.size:
            fetch_text(features, ends, order[place], at)
        rate = np.float32(task.lr * (1 - min(1.0, read[0] / task.total)))
        first, first_label = (ends[text - 1], label_ends[text - 1]) if text > 0 else (0, 0)
        m, several = ends[text] - first, label_ends[text] - first_label
        list_rows(features, first, m, at)
        call_rows(at.mean, at.contexts, m, at.hidden, at.chunks, np.float32(1 / m))
        if kind == ALL:
            for i in range(first_label, label_ends[text]):
                place_output(at, labels[i], labels[i], 1)
            take_step(by, at, at.hidden_table, at.gradient_table, 1, count, 0, rate)
            for i in range(first_label, label_ends[text]):
                place_output(at, labels[i], labels[i], -1)
        else:
            label = labels[first_label + below(draw(random), several)]
            if kind == NEGATIVE:
                step_against_noise(by, at, random, label, rate)
            else:
                predict(by, at, random, label, at.hidden_table, at.gradient_table, 1, rate)
        call_rows(at.add, at.contexts, m, at.gradient, at.chunks, np.float32(1 / m))
        predictions[0] += 1
        since += 1
        read[0] += starts[place] - starts[place - 1]
        position[0] = starts[place]
        if since == LOSS_INTERVAL:
            state.loss[0] += take_loss(work.likelihood, work.exponents)
            since = 0
    state.loss[0] += take_loss(work.likelihood, work.exponents)


@njit(nogil=True, inline="always")
def list_rows(features: npt.NDArray[np.int32], first: int, m: int, at: Addresses) -> None:
    """List the input rows of a text."""
    for j in range(m):
        set_int64(at.contexts, j, at.inputs + np.int64(features[first + j]) * at.row_bytes)


@njit(nogil=True, inline="always")
def fetch_text(features: npt.NDArray[np.int32], ends: npt.NDArray[np.int64], text: int, at: Addresses) -> None:
    """Ask for the input rows of the text that comes next."""
    for j in range(ends[text - 1] if text > 0 else 0, ends[text]):
        prefetch_row(at.inputs + np.int64(features[j]) * at.row_bytes, at.row_bytes)


@njit(nogil=True)
def step_against_noise(
    by: Predictor, at: Addresses, random: npt.NDArray[np.uint64], label: int, rate: np.float32
) -> None:
    """Take a step towards a label and away from noise labels, which are never the label itself.

    A noise label that is drawn again waits for a step of its own: of two labels, five draws are five times the other,
    and five updates of one row at once, each as large as the first, would overshoot.
    """
    place_output(at, 0, label, 1)
    n = 1
    for _ in range(by.negative):
        drawn = draw_word(by, random)
        while drawn == label:
            drawn = draw_word(by, random)
        row, again = at.outputs + drawn * at.output_bytes, False
        for i in range(n):
            again = again or get_int64(at.table, i) == row
        if again:
            end_outputs(at, n)
            take_step(by, at, at.hidden_table, at.gradient_table, 1, n, 0, rate)
            n = 0
        place_output(at, n, drawn, -1)
        n += 1
    end_outputs(at, n)
    take_step(by, at, at.hidden_table, at.gradient_table, 1, n, 0, rate)
