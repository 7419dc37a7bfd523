"""A trained text classifier: predicts labels with probabilities, and computes precision, recall and F1.

A text is tokenised like a line of fastText: tokens are separated by white space, and `</s>` marks the end. Line feeds
inside a text are white space. Tokens that begin with the label prefix are ignored.

A text without a known feature gets the relative frequencies of the labels in the training texts. Unless `min_count` is
high, `</s>` is a known feature, so even an empty text has one.

The result for a text depends neither on its position nor on the other texts of a batch.
"""

import contextlib
import dataclasses
import gc
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack, overload

import numpy as np
import numpy.typing as npt

from firth.arguments import explained, made_by
from firth.classify import saving
from firth.classify.explainable import LinearText, linear_text, random_like
from firth.classify.features import FeatureMap, Features, bucket_rows
from firth.classify.labels import LabelSet, count_labels
from firth.classify.probabilities import LabelProbabilities
from firth.classify.scores import LabelScores, label_scores
from firth.corpus.line_scanner import scan_texts
from firth.corpus.table_options import TableArguments, TableOptions
from firth.errors import CorpusError, OptionError
from firth.hints import Hinted
from firth.kernels.labelled_text import END, REMOVED, best_labels
from firth.kernels.threads import usable_threads
from firth.notebook import note, table
from firth.options import check_whole
from firth.progress import Progress, reporting
from firth.readers.labelled import LabelledTexts, read_labelled
from firth.text.batches import encoded_in_batches
from firth.text.inputs import Text, check_items
from firth.training_facts import with_training_facts
from firth.vectors.quantise import QuantisedMatrix, quantise_matrix

BATCH = 1 << 15  # texts that a thread processes at once
NUMBERS = 1 << 22  # probabilities held at once
LABELS = 12  # labels that a notebook shows
FASTTEXT = (".bin", ".ftz")  # suffixes of fastText's files
Floats = npt.NDArray[np.float32]
Prediction = list[tuple[str, float]]


