"""A trained model of texts, or of pairs of texts, with labels: predictions, vectors, scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt
import torch
from scipy.stats import pearsonr, spearmanr

from firth.arguments import explained
from firth.classify.classifier import check_k
from firth.classify.scores import LabelScores
from firth.corpus.table_options import TableArguments, TableOptions
from firth.errors import CorpusError, OptionError, brief
from firth.finite import not_finite
from firth.neural.explainable import EmbeddedText
from firth.neural.models.classification.classifier import LabelOptions, new_module
from firth.neural.models.classification.data import read_examples, scores_of
from firth.neural.models.classification.labelled_model import LabelledModel
from firth.neural.models.classification.reader import Sequences, TextIds, split
from firth.neural.prediction import in_batches
from firth.notebook import table
from firth.progress import Progress, reporting
from firth.text.batches import encoded_in_batches, warn_truncated
from firth.text.inputs import Text, check_items
from firth.vectors.cosine import Matrix

BATCH = 256  # texts that are read together


@dataclass(frozen=True)
class RelatednessScores:
    """Agreement of scores of pairs.

    Attributes:
        pairs: N.
        pearson: correlation of the scores.
        spearman: correlation of their ranks.
        mean_squared_error: mean squared difference, in squared points of the scale.
    """

    pairs: int
    pearson: float
    spearman: float
    mean_squared_error: float

    def __str__(self) -> str:
        return (
            f"{self.pairs:,} pairs: Pearson {self.pearson:.4f}, Spearman {self.spearman:.4f}, mean squared error "
            f"{self.mean_squared_error:.4f}"
        )

    def _repr_html_(self) -> str:
        figures = (self.pearson, self.spearman, self.mean_squared_error)
        head = ("pairs", "Pearson", "Spearman", "mean squared error")
        return table(head, [(f"{self.pairs:,}", *(f"{figure:.4f}" for figure in figures))])


def relatedness_scores(true: npt.NDArray[np.float64], predicted: npt.NDArray[np.float64]) -> RelatednessScores:
    """Compare (N,) predicted scores with true ones."""
    if len(true) < 2 or np.ptp(true) == 0:
        raise CorpusError(f"{len(true):,} pairs with the same score: expected at least two with different ones")
    return RelatednessScores(
        len(true),
        float(pearsonr(true, predicted).statistic),
        float(spearmanr(true, predicted).statistic),
        float(np.square(true - predicted).mean()),
    )


class LabelModel(LabelledModel):
    """A trained model, as `firth.CNNClassifier(...).train` and the other neural classifiers return it.

    Arguments and attributes are those of `firth.neural.models.classification.labelled_model.LabelledModel`.
    """

    kind: ClassVar = "firth-label-model"
    what: ClassVar = "a model of texts"
    inputs: ClassVar = "texts"
    options: LabelOptions

    @explained
    def predict(self, texts: Any, k: int = 1, threshold: float = 0.0, *, threads: int | None = None) -> Any:
        """Return the most probable labels of one text, or one pair, or of several.

        Args:
            texts: a text or several; of a model of pairs, a tuple of two texts or several.
            k: largest number of labels per text.
            threshold: smallest probability of a returned label.

        Returns:
            Pairs of label and probability, most probable first; for several texts, a list of such lists.

        Raises:
            OptionError: `k` is below 1, or `threshold` is not a probability.
            CorpusError: an item is not a text, or not a pair of texts.
        """
        return self._predicted(texts, k, threshold, threads)

    @explained
    def probabilities(
        self, texts: Any, *, threads: int | None = None, progress: Progress = False
    ) -> npt.NDArray[np.float64]:
        """Return the probability of every label, in the order of `labels`: (L,), or (texts, L) float64, summing to 1.

        Args:
            texts: as for `predict`.

        Raises:
            CorpusError: an item is not a text, or not a pair of texts.
        """
        if self._is_single(texts):
            return np.asarray(self.probabilities([texts], threads=threads)[0])
        given = list(check_items(texts))
        items = [self._sides(item, number) for number, item in enumerate(given)]
        frequencies = self.label_counts / max(int(self.label_counts.sum()), 1)
        without_words = frequencies if frequencies.any() else 1 / len(self.labels)

        def score(inputs: Any) -> torch.Tensor:
            scores: torch.Tensor = self.module(inputs)
            return scores.double().softmax(1)

        def answers(rows: list[int]) -> list[npt.NDArray[np.float64]]:
            result = np.empty((len(rows), len(self.labels)))
            result[:] = without_words
            self._fill([items[row] for row in rows], score, result)
            for row, probabilities in zip(rows, result, strict=True):
                if not np.isfinite(probabilities).all():
                    raise not_finite(f"text {row} ({brief(given[row])})", self)
            return list(result)

        lengths = [max(map(len, item)) for item in items]
        shown: dict[str, Any] = {"stage": "predicting", "unit": "texts", "threads": threads, "progress": progress}
        rows = in_batches(lengths, answers, size=BATCH, slow=True, **shown)
        truncated = sum(any(map(self.reader.is_long, item)) for item in items)
        warn_truncated(truncated, len(items), self.reader.max_length, self.unit)
        return np.array(rows).reshape(len(items), len(self.labels))

    @explained
    def encode(self, texts: Sequence[Text], *, batch_size: int | None = None, progress: Progress = None) -> Matrix:
        """Return the vectors of texts, from which labels are predicted: (N, D) float32; see `TextEncoder.encode`.

        Args:
            texts: N texts, each a string or its tokens; not pairs, whose texts are encoded one by one.
            batch_size: texts that are encoded at once; None for 256.

        Raises:
            OptionError: `batch_size` is below 1.
            ArgumentTypeError: `texts` is one string, or no list of texts.
        """
        truncated = 0

        def vectors(batch: list[Text]) -> Matrix:
            nonlocal truncated
            ids = [self.reader.read(text) for text in batch]
            truncated += sum(map(self.reader.is_long, ids))
            result = np.zeros((len(ids), self.dim), dtype=np.float32)
            self._fill([(text,) for text in ids], self.module.encoder, result)
            return result

        size = BATCH if batch_size is None else batch_size
        result = encoded_in_batches(
            texts, vectors, self.dim, model=self, batch_size=size, progress=progress, by_length=True
        )
        warn_truncated(truncated, len(result), self.reader.max_length, self.unit)
        return result

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
    ) -> LabelScores | RelatednessScores:
        """Compute precision, recall and F1 on texts with labels, as `firth.Classifier.test` does.

        Texts without a label are left out. A label that the model does not know lowers recall. For related pairs,
        return the correlations of predicted and true scores.

        Args:
            source: the texts, as for `train`.
            labels: their labels, likewise.
            column: the column of texts, likewise.
            k: number of labels predicted per text.
            threshold: smallest probability of a predicted label.
            **table: how a table in a text file is read; see `firth.TableOptions`.

        Raises:
            CorpusError: the source is missing, not text, or empty, or no text has a label.
            OptionError: an option is out of its range, or there are not as many labels as texts.
        """
        k = check_k(k, threshold, len(self.labels))
        options, pairs = TableOptions(**table), self.options.pairs
        with reporting(progress) as report:
            data = read_examples(source, labels, column, pairs=pairs, report=report, table_options=options)
        if self.options.gives_scores:
            data = data.rows(np.flatnonzero([bool(names) for names in data.labels]))
            true = scores_of(data.labels, data.name)
            return relatedness_scores(true, self.relatedness(data.texts, threads=threads))
        texts = data.texts if self.options.pairs else [text for (text,) in data.texts]
        probabilities = self.probabilities(texts, threads=threads, progress=progress)
        return self._scores(data.labels, probabilities, k, threshold)

    def _is_single(self, texts: Any) -> bool:
        if not self.options.pairs:
            return isinstance(texts, str)
        return isinstance(texts, tuple) and len(texts) == 2 and all(isinstance(text, str) for text in texts)

    def _sides(self, item: Any, number: int) -> tuple[TextIds, ...]:
        """Return the ids of a text, or of both texts of a pair."""
        if not self.options.pairs:
            return (self._text(item, number),)
        if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 2:
            raise CorpusError(f"texts: item {number} is {brief(item)}; expected a pair of two texts")
        pair = tuple(self._text(text, number) for text in item)
        # In one order, so that not even rounding tells (a, b) from (b, a).
        return tuple(sorted(pair, key=lambda ids: ids.tobytes())) if self.options.symmetric else pair

    def _text(self, text: Any, number: int) -> TextIds:
        if not isinstance(text, str) and not (isinstance(text, Sequence) and all(isinstance(t, str) for t in text)):
            raise CorpusError(f"texts: item {number} is {brief(text)}; expected a text")
        return self.reader.read(text)

    @torch.no_grad()
    def _fill(self, items: Sequence[tuple[TextIds, ...]], apply: Any, result: npt.NDArray[Any]) -> None:
        """Fill in the rows of a batch's items with known words."""
        rows = [row for row, item in enumerate(items) if all(map(self.reader.is_known, item))]
        if not rows:
            return
        sides = range(len(items[rows[0]]))
        inputs = self.reader.collate([self.reader.shorten(items[row][side]) for side in sides for row in rows])
        result[rows] = apply(inputs.to(self.device)).cpu().numpy()

    def explainable(self, text: str, target: str | None = None) -> EmbeddedText:
        """Return a text as attribution methods need it; `firth.explain` is the way to use it.

        Args:
            target: a label; None for the most probable one.

        Raises:
            OptionError: there is no such label, the text has no known word, or the model is one of pairs.
        """
        module, reader = self.module, self.reader
        if self.options.pairs:
            raise OptionError(f"{self!r} reads pairs: only models of single texts can be explained")
        if reader.embedders:
            raise OptionError(f"{self!r} has embedders, whose vectors are not those of words: expected a model without")
        if reader.pieces is not None:
            raise OptionError(f"{self!r} reads word pieces: only models of words and characters can be explained")
        ids = reader.read(text)
        if not reader.is_known(ids):
            raise OptionError(f"text={brief(text)}: expected at least one word that the model knows")
        warn_truncated(int(reader.is_long(ids)), 1, reader.max_length, self.unit)
        tokens = list(split(text, reader.tokens))[: reader.max_length]

        def log_probs(ids: torch.Tensor) -> torch.Tensor:
            lengths = torch.full((len(ids),), ids.shape[1], dtype=torch.int64, device=ids.device)
            result: torch.Tensor = module(Sequences(ids, lengths)).log_softmax(1)
            return result

        inputs = reader.collate([reader.shorten(ids)]).ids[0].to(self.device)
        if target is None:
            with torch.no_grad():
                number = int(log_probs(inputs[None])[0].argmax())
        elif target in self.labels:
            number = self.labels.index(target)
        else:
            raise OptionError(f"target={brief(target)}: expected a label of the model: {', '.join(self.labels[:10])}")
        return EmbeddedText(
            module,
            module.encoder.embeddings,
            inputs,
            tokens,
            self.labels[number],
            lambda ids: log_probs(ids)[:, number],
            from_last=False,
        )

    def randomised(self, seed: int = 0) -> "LabelModel":
        """Return a model of the same options with random parameters."""
        module = new_module(self.options, self.reader, len(self.labels), seed)
        return LabelModel(module, self.options, self.reader, self._labels, self.metadata)
