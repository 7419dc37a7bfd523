"""A trained linear classifier of texts: predictions, scores, explanations, and the folder it is saved in.

The folder holds, besides the files that every folder has (`firth.storage.model_folder`):

    model.safetensors    "coefficients" (K, F) and "intercepts" (K,) float32; "label_counts" (L,) int64; "weights" (T,)
                         float32, the inverse document frequencies; "pairs" (P, 2) int32; with averages of word vectors
                         "mean" and "factor" (D,) float32
    vocab.json           the V words
    names.json           the C character n-grams
    labels.json          the L labels
    model-0              the word vectors, if there are any
"""

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack
from scipy.special import expit, softmax

from firth import registry
from firth.arguments import explained, made_by
from firth.classify.classifier import Prediction, check_k
from firth.classify.examples import Examples
from firth.classify.labels import LabelSet
from firth.classify.linear_text import LinearTerms
from firth.classify.scores import LabelScores, scores_of_probabilities
from firth.classify.terms import TermWeights
from firth.corpus.table_options import TableArguments, TableOptions
from firth.errors import CorpusError, OptionError, brief
from firth.evaluation.linear import Scale
from firth.hints import Hinted
from firth.notebook import facts
from firth.progress import Progress, reporting
from firth.randomness import generator
from firth.sentences.averages import SentenceAverages
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.text.batches import TextsWarning
from firth.text.inputs import Text, check_items
from firth.text.tokenise import tokeniser
from firth.training_facts import with_training_facts

KIND = "firth-linear-classifier"
BATCH = 1 << 12  # texts that are scored at once
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """Texts to rows: terms by TF-IDF, averages of word vectors, or both.

    Attributes:
        tokens: how texts are split, as in `Corpus.build`.
        terms: the terms; None for averages alone.
        averages: the encoder of averages; None for terms alone.
        scale: standardises the averages, which then have a mean squared length of 1.
    """

    tokens: Any
    terms: TermWeights | None
    averages: SentenceAverages | None = None
    scale: Scale | None = None

    def split(self, texts: Sequence[Text]) -> list[Sequence[str]]:
        """Return the tokens of texts."""
        split = tokeniser(self.tokens)
        return [split(text) if isinstance(text, str) else list(text) for text in texts]

    def rows(self, texts: Sequence[Text]) -> Any:
        """Return the rows of texts, (n, F) float32: sparse, or dense for averages alone."""
        if self.averages is None:
            assert self.terms is not None
            return self.terms.rows(self.split(texts))
        assert self.scale is not None
        means = self.scale(self.averages.encode(list(texts), progress=False))
        if self.terms is None:
            return means
        return csr_array(hstack([self.terms.rows(self.split(texts)), csr_array(means)], format="csr"))

    @property
    def number_of_terms(self) -> int:
        """T, the number of columns before those of the averages."""
        return 0 if self.terms is None else len(self.terms)