@made_by("firth.TextClassifier(...).train({}) to train one, or firth.load({}) to open one")
@dataclass(frozen=True, eq=False, kw_only=True)
class Classifier(Hinted):
    """A trained classifier.

    Attributes:
        map: the map from texts to feature rows.
        labels: L labels, most frequent first.
        label_counts: (L,) int64, counts in the training texts.
        counts: (V,) int64, counts of the words.
        inputs: (V + buckets in use, D) float32, words first; or quantised.
        outputs: (L, D) float32, one row per label, or with loss "hierarchical" one per inner node; or quantised.
        loss: "softmax", "hierarchical", "negative" or "ova".
        label_prefix: prefix of labels in texts and in fastText's files.
        metadata: facts about the training, JSON-compatible.
    """

    map: FeatureMap
    labels: list[str]
    label_counts: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    inputs: Floats | QuantisedMatrix
    outputs: Floats | QuantisedMatrix
    loss: str
    label_prefix: str
    metadata: dict[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", with_training_facts(self.metadata))

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        kind = ", quantised" if isinstance(self.inputs, QuantisedMatrix) else ""
        return f"<Classifier: {len(self.labels):,} labels, {len(self.words):,} words x {self.dim}{kind}>"

    def _repr_html_(self) -> str:
        counts = self.label_counts[:LABELS].tolist()
        rows = [(label, f"{count:,}") for label, count in zip(self.labels, counts, strict=False)]
        caption = f"{repr(self)[1:-1]}, loss {self.loss}"
        more = note(f"The {LABELS} most frequent labels.") if len(self.labels) > LABELS else ""
        return table(("label", "training texts"), rows, caption=caption, more=more)

    @property
    def words(self) -> Sequence[str]:
        """The V words, most frequent first."""
        return self.map.words

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return int(self.inputs.shape[1])

    @overload
    def predict(  # type: ignore[overload-overlap]  # a string is an iterable of strings, and one text
        self, texts: str, k: int = 1, threshold: float = 0.0, *, threads: int | None = None
    ) -> Prediction: ...
    @overload
    def predict(
        self, texts: Iterable[str], k: int = 1, threshold: float = 0.0, *, threads: int | None = None
    ) -> list[Prediction]: ...
    @explained
    def predict(
        self, texts: str | Iterable[str], k: int = 1, threshold: float = 0.0, *, threads: int | None = None
    ) -> Any:
        """Return the most probable labels of one text or of several.

        Args:
            texts: one text, or several.
            k: largest number of labels per text.
            threshold: smallest probability of a returned label.

        Returns:
            Pairs of label and probability, most probable first; for several texts, a list of such lists.

        Raises:
            OptionError: `k` is below 1, or `threshold` is not a probability.
            CorpusError: an item is not a string.
        """
        if isinstance(texts, str):
            return self.predict([texts], k, threshold, threads=1)[0]
        k = check_k(k, threshold, len(self.labels))
        results = _map_batches(batches(texts), lambda batch: self._best(self._features(batch), k), threads)
        with collector_paused():
            predictions = [pairs for best, values in results for pairs in self._with_names(best, values)]
        if threshold > 0:
            return [[(label, p) for label, p in pairs if p >= threshold] for pairs in predictions]
        return predictions

    @explained
    def probabilities(self, texts: str | Iterable[str], *, threads: int | None = None) -> npt.NDArray[np.float64]:
        """Return the probability of every label, in the order of `labels`.

        With the losses "softmax" and "hierarchical" they sum to 1; with "negative" and "ova" each label's probability
        is independent of the others.

        Args:
            texts: one text, or several.

        Returns:
            (L,), or (texts, L) float64.

        Raises:
            CorpusError: an item is not a string.
        """
        if isinstance(texts, str):
            return np.asarray(self.probabilities([texts], threads=1)[0])
        results = _map_batches(batches(texts), lambda batch: self._model.probabilities(self._features(batch)), threads)
        return np.concatenate([np.zeros((0, len(self.labels))), *results])

    @explained
    def encode(self, texts: Sequence[Text], *, batch_size: int | None = None, progress: Progress = None) -> Floats:
        """Return one vector per text: the mean of its rows, from which labels are predicted.

        Args:
            texts: N texts, each a string or its tokens.
            batch_size: texts processed at once; None for 32,768.

        Returns:
            (N, D) float32. An empty text has the vector of the end mark `</s>`, as in fastText; zeros if the end mark
            has no vector.

        Raises:
            OptionError: `batch_size` is below 1.
            ArgumentTypeError: `texts` is one string, or no list of texts.
        """

        def means(batch: list[Text]) -> Floats:
            lines = [text if isinstance(text, str) else " ".join(text) for text in batch]
            return self._model.hidden(self._features(lines))

        size = BATCH if batch_size is None else batch_size
        return encoded_in_batches(texts, means, self.dim, model=self, batch_size=size, progress=progress)

    @explained
    def test(
        self,
        source: Any,
        labels: Any = None,
        *,
        column: str | int | None = None,
        k: int = 1,
        threshold: float = 0.0,
        threads: int | None = None,
        progress: Progress = None,
        **table: Unpack[TableArguments],
    ) -> LabelScores:
        """Compute precision, recall and F1 on texts with labels.

        Texts without a label are left out. A label that the classifier does not know lowers recall.

        Args:
            source: the texts, as for `firth.TextClassifier.train`.
            labels: their labels, one per text or line.
            column: the column of texts in a table.
            k: number of labels predicted per text.
            threshold: smallest probability of a predicted label.
            **table: how a table in a text file is read; see `firth.TableOptions`.

        Raises:
            CorpusError: the source is missing, not text, or empty, or no text has a label.
            OptionError: an option is out of its range, or the numbers of labels and texts differ.
        """
        k = check_k(k, threshold, len(self.labels))
        options = TableOptions(**table)
        with reporting(progress) as report:
            data = read_labelled(source, labels, column, self.label_prefix, report, options)
        return self.scores(data, k=k, threshold=threshold, threads=threads)

    def scores(
        self, data: LabelledTexts, *, k: int = 1, threshold: float = 0.0, threads: int | None = None
    ) -> LabelScores:
        """Compute the scores of `test` on texts that are already read; see `test`."""
        trained = set(self.labels)
        unknown = [name for name in count_labels(data, prefix=self.label_prefix).names if name not in trained]
        names = [*self.labels, *unknown]
        labels = LabelSet(names, np.zeros(len(names), dtype=np.int64))
        features = self.map.features(data.lines, labels.ids, prefix=self.label_prefix)
        if data.labels is not None:
            features = features.with_labels(*labels.encode(data.labels))
        results = _map_batches(feature_batches(features, BATCH), lambda batch: self._best(batch, k), threads)
        best, values = (np.concatenate(arrays) for arrays in zip(*results, strict=True))
        return label_scores(names, features, best, values >= threshold, values)

    def save(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Save the classifier for `firth.load`.

        Args:
            path: the folder or file.
            format: "firth" for a folder, "fasttext" for a fastText file. None decides by the name: `.bin`, or `.ftz`
                for a quantised classifier, means a fastText file, anything else a folder.

        Raises:
            OptionError: there is no such format, or the path is another kind of folder.
            FormatError: a word or a label contains a space, which fastText's files cannot hold.
            OSError: the file cannot be written.
        """
        if format is None:
            format = "fasttext" if Path(path).suffix in FASTTEXT else "firth"
        if format not in ("firth", "fasttext"):
            raise OptionError(f"format={format!r}: expected firth or fasttext")
        (saving.save if format == "firth" else saving.save_fasttext)(self, path)

    @explained
    def quantise(
        self, *, width: int = 2, lengths: bool = False, keep: int | None = None, labels: bool = False, seed: int = 0
    ) -> "Classifier":
        """Return a quantised classifier, ten to a hundred times smaller: product quantisation and pruning.

        There is no retraining. N-grams that do not occur in the training texts no longer count in the mean of a text,
        as in fastText's pruned models.

        Source: Joulin et al. 2016, "FastText.zip: compressing text classification models", sections 3.1 (product
        quantisation, with lengths apart) and 3.2 (the rows of greatest length are kept).

        Args:
            width: numbers per sub-vector, each of which becomes one byte.
            lengths: whether each row's length gets its own byte.
            keep: number of rows of words and n-grams to keep; None for all.
            labels: whether the label vectors are quantised too.

        Raises:
            OptionError: an option is out of its range, or the classifier is already quantised.
        """
        if isinstance(self.inputs, QuantisedMatrix) or isinstance(self.outputs, QuantisedMatrix):
            raise OptionError("the classifier is already quantised; quantise the original")
        if keep is not None:
            check_whole("keep", keep)
        rows, words = self._longest_rows(keep), len(self.words)
        word_rows = rows[rows < words]
        buckets = self.map.row_buckets(self.inputs.shape[0])[rows[rows >= words] - words]
        inputs = np.asarray(self.inputs[rows], dtype=np.float32)
        outputs: Any = self.outputs
        facts = {"width": width, "lengths": lengths, "keep": keep, "labels": labels, "seed": seed}
        return dataclasses.replace(
            self,
            map=dataclasses.replace(
                self.map,
                words=[self.words[row] for row in word_rows.tolist()],
                bucket_rows=bucket_rows(buckets, self.map.buckets, len(word_rows), REMOVED),
            ),
            counts=self.counts[word_rows],
            inputs=quantise_matrix(inputs, width=width, lengths=lengths, seed=seed),
            outputs=quantise_matrix(outputs, width=2, lengths=lengths, seed=seed) if labels else outputs,
            metadata={**self.metadata, "quantised": facts},
        )

    def _longest_rows(self, keep: int | None) -> npt.NDArray[np.int64]:
        """Return the rows of greatest length in ascending order; the row of `</s>` is always among them."""
        rows = np.asarray(self.inputs, dtype=np.float32)
        if keep is None or keep >= len(rows):
            return np.arange(len(rows))
        norms = np.einsum("rd,rd->r", rows, rows, dtype=np.float64)
        end = self.map.ids.get(END.decode())
        if end is not None:
            norms[end] = np.inf
        return np.sort(np.argsort(-norms, kind="stable")[:keep])

    def explainable(self, text: str, target: str | None = None) -> LinearText:
        """Return a text as attribution methods need it; `firth.explain` is the way to use it.

        Args:
            target: a label; None for the most probable one.

        Raises:
            OptionError: there is no such label, or the text has no word that the classifier knows.
        """
        return linear_text(text, self.map, self._model, self.label_prefix, self.labels, target)

    def randomised(self, seed: int = 0) -> "Classifier":
        """Return a classifier whose rows are random, with the mean and spread of the trained ones."""
        inputs, outputs = (
            random_like(rows, seed, name) for rows, name in ((self.inputs, "inputs"), (self.outputs, "outputs"))
        )
        return dataclasses.replace(self, inputs=inputs, outputs=outputs)

    @cached_property
    def _model(self) -> LabelProbabilities:
        return LabelProbabilities(self.inputs, self.outputs, self.loss, self.label_counts)

    @cached_property
    def _names(self) -> npt.NDArray[np.object_]:
        return np.array(self.labels, dtype=object)

    def _features(self, batch: Sequence[str]) -> Features:
        return self.map.features(scan_texts(batch, self.label_prefix))

    def _best(self, features: Features, k: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return the k most probable labels of every text and their probabilities."""
        size = max(1, NUMBERS // len(self.labels))
        results = [self._best_of_batch(batch, k) for batch in feature_batches(features, size)]
        return np.concatenate([best for best, _ in results]), np.concatenate([values for _, values in results])

    def _best_of_batch(self, features: Features, k: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        probabilities = self._model.probabilities(features)
        best = np.zeros((len(probabilities), k), dtype=np.int32)
        best_labels(probabilities, best)
        return best, np.take_along_axis(probabilities, best.astype(np.int64), axis=1)

    def _with_names(self, best: npt.NDArray[np.int32], values: npt.NDArray[np.float64]) -> Iterator[Prediction]:
        names = self._names[best]
        if best.shape[1] == 1:
            return map(list, zip(zip(names[:, 0].tolist(), values[:, 0].tolist(), strict=True)))
        return (list(zip(*pair, strict=True)) for pair in zip(names.tolist(), values.tolist(), strict=True))


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause garbage collection while many small lists are created: collecting costs more than creating them."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def feature_batches(features: Features, size: int) -> Iterator[Features]:
    """Yield the features of `size` texts at a time."""
    for first in range(0, len(features.ends), size):
        ends, label_ends = features.ends[first : first + size], features.label_ends[first : first + size]
        start, label_start = (int(ends[first - 1]) if first else 0 for ends in (features.ends, features.label_ends))
        yield Features(
            features.rows[start : ends[-1]], ends - start, features.labels[label_start : label_ends[-1]],
            label_ends - label_start,
        )  # fmt: skip


def batches(texts: Iterable[Any]) -> Iterator[list[str]]:
    """Yield `BATCH` texts at a time."""
    remaining, start = iter(check_items(texts)), 0
    while batch := list(itertools.islice(remaining, BATCH)):
        bad = next((i for i, text in enumerate(batch) if not isinstance(text, str)), None)
        if bad is not None:
            raise CorpusError(
                f"texts: item {start + bad} is {type(batch[bad]).__name__} {batch[bad]!r:.60}; expected a string"
            )
        yield batch
        start += len(batch)


def _map_batches(batches: Iterable[Any], function: Callable[[Any], Any], threads: int | None) -> list[Any]:
    count = usable_threads(threads)
    if count == 1:
        return [function(batch) for batch in batches]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(function, batches))


def check_k(k: int, threshold: float, labels: int) -> int:
    """Check k and the threshold; return k, at most the number of labels."""
    check_whole("k", k)
    if not 0 <= threshold <= 1:
        raise OptionError(f"threshold={threshold!r}: expected a probability, from 0 to 1")
    return min(k, labels)
