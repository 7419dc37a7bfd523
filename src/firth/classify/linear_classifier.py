"""LinearClassifier: logistic regression over the TF-IDF of words and character n-grams, or over averages of vectors.

What: a text is a sparse row of its words, pairs of neighbouring words and character n-grams (`firth.classify.terms`);
with word vectors the smooth inverse frequency average of its words stands beside them, or alone. A logistic regression
predicts the labels. With several labels on a text there is one per label, one versus rest.

Objective: `firth.evaluation.linear` has the formula; the penalty is 1 / (C n) for n texts.

Source: Wang and Manning 2012, "Baselines and bigrams: simple, good sentiment and topic classification"; Arora, Liang
and Ma 2017, "A simple but tough-to-beat baseline for sentence embeddings", for the averages.

Departures: C is 20 for texts of any number, where scikit-learn's default is 1: chosen at 100, 300, 1,000 and 3,000
texts of TREC and SST-2 (benchmarks/results/small/classify.md). The solver stops after some twenty steps. Character
n-grams belong to words, as with "char_wb". Averages are standardised and divided by the square root of their width, so
that they weigh as much as the terms.

Cost: a few seconds for ten thousand sentences; one fit without a search.
"""

import dataclasses
import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from firth.arguments import explained
from firth.classify.class_weights import class_weights_option, label_weights
from firth.classify.examples import Examples
from firth.classify.labels import LabelSet, warn_alike, warn_joined, warn_several
from firth.classify.linear_model import LinearModel, TextFeatures
from firth.classify.terms import TermWeights
from firth.corpus.table_options import TableArguments, TableOptions
from firth.errors import CorpusError, OptionError
from firth.evaluation.linear import Curvature, Scale, independent_path, logistic_path
from firth.options import Preset, check, check_kind, option, options_class
from firth.progress import Progress, Status, reporting
from firth.sentences.averages import FEWEST_TEXTS, SentenceAverages, shared_direction
from firth.text.tokenise import tokeniser
from firth.vectors.averages import along
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

FEATURES = ("terms", "averages", "both")
STRENGTH = 20.0  # C
TOLERANCE = 3e-3  # of the gradient: twenty steps; a hundred more change a prediction in a thousand
Vectors = WordVectors | SubwordVectors


@options_class
class LinearClassifier:
    """Linear classifier of texts: its options, and `train`.

    Source:
        Wang and Manning 2012; the module docstring has the formulas and all departures.
    """

    presets: ClassVar = {"linear": Preset("Logistic regression over TF-IDF, or averages of vectors (Wang 2012).")}
    common_options: ClassVar = ("features", "word_ngrams", "min_n", "max_n", "c", "tokens")

    features: str | None = option(
        None,
        "what is read: terms, averages of word vectors, or both; default: terms, with vectors both",
        choices=FEATURES,
    )
    c: float = option(STRENGTH, "inverse of the L2 penalty, as in scikit-learn", minimum=0, exclusive=True)
    word_ngrams: int = option(
        2, "longest word n-gram: 1 for words, 2 for pairs of neighbours, too", minimum=1, maximum=2
    )
    min_n: int = option(2, "shortest character n-gram of a word", minimum=1)
    max_n: int = option(5, "longest character n-gram of a word; 0 for none", minimum=0)
    tokens: str = option("words", "how texts are split into words, as in Corpus.build")
    class_weights: str | None = class_weights_option()

    def __post_init__(self) -> None:
        check(self)
        if self.max_n and self.min_n > self.max_n:
            raise OptionError(f"min_n={self.min_n}, max_n={self.max_n}: expected min_n to be at most max_n")
        tokeniser(self.tokens)

    @explained
    def train(
        self,
        source: Any,
        labels: Any = None,
        *,
        column: str | int | None = None,
        vectors: Vectors | None = None,
        progress: Progress = None,
        **table: Unpack[TableArguments],
    ) -> LinearModel:
        """Train a classifier on texts with labels.

        Args:
            source: texts with labels, as for `firth.TextClassifier.train`.
            labels: their labels, likewise.
            column: the column of texts in a table.
            vectors: word vectors, whose averages are read, too.
            progress: how to show progress; see `firth.progress`.
            **table: how a table in a text file is read; see `firth.TableOptions`.

        Returns:
            A classifier, with `metadata["training"]`: options, texts, texts left out, seconds.

        Raises:
            CorpusError: the source is missing, not text, or empty; no text has a label, or all have the same label.
            OptionError: averages are asked for without vectors.
        """
        options = TableOptions(**table)
        with reporting(progress) as report:
            examples = Examples.read(source, labels, column, report, options)
            report(Status(stage="training", done=0, total=len(examples), unit="texts"))
            return train_linear(self, examples, vectors=vectors)


