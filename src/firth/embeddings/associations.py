"""Vectors of associations: PPMI, COALS, or plain counts, and the largest components of their matrix.

What: a word's row says how strongly it is associated with each context word; its vector are the row's first components.

Objective: M ~ U S V^T with the largest singular values, and the vectors are U S^p; M_ij is (`firth.counts.association`)

    ppmi         max(0, log [X_ij / (r_i P(j))] - log k),   P(j) ~ c_j^s
    correlation  sqrt(max(0, rho_ij)),                      rho_ij over all pairs that were counted
    counts       X_ij

with X_ij no larger than `cap`, for the context words j that are neither among the `skip` most frequent words nor behind
the `contexts` that follow.

Source: Levy, Goldberg and Dagan 2015, "Improving distributional similarity with lessons learned from word embeddings",
sections 2.1, 3.1 and 3.3 (PPMI: smoothing s, shift k, eigenvalue weighting p, contexts that count less the farther away
they stand); Rohde, Gonnerman and Plaut 2006, "An improved model of semantic similarity based on lexical co-occurrence",
section 2 (COALS: a ramped window of 4, 14,000 columns, correlations, square roots); Bullinaria and Levy 2012,
"Extracting semantic representations from word co-occurrence statistics: stop-lists, stemming, and SVD", section 5
(first components left out).

Departures:
- Distances are weighted exactly, where Levy et al. draw the width of each window.
- COALS kept closed-class words out of its columns by a list; `skip` leaves out the most frequent ones.
- Sums over contexts are those of the whole matrix, the columns that are left out included.

Cost: that of `firth.counts.cooccurrence` and of `firth.counts.factorise`; some 30 bytes a cell of M while it is made.
"""

import dataclasses
from typing import Any, ClassVar

from firth import options
from firth.corpus.encoded import Corpus
from firth.counts.association import correlation, pmi
from firth.counts.cooccurrence import Cooccurrence, max_words_option, memory_option, weights_option
from firth.counts.matrix import CooccurrenceMatrix
from firth.embeddings.spectral import drop_option, exponent_option, spectral_vectors
from firth.errors import OptionError
from firth.kernels.cooccurrence import MOST_REACH
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.vectors.word_vectors import WordVectors

DEFAULTS: dict[str, dict[str, Any]] = {  # those of the papers
    "ppmi": {"window": 5, "exponent": 0.5, "contexts": 0},
    "correlation": {"window": 4, "exponent": 1.0, "contexts": 14_000},
    "counts": {"window": 5, "exponent": 1.0, "contexts": 0},
}


@options_class
class AssociationVectors:
    """Associations of words with contexts, PPMI or COALS, factorised: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Levy, Goldberg and Dagan 2015; Rohde, Gonnerman and Plaut 2006; the module's docstring gives the formulas.
    """

    presets: ClassVar = {
        "ppmi": Preset(
            "PPMI: positive pointwise mutual information, reduced by SVD (Levy et al. 2015).", association="ppmi"
        ),
        "coals": Preset(
            "COALS: correlations of words with contexts, reduced by SVD (Rohde et al. 2006).", association="correlation"
        ),
    }
    common_options: ClassVar = ("dim", "window", "max_words", "contexts", "shift")

    association: str = option("ppmi", "what a cell of the matrix says", choices=tuple(DEFAULTS))
    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    window: int | None = option(
        None, "words on each side of the centre word; by default 5, for COALS 4", minimum=1, maximum=MOST_REACH
    )
    weights: str = weights_option("ramped")
    max_words: int = max_words_option(0)
    contexts: int | None = option(
        None, "most frequent words that are contexts; by default all (0), for COALS 14,000", minimum=0
    )
    skip: int = option(0, "most frequent words that are no contexts", minimum=0)
    cap: float | None = option(
        None, "most that a pair counts; by default as often as it met", minimum=0, exclusive=True
    )
    shift: float = option(1.0, "PPMI: noise words k whose logarithm is taken away", minimum=0, exclusive=True)
    smoothing: float = option(0.75, "PPMI: power of the context words' counts", minimum=0, maximum=1)
    exponent: float | None = exponent_option(None, "; by default 0.5, for COALS 1")
    drop: int = drop_option()
    memory: int = memory_option()

    def __post_init__(self) -> None:
        options.check(self)
        if self.association != "ppmi" and (self.shift, self.smoothing) != (1.0, 0.75):
            raise OptionError(
                f"shift={self.shift}, smoothing={self.smoothing}: only association='ppmi' has them; leave them out"
            )

    def train(
        self,
        corpus: Corpus | CooccurrenceMatrix | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
        **text: Any,
    ) -> WordVectors:
        """Return vectors of a corpus, or of counts that were made of one.

        Args:
            corpus: the encoded text, whose words are counted with these options; or the counts; or whatever
                `Corpus.build` takes: a path, texts, lists of tokens, a table.
            seed: of the random columns that the decomposition begins with.
            threads: how many; by default one a processor.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            One vector a word; those of the contexts as output vectors, where every word is one.

        Raises:
            OptionError: `threads` is below one, `dim` is above what the text has, or the memory is too small.
            CorpusError: no two words stand near each other, or the counts cannot be written.
        """
        model = self.settled()
        counts = model.counting.of(corpus, text, threads=threads, memory=self.memory, progress=progress)
        return spectral_vectors(
            model,
            counts.vocabulary,
            lambda: model.associate(counts),
            seed=seed,
            threads=threads,
            progress=progress,
            facts={"options": {"model": "associations", **dataclasses.asdict(model)}, "counts": dict(counts.options)},
        )

    def settled(self) -> "AssociationVectors":
        """Return these options with every default filled in that depends on the association."""
        defaults = DEFAULTS[self.association]
        return dataclasses.replace(self, **{k: v for k, v in defaults.items() if getattr(self, k) is None})

    @property
    def counting(self) -> Cooccurrence:
        """How settled options count words."""
        assert self.window is not None
        return Cooccurrence(window=self.window, weights=self.weights, max_words=self.max_words)

    def associate(self, counts: CooccurrenceMatrix) -> Any:
        """Return M for settled options.

        Args:
            counts: X.

        Returns:
            A SciPy `csr_array` (V, C).
        """
        x = counts if self.cap is None else counts.capped(self.cap)
        if self.association == "ppmi":
            matrix = pmi(x, shift=self.shift, smoothing=self.smoothing)
        else:
            matrix = correlation(x) if self.association == "correlation" else x.to_scipy()
        last = matrix.shape[1] if not self.contexts else self.skip + self.contexts
        return matrix[:, self.skip : last]
