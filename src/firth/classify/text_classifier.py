"""TextClassifier: fastText's text classifier, a linear classifier over the mean of word and n-gram vectors.

What: a text is represented by the mean of the vectors of its words, its word n-grams and, optionally, its character
n-grams. A linear layer predicts the labels from this mean.

Objective, for a text with rows v_1 .. v_M and a label y of L, h = 1/M sum_m v_m and s_l = h . u_l:

    softmax       s_y - log sum_l e^{s_l}
    hierarchical  sum over the path to y of log sigma(t h . u_node), t = +1 to the left and -1 to the right
    negative      log sigma(s_y) + sum_k log sigma(-s_{n_k}), n_k drawn from counts^0.5, never y
    ova           sum over the text's labels of log sigma(s_l), and over all others of log sigma(-s_l)

Of a text with several labels, one is sampled in each epoch; `ova` (one versus all) predicts all of them at once.

Source: Joulin et al. 2017, "Bag of tricks for efficient text classification", sections 2, 2.1 (hierarchical softmax)
and 2.2 (hashed word n-grams); Bojanowski et al. 2017, "Enriching word vectors with subword information", for character
n-grams. Negative sampling, one-versus-all, tokenisation, hashing and the sampling of labels follow fastText's program.

Departures:
- Only buckets that occur in training texts have rows. An n-gram in another bucket counts in M with a row of zeros;
  fastText keeps such rows at their random initial values.
- Texts are shuffled once (`shuffle=True`) instead of being read in file order: a file sorted by label gives a bad
  classifier. Texts without a label or without a feature are left out before training.
- The noise labels of a step are scored before any of them is updated, except for a label that is sampled twice. The
  logistic function is exact to float32; fastText uses a table of 512 values.
- The gradient of h is divided by M, the exact derivative, as in fastText's classifier (but not its word vectors).
- Epochs, learning rate, word n-grams and width follow from the size of the data (`firth.classify.size_defaults`);
  fastText's are 5, 0.1, 1 and 100 for any.
- With `class_weights` the step of a text is multiplied by its weight, at most by 10.
- The learning rate of each thread decays with the tokens that the thread has read of its own share.

Cost: 4 M D + 6 D N flops per text, where N is the number of output rows of a prediction: L, a path, or 1 + `negative`;
(V + buckets in use) D + L D float32, plus 4 bytes per feature of the training texts, which are held in memory. With one
thread, a seed gives the same bits in every run on one machine; with more, updates of shared rows are not locked.
"""

import dataclasses
import functools
import math
import os
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
from numba import njit

from firth import options
from firth.arguments import explained
from firth.classify import size_defaults
from firth.classify.autotune import AutotuneOptions, AutotuneResult, autotune
from firth.classify.class_weights import class_weights_option, weights_of_counts
from firth.classify.classifier import Classifier
from firth.classify.features import TrainingTexts, encode_texts
from firth.classify.labels import label_children, warn_several
from firth.corpus.table_options import TableArguments, TableOptions
from firth.embeddings.matrices import Matrices
from firth.embeddings.shards import Shard, TrainShard
from firth.embeddings.trainer import TrainingArguments, check_start
from firth.embeddings.training import LearningRate, TrainingRun
from firth.errors import OptionError
from firth.evaluation.baselines import FEWEST, the_label, warn_if_trivial
from firth.kernels.compiled import compiled
from firth.kernels.memory import get_int64, set_int64
from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import alias_table
from firth.kernels.objectives import NEGATIVE, SOFTMAX, Predictor, draw_word, predict, predictor, scoring, take_step
from firth.kernels.pieces import ShardState
from firth.kernels.random import below, draw
from firth.kernels.step import call_rows, take_loss
from firth.kernels.targets import Addresses, Workspace, addresses, end_outputs, new_workspace, place_output
from firth.kernels.threads import usable_threads
from firth.kernels.trees import from_children
from firth.options import BY_SIZE, option, options_class
from firth.progress import Progress, reporting
from firth.readers.labelled import LABEL_PREFIX, LabelledTexts, read_labelled
from firth.vectors.word_vectors import WordVectors

