"""A trained text classifier: labels with probabilities for texts, one at a time or in batches; and how good they are.

A text is what fastText takes a line to be: tokens between white space and `</s>` at its end. Line feeds inside a text
are white space. Tokens that begin with the prefix of labels are passed over.

A text without any known feature gets the labels' shares in the training texts as its probabilities. Where `</s>` was in
the training texts, as it is unless `min_count` is high, an empty text still has that one.

Every text is computed for itself: its answer depends neither on its place nor on the texts beside it.
"""

import contextlib
import gc
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.line_scanner import scan_texts
from firth.embeddings.label_probabilities import Arithmetic
from firth.embeddings.label_scores import LabelScores, label_scores
from firth.embeddings.labels import LabelSet, count_labels
from firth.embeddings.text_features import FeatureMap, Features
from firth.embeddings.training import usable_threads
from firth.errors import CorpusError, OptionError
from firth.kernels.labelled_text import best_labels
from firth.progress import Progress, reporting
from firth.readers.labelled import LabelledTexts, read_labelled
from firth.text.given import several
from firth.vectors.quantise import QuantisedMatrix

BATCH = 1 << 15  # texts that a thread answers at once
NUMBERS = 1 << 22  # probabilities held at once
FASTTEXT = (".bin", ".ftz")  # endings of the names of fastText's files
Floats = npt.NDArray[np.float32]
Answer = list[tuple[str, float]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Classifier:
    """A trained classifier.

    Attributes:
        map: how texts become rows.
        labels: L labels, the commonest first.
        label_counts: (L,) int64, how often each was given in the training texts.
        counts: (V,) int64 of the words.
        inputs: (V + buckets in use, D) float32, words first; or codes.
        outputs: (L, D) float32, a row a label, or with loss "hierarchical" a row an inner node; or codes.
        loss: "softmax", "hierarchical", "negative" or "ova".
        label_prefix: what labels in texts and in fastText's files begin with.
        metadata: what is known of the training, a value that JSON holds.
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

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        kind = ", quantised" if isinstance(self.inputs, QuantisedMatrix) else ""
        return f"<Classifier: {len(self.labels):,} labels, {len(self.words):,} words x {self.dim}{kind}>"

    @property
    def words(self) -> Sequence[str]:
        """The V words, the commonest first."""
        return self.map.words

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return int(self.inputs.shape[1])

    def predict(
        self, texts: str | Iterable[str], k: int = 1, threshold: float = 0.0, *, threads: int | None = None
    ) -> Any:
        """Return the likeliest labels of a text, or of each of many.

        Args:
            texts: one text, or several.
            k: how many labels, at most.
            threshold: the least probability of a label that is given.
            threads: how many; by default one a processor, where there are texts enough.

        Returns:
            Pairs of label and probability, the likeliest first; of a list of texts, a list of those.

        Raises:
            OptionError: `k` is below one, or `threshold` no number.
            CorpusError: an item is not a string.
        """
        if isinstance(texts, str):
            return self.predict([texts], k, threshold, threads=1)[0]
        k = _checked(k, threshold, len(self.labels))
        found = _each(batches(texts), lambda batch: self._best(self._features(batch), k), threads)
        with collector_paused():
            answers = [answer for best, values in found for answer in self._answers(best, values)]
        if threshold > 0:
            return [[(label, p) for label, p in answer if p >= threshold] for answer in answers]
        return answers

    def probabilities(self, texts: str | Iterable[str], *, threads: int | None = None) -> npt.NDArray[np.float64]:
        """Return the probability of every label, in the order of `labels`.

        With the losses "softmax" and "hierarchical" they sum to 1; with "negative" and "ova" each stands for itself.

        Args:
            texts: one text, or several.
            threads: how many.

        Returns:
            (L,), or (texts, L) float64.

        Raises:
            CorpusError: an item is not a string.
        """
        if isinstance(texts, str):
            return np.asarray(self.probabilities([texts], threads=1)[0])
        found = _each(batches(texts), lambda batch: self.arithmetic.probabilities(self._features(batch)), threads)
        return np.concatenate([np.zeros((0, len(self.labels))), *found])

    def sentence_vectors(self, texts: str | Iterable[str]) -> Floats:
        """Return the mean that labels are predicted from: (D,), or (texts, D) float32.

        Raises:
            CorpusError: an item is not a string.
        """
        if isinstance(texts, str):
            return np.asarray(self.sentence_vectors([texts])[0])
        found = [self.arithmetic.hidden(self._features(batch)) for batch in batches(texts)]
        return np.concatenate([np.zeros((0, self.dim), np.float32), *found])

    def test(
        self,
        source: Any,
        labels: Any = None,
        *,
        column: str | None = None,
        k: int = 1,
        threshold: float = 0.0,
        threads: int | None = None,
        progress: Progress = None,
    ) -> LabelScores:
        """Judge the classifier on texts with labels.

        Texts without a label are left out; a label that the classifier does not know counts as one it missed.

        Args:
            source: as for `firth.TextClassifier.train`.
            labels: likewise.
            column: likewise.
            k: how many labels are predicted for each text.
            threshold: the least probability of a label that is predicted.
            threads: how many.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

        Raises:
            CorpusError: the source is missing, no text, or empty, or no text has a label.
            OptionError: an option is out of its range, or the labels do not fit the texts.
        """
        k = _checked(k, threshold, len(self.labels))
        with reporting(progress) as report:
            read = read_labelled(source, labels, column, self.label_prefix, report)
        return self.scores(read, k=k, threshold=threshold, threads=threads)

    def scores(
        self, read: LabelledTexts, *, k: int = 1, threshold: float = 0.0, threads: int | None = None
    ) -> LabelScores:
        """Judge the classifier on texts that were read; see `test`.

        Args:
            read: the texts.
            k: how many labels are predicted for each text.
            threshold: the least probability of a label that is predicted.
            threads: how many.

        Raises:
            CorpusError: no text has a label.
        """
        known = count_labels(read, prefix=self.label_prefix)
        there = set(self.labels)
        names = [*self.labels, *(name for name in known.names if name not in there)]
        every = LabelSet(names, np.zeros(len(names), dtype=np.int64))
        features = self.map.features(read.lines, every.ids, prefix=self.label_prefix)
        if read.labels is not None:
            features = features.labelled(*every.numbered(read.labels))
        found = _each(pieces_of(features, BATCH), lambda piece: self._best(piece, k), threads)
        best, values = (np.concatenate(some) for some in zip(*found, strict=True))
        return label_scores(names, features, best, values >= threshold)

    def save(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the classifier, to be opened by `firth.load`.

        Args:
            path: the folder or file.
            format: "firth" for a folder, "fasttext" for a file of fastText's. None goes by the name: `.bin`, or `.ftz`
                of a quantised one, is fastText's file, any other a folder.

        Raises:
            OptionError: there is no such format, or the path is a folder of something else.
            FormatError: fastText's files cannot hold a word or a label with a space in it.
            OSError: the file cannot be written.
        """
        from firth.embeddings import classifier_files

        if format is None:
            format = "fasttext" if Path(path).suffix in FASTTEXT else "firth"
        if format not in ("firth", "fasttext"):
            raise OptionError(f"format={format!r}: expected firth or fasttext")
        (classifier_files.save if format == "firth" else classifier_files.save_fasttext)(self, path)

    def quantise(
        self, *, width: int = 2, lengths: bool = False, keep: int | None = None, labels: bool = False, seed: int = 0
    ) -> "Classifier":
        """Return a classifier some ten to a hundred times smaller, whose vectors are a few bytes each.

        N-grams that the training texts do not have no longer count in the mean of a text.

        Source: Joulin et al. 2016, "FastText.zip: compressing text classification models", sections 3.1 and 3.2 (keep
        the rows of greatest length).

        Args:
            width: numbers that one byte stands for.
            lengths: whether a byte more a row keeps its length.
            keep: how many rows of words and n-grams stay; None for all.
            labels: whether the vectors of labels are quantised too.
            seed: of the learning of the codes.

        Raises:
            OptionError: an option is out of its range, or the classifier is quantised already.
        """
        from firth.embeddings.classifier_pruning import quantised

        return quantised(self, width=width, lengths=lengths, keep=keep, labels=labels, seed=seed)

    @cached_property
    def arithmetic(self) -> Arithmetic:
        """What computes probabilities."""
        return Arithmetic(self.inputs, self.outputs, self.loss, self.label_counts)

    @cached_property
    def _names(self) -> npt.NDArray[np.object_]:
        return np.array(self.labels, dtype=object)

    def _features(self, batch: Sequence[str]) -> Features:
        return self.map.features(scan_texts(batch, self.label_prefix))

    def _best(self, features: Features, k: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return the k likeliest labels of every text and their probabilities."""
        pieces = [self._best_of(piece, k) for piece in pieces_of(features, max(1, NUMBERS // len(self.labels)))]
        return np.concatenate([best for best, _ in pieces]), np.concatenate([values for _, values in pieces])

    def _answers(self, best: npt.NDArray[np.int32], values: npt.NDArray[np.float64]) -> Iterator[Answer]:
        names = self._names[best]
        if best.shape[1] == 1:
            return map(list, zip(zip(names[:, 0].tolist(), values[:, 0].tolist(), strict=True)))
        return (list(zip(*pair, strict=True)) for pair in zip(names.tolist(), values.tolist(), strict=True))

    def _best_of(self, features: Features, k: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        probabilities = self.arithmetic.probabilities(features)
        best = np.zeros((len(probabilities), k), dtype=np.int32)
        best_labels(probabilities, best)
        return best, np.take_along_axis(probabilities, best.astype(np.int64), axis=1)


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Let no garbage be looked for while many small lists are made, which costs more than making them."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def pieces_of(features: Features, size: int) -> Iterator[Features]:
    """Yield the features of `size` texts after the other."""
    for first in range(0, len(features.ends), size):
        ends, label_ends = features.ends[first : first + size], features.label_ends[first : first + size]
        start, label_start = (int(each[first - 1]) if first else 0 for each in (features.ends, features.label_ends))
        yield Features(
            features.rows[start : ends[-1]], ends - start, features.labels[label_start : label_ends[-1]],
            label_ends - label_start,
        )  # fmt: skip


def batches(texts: Iterable[Any]) -> Iterator[list[str]]:
    """Yield texts, some thousand at a time.

    Raises:
        KindError: they are no texts, but a table, say.
        CorpusError: an item is not a string.
    """
    left, place = iter(several(texts)), 0
    while batch := list(itertools.islice(left, BATCH)):
        wrong = next((i for i, text in enumerate(batch) if not isinstance(text, str)), None)
        if wrong is not None:
            raise CorpusError(
                f"texts: item {place + wrong} is {type(batch[wrong]).__name__} {batch[wrong]!r:.60}; expected a string"
            )
        yield batch
        place += len(batch)


def _each(batches: Iterable[Any], answer: Callable[[Any], Any], threads: int | None) -> list[Any]:
    count = usable_threads(threads)
    if count == 1:
        return [answer(batch) for batch in batches]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(answer, batches))


def _checked(k: int, threshold: float, labels: int) -> int:
    """Return k, at most the number of labels.

    Raises:
        OptionError: k or the threshold is out of its range.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise OptionError(f"k={k!r}: expected a whole number of at least 1")
    if not 0 <= threshold <= 1:
        raise OptionError(f"threshold={threshold!r}: expected a probability, from 0 to 1")
    return min(k, labels)