@made_by("firth.LinearClassifier(...).train({}) to train one, or firth.load({}) to open one")
@dataclass(frozen=True, eq=False, kw_only=True)
class LinearModel(Hinted):
    """A trained linear classifier, as `firth.LinearClassifier(...).train` returns it.

    Attributes:
        features: texts to rows.
        labels: L labels, most frequent first.
        label_counts: (L,) int64, counts in the training texts.
        coefficients: (L, F) float32.
        intercepts: (L,) float32.
        independent: whether a text may have several labels, each with a probability of its own.
        metadata: facts about the training, JSON-compatible.
    """

    features: TextFeatures
    labels: list[str]
    label_counts: npt.NDArray[np.int64]
    coefficients: Floats
    intercepts: Floats
    independent: bool
    metadata: dict[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", with_training_facts(self.metadata))

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"<LinearModel: {len(self.labels):,} labels, {self.described()}>"

    def described(self) -> str:
        """Return what the model reads of a text, such as "5,000 terms and averages of 100 dimensions"."""
        parts = [f"{len(self.features.terms):,} terms"] if self.features.terms is not None else []
        if self.features.averages is not None:
            parts.append(f"averages of vectors of {self.features.averages.dim} dimensions")
        return " and ".join(parts)

    def _repr_html_(self) -> str:
        return facts("LinearModel", [("labels", f"{len(self.labels):,}"), ("reads", self.described())])

    @property
    def words(self) -> Sequence[str]:
        """The words that the model knows, most frequent first."""
        if self.features.terms is not None:
            return self.features.terms.words
        assert self.features.averages is not None
        return list(self.features.averages.vectors.words)

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
    ) -> Prediction | list[Prediction]:
        """Return the most probable labels; arguments and result as of `firth.Classifier.predict`.

        Raises:
            OptionError: `k` is below 1, or `threshold` is not a probability.
            CorpusError: an item is not a text.
        """
        k = check_k(k, threshold, len(self.labels))
        if isinstance(texts, str):
            return self.predict([texts], k, threshold)[0]
        probabilities = self.probabilities(texts)
        best = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
        return [
            [(self.labels[i], float(values[i])) for i in row if values[i] >= threshold]
            for row, values in zip(best.tolist(), probabilities, strict=True)
        ]

    @explained
    def probabilities(self, texts: str | Iterable[str], *, threads: int | None = None) -> npt.NDArray[np.float64]:
        """Return the probability of every label, in the order of `labels`: (L,), or (texts, L) float64.

        They sum to 1, unless the model learned several labels per text, when each is independent of the others.

        Raises:
            CorpusError: an item is not a text.
        """
        if isinstance(texts, str):
            return np.asarray(self.probabilities([texts])[0])
        items = list(check_items(texts))
        for number, text in enumerate(items):
            if not isinstance(text, str) and not (isinstance(text, Sequence) and all(isinstance(t, str) for t in text)):
                raise CorpusError(f"texts: item {number} is {brief(text)}; expected a text")
        parts = [self.of_logits(self._logits(items[i : i + BATCH])) for i in range(0, len(items), BATCH)]
        return np.concatenate([np.zeros((0, len(self.labels))), *parts])

    def of_logits(self, logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the probabilities of (n, L) logits."""
        return np.asarray(expit(logits) if self.independent else softmax(logits, axis=1))

    def _logits(self, texts: Sequence[Text]) -> npt.NDArray[np.float64]:
        return np.asarray(self.features.rows(texts) @ self.coefficients.T, dtype=np.float64) + self.intercepts

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
        """Compute precision, recall and F1 on texts with labels; arguments as of `firth.Classifier.test`.

        Raises:
            CorpusError: the source is missing, not text, or empty, or no text has a label.
            OptionError: an option is out of its range, or the numbers of labels and texts differ.
        """
        k = check_k(k, threshold, len(self.labels))
        options = TableOptions(**table)
        with reporting(progress) as report:
            examples = Examples.read(source, labels, column, report, options)
        if not any(examples.labels):
            raise CorpusError(f"{examples.name}: {len(examples):,} texts, none with a label; expected a label for each")
        return self.scores([text for (text,) in examples.texts], examples.labels, k=k, threshold=threshold)

    def scores(
        self, texts: Sequence[str], labels: Sequence[Sequence[str]], *, k: int = 1, threshold: float = 0.0
    ) -> LabelScores:
        """Compute the scores of `test` on N texts and the labels of each."""
        trained = LabelSet(self.labels, self.label_counts)
        return scores_of_probabilities(trained, labels, self.probabilities(texts), k, threshold)

    def explainable(self, text: str, target: str | None = None) -> LinearTerms:
        """Return a text as attribution methods need it; `firth.explain` is the way to use it.

        Args:
            target: a label; None for the most probable one.

        Raises:
            OptionError: there is no such label, or the text has no known word.
        """
        logits = self._logits([text])[0]
        if target is None:
            number = int(logits.argmax())
        elif target in self.labels:
            number = self.labels.index(target)
        else:
            raise OptionError(f"target={brief(target)}: expected a label of the model: {', '.join(self.labels[:10])}")
        tokens = self.features.split([text])[0]
        rows, shares = self._contributions(tokens)
        if not len(rows):
            raise OptionError(f"text={brief(text)}: expected at least one word that the model knows")
        bias = logits - rows.sum(axis=0)
        return LinearTerms(
            tokens, self.labels[number], rows, shares, bias, number, self.independent,
            self._logits_of_part,
        )  # fmt: skip

    def _logits_of_part(self, tokens: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the logits of what is left of an explained text, which may be no known word."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TextsWarning)
            return np.asarray(self._logits([tokens])[0])

    def _contributions(self, tokens: Sequence[str]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return what each term, or word vector, adds to the logits, (N, L), and each token's share in it, (T, N)."""
        rows, shares, first = list[Any](), list[Any](), self.features.number_of_terms
        if self.features.terms is not None:
            values = self.features.terms.rows([tokens]).toarray()[0]
            occurrences = self.features.terms.terms_of(tokens)
            counts = np.bincount([term for term, _ in occurrences], minlength=first)
            for term, positions in occurrences:
                rows.append(self.coefficients[:, term].astype(np.float64) * values[term] / counts[term])
                shares.append(np.isin(np.arange(len(tokens)), positions) / len(positions))
        if self.features.averages is not None and self.features.scale is not None:
            covered = [position for position, token in enumerate(tokens) if token in self.features.averages.vectors]
            vectors = self.features.averages.encode([[tokens[position]] for position in covered], progress=False)
            weights = self.coefficients[:, first:].astype(np.float64) * self.features.scale.factor
            for position, vector in zip(covered, vectors, strict=True):
                rows.append(weights @ vector / len(covered))
                shares.append(np.arange(len(tokens)) == position)
        if not rows:
            return np.zeros((0, len(self.labels))), np.zeros((len(tokens), 0))
        return np.array(rows), np.array(shares, dtype=np.float64).T

    def randomised(self, seed: int = 0) -> "LinearModel":
        """Return a model whose coefficients are random, with the mean and spread of the trained ones."""
        weights, draw = self.coefficients, generator(seed, "random coefficients")
        return replace(self, coefficients=draw.normal(weights.mean(), weights.std(), weights.shape).astype(np.float32))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model in a folder for `firth.load`.

        Raises:
            OptionError: the path is another kind of folder.
            OSError: the folder cannot be written.
        """
        model_folder.write(path, folder_of(self))


def folder_of(model: LinearModel) -> ModelFolder:
    """Return the content of a model's folder."""
    features, terms, averages = model.features, model.features.terms, model.features.averages
    arrays: dict[str, npt.NDArray[Any]] = {
        "coefficients": model.coefficients,
        "intercepts": model.intercepts,
        "label_counts": model.label_counts,
    }
    texts: dict[str, Any] = {"labels": model.labels}
    config: dict[str, Any] = {"independent": model.independent, "tokens": features.tokens}
    if terms is not None:
        arrays |= {"weights": terms.weights, "pairs": terms.pairs}
        texts |= {"vocab": list(terms.words), "names": list(terms.ngrams)}
        config |= {"min_n": terms.min_n, "max_n": terms.max_n}
    subfolders: dict[str, Any] = {}
    if averages is not None and features.scale is not None:
        arrays |= {"mean": features.scale.mean, "factor": features.scale.factor}
        subfolders["model-0"] = lambda path: averages.save(path)
    card = f"""---
library_name: firth
tags: [text-classification]
---

# {" ".join(str(model.metadata.get("name", "Linear text classifier")).split())}

{len(model.labels):,} labels, {model.described()}.

```python
import firth

classifier = firth.load("this/folder")
classifier.predict("a text")
```
"""
    return ModelFolder(
        kind=KIND, arrays=arrays, texts=texts, config=config, metadata=model.metadata, card=card, subfolders=subfolders
    )


def restore(content: ModelFolder) -> LinearModel:
    """Return the model of a folder."""
    labels = content.words("labels")
    if len(labels) < 2 or len(set(labels)) != len(labels):
        raise content.damaged(f"{len(labels):,} labels; expected two or more and no duplicates")
    features = _features(content)
    columns = features.number_of_terms + (0 if features.averages is None else features.averages.dim)
    return LinearModel(
        features=features,
        labels=labels,
        label_counts=content.counts("label_counts", len(labels)),
        coefficients=content.array("coefficients", (len(labels), columns), dtype=np.float32),
        intercepts=content.array("intercepts", (len(labels),), dtype=np.float32),
        independent=bool(content.config.get("independent")),
        metadata=dict(content.metadata),
    )


def _features(content: ModelFolder) -> TextFeatures:
    terms, averages, scale, config = None, None, None, content.config
    if "vocab" in content.texts:
        words, ngrams = content.words(), content.words("names")
        sizes = {name: config.get(name) for name in ("min_n", "max_n")}
        if not all(type(n) is int and 0 <= n < 2**31 for n in sizes.values()):
            raise content.damaged(f"the sizes {sizes} in config.json")
        if len(set(words)) != len(words) or len(set(ngrams)) != len(ngrams):
            raise content.damaged(f"{len(words):,} words and {len(ngrams):,} character n-grams with duplicates")
        pairs = content.numbers("pairs", (None, 2), len(words)).astype(np.int32, copy=False)
        weights = content.array("weights", (len(words) + len(pairs) + len(ngrams),), dtype=np.float32)
        keys = pairs.astype(np.int64) @ np.array([len(words), 1])
        if (np.diff(keys) <= 0).any():
            raise content.damaged("pairs of words that are not in ascending order")
        terms = TermWeights(words, pairs, ngrams, int(config["min_n"]), int(config["max_n"]), weights)
    if "model-0" in content.parts:
        averages = SentenceAverages.from_metadata(registry.restored(content.parts["model-0"]))
        if averages is None:
            raise content.damaged("vectors without the settings of their averages")
        scale = Scale(*(content.array(name, (averages.dim,), dtype=np.float32) for name in ("mean", "factor")))
    if terms is None and averages is None:
        raise content.damaged("neither terms nor word vectors")
    tokens = config.get("tokens")
    try:
        tokeniser(tokens)
    except OptionError as error:
        raise content.damaged(str(error)) from None
    return TextFeatures(tokens, terms, averages, scale)