LOSSES = ("softmax", "hierarchical", "negative", "ova")
ALL = -1  # the kernel's code of "ova"
NOISE_EXPONENT = 0.5  # exponent of the label counts in negative sampling
LOSS_INTERVAL = 4096  # texts between two reads of the running likelihood
HEAVIEST = 10.0  # weight of a text: a greater factor on the learning rate would overshoot
SAMPLED = 2_000  # training texts that a trained classifier is asked about
HARDLY = 0.1  # share of the way from the most frequent label to all right
WORSE = 8.0  # a mean loss above this multiple of the untrained loss is divergence


@options_class
class TextClassifier:
    """fastText's text classifier: its options, and `train`.

    Source:
        Joulin et al. 2017; the module docstring has the formulas and all departures.
    """

    common_options: ClassVar = ("dim", "lr", "epochs", "loss", "word_ngrams", "min_n", "max_n")

    dim: int = option(BY_SIZE, "dimension of the vectors", minimum=1, by_size=True)
    lr: float = option(
        BY_SIZE, "initial learning rate; it decays linearly to 0", minimum=0, exclusive=True, by_size=True
    )
    epochs: int = option(BY_SIZE, "epochs: passes over the texts", minimum=1, by_size=True)
    loss: str | None = option(
        None, "loss function; default: softmax, or ova if texts have several labels", choices=LOSSES
    )
    negative: int = option(5, "negative samples per prediction, with loss='negative'", minimum=1)
    word_ngrams: int | None = option(None, "longest word n-gram, in words; 1 for single words", minimum=1, by_size=True)
    min_n: int = option(0, "shortest character n-gram, in characters", minimum=0)
    max_n: int = option(0, "longest character n-gram, in characters; 0 for none", minimum=0)
    buckets: int = option(2_000_000, "number of hash buckets for n-grams", minimum=1, maximum=2**30)
    min_count: int = option(1, "minimum count of a word; rarer words are ignored", minimum=1)
    min_count_label: int = option(0, "minimum count of a label; rarer labels are ignored", minimum=0)
    label_prefix: str = option(LABEL_PREFIX, "prefix of labels inside a text")
    shuffle: bool = option(True, "shuffle the texts once before training")
    class_weights: str | None = class_weights_option()

    def __post_init__(self) -> None:
        options.check(self)
        if self.max_n and self.min_n > self.max_n:
            raise OptionError(f"min_n={self.min_n}, max_n={self.max_n}: expected min_n to be at most max_n")
        if not isinstance(self.label_prefix, str) or any(map(str.isspace, self.label_prefix)):
            raise OptionError(f"label_prefix={self.label_prefix!r}: expected a string without white space")

    @explained
    def train(
        self,
        source: Any,
        labels: Any = None,
        *,
        column: str | int | None = None,
        seed: int = 0,
        threads: int | None = None,
        vectors: WordVectors | None = None,
        start: WordVectors | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **table: Unpack[TableArguments],
    ) -> Classifier:
        """Train a classifier on texts with labels.

        Args:
            source: files with one text and its labels per line (a path, glob or folder, several paths, or "-"); a
                table (CSV, TSV, JSONL, Parquet), a data frame, or rows as mappings; a list of texts; or tuples of a
                text and its label or labels.
            labels: None if the labels are inside the texts or tuples; the name of their column; or a list or series
                with one label, or one list of labels, per text.
            column: the column of texts; by default the only other one, "text", or the only one that holds text. Of CSV
                and TSV files also its number, from 1.
            seed: random seed; with one thread it decides every bit of the result.
            threads: number of threads; by default one per processor.
            vectors: word vectors to start from, instead of random ones: with few labelled texts they help most. Of the
                texts, the words that they lack begin at random.
            start: the same.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            checkpoint: a folder for checkpoints, written every five minutes and after an epoch unless that would take
                over a twentieth of the time; a later call with the same texts, options, seed and threads resumes.
            **table: how a table in a text file is read; see `firth.TableOptions`.

        Returns:
            A classifier, with `metadata["training"]`: options, seed, threads, loss (nats per text, one value per
            epoch), words, seconds, and the number of texts used and left out.

        Warns:
            UserWarning: the classifier labels its training texts hardly better than the most frequent label does.

        Raises:
            CorpusError: the source is missing, not text, or empty; no text has a label, or all have the same label.
            OptionError: `threads` is below 1, the number of labels differs from the number of texts, or the checkpoint
                belongs to another run.
            ArgumentTypeError: `vectors` is a path.
            ShapeError: `vectors` has another width than `dim`.
            DivergenceError: the training diverged.
        """
        usable_threads(threads)
        start = start_vectors(vectors, start)
        options = TableOptions(**table)
        with reporting(progress) as report:
            data = read_labelled(source, labels, column, self.label_prefix, report, options)
        classifier = train_classifier(
            self, data, seed=seed, threads=threads, start=start, progress=progress, checkpoint=checkpoint
        )
        warn_if_unlearned(classifier, data, threads)
        return classifier

    @explained
    def autotune(
        self,
        source: Any,
        labels: Any = None,
        *,
        validation: Any,
        validation_labels: Any = None,
        column: str | int | None = None,
        seconds: float = 300.0,
        trials: int | None = None,
        metric: str = "f1",
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
        **table: Unpack[TableArguments],
    ) -> AutotuneResult:
        """Return the best options on a validation set; see `firth.classify.autotune.autotune`."""
        judged_labels = labels if validation_labels is None else validation_labels
        options = TableOptions(**table)
        with reporting(progress) as report:
            data = read_labelled(source, labels, column, self.label_prefix, report, options)
            validation_data = read_labelled(validation, judged_labels, column, self.label_prefix, report, options)
        search = AutotuneOptions(seconds=seconds, trials=trials, metric=metric, seed=seed, threads=threads)
        return autotune(self, data, validation_data, search, train=train_classifier, progress=progress)

    def untrained_loss(self, counts: npt.NDArray[np.int64]) -> float:
        """Return the loss per text before any training, in nats, from the label counts in descending order."""
        if self.loss == "softmax":
            return math.log(len(counts))
        if self.loss == "hierarchical":
            lengths = from_children(label_children(counts)).lengths
            return float((lengths * counts).sum() / counts.sum()) * math.log(2.0)
        return (len(counts) if self.loss == "ova" else self.negative + 1) * math.log(2.0)


