"""AssociationVectors: PPMI, COALS or plain counts, reduced by truncated SVD.

What: a row of the matrix has the association of a word with each context word; its leading components are the vector.

Objective: M ~ U S V^T with the largest singular values, and the vectors are U S^p; M_ij is (`firth.counts.association`)

    ppmi         max(0, log [X_ij / (r_i P(j))] - log k),   P(j) ~ c_j^s
    correlation  sqrt(max(0, rho_ij)),                      rho_ij over all counted pairs
    counts       X_ij

with X_ij at most `cap`. The `exclude_frequent` most frequent words are no contexts; the next `contexts` words are.

Source: Levy, Goldberg and Dagan 2015, "Improving distributional similarity with lessons learned from word embeddings",
sections 2.1, 3.1 and 3.3 (PPMI: smoothing s, shift k, eigenvalue weighting p, contexts weighted by
distance); Rohde, Gonnerman and Plaut 2006, "An improved model of semantic similarity based on lexical co-occurrence",
section 2 (COALS: a ramped window of 4, 14,000 columns, correlations, square roots); Bullinaria and Levy 2012,
"Extracting semantic representations from word co-occurrence statistics: stop-lists, stemming, and SVD", section 5
(first components left out).

Departures:
- Distances are weighted exactly; Levy et al. draw the size of each window.
- COALS excludes closed-class words from its columns by a list; `exclude_frequent` excludes the most frequent words.
- Sums over contexts are those of the whole matrix, with the excluded columns.

Cost: that of `firth.counts.cooccurrence` and of `firth.counts.factorise`; about 30 bytes per cell of M meanwhile.
"""

import dataclasses
import os
from typing import Any, ClassVar, Unpack

from firth import options
from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.counts.association import correlation, pmi
from firth.counts.cooccurrence import Cooccurrence, max_words_option, memory_option, weights_option
from firth.counts.matrix import CooccurrenceMatrix
from firth.embeddings import window_options
from firth.embeddings.spectral import drop_option, exponent_option, spectral_vectors
from firth.errors import OptionError
from firth.kernels.cooccurrence import MOST_REACH
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.training_facts import text_facts
from firth.vectors.word_vectors import WordVectors

DEFAULTS: dict[str, dict[str, Any]] = {  # the values of the papers
    "ppmi": {"window": 5, "exponent": 0.5, "contexts": 0},
    "correlation": {"window": 4, "exponent": 1.0, "contexts": 14_000},
    "counts": {"window": 5, "exponent": 1.0, "contexts": 0},
}


@options_class
class AssociationVectors:
    """Associations of words with contexts, PPMI or COALS, reduced by SVD: the options, and `train`.

    Source:
        Levy, Goldberg and Dagan 2015; Rohde, Gonnerman and Plaut 2006; the module docstring has the formulas.
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
    counts_in_pieces: ClassVar = True

    association: str = option("ppmi", "association measure", choices=tuple(DEFAULTS))
    dim: int = window_options.dim()
    window: int | None = option(
        None,
        "context window: words on each side of the centre word; by default 5, or 4 for COALS",
        minimum=1,
        maximum=MOST_REACH,
    )
    weights: str = weights_option("ramped")
    max_words: int = max_words_option(0)
    contexts: int | None = option(
        None, "number of most frequent words that are contexts; by default all (0), or 14,000 for COALS", minimum=0
    )
    exclude_frequent: int = option(0, "number of most frequent words to exclude from contexts", minimum=0)
    cap: float | None = option(None, "maximum count of a pair; by default unlimited", minimum=0, exclusive=True)
    shift: float = option(
        1.0, "PPMI: shift k; log k is subtracted, as by k negative samples", minimum=0, exclusive=True
    )
    smoothing: float = option(
        0.75, "PPMI: context distribution smoothing, the exponent of context counts", minimum=0, maximum=1
    )
    exponent: float | None = exponent_option(None, "; by default 0.5, or 1 for COALS")
    drop: int = drop_option()
    memory: int = memory_option()

    def __post_init__(self) -> None:
        options.check(self)
        if self.association != "ppmi" and (self.shift, self.smoothing) != (1.0, 0.75):
            raise OptionError(
                f"shift={self.shift}, smoothing={self.smoothing}: they are for association='ppmi' only; leave them out"
            )

    @explained
    def train(
        self,
        corpus: Corpus | CooccurrenceMatrix | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **text: Unpack[TextArguments],
    ) -> WordVectors:
        """Compute vectors from a corpus or from co-occurrence counts.

        Args:
            corpus: an encoded corpus, counted with these options; or counts; or whatever `Corpus.build` takes: a path,
                texts, lists of tokens, a table.
            seed: random seed of the decomposition.
            checkpoint: folder for what is counted so far; see `firth.Cooccurrence.count`.
            **text: options of `Corpus.build` for a text that is not encoded yet, such as min_count=2, column="body".

        Returns:
            A vector per word; those of the contexts as output vectors, if every word is a context.

        Raises:
            OptionError: `threads` is below 1, `dim` is above the rank of the matrix, the memory is too small, or the
                checkpoint belongs to another run.
            ArgumentTypeError: `checkpoint` is not a path.
            FormatError: the checkpoint is damaged.
            CorpusError: no two words co-occur, or the counts cannot be written.
        """
        model = self.with_defaults()
        arguments: Any = {"threads": threads, "memory": self.memory, "progress": progress}
        counts = model.counting.of(corpus, text, checkpoint=checkpoint, **arguments)
        return spectral_vectors(
            model,
            counts.vocabulary,
            lambda: model.associate(counts),
            seed=seed,
            threads=threads,
            progress=progress,
            facts={
                "options": {"model": "associations", **dataclasses.asdict(model)},
                "counts": dict(counts.options),
                **text_facts(counts),
            },
        )

    def with_defaults(self) -> "AssociationVectors":
        """Return these options with the defaults of the association filled in."""
        defaults = DEFAULTS[self.association]
        return dataclasses.replace(self, **{k: v for k, v in defaults.items() if getattr(self, k) is None})

    @property
    def counting(self) -> Cooccurrence:
        """How co-occurrences are counted; `with_defaults` comes first."""
        assert self.window is not None
        return Cooccurrence(window=self.window, weights=self.weights, max_words=self.max_words)

    def associate(self, counts: CooccurrenceMatrix) -> Any:
        """Return M, a SciPy `csr_array` (V, C), from the counts X; `with_defaults` comes first."""
        x = counts if self.cap is None else counts.capped(self.cap)
        if self.association == "ppmi":
            matrix = pmi(x, shift=self.shift, smoothing=self.smoothing)
        else:
            matrix = correlation(x) if self.association == "correlation" else x.to_scipy()
        last = matrix.shape[1] if not self.contexts else self.exclude_frequent + self.contexts
        return matrix[:, self.exclude_frequent : last]
