"""What the multi-sense skip-gram knows of senses while the text goes by: their centres, and what a context is.

What: a word's senses are clusters of the contexts it stands in. Every sense has a centre, the sum of the contexts that
went to it; a word in the text takes the sense whose centre its context is nearest to, and moves that centre
(`firth.kernels.sense_centres`).

Objective: the context of the word at place t, by global vectors u, their mean m in the text and a matrix A,

    x_t = sum_{0 < |j| <= window} A (u_{t+j} - m) / |j|,      s_t = argmax_s cos(x_t, c_s),      c_{s_t} += x_t / |x_t|

and where cos(x_t, c_s) < lambda for every sense s that the word has, and it has room, x_t opens a new one. Where all
words have as many senses, x_t opens one where it is less like the nearest centre than contexts have been on average
since the last sense was opened, PATIENCE of them at least.

Source: Neelakantan, Shankar, Passos and McCallum 2014, "Efficient non-parametric estimation of multiple embeddings per
word in vector space", sections 4.1 and 4.2.

Departures: m and A are not in the paper, where they are zero and the identity. A is the covariance of the words'
global vectors to the power -`whiten`: without it what all contexts share, and the few directions in which they vary
most, drown what tells them apart. m and A stay as they are when senses are first told apart; u in x_t is as it was
when the epoch began. Nearer words count more, where the paper's count alike; |j| is among the words that survive
subsampling. Contexts count alike whatever their length. A new sense begins with the vector of the sense that
its first context is nearest to, not at random.

Cost: 4 window D flops, and 4 D more a sense, for each word of the text that may have several; D^3 + V D^2 once an
epoch; one row of D float32 a sense and one a word.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.kernels.rows import aligned_rows
from firth.kernels.sense_centres import Centres

FAINTEST = 1e-6  # of the largest variance; along directions that vary less nothing more is gained


class SenseState(NamedTuple):
    """What is known of the senses of V words, which have room for S senses; training changes it."""

    firsts: npt.NDArray[np.int64]  # (V + 1,) where the rows of each word's senses begin
    known: npt.NDArray[np.int64]  # (V,) senses that each word has so far
    counts: npt.NDArray[np.int64]  # (S,) contexts that went to each sense
    centres: npt.NDArray[np.float32]  # (S, P) their sums
    tries: npt.NDArray[np.int64]  # (V,) contexts since a word's last sense was opened
    cosines: npt.NDArray[np.float32]  # (V,) the sum of their cosines with the nearest centre
    matrix: npt.NDArray[np.float64]  # (D, D) A
    mean: npt.NDArray[np.float64]  # (D,) m
    words: npt.NDArray[np.float32]  # (V, P) A (u - m), what each word is in a context
    epoch: npt.NDArray[np.int64]  # (1,) when it was that, -1 for never

    @classmethod
    def empty(cls, room: npt.NDArray[np.int64], dim: int) -> "SenseState":
        """Return the state in which every word has one sense and no context was seen.

        Args:
            room: (V,) the most senses of each word.
            dim: D, the width of the vectors.
        """
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
        """The least and the largest number that compiled code may find, of arrays that it follows."""
        return {"firsts": (self.firsts.copy(), self.firsts.copy()), "known": (1, np.diff(self.firsts))}

    def settle(self, outputs: npt.NDArray[np.float32], shares: npt.NDArray[np.float64], whiten: float) -> None:
        """Settle m and A by the global vectors as they are now.

        Args:
            outputs: (V, P) global vectors.
            shares: (V',) of the words in the text that is trained on, V' <= V.
            whiten: the power of the covariance that is divided out.
        """
        rows = outputs[: len(shares), : len(self.mean)].astype(np.float64)
        self.mean[:] = shares @ rows
        rows -= self.mean
        variances, axes = np.linalg.eigh((rows * shares[:, None]).T @ rows)
        variances /= max(variances[-1], np.finfo(np.float64).tiny)
        self.matrix[:] = (axes * np.maximum(variances, FAINTEST) ** -whiten) @ axes.T

    def settle_as(self, outputs: npt.NDArray[Any], words: npt.NDArray[Any]) -> None:
        """Settle m and A as they were, by what they made of global vectors.

        Args:
            outputs: (V, D) global vectors.
            words: (V, D) what each was in a context.
        """
        rows = np.column_stack([outputs.astype(np.float64), np.ones(len(outputs))])
        solved = np.linalg.lstsq(rows, words.astype(np.float64), rcond=None)[0]
        self.matrix[:] = solved[:-1]
        self.mean[:] = -np.linalg.lstsq(solved[:-1].T, solved[-1], rcond=None)[0]

    def refresh(self, outputs: npt.NDArray[np.float32], epoch: int) -> None:
        """Make what each word is in a context of its global vector as it is now.

        Args:
            outputs: (V, P) global vectors.
            epoch: the epoch in work, from 0.
        """
        dim = len(self.mean)
        self.words[:, :dim] = (outputs[:, :dim] - self.mean.astype(np.float32)) @ self.matrix.astype(np.float32)
        self.epoch[0] = epoch


def centres(state: SenseState, opening: float | None) -> Centres:
    """Return the addresses of a state, which the caller keeps alive.

    Args:
        state: what training changes.
        opening: lambda, the cosine with every centre below which a context opens a sense; None for as many senses a
            word as there is room for.
    """
    names = ("firsts", "known", "counts", "centres", "tries", "cosines", "words")
    arrays = {name: getattr(state, name).ctypes.data for name in names}
    growing, below = opening is not None, np.float32(opening or 0)
    return Centres(**arrays, growing=growing, opening=below, size=state.centres.shape[1])
