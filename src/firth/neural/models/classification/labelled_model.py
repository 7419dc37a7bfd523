"""What trained models of texts and of trees with labels share: labels, predictions, scores, saving."""

import abc
import dataclasses
import json
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.classify.classifier import Prediction, check_k
from firth.classify.labels import LabelSet
from firth.classify.scores import LabelScores, scores_of_probabilities
from firth.errors import FormatError, OptionError
from firth.neural.models.classification.classifier import LabelModule, new_module
from firth.neural.models.classification.reader import TextReader
from firth.neural.models.pretraining.network import EncoderConfig
from firth.neural.models.tokens.embedders import embedder_config, embedder_folders, restored_embedders
from firth.neural.saved import Field, Saved, SavedModel
from firth.progress import Progress
from firth.storage.model_folder import ModelFolder
from firth.storage.untrusted import parse_json
from firth.text.wordpieces import WordPieces

COUNTS = "label_counts"


def _write_reader(reader: TextReader) -> Saved:
    texts: dict[str, Any] = {"vocab": list(reader.words)}
    config: dict[str, Any] = {"min_count": reader.min_count, "counted": reader.counted}
    if reader.pieces is not None:
        texts["tokenizer"] = parse_json(reader.pieces.rules)
        config["encoder"] = dataclasses.asdict(reader.sizes)
    config |= embedder_config(reader.embedders)
    return Saved(texts=texts, config=config, subfolders=embedder_folders(reader.embedders))


def _read_reader(content: ModelFolder, options: Any) -> TextReader:
    words, (tokens, max_length) = content.words(), options.reads
    facts: dict[str, Any] = {name: int(content.config[name]) for name in ("min_count", "counted")}
    if len(set(words)) != len(words):
        raise ValueError(f"{len(words):,} words with duplicates")
    if "tokenizer" not in content.texts:
        return TextReader(words, tokens, max_length, **facts, embedders=restored_embedders(content))
    try:
        pieces, sizes = WordPieces(json.dumps(content.texts["tokenizer"])), EncoderConfig(**content.config["encoder"])
    except (KeyError, TypeError, FormatError, OptionError) as error:
        raise content.damaged(f"no word pieces or no sizes of an encoder ({error})") from None
    numbers = sum(array.size for array in content.arrays.values())
    large = [name for name, size in vars(sizes).items() if isinstance(size, int) and size > numbers]
    if large or len(pieces) > sizes.vocabulary or pieces.vocabulary != words:
        raise content.damaged(f"sizes of an encoder that do not fit its word pieces and tensors: {sizes}")
    return TextReader(words, tokens, min(max_length, sizes.max_length - 2), **facts, pieces=pieces, sizes=sizes)


def _read_labels(content: ModelFolder, options: Any) -> LabelSet:
    names = content.words("labels")
    if len(names) < 2 or len(set(names)) != len(names):
        raise ValueError(f"{len(names):,} labels; expected two or more and no duplicates")
    return LabelSet(names, content.counts(COUNTS, len(names)))


class LabelledModel(SavedModel):
    """A trained model of texts or trees, or of pairs of them, with labels.

    Args:
        module: with trained parameters.
        options: of the model.
        reader: how it reads words.
        labels: the labels, with their counts in training.
        metadata: JSON values: how it was trained.

    Attributes:
        inputs: what the model reads: "texts" or "trees".
        module: in evaluation mode.
    """

    saved_fields: ClassVar = (
        Field("reader", _write_reader, _read_reader),
        Field(
            "_labels",
            lambda labels: Saved(arrays={COUNTS: labels.counts}, texts={"labels": labels.names}),
            _read_labels,
            (COUNTS,),
        ),
    )
    resized: ClassVar = ("num_batches_tracked",)  # of batch normalisation
    inputs: ClassVar[str]
    module: LabelModule
    reader: TextReader
    _labels: LabelSet

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
        return scores_of_probabilities(self._labels, true, probabilities, k, threshold)

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        reader, labels = values
        return new_module(options, reader, len(labels.names), seed=0)

    def _card(self) -> tuple[str, str, str]:
        return f"{self.what.capitalize()} with labels", f": {len(self):,} labels, {len(self.words):,} {self.unit}", ""
