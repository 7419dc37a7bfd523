"""Words coded by atoms: the atoms of a word, the words near an atom, and sense vectors.

What: x_w = sum_j c_wj A_j + r_w, with c > 0 and residual r_w. The senses of w are its atoms. With C = sum_j c_wj, their
shares are s_wj = c_wj / C, and the vector of a sense is C A_j + r_w, the vector that w would have if this were its only
sense. The mean of the senses, weighted by their shares, is x_w.

Source: Arora et al. 2018, "Linear algebraic structure of word senses", theorem 2: a word's vector is the sum of its
sense vectors, weighted by their frequency; section 4 disambiguates by the atoms near a context.

Departures: in the paper a sense is the atom itself, the same for all words that share it, and the weights are not
normalised. Atoms with a share below `floor` are not senses; their part stays in r_w, so that the mean is the same.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.senses.sparse_codes import Floats, Ids
from firth.vectors import neighbours
from firth.vectors.averages import smooth_weights
from firth.vectors.sense_readers import Centroids
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.word_vectors import WordVectors

FLOOR = 0.2  # smallest share of a sense
TEMPERATURE = 0.1  # of the softmax over cosines of contexts with atoms


@dataclass(frozen=True)
class AtomShare:
    """An atom of a word.

    Attributes:
        share: its share of the word; the shares of a word sum to 1.
        words: the words nearest to the atom, with their cosines, best first.
    """

    atom: int
    share: float
    words: list[tuple[str, float]]


@dataclass(frozen=True, eq=False)
class Atoms:
    """Words as sums of a few atoms, the result of `firth.DiscourseAtoms.fit`.

    Attributes:
        atoms: (K, D) float32, of length 1.
        indices: (V, k) int32 atoms of each word, padded with -1.
        codes: (V, k) float32 coefficients of these atoms.
        vectors: the V coded word vectors, centred and of length 1.
        train_words: number of words, from the first, that the atoms were learned from; neighbours of atoms are among
            them.
    """

    atoms: Floats
    indices: Ids
    codes: Floats
    vectors: WordVectors
    train_words: int

    def __len__(self) -> int:
        return len(self.atoms)

    def __repr__(self) -> str:
        return f"<Atoms: {len(self):,} atoms, {len(self.vectors):,} words x {self.vectors.dim}>"

    def nearest(self, atom: int, topn: int = 10) -> list[tuple[str, float]]:
        """Return the words nearest to an atom, with their cosines, best first.

        Args:
            topn: number of words returned, of those that the atoms were learned from.

        Raises:
            OptionError: there is no such atom, or `topn` is below 1.
        """
        if not 0 <= atom < len(self):
            raise OptionError(f"atom {atom}: expected 0 to {len(self) - 1:,}")
        return self._nearest([atom], topn)[0]

    def _nearest(self, atoms: list[int], topn: int) -> list[list[tuple[str, float]]]:
        if topn < 1:
            raise OptionError(f"topn={topn}: expected at least 1")
        matrix, norms = self.vectors.vectors[: self.train_words], self.vectors.norms[: self.train_words]
        rows, cosines = neighbours.nearest(matrix, norms, self.atoms[atoms], topn)
        words = self.vectors.words
        return [
            [(words[row], float(cosine)) for row, cosine in zip(*pair, strict=True)]
            for pair in zip(rows.tolist(), cosines.tolist(), strict=True)
        ]

    def senses(self, word: str, *, floor: float = 0.0, topn: int = 10) -> list[AtomShare]:
        """Return the atoms of a word, the largest share first.

        Args:
            floor: smallest share of an atom; the atom with the largest share is always included.
            topn: number of words near each atom.
        """
        shares, row = self._shares(floor), self.vectors.get_index(word)
        columns = [column for column in np.argsort(-shares[row], kind="stable") if shares[row, column] > 0]
        atoms = [int(self.indices[row, column]) for column in columns]
        words = self._nearest(atoms, topn) if atoms else []
        return [
            AtomShare(atom, float(shares[row, column]), near)
            for atom, column, near in zip(atoms, columns, words, strict=True)
        ]

    def num_senses(self, floor: float = FLOOR) -> npt.NDArray[np.int64]:
        """Return the number of atoms of each word, (V,), at least 1.

        Args:
            floor: smallest share of an atom.
        """
        return np.asarray(np.maximum((self._shares(floor) > 0).sum(axis=1), 1))

    def _shares(self, floor: float) -> npt.NDArray[np.float64]:
        """(V, k) shares of the atoms; those below the floor are 0, the others sum to 1 per word."""
        if not 0 <= floor <= 1:
            raise OptionError(f"floor={floor}: expected a share from 0 to 1")
        codes = np.maximum(self.codes.astype(np.float64), 0)
        shares = codes / np.maximum(codes.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        mask = (shares >= floor) | (shares == shares.max(axis=1, keepdims=True))
        shares = np.where(mask, shares, 0)
        return np.asarray(shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny))

    def sense_vectors(self, *, floor: float = FLOOR, temperature: float = TEMPERATURE) -> SenseVectors:
        """Return sense vectors, disambiguated by the cosine of the context with the atoms.

        Args:
            floor: smallest share of a sense; the atom with the largest share is always a sense.
            temperature: divisor of the cosines of contexts with atoms; the smaller, the less the shares count.

        Returns:
            Senses in the order of their shares, labelled by their atoms ("atom 12"); a word without atoms has one
            sense, its own vector, with the label "".
        """
        matrix, shares = self.vectors.vectors, self._shares(floor)
        order = np.argsort(-shares, axis=1, kind="stable")
        shares = np.take_along_axis(shares, order, axis=1)
        indices = np.take_along_axis(self.indices, order, axis=1)
        mask = shares > 0
        mask[:, 0] = True  # a word without atoms
        rows, atoms, priors = np.nonzero(mask)[0], indices[mask], shares[mask]
        without_atoms = priors == 0
        priors[without_atoms], atoms[without_atoms] = 1.0, -1
        directions = np.where(without_atoms[:, None], matrix[rows], self.atoms[atoms])
        offsets = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
        # C (A_j - sum_i s_i A_i) is the offset of a sense from its word's vector; 0 for a word without atoms.
        weights = np.where(without_atoms, 0, np.maximum(self.codes, 0).sum(axis=1)[rows]).astype(np.float32)[:, None]
        parts = weights * directions
        means = np.add.reduceat(parts * priors.astype(np.float32)[:, None], offsets[:-1], axis=0)
        facts = self.vectors.metadata
        return SenseVectors(
            self.vectors.lexicon,
            offsets,
            matrix[rows] + parts - means[rows],
            priors=priors,
            reader=Centroids(matrix, smooth_weights(self.vectors, np.arange(len(matrix))), directions, temperature),
            counts=self.vectors.counts,
            labels=["" if atom < 0 else f"atom {atom}" for atom in atoms.tolist()],
            global_vectors=matrix,
            metadata={**facts, "senses": {**facts.get("senses", {}), "floor": floor}},
        )
