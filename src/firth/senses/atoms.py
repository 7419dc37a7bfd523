"""Words coded by atoms: what a word is made of, which words are near an atom, and vectors of the senses.

What: of x_w = sum_j c_wj A_j + r_w, with c > 0 and r_w what the atoms leave, the senses of w are its atoms, and their
shares s_wj = c_wj / C with C = sum_j c_wj. A sense's vector is C A_j + r_w: the word as it would stand if it were only
ever meant so. The mean of the senses by their shares is then x_w itself.

Source: Arora et al. 2018, "Linear algebraic structure of word senses", theorem 2: a word's vector is the sum of its
senses' vectors, weighted by how often each is meant; section 4 tells senses apart by the atoms near a context.

Departures: in the paper a sense is the atom itself, the same for all words that share it, and the weights are not
turned into shares. Atoms with less than `floor` of a word are no senses; what they hold of it stays in r_w, so that the
mean is the same.
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

FLOOR = 0.2  # of a word, below which an atom is no sense of it
TEMPERATURE = 0.1  # of the cosines of contexts with atoms


@dataclass(frozen=True)
class AtomShare:
    """An atom of a word.

    Attributes:
        atom: its number.
        share: of the word, all shares of which sum to 1.
        words: the words nearest to the atom, with their cosines, best first.
    """

    atom: int
    share: float
    words: list[tuple[str, float]]


@dataclass(frozen=True, eq=False)
class Atoms:
    """Words as sums of a few atoms, made by `firth.DiscourseAtoms.fit`.

    Attributes:
        atoms: (K, D) float32, of length 1.
        chosen: (V, k) int32 the atoms of each word, -1 where there are fewer.
        codes: (V, k) float32 their coefficients.
        vectors: V words, centred and of length 1: what is coded.
        learned: the first so many words are those that the atoms were learned from; an atom's neighbours are among
            these.
    """

    atoms: Floats
    chosen: Ids
    codes: Floats
    vectors: WordVectors
    learned: int

    def __len__(self) -> int:
        return len(self.atoms)

    def __repr__(self) -> str:
        return f"<Atoms: {len(self):,} atoms, {len(self.vectors):,} words x {self.vectors.dim}>"

    def nearest(self, atom: int, topn: int = 10) -> list[tuple[str, float]]:
        """Return the words nearest to an atom, with their cosines, best first.

        Args:
            atom: its number.
            topn: how many words, of those that atoms were learned from.

        Raises:
            OptionError: there is no such atom, or `topn` is below 1.
        """
        if not 0 <= atom < len(self):
            raise OptionError(f"atom {atom}: expected 0 to {len(self) - 1:,}")
        return self._nearest([atom], topn)[0]

    def _nearest(self, atoms: list[int], topn: int) -> list[list[tuple[str, float]]]:
        if topn < 1:
            raise OptionError(f"topn={topn}: expected at least 1")
        matrix, norms = self.vectors.vectors[: self.learned], self.vectors.norms[: self.learned]
        rows, cosines = neighbours.nearest(matrix, norms, self.atoms[atoms], topn)
        words = self.vectors.words
        return [
            [(words[row], float(cosine)) for row, cosine in zip(some, those, strict=True)]
            for some, those in zip(rows.tolist(), cosines.tolist(), strict=True)
        ]

    def senses(self, word: str, *, floor: float = 0.0, topn: int = 10) -> list[AtomShare]:
        """Return the atoms of a word, the greatest share first.

        Args:
            word: the word.
            floor: the least share of an atom; the greatest is there all the same.
            topn: how many words to say what an atom is.

        Raises:
            UnknownWordError: the word has no vector.
            OptionError: `floor` is not from 0 to 1, or `topn` is below 1.
        """
        shares, row = self._shares(floor), self.vectors.get_index(word)
        kept = [place for place in np.argsort(-shares[row], kind="stable") if shares[row, place] > 0]
        atoms = [int(self.chosen[row, place]) for place in kept]
        words = self._nearest(atoms, topn) if atoms else []
        return [
            AtomShare(atom, float(shares[row, place]), near)
            for atom, place, near in zip(atoms, kept, words, strict=True)
        ]

    def num_senses(self, floor: float = FLOOR) -> npt.NDArray[np.int64]:
        """Return how many atoms each word has, (V,), at least 1.

        Args:
            floor: the least share of an atom.

        Raises:
            OptionError: `floor` is not from 0 to 1.
        """
        return np.asarray(np.maximum((self._shares(floor) > 0).sum(axis=1), 1))

    def _shares(self, floor: float) -> npt.NDArray[np.float64]:
        """(V, k) of each atom in the word, 0 below the floor; those that are left sum to 1 for each word."""
        if not 0 <= floor <= 1:
            raise OptionError(f"floor={floor}: expected a share from 0 to 1")
        codes = np.maximum(self.codes.astype(np.float64), 0)
        shares = codes / np.maximum(codes.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        kept = (shares >= floor) | (shares == shares.max(axis=1, keepdims=True))
        shares = np.where(kept, shares, 0)
        return np.asarray(shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny))

    def sense_vectors(self, *, floor: float = FLOOR, temperature: float = TEMPERATURE) -> SenseVectors:
        """Return vectors of the senses, which a context distinguishes by the nearest atom.

        Args:
            floor: the least share of an atom that is a sense; a word whose atoms all have less keeps the greatest.
            temperature: what the cosines of contexts with atoms are divided by; the smaller, the less shares count.

        Returns:
            Senses in the order of their shares, called by the numbers of their atoms ("atom 12"); a word without atoms
            has one sense, its own vector, called "".

        Raises:
            OptionError: `floor` is not from 0 to 1, or `temperature` is not above 0.
        """
        matrix, shares = self.vectors.vectors, self._shares(floor)
        order = np.argsort(-shares, axis=1, kind="stable")
        shares = np.take_along_axis(shares, order, axis=1)
        chosen = np.take_along_axis(self.chosen, order, axis=1)
        kept = shares > 0
        kept[:, 0] = True  # a word without atoms
        rows, atoms, priors = np.nonzero(kept)[0], chosen[kept], shares[kept]
        alone = priors == 0
        priors[alone], atoms[alone] = 1.0, -1
        directions = np.where(alone[:, None], matrix[rows], self.atoms[atoms])
        offsets = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        # C (A_j - sum_i s_i A_i) leads from the word's vector to that of its sense; nowhere where a word is alone.
        weights = np.where(alone, 0, np.maximum(self.codes, 0).sum(axis=1)[rows]).astype(np.float32)[:, None]
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
