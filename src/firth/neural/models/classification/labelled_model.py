"""What trained models of texts and of trees with labels share: labels, predictions, scores, saving."""

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.classify.classifier import Prediction, check_k
from firth.classify.features import Features
from firth.classify.labels import LabelSet
from firth.classify.scores import LabelScores, label_scores
from firth.errors import OptionError
from firth.neural.models.classification.classifier import LabelModule
from firth.neural.models.classification.data import label_counts
from firth.neural.models.classification.reader import TextReader
from firth.neural.models.tokens.embedders import embedder_config, embedder_folders
from firth.neural.saved import SavedModel
from firth.progress import Progress
from firth.storage.model_folder import ModelFolder
from firth.storage.untrusted import parse_json
from firth.training_facts import with_training_facts

COUNTS = "label_counts"


class LabelledModel(SavedModel):
    """A trained model of texts or trees, or of pairs of them, with labels.

    Args:
        module: with trained parameters.
        reader: how it reads words.
        labels: the labels, with their counts in training.

    Attributes:
        inputs: what the model reads: "texts" or "trees".
        folder_kind: of its folder.
        module: in evaluation mode.
    """

    inputs: ClassVar[str]
    folder_kind: ClassVar[str]
    module: LabelModule

    def __init__(
        self,
        module: LabelModule,
        options: Any,
        reader: TextReader,
        labels: LabelSet,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.module, self.options, self.reader = module.eval(), options, reader
        self._labels = labels
        self.metadata = with_training_facts(metadata)

    def __repr__(self) -> str:
        pairs = f", {self.options.pairs} of pairs" if self.options.pairs else ""
        what = f"{len(self.labels):,} labels, {len(self.words):,} {self.unit}"
        return f"<{type(self).__name__}: {type(self.options).__name__}{pairs}, {what}>"

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def labels(self) -> list[str]:
        """The L labels, most frequent first; of related pairs the whole numbers of the scale."""
        return self._labels.names

    @property
    def label_counts(self) -> npt.NDArray[np.int64]:
        """(L,) counts of the labels in the training examples."""
        return self._labels.counts

    @property
    def words(self) -> Sequence[str]:
        """The V words, or characters, that the model knows."""
        return self.reader.words

    @property
    def unit(self) -> str:
        """What the model reads: "words", "characters" or "word pieces"."""
        return self.reader.unit

    @property
    def dim(self) -> int:
        """D, the width of the vectors of texts or trees."""
        return self.module.encoder.width

    @abc.abstractmethod
    def probabilities(
        self, items: Any, /, *, threads: int | None = None, progress: Progress = False
    ) -> npt.NDArray[np.float64]:
        """Return the probability of every label: (L,) of one text or tree, or pair of them, (N, L) of several."""

    @abc.abstractmethod
    def _is_single(self, items: Any) -> bool:
        """Return whether it is one text or tree, or one pair, and not several."""

    @explained
    def relatedness(self, pairs: Any, *, threads: int | None = None) -> npt.NDArray[np.float64]:
        """Return the scores of pairs, (N,) float64: the means of their distributions over the scale.

        Args:
            pairs: N tuples of two texts, or of two trees.

        Raises:
            OptionError: the model was not trained with pairs="relatedness".
        """
        if self.options.pairs != "relatedness":
            raise OptionError(f"{self!r} gives labels, no scores: train with pairs='relatedness'")
        scale = np.arange(self.options.lowest, self.options.highest + 1, dtype=np.float64)
        return np.asarray(self.probabilities(pairs, threads=threads) @ scale)

    def _predicted(self, items: Any, k: int, threshold: float, threads: int | None) -> Any:
        """Return the most probable labels of one item, or of several."""
        single = self._is_single(items)
        k = check_k(k, threshold, len(self.labels))
        named = self._named(self.probabilities([items] if single else items, threads=threads), k, threshold)
        return named[0] if single else named

    def _named(self, probabilities: npt.NDArray[np.float64], k: int, threshold: float) -> list[Prediction]:
        best = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
        return [
            [(self.labels[i], float(values[i])) for i in row if values[i] >= threshold]
            for row, values in zip(best, probabilities, strict=True)
        ]

    def _scores(
        self, true: Sequence[Sequence[str]], probabilities: npt.NDArray[np.float64], k: int, threshold: float
    ) -> LabelScores:
        """Compare N predictions with the true labels, of which the model may not know some."""
        names = [*self.labels, *(name for name in label_counts(true).names if name not in self._labels.ids)]
        numbers, ends = LabelSet(names, np.zeros(len(names), np.int64)).encode(true)
        features = Features(np.empty(0, np.int32), np.zeros(len(true), np.int64), numbers, ends)
        best = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
        predicted = np.take_along_axis(probabilities, best, 1) >= threshold
        return label_scores(names, features, best.astype(np.int32), predicted)

    def _content(self) -> ModelFolder:
        """Return what `save` writes; see `firth.neural.models.classification.predict`."""
        texts: dict[str, Any] = {}
        encoder: dict[str, Any] = {}
        if self.reader.pieces is not None:
            texts, encoder = (
                {"tokenizer": parse_json(self.reader.pieces.rules)},
                {"encoder": dataclasses.asdict(self.reader.sizes)},
            )
        return self._model_folder(
            self.folder_kind,
            {COUNTS: self.label_counts},
            {"vocab": list(self.words), "labels": self.labels, **texts},
            {
                "min_count": self.reader.min_count,
                "counted": self.reader.counted,
                **encoder,
                **embedder_config(self.reader.embedders),
            },
            (f"A model of {self.inputs} with labels", f": {len(self):,} labels, {len(self.words):,} {self.unit}", ""),
            embedder_folders(self.reader.embedders),
        )