def train_linear(options: LinearClassifier, examples: Examples, *, vectors: Vectors | None = None) -> LinearModel:
    """Train on examples that are already read; see `LinearClassifier.train`."""
    began = time.monotonic()
    if vectors is not None:
        check_kind("vectors", vectors, WordVectors, SubwordVectors)
    features = options.features or ("terms" if vectors is None else "both")
    if features != "terms" and vectors is None:
        raise OptionError(f"features={features!r} without vectors: expected vectors=, or features='terms'")
    chosen = examples.usable()
    labels = learned_labels(chosen, len(examples))
    texts = [text for (text,) in chosen.texts]
    reader, rows = _reader(dataclasses.replace(options, features=features), texts, vectors)
    independent, coefficients, intercepts = _fit(options, rows, labels, chosen.labels)
    facts = {
        "options": {"model": "linear", **dataclasses.asdict(options), "features": features},
        "texts": len(chosen),
        "texts_left_out": len(examples) - len(chosen),
        "seconds": round(time.monotonic() - began, 3),
        "interrupted": False,
    }
    return LinearModel(
        features=reader,
        labels=labels.names,
        label_counts=labels.counts,
        coefficients=coefficients.astype(np.float32),
        intercepts=intercepts.astype(np.float32),
        independent=independent,
        metadata={"training": facts},
    )


def learned_labels(examples: Examples, read: int) -> LabelSet:
    """Return the labels of examples with text, of so many that were read.

    Raises:
        CorpusError: there are none, or all have the same label.
    """
    counts = Counter(label for names in examples.labels for label in set(names))
    if not counts:
        raise CorpusError(f"{examples.name}: {read:,} texts, none with a label and a word; expected a label for each")
    if len(counts) < 2:
        only = f"{len(examples):,} texts have one label only, {next(iter(counts))!r}"
        raise CorpusError(f"{examples.name}: {only}; expected two or more")
    labels = LabelSet.of(counts)
    warn_joined(labels.names, examples.name)
    warn_alike(labels.names, examples.name)
    several = sum(len(set(names)) > 1 for names in examples.labels)
    warn_several(
        several, len(examples), "each label is learned on its own, with a probability of its own",
        "the probabilities of a text need not sum to 1",
    )  # fmt: skip
    return labels


def _reader(options: LinearClassifier, texts: Sequence[str], vectors: Vectors | None) -> tuple[TextFeatures, Any]:
    """Return the features of texts, terms and averages with the scale that the texts give them, and their rows."""
    terms = averages = scale = None
    parts = list[Any]()
    if options.features != "averages":
        split = TextFeatures(options.tokens, None).split(texts)
        terms, rows = TermWeights.learn(
            split, word_ngrams=options.word_ngrams, min_n=options.min_n, max_n=options.max_n
        )  # fmt: skip
        parts.append(rows)
    if options.features != "terms":
        assert vectors is not None
        averages = SentenceAverages(vectors)
        means = averages.encode(list(texts), progress=False)
        direction = shared_direction([means]) if len(set(texts)) >= 2 * FEWEST_TEXTS else None
        if direction is not None:
            averages = SentenceAverages(vectors, direction=direction)
            means = means - along(means, direction)
        scale = Scale.of(means, weights=np.full(means.shape[1], 1 / math.sqrt(means.shape[1])))
        parts.append(scale(means) if terms is None else csr_array(scale(means)))
    features = TextFeatures(options.tokens, terms, averages, scale)
    return features, parts[0] if len(parts) == 1 else csr_array(hstack(parts, format="csr"))


def _fit(
    options: LinearClassifier, rows: Any, labels: LabelSet, given: Sequence[Sequence[str]]
) -> tuple[bool, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return whether labels are independent, their coefficients (L, F) and intercepts (L,)."""
    penalty = [1 / (options.c * len(given))]
    weigh = label_weights(options.class_weights)
    curvature = Curvature.of(rows) if isinstance(rows, np.ndarray) else Curvature.of_columns(rows)
    if any(len(set(names)) > 1 for names in given):
        targets = np.zeros((len(given), len(labels.names)), dtype=bool)
        for row, names in enumerate(given):
            targets[row, [labels.ids[name] for name in names]] = True
        independent = independent_path(rows, targets, penalty, curvature=curvature, tolerance=TOLERANCE, weigh=weigh)[0]
        return True, independent.coefficients, independent.intercepts
    numbers = np.array([labels.ids[names[0]] for names in given], dtype=np.int64)
    model = logistic_path(rows, numbers, penalty, curvature=curvature, tolerance=TOLERANCE, weigh=weigh)[0]
    if len(labels.names) > 2:
        return False, model.coefficients, model.intercepts
    coefficients, intercepts = np.zeros((2, rows.shape[1])), np.zeros(2)
    coefficients[1], intercepts[1] = model.coefficients[0], model.intercepts[0]  # of the second against the first
    return False, coefficients, intercepts
