"""What firth's estimators share: texts as input, seeds and threads from scikit-learn's parameters, corpora."""

import contextlib
import copy
import numbers
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import check_random_state

from firth.corpus.encoded import Corpus
from firth.errors import ArgumentTypeError, CorpusError, OptionError, ShapeError, brief
from firth.sklearn.parameters import Options
from firth.text.inputs import check_items, token_lists

Texts = list[str] | list[Sequence[str]]


def texts_of(X: Any) -> Texts:
    """Return the input of an estimator as a list of texts, or of token lists.

    Args:
        X: a list, a one-dimensional array or a series of texts (str), or of lists of tokens.

    Raises:
        ArgumentTypeError: X is a string or a table, or an item is not a text.
        ShapeError: X is an array with more than one dimension.
    """
    items = check_items(X, "X")
    shape = getattr(items, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        raise ShapeError(
            f"X has the shape {shape}; expected one text per row, (n,); a ColumnTransformer passes one column as texts "
            "if it is named by a string, 'text' in place of ['text']"
        )
    texts = list(items)
    kinds = {isinstance(text, str) for text in texts}
    if kinds == {True}:
        return texts
    if True in kinds:
        i = next(i for i, text in enumerate(texts) if isinstance(text, str) != isinstance(texts[0], str))
        raise ArgumentTypeError(
            f"X[{i}]={brief(texts[i])} is {type(texts[i]).__name__}, X[0] is {type(texts[0]).__name__}; "
            "expected texts (str) only, or lists of tokens only; fill in missing values"
        )
    return token_lists(texts, str.split, "X")


def seed_of(random_state: Any) -> int:
    """Return firth's seed for scikit-learn's `random_state`: a number, a generator or None."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


class _NotIncremental:
    """Answers `partial_fit`: a vocabulary is not learned in parts."""

    def __get__(self, estimator: Any, kind: type) -> Any:
        raise AttributeError(
            f"{kind.__name__!r} has no attribute 'partial_fit'; use fit on all texts, or train(text, start=vectors) of "
            "firth's own models"
        )


class TextEstimator(BaseEstimator):
    """Abstract base class of estimators of texts.

    A class that inherits from it has the parameters `n_jobs` and `verbose`, and `random_state` if it draws random
    numbers.
    """

    shared: ClassVar[tuple[str, ...]] = ()  # parameters that clones share: models, which may be large and never change

    partial_fit = _NotIncremental()

    n_jobs: int | None
    verbose: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.non_deterministic = self.n_jobs not in (None, 1)
        return tags

    def __sklearn_clone__(self) -> Self:
        parameters = self.get_params(deep=False)
        values = {
            name: value if name in self.shared else clone(value, safe=False) for name, value in parameters.items()
        }
        twin = type(self)(**values)
        for name, value in vars(self).items():
            if name not in parameters and not name.endswith("_"):  # what `fit` has learned ends in _
                setattr(twin, name, copy.deepcopy(value))  # such as the format of the output
        return twin

    def _values(self, options: Options) -> dict[str, Any]:
        return {name: getattr(self, name) for name in options}

    def _check_unused(self, options: Options, given: str) -> None:
        """Check that options of a training that does not take place have their default.

        Raises:
            OptionError: one was given.
        """
        for name, field in options.items():
            value = getattr(self, name)
            if value is not field.default and value != field.default:
                raise OptionError(
                    f"{name}={brief(value)} given with {given}=, which is not trained here; leave out one"
                )

    def _training(self) -> dict[str, Any]:
        """Return arguments of `train`: seed, threads, progress."""
        return {"seed": seed_of(self.random_state), "threads": self._threads(), "progress": bool(self.verbose)}

    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    @contextlib.contextmanager
    def _corpus(self, texts: Texts, **options: Any) -> Iterator[Corpus]:
        """Build a corpus in a temporary folder, so that a grid search does not fill the cache."""
        if not texts:
            raise CorpusError("X is empty, a list of 0 texts; expected one text or more")
        with tempfile.TemporaryDirectory(prefix="firth-", ignore_cleanup_errors=True) as folder:
            # As a column of a table, texts are never taken for paths.
            yield Corpus.build({"text": texts}, cache=folder, progress=bool(self.verbose), **options)


class TextVectorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TextEstimator):
    """Abstract base class of transformers from texts to vectors, (n, D) float32."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags
