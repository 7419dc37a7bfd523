"""Discourse atoms: the senses of a word as the few common directions that its vector is a sum of.

What: the vector of a word that means several things is nearly a sum of the vectors that its senses would have. So the
vectors of a whole vocabulary are written as sums of at most five of 2,000 atoms, each a topic that texts are about;
the atoms of a word are its senses, and the words nearest to an atom say what it is.

Objective: with x the vectors at length 1, less their mean, at length 1 again, atoms A (K, D) of length 1 and codes c,

    min sum_w |x_w - sum_j c_wj A_j|^2,    at most k of the c_wj above 0, none below

over the commonest words; with the atoms that this gives, all words are coded. A sense's share of the word is
c_wj / sum_i c_wi.

Source: Arora, Li, Liang, Ma and Risteski 2018, "Linear algebraic structure of word senses, with applications to
polysemy", theorem 2 and section 3; K = 2,000 and k = 5 are theirs. `firth.senses.dictionary` and
`firth.senses.sparse_codes` have the sources of the learning.

Departures: coefficients are positive, where the paper bounds only their number and observes that nearly all are
positive; `positive=False` is the paper's. Vectors are centred and of one length, where the paper takes them as they
are. Atoms are learned from `words` words, of which rare ones would make atoms of noise. Learning runs once, where the
paper keeps what several runs agree on.

Cost: 2 W K D operations a round for W words to learn from; 4 K^2 and 8 V D bytes. 15 rounds over 20,000 words and the
coding of 84,000 took 17 seconds in one thread of a machine that had other work.
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from firth import options
from firth.errors import OptionError
from firth.kernels.threads import usable_threads
from firth.options import option, options_class
from firth.postprocess.transforms import checked_matrix
from firth.progress import Progress, Status, compiling, reporting
from firth.randomness import generator
from firth.senses.atoms import Atoms
from firth.senses.dictionary import Dictionary, learn_dictionary
from firth.senses.sparse_codes import Floats, sparse_codes
from firth.vectors.cosine import unit
from firth.vectors.word_vectors import WordVectors


@options_class
class DiscourseAtoms:
    """Discourse atoms by sparse coding of word vectors: options that learn.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Arora et al. 2018; the module's docstring gives the formulas.
    """

    atoms: int = option(2000, "directions to learn", minimum=2)
    sparsity: int = option(5, "most atoms a word", minimum=1)
    rounds: int = option(15, "of coding all words and fitting all atoms, at most", minimum=1)
    words: int = option(20_000, "learn from so many of the first words, which are the commonest", minimum=2)
    positive: bool = option(True, "whether coefficients are above 0")

    def __post_init__(self) -> None:
        options.check(self)

    def fit(
        self, vectors: WordVectors, *, seed: int = 0, threads: int | None = None, progress: Progress = None
    ) -> Atoms:
        """Learn atoms from vectors, and code every word by them.

        Args:
            vectors: of any model, commonest words first.
            seed: of the words that atoms begin as.
            threads: how many; by default one a processor. The result does not depend on it.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

        Raises:
            OptionError: there are fewer words than atoms, `threads` is below one, or the vectors are built from
                n-grams.
            FormatError: a vector is not finite.
        """
        many, matrix = usable_threads(threads), checked_matrix(vectors)
        learned = min(self.words, len(vectors))
        if learned < self.atoms:
            raise OptionError(
                f"{self.atoms:,} atoms from {learned:,} words: expected at least one word an atom; ask for fewer "
                "atoms, about a tenth of the words"
            )
        rows = _centred(matrix, learned)
        with reporting(progress) as report:
            compiling(_compile, report)
            found = learn_dictionary(
                rows[:learned],
                self.atoms,
                self.sparsity,
                rounds=self.rounds,
                positive=self.positive,
                random=generator(seed, "atoms"),
                threads=many,
                report=lambda done, error: report(
                    Status(stage="learning atoms", done=done, total=self.rounds, unit="rounds", figures={"left": error})
                ),
            )
            report(Status(stage="coding words"))
            chosen, codes = sparse_codes(rows, found.atoms, self.sparsity, positive=self.positive, threads=many)
        metadata = {**vectors.metadata, "senses": {"model": "atoms", **asdict(self), **_facts(found), "seed": seed}}
        coded = WordVectors(vectors.lexicon, rows, counts=vectors.counts, metadata=metadata)
        return Atoms(found.atoms, chosen, codes, coded, learned)


def _centred(matrix: Floats, learned: int) -> Floats:
    rows = unit(np.asarray(matrix, dtype=np.float32))
    return np.ascontiguousarray(unit(rows - rows[:learned].mean(axis=0, dtype=np.float64).astype(np.float32)))


def _facts(found: Dictionary) -> dict[str, Any]:
    return {"rounds_run": len(found.errors) - 1, "left": found.errors[-1]}


def _compile() -> None:
    rows = np.eye(3, dtype=np.float32)
    learn_dictionary(rows, 2, 1, rounds=1, random=np.random.default_rng(0))
