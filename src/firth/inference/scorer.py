"""The interface between a search and a model: scores of the next word for several texts at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Candidates:
    """The best next words of B texts.

    Attributes:
        scores: (B, K) float64, in descending order; equal scores in ascending order of ids.
        ids: (B, K) int64.
    """

    scores: Floats
    ids: Ids

    def rows(self, rows: Sequence[int] | Ids) -> "Candidates":
        """Return the candidates of some texts."""
        return Candidates(self.scores[rows], self.ids[rows])


class DeviceScores(Protocol):
    """(B, V) log-probabilities on the model's device; `numpy.asarray` copies them to an array."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(B, V)."""
        ...

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]: ...

    def top(self, k: int) -> Candidates:
        """Return the k best words of each text, for k up to V."""
        ...

    def at(self, rows: Ids, ids: Ids) -> Floats:
        """Return the scores of one word each of some texts."""
        ...


# (B, V) natural logarithms of probabilities: an array, or scores that stay on the model's device
Scores = npt.NDArray[np.floating[Any]] | DeviceScores
Weights = npt.NDArray[np.floating[Any]]
# The state of B texts -> for each text, the (S,) weights of the positions of its own source, without padding, at the
# step that gave the scores returned with this state. A model that attends to a source may supply it.
Attention = Callable[[Any], Sequence[Weights]]


@dataclass(frozen=True, eq=False)
class Prompt(Sequence[int]):
    """The ids of a prompt with its words: a model that reads characters distinguishes words that share an id.

    Attributes:
        ids: n ids.
        words: n words, as they are written.
    """

    ids: tuple[int, ...]
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, position: Any) -> Any:
        return self.ids[position]


def words_of(prompt: Sequence[int]) -> tuple[str, ...]:
    """Return the words of a prompt as they are written; none if only ids are known."""
    return prompt.words if isinstance(prompt, Prompt) else ()


class Scorer(Protocol):
    """A model that a search can use. Only the model looks inside its states.

    A state belongs to a batch of B texts and contains everything that the model needs of them. No call changes a state
    that it receives: a search may use it again.
    """

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, Any]:
        """Return (B, V) scores of the word after each prompt, and the state after the prompts.

        Args:
            prompts: B sequences of ids, possibly empty; each a `Prompt` if words without an id of their own matter.
        """
        ...

    def advance(self, state: Any, ids: Ids) -> tuple[Scores, Any]:
        """Append one id to each text; return (B, V) scores of the word after it, and the new state.

        Args:
            state: of B texts.
            ids: (B,) next id of each text.
        """
        ...

    def reorder(self, state: Any, rows: Ids) -> Any:
        """Return the state of some texts, in a new order and possibly repeated.

        Args:
            state: of B texts.
            rows: (B',) the texts to keep.
        """
        ...


def as_float64(scores: Scores) -> Floats:
    """Return scores as a new (B, V) array."""
    return np.array(scores, dtype=np.float64)


def scores_at(scores: Scores, rows: Ids, ids: Ids) -> Floats:
    """Return the scores of one word each of some texts."""
    return scores[rows, ids].astype(np.float64) if isinstance(scores, np.ndarray) else scores.at(rows, ids)


def top_candidates(scores: Scores, k: int) -> Candidates:
    """Return the k best words of each text, or all V words if k is greater; NaN counts as the largest score."""
    k = min(k, scores.shape[1])
    if not isinstance(scores, np.ndarray):
        return scores.top(k)
    if k == 1:
        best = scores.argmax(axis=1)[:, None]
        return Candidates(np.take_along_axis(scores, best, axis=1).astype(np.float64), best)
    ids = np.tile(np.arange(scores.shape[1]), (len(scores), 1)) if k == scores.shape[1] else _largest(scores, k)
    return in_order(np.take_along_axis(scores, ids, axis=1).astype(np.float64), ids)


def in_order(scores: Floats, ids: Ids) -> Candidates:
    """Return candidates in their order: by falling score, then by id; NaN first."""
    order = np.lexsort((ids, -np.nan_to_num(scores, nan=np.inf, posinf=np.inf, neginf=-np.inf)), axis=1)
    return Candidates(np.take_along_axis(scores, order, axis=1), np.take_along_axis(ids, order, axis=1))


def _largest(scores: npt.NDArray[Any], k: int) -> Ids:
    """Return (B, k) ids of the largest scores, in any order; of equal scores at the limit the lowest ids."""
    limits = np.partition(scores, -k, axis=1)[:, -k]
    rows, ids = np.nonzero(~(scores < limits[:, None]))  # NaN is not below any limit
    if len(ids) == k * len(scores):
        return ids.reshape(len(scores), k)
    result = np.empty((len(scores), k), dtype=np.int64)
    for row, equal in enumerate(np.split(ids, np.flatnonzero(np.diff(rows)) + 1)):
        result[row] = in_order(scores[row : row + 1, equal], equal[None]).ids[0, :k]
    return result
