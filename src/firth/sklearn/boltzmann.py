"""Features of a restricted Boltzmann machine; see `firth.latent.rbm`."""

import warnings
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from firth.latent.boltzmann_machine import BINARY
from firth.latent.rbm import RBM
from firth.sklearn.base import seed_of
from firth.sklearn.parameters import options_of, takes_options

OPTIONS = options_of(RBM)


@takes_options(OPTIONS)
class RBMFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Transformer from rows of numbers to the probabilities of the hidden units of a restricted Boltzmann machine.

    Numbers outside 0 to 1 are cut, with a warning: scale them first, with `MinMaxScaler`. Softmax units take counts.

    Attributes:
        machine_: the `firth.BoltzmannMachine`.

    Source:
        Hinton 2002; Tieleman 2008.
    """

    random_state: Any
    verbose: bool

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from rows.

        Args:
            X: (n, V) array or sparse matrix.
            y: ignored.

        Raises:
            OptionError: a parameter is out of its range, or a count is no whole number.
        """
        rows = self._rows(X, reset=True)
        options = RBM(**{name: getattr(self, name) for name in OPTIONS})
        self.machine_ = options.train(rows, seed=seed_of(self.random_state), progress=bool(self.verbose))
        return self

    def transform(self, X: Any) -> npt.NDArray[np.float32]:
        """Return the probability of each hidden unit, (n, H) float32."""
        check_is_fitted(self)
        return self.machine_.encode(self._rows(X, reset=False))

    def _rows(self, X: Any, *, reset: bool) -> Any:
        rows = validate_data(self, X, accept_sparse="csr", reset=reset, dtype=(np.float32, np.float64))
        if self.visible != BINARY:
            return rows
        dense = rows.toarray() if hasattr(rows, "toarray") else rows
        if dense.min() < 0 or dense.max() > 1:
            warnings.warn(
                f"numbers from {dense.min():g} to {dense.max():g} are cut at 0 and 1; scale them first, with "
                "MinMaxScaler",
                stacklevel=3,
            )
        return np.clip(dense, 0, 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.machine_.dim
