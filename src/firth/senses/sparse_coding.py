"""Discourse atoms: word senses by sparse coding of word vectors.

What: the vector of an ambiguous word is nearly a sum of the vectors that its senses would have. Each vector of the
vocabulary is coded as a sum of at most five of 2,000 atoms, each a topic of discourse. The atoms of a word are its
senses; the words nearest to an atom describe it.

Objective: with vectors x (normalised, centred and normalised again), atoms A (K, D) of length 1 and codes c,

    min sum_w |x_w - sum_j c_wj A_j|^2,    at most k of the c_wj above 0, none below

over the most frequent words. Then all words are coded with these atoms. A sense's share of a word is c_wj / sum_i c_wi.

Source: Arora, Li, Liang, Ma and Risteski 2018, "Linear algebraic structure of word senses, with applications to
polysemy", theorem 2 and section 3; K = 2,000 and k = 5 are theirs. `firth.senses.dictionary` and
`firth.senses.sparse_codes` have the sources of the learning.

Departures: coefficients are positive, where the paper bounds only their number and observes that nearly all are
positive; `positive=False` is the paper's. Vectors are centred and normalised; the paper uses them unchanged. Atoms are
learned from the first `words` words, because rare words would give noisy atoms. Learning runs once; the paper keeps the
atoms that several runs agree on.

Cost: 2 W K D operations per round for W training words; 4 K^2 and 8 V D bytes.

Measured: 2,000 atoms of 20,000 words and the codes of 84,463 take 8.6 s with one thread
(`benchmarks/results/senses/discourse_atoms.md`).
"""

from dataclasses import asdict

import numpy as np

from firth import options
from firth.errors import OptionError
from firth.kernels.threads import usable_threads
from firth.options import option, options_class
from firth.postprocess.transforms import checked_matrix
from firth.progress import Progress, Status, compiling, reporting
from firth.randomness import generator
from firth.senses.atoms import Atoms
from firth.senses.dictionary import learn_dictionary
from firth.senses.sparse_codes import Floats, sparse_codes
from firth.vectors.cosine import unit
from firth.vectors.word_vectors import WordVectors


@options_class
class DiscourseAtoms:
    """Discourse atoms by sparse coding of word vectors.

    Raises:
        OptionError: an option is out of range.

    Source:
        Arora et al. 2018; the module's docstring gives the formulas.
    """

    atoms: int = option(2000, "number of atoms, the directions to learn", minimum=2)
    sparsity: int = option(5, "maximum number of atoms per word", minimum=1)
    rounds: int = option(15, "maximum number of rounds, each codes all words and fits all atoms", minimum=1)
    words: int = option(20_000, "number of words to learn from, the most frequent first", minimum=2)
    positive: bool = option(True, "allow only positive coefficients")

    def __post_init__(self) -> None:
        options.check(self)

    def fit(
        self, vectors: WordVectors, *, seed: int = 0, threads: int | None = None, progress: Progress = None
    ) -> Atoms:
        """Learn atoms from word vectors, and code every word.

        Args:
            vectors: word vectors of any model, most frequent words first.
            seed: seed of the initial atoms.
            threads: number of threads; default: one per processor. The result does not depend on it.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

        Raises:
            OptionError: there are fewer words than atoms, `threads` is below 1, or the vectors are composed of n-grams.
            FormatError: a vector is not finite.
        """
        threads, matrix = usable_threads(threads), checked_matrix(vectors)
        train_words = min(self.words, len(vectors))
        if train_words < self.atoms:
            raise OptionError(
                f"{self.atoms:,} atoms from {train_words:,} words: expected at least one word per atom; use fewer "
                "atoms, about a tenth of the words"
            )
        rows = _centred(matrix, train_words)
        with reporting(progress) as report:
            compiling(_compile, report)
            dictionary = learn_dictionary(
                rows[:train_words],
                self.atoms,
                self.sparsity,
                rounds=self.rounds,
                positive=self.positive,
                random=generator(seed, "atoms"),
                threads=threads,
                report=lambda number, error: report(
                    Status(
                        stage="learning atoms", done=number, total=self.rounds, unit="rounds", figures={"error": error}
                    )
                ),
            )
            report(Status(stage="coding words"))
            atoms = dictionary.atoms
            indices, codes = sparse_codes(rows, atoms, self.sparsity, positive=self.positive, threads=threads)
        facts = {"rounds_run": len(dictionary.errors) - 1, "left": dictionary.errors[-1]}
        metadata = {**vectors.metadata, "senses": {"model": "atoms", **asdict(self), **facts, "seed": seed}}
        coded = WordVectors(vectors.lexicon, rows, counts=vectors.counts, metadata=metadata)
        return Atoms(atoms, indices, codes, coded, train_words)


def _centred(matrix: Floats, train_words: int) -> Floats:
    rows = unit(np.asarray(matrix, dtype=np.float32))
    return np.ascontiguousarray(unit(rows - rows[:train_words].mean(axis=0, dtype=np.float64).astype(np.float32)))


def _compile() -> None:
    rows = np.eye(3, dtype=np.float32)
    learn_dictionary(rows, 2, 1, rounds=1, random=np.random.default_rng(0))
