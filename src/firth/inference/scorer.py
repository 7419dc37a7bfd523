"""What a search asks of a model: scores of what may come next, for several beginnings at once."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.floating[Any]]  # (B, V) natural logarithms of probabilities; each row sums to one when raised


class Scorer(Protocol):
    """A model that can be searched; its states are its own affair.

    A state belongs to a batch of B sequences and says all that the model needs of what they hold so far. No call may
    change a state that it is given: a search may go back to it.
    """

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, Any]:
        """Return scores of what follows each prompt, which may be empty, and the state after it.

        Args:
            prompts: B sequences of ids.

        Returns:
            (B, V) log-probabilities and a state.
        """
        ...

    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[Scores, Any]:
        """Return scores of what follows when each sequence goes on by one id, and the state after that.

        Args:
            state: of B sequences.
            ids: (B,) the next id of each.

        Returns:
            (B, V) log-probabilities and a state.
        """
        ...

    def choose(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the state of some of the sequences, in another order, some of them perhaps several times.

        Args:
            state: of B sequences.
            rows: (B',) which of them.

        Returns:
            A state of B' sequences.
        """
        ...