def train_classifier(
    model: TextClassifier,
    data: LabelledTexts,
    *,
    seed: int,
    threads: int | None,
    start: WordVectors | None = None,
    progress: Progress = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Classifier:
    """Train on texts that are already read; see `TextClassifier.train`."""
    count = usable_threads(threads)
    model = size_defaults.with_size_defaults(model, data, None if start is None else start.dim)
    texts = encode_texts(model, data, seed=seed)
    model = with_loss(model, texts)
    arguments = TrainingArguments[WordVectors](
        seed=seed, threads=count, start=start, progress=progress, checkpoint=checkpoint
    )
    run = TrainingRun(
        corpus=texts,
        matrices=texts.initial_matrices(model.dim, seed=seed, start=start),
        trainer=functools.partial(shard_trainer, model, texts, count),
        options={"model": "classifier", **dataclasses.asdict(model)},
        epochs=model.epochs,
        rate=LearningRate(model.lr, 0.0),
        untrained_loss=WORSE / 1.5 * model.untrained_loss(texts.labels.counts),
        arguments=arguments,
        finish=lambda trained, facts: make_classifier(model, texts, trained, facts),
    )
    return run.train()


def warn_if_unlearned(classifier: Classifier, data: LabelledTexts, threads: int | None) -> None:
    """Warn of a classifier that does not know the texts that it was trained on, by a sample of them."""
    facts = classifier.metadata["training"]
    if facts["interrupted"]:
        return
    scores = classifier.scores(sampled_texts(data, SAMPLED), threads=threads)
    if scores.texts < FEWEST:
        return
    number = int(np.argmax([score.support for score in scores.by_label.values()]))
    label, score = list(scores.by_label.items())[number]
    options = facts["options"]
    warn_if_trivial(
        scores.accuracy, score.support / max(scores.texts, 1), measure="accuracy",
        data=f"{scores.texts:,} of the training texts", baseline=the_label(label), margin=HARDLY,
        remedy=f"raise epochs={options['epochs']} or lr={options['lr']:g}, or leave them out: defaults follow from the "
        "number of texts",
    )  # fmt: skip


def sampled_texts(data: LabelledTexts, most: int) -> LabelledTexts:
    """Return at most so many texts, spread evenly over all of them."""
    ends = data.lines.ends
    if len(ends) <= most:
        return data
    rows = np.arange(most) * len(ends) // most
    tokens = [data.lines.tokens[ends[row - 1] if row else 0 : ends[row]] for row in rows.tolist()]
    part = dataclasses.replace(
        data.lines, tokens=np.concatenate(tokens), ends=np.cumsum([len(line) for line in tokens], dtype=np.int64)
    )
    labels = None if data.labels is None else [data.labels[row] for row in rows.tolist()]
    return dataclasses.replace(data, lines=part, labels=labels)


def start_vectors(vectors: WordVectors | None, start: WordVectors | None) -> WordVectors | None:
    """Return the vectors that training starts from, given by either name."""
    for name, value in (("vectors", vectors), ("start", start)):
        check_start(value, name)
    if vectors is not None and start is not None:
        raise OptionError("vectors and start: both are the word vectors to start from; leave one out")
    return start if vectors is None else vectors


def with_loss(model: TextClassifier, texts: TrainingTexts) -> TextClassifier:
    """Return the options with a loss that suits the labels where none is set, and warn of one that does not."""
    several = int((np.diff(texts.features.label_ends, prepend=0)[texts.order] > 1).sum())
    what, advice = f"loss={model.loss!r} learns one of them per epoch, at random", "to learn all of them set loss='ova'"
    if model.loss is None:
        model = dataclasses.replace(model, loss="ova" if several else "softmax")
        what, advice = "loss='ova' was chosen, which learns all of them", "set loss to choose another"
    elif model.loss == "ova":
        return model
    warn_several(several, len(texts.order), what, advice)
    return model


def make_classifier(
    model: TextClassifier, texts: TrainingTexts, trained: Matrices, facts: dict[str, Any]
) -> Classifier:
    """Return the classifier of a finished run."""
    labels = texts.labels
    return Classifier(
        map=texts.map,
        labels=labels.names,
        label_counts=labels.counts,
        counts=trained.counts,
        inputs=trained.inputs[:, : model.dim],
        outputs=trained.outputs[:, : model.dim],
        loss=model.loss or "softmax",
        label_prefix=model.label_prefix,
        metadata={"training": {**facts, "texts": len(texts.order), "texts_left_out": texts.left_out}},
    )


def shard_trainer(model: TextClassifier, texts: TrainingTexts, threads: int, matrices: Matrices) -> TrainShard:
    """Return the function that trains one shard."""
    counts = texts.labels.counts
    number = len(counts)
    probabilities = counts**NOISE_EXPONENT / (counts**NOISE_EXPONENT).sum()
    tree = from_children(label_children(counts)) if model.loss == "hierarchical" else None
    # One-versus-all takes the step of negative sampling with every label in the list.
    layer = scoring(
        "negative" if model.loss == "ova" else model.loss or "softmax", probabilities, negative=model.negative,
        noise=alias_table(probabilities), tree=tree,
    )  # fmt: skip
    longest = int(texts.features.sizes.max())
    batch = TextBatch(
        order=texts.order,
        starts=texts.starts,
        features=texts.features.rows,
        ends=texts.features.ends,
        labels=texts.features.labels,
        label_ends=texts.features.label_ends,
        weights=_text_weights(model, texts),
        kind=ALL if model.loss == "ova" else layer.kind,
        lr=model.lr,
        total=max(1, model.epochs * texts.num_tokens // threads),
    )

    def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
        most = max(number, model.negative + 1, tree.longest if tree else 0)
        work = new_workspace(1, model.negative, 1, matrices.inputs.shape[1], outputs=most, contexts=longest)
        at = addresses(work, matrices.inputs, matrices.outputs, dim=model.dim, normalised=layer.kind == SOFTMAX)
        train_texts(batch, work, at, predictor(layer, at, shard.loss), shard.state(stop))

    return train_shard


def _text_weights(model: TextClassifier, texts: TrainingTexts) -> npt.NDArray[np.float32]:
    """Return the weight of each text in the loss: the mean of those of its labels."""
    features, counts = texts.features, texts.labels.counts
    by_label = np.ones(len(counts)) if model.class_weights is None else weights_of_counts(counts)
    sums = np.concatenate([[0.0], np.cumsum(by_label[features.labels])])[np.concatenate([[0], features.label_ends])]
    weights = np.diff(sums) / np.maximum(np.diff(features.label_ends, prepend=0), 1)
    return np.asarray(np.minimum(weights, HEAVIEST), dtype=np.float32)


class TextBatch(NamedTuple):
    """The input of a shard's kernel."""

    order: npt.NDArray[np.int64]  # (K,) texts
    starts: npt.NDArray[np.int64]  # (K + 1,) number of tokens before each
    features: npt.NDArray[np.int32]  # rows
    ends: npt.NDArray[np.int64]  # (texts,)
    labels: npt.NDArray[np.int32]
    label_ends: npt.NDArray[np.int64]  # (texts,)
    weights: npt.NDArray[np.float32]  # (texts,) factors on the learning rate
    kind: int  # an objective of firth.kernels.objectives, or ALL
    lr: float
    total: int  # tokens that the shard reads in all epochs; the learning rate decays over them


@compiled
def train_texts(batch: TextBatch, work: Workspace, at: Addresses, predictor: Predictor, state: ShardState) -> None:
    """Train on the texts that begin before the shard's last token."""
    order, starts, features, ends = batch.order, batch.starts, batch.features, batch.ends
    labels, label_ends, kind = batch.labels, batch.label_ends, batch.kind
    position, read, random, predictions = state.position, state.read, state.random, state.predictions
    stop, last, count, since = state.stop, state.last, predictor.words, 0
    index = np.searchsorted(starts, position[0])  # in `order`
    if kind == ALL:
        for label in range(count):
            place_output(at, label, label, -1)
        end_outputs(at, count)
    while position[0] < last and stop[0] == 0:
        if index >= order.size or starts[index] >= last:
            position[0] = last  # the last text of the shard before extends into this one
            break
        text = order[index]
        index += 1
        if index < order.size:
            fetch_text(features, ends, order[index], at)
        rate = np.float32(batch.lr * batch.weights[text] * (1 - min(1.0, read[0] / batch.total)))
        first, first_label = (ends[text - 1], label_ends[text - 1]) if text > 0 else (0, 0)
        m, several = ends[text] - first, label_ends[text] - first_label
        list_rows(features, first, m, at)
        call_rows(at.mean, at.contexts, m, at.hidden, at.chunks, np.float32(1 / m))
        if kind == ALL:
            for i in range(first_label, label_ends[text]):
                place_output(at, labels[i], labels[i], 1)
            take_step(predictor, at, at.hidden_table, at.gradient_table, 1, count, 0, rate)
            for i in range(first_label, label_ends[text]):
                place_output(at, labels[i], labels[i], -1)
        else:
            label = labels[first_label + below(draw(random), several)]
            if kind == NEGATIVE:
                step_against_noise(predictor, at, random, label, rate)
            else:
                predict(predictor, at, random, label, at.hidden_table, at.gradient_table, 1, rate)
        call_rows(at.add, at.contexts, m, at.gradient, at.chunks, np.float32(1 / m))
        predictions[0] += 1
        since += 1
        read[0] += starts[index] - starts[index - 1]
        position[0] = starts[index]
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
    """Prefetch the input rows of the next text."""
    for j in range(ends[text - 1] if text > 0 else 0, ends[text]):
        prefetch_row(at.inputs + np.int64(features[j]) * at.row_bytes, at.row_bytes)


@njit(nogil=True)
def step_against_noise(
    predictor: Predictor, at: Addresses, random: npt.NDArray[np.uint64], label: int, rate: np.float32
) -> None:
    """Take a step towards a label and away from noise labels, none of which is the label itself.

    A noise label that is sampled again gets its own step. With two labels, five samples are five times the same
    label, and five equal updates of one row at once would overshoot.
    """
    place_output(at, 0, label, 1)
    n = 1
    for _ in range(predictor.negative):
        noise = draw_word(predictor, random)
        while noise == label:
            noise = draw_word(predictor, random)
        row, again = at.outputs + noise * at.output_bytes, False
        for i in range(n):
            again = again or get_int64(at.table, i) == row
        if again:
            end_outputs(at, n)
            take_step(predictor, at, at.hidden_table, at.gradient_table, 1, n, 0, rate)
            n = 0
        place_output(at, n, noise, -1)
        n += 1
    end_outputs(at, n)
    take_step(predictor, at, at.hidden_table, at.gradient_table, 1, n, 0, rate)
