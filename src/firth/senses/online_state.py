"""The state of the senses during multi-sense skip-gram training: their centres, and the vectors of contexts.

What: the senses of a word are clusters of its contexts. Every sense has a centre, the sum of its contexts. Each
occurrence takes the sense whose centre is nearest to its context, and the context is added to that centre
(`firth.kernels.sense_centres`).

Objective: the context of the word at position t, with global vectors u, their mean m in the text and a matrix A,

    x_t = sum_{0 < |j| <= window} A (u_{t+j} - m) / |j|,      s_t = argmax_s cos(x_t, c_s),      c_{s_t} += x_t / |x_t|

If cos(x_t, c_s) < lambda for every sense s of the word, and the word has fewer than its maximum, x_t opens a new sense
(NP-MSSG). With a fixed number of senses (MSSG), x_t opens one if its cosine with the nearest centre is below the
average since the last sense was opened, over at least PATIENCE contexts.

Source: Neelakantan, Shankar, Passos and McCallum 2014, "Efficient non-parametric estimation of multiple embeddings per
word in vector space", sections 4.1 and 4.2.

Departures: in the paper m is zero and A the identity. Here A is the covariance of the global vectors to the power
-`whiten`; otherwise the common part of all contexts and their few main directions hide the differences. m and A are
computed when senses are first distinguished and then fixed; u in x_t is that of the beginning of the epoch. Nearer
words have more weight; in the paper all have the same. Distances |j| are counted after subsampling. All contexts have
the same weight, whatever their length. A new sense starts with the vector of the sense nearest to its first context,
not at random.

Cost: 4 window D flops, plus 4 D per sense, for each token whose word may have several senses; D^3 + V D^2 per epoch;
one row of D float32 per sense and one per word.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.kernels.rows import aligned_rows
from firth.kernels.sense_centres import CentreAddresses

FAINTEST = 1e-6  # smaller variances, relative to the largest, are raised to this


class SenseState(NamedTuple):
    """The state of the senses of V words with at most S senses in total; training updates it."""

    firsts: npt.NDArray[np.int64]  # (V + 1,) where the rows of each word's senses begin
    known: npt.NDArray[np.int64]  # (V,) current number of senses of each word
    counts: npt.NDArray[np.int64]  # (S,) number of contexts of each sense
    centres: npt.NDArray[np.float32]  # (S, P) their sums
    tries: npt.NDArray[np.int64]  # (V,) contexts since a word's last sense was opened
    cosines: npt.NDArray[np.float32]  # (V,) the sum of their cosines with the nearest centre
    matrix: npt.NDArray[np.float64]  # (D, D) A
    mean: npt.NDArray[np.float64]  # (D,) m
    words: npt.NDArray[np.float32]  # (V, P) A (u - m), the vector of each word in a context
    epoch: npt.NDArray[np.int64]  # (1,) epoch of `words`, -1 before the first

    @classmethod
    def empty(cls, room: npt.NDArray[np.int64], dim: int) -> "SenseState":
        """Return the state before training: one sense per word; `room` is (V,), the maximum number of senses."""
        firsts = np.concatenate([[0], np.cumsum(room)]).astype(np.int64)
        return cls(
            firsts=firsts,
            known=np.ones(len(room), dtype=np.int64),
            counts=np.zeros(firsts[-1], dtype=np.int64),
            centres=aligned_rows(int(firsts[-1]), dim),
            tries=np.zeros(len(room), dtype=np.int64),
            cosines=np.zeros(len(room), dtype=np.float32),
            matrix=np.zeros((dim, dim)),
            mean=np.zeros(dim),
            words=aligned_rows(len(room), dim),
            epoch=np.full(1, -1),
        )

    @property
    def limits(self) -> dict[str, tuple[npt.ArrayLike, npt.ArrayLike]]:
        """Smallest and largest value of the arrays that compiled code uses as indices."""
        return {"firsts": (self.firsts.copy(), self.firsts.copy()), "known": (1, np.diff(self.firsts))}

    def fit_whitening(self, outputs: npt.NDArray[np.float32], shares: npt.NDArray[np.float64], whiten: float) -> None:
        """Compute m and A from the current global vectors.

        Args:
            outputs: (V, P) global vectors.
            shares: (V',) relative frequencies of the words of the corpus, V' <= V.
        """
        rows = outputs[: len(shares), : len(self.mean)].astype(np.float64)
        self.mean[:] = shares @ rows
        rows -= self.mean
        variances, axes = np.linalg.eigh((rows * shares[:, None]).T @ rows)
        variances /= max(variances[-1], np.finfo(np.float64).tiny)
        self.matrix[:] = (axes * np.maximum(variances, FAINTEST) ** -whiten) @ axes.T

    def restore_whitening(self, outputs: npt.NDArray[Any], words: npt.NDArray[Any]) -> None:
        """Restore m and A from (V, D) global vectors and the (V, D) vectors of the same words in a context."""
        rows = np.column_stack([outputs.astype(np.float64), np.ones(len(outputs))])
        solved = np.linalg.lstsq(rows, words.astype(np.float64), rcond=None)[0]
        self.matrix[:] = solved[:-1]
        self.mean[:] = -np.linalg.lstsq(solved[:-1].T, solved[-1], rcond=None)[0]

    def refresh(self, outputs: npt.NDArray[np.float32], epoch: int) -> None:
        """Recompute the vector of each word in a context from its current global vector, for an epoch from 0."""
        dim = len(self.mean)
        self.words[:, :dim] = (outputs[:, :dim] - self.mean.astype(np.float32)) @ self.matrix.astype(np.float32)
        self.epoch[0] = epoch


def centres(state: SenseState, below: float | None) -> CentreAddresses:
    """Return the addresses of a state, which the caller keeps alive; `below` is lambda, or None for MSSG."""
    names = ("firsts", "known", "counts", "centres", "tries", "cosines", "words")
    arrays = {name: getattr(state, name).ctypes.data for name in names}
    threshold = np.float32(below or 0)
    return CentreAddresses(
        **arrays, nonparametric=below is not None, new_sense_below=threshold, size=state.centres.shape[1]
    )
