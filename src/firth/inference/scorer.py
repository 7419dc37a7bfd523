"""What a search asks of a model: scores of what may come next, for several beginnings at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.floating[Any]]  # (B, V) natural logarithms of probabilities; each row sums to one when raised


@dataclass(frozen=True, eq=False)
class Prompt(Sequence[int]):
    """The ids of a prompt with its words: a model that reads characters can tell words that share an id apart.

    Attributes:
        ids: n ids.
        words: n words, as they are written.
    """

    ids: tuple[int, ...]
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, place: Any) -> Any:
        return self.ids[place]


def words_of(prompt: Sequence[int]) -> tuple[str, ...]:
    """Return the words of a prompt as they are written; none where only ids are known."""
    return prompt.words if isinstance(prompt, Prompt) else ()


class Scorer(Protocol):
    """A model that can be searched; its states are its own affair.

    A state belongs to a batch of B sequences and says all that the model needs of what they hold so far. No call may
    change a state that it is given: a search may go back to it.
    """

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, Any]:
        """Return scores of what follows each prompt, which may be empty, and the state after it.

        Args:
            prompts: B sequences of ids, each a `Prompt` where words count that have no id of their own.

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

    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the state of some of the sequences, in another order, some of them perhaps several times.

        Args:
            state: of B sequences.
            rows: (B',) which of them.

        Returns:
            A state of B' sequences.
        """
        ...
