"""FastText: skip-gram and CBOW over character n-grams.

What: the vector of a word is the mean of the rows of its character n-grams and of the word itself. Words with common
n-grams share what they learn, and a word that is not in the corpus has a vector too.

Objective, with G_w the rows of w: its own and those of its n-grams, with boundary marks; z_r are input rows:

    u_w = 1/|G_w| sum_{r in G_w} z_r
    skip-gram   sum_m [ log sigma(v_{c_m} . u_w) + sum_k log sigma(-v_{n_mk} . u_w) ]
    CBOW        log sigma(v_w . h) + sum_k log sigma(-v_{n_k} . h),     h = the mean of all rows of all context words

for a centre w with context words c_1 .. c_M and K noise words per prediction. v are the output vectors. Instead of
noise words, objective="hierarchical" uses a Huffman tree, and "softmax" scores every word.

Source: Bojanowski, Grave, Joulin and Mikolov 2017, "Enriching word vectors with subword information", section 3; the
authors' program for the mean, the hashes and the gradient of a row. `firth.kernels.ngram_hash` has the n-grams.

Departures:
- The centre predicts its context, as in the paper; `firth.embeddings.word2vec` predicts the other way round.
- u_w is the mean over G_w, as in the authors' program; the paper has the sum. Each row gets the whole gradient of u_w,
  as in the program, not 1/|G_w| of it.
- Within a window, each prediction updates the hidden vector only; the rows get the sum of these updates at the end of
  the window. The authors' program updates the rows and computes their mean again, which differs only for a row that
  occurs twice in a word or that two threads share.
- Each prediction has its own K noise words, as in the program; the next `shared_windows` - 1 windows use them again.
- The noise exponent is 0.5, as in the authors' program; the paper refers to word2vec, where it is 0.75.
- Only n-grams of words in the vocabulary have rows: the others would never be trained. In the vector of an unseen word
  they count as zeros; the authors' program keeps them at random values.
- There is no token for the end of a sentence.

Cost: see `firth.embeddings.subword_windows`; V + U rows of D float32 for U n-grams in use, and V output rows. With one
thread, or with `deterministic=True`, a seed gives the same bits in every run on one machine.
"""

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.encoded import Corpus
from firth.embeddings import window_options
from firth.embeddings.matrices import Matrices, frozen_words, initial_matrices
from firth.embeddings.replicas import RowRates
from firth.embeddings.shards import Shard, TrainShard
from firth.embeddings.subword_windows import AHEAD, CBOW, SKIPGRAM, SubwordSettings, train_subwords
from firth.embeddings.trainer import CorpusTrainer, TrainingArguments
from firth.embeddings.window_model import (
    WindowModel,
    kept_shares,
    mean_contexts,
    output_layer,
    output_rates,
    text_of,
    window_run,
)
from firth.errors import OptionError
from firth.kernels.objectives import NORMALISED, Scoring, most_outputs, own_copies, predictor
from firth.kernels.rows import aligned_rows
from firth.kernels.targets import addresses, new_workspace
from firth.kernels.trees import huffman
from firth.options import Preset, option, options_class
from firth.randomness import generator
from firth.vectors.character_ngrams import Hashing, NgramRows
from firth.vectors.subword_vectors import SubwordVectors

OBJECTIVES = ("negative", "hierarchical", "softmax")


@options_class
class FastText(CorpusTrainer[SubwordVectors, SubwordVectors], WindowModel):
    """Skip-gram or CBOW over character n-grams: the options, and `train`.

    A `start` must have the same n-grams; rows that it lacks start at random. With `freeze`, the rows of all n-grams of
    old words stay, too; a new word learns in its other n-grams and, unless the hashing is "floret", in a row of its
    own. The result has output vectors unless the objective is "hierarchical".

    Raises:
        OptionError: an option is out of its range, or the range of n-grams is empty.

    Source:
        Bojanowski et al. 2017; the module docstring has the formulas and all departures.
    """

    presets: ClassVar = {
        "fasttext": Preset(
            "fastText: words as sums of character n-grams, so unseen words get vectors too (Bojanowski et al. 2017)."
        )
    }
    common_options: ClassVar = ("architecture", "dim", "window", "min_n", "max_n", "negative", "epochs", "lr")
    model_name: ClassVar = "fasttext"
    any_threads: ClassVar = True
    freezes: ClassVar = True

    architecture: str = option(
        "skipgram", "skip-gram (predict the context words) or CBOW (predict the centre)", choices=("skipgram", "cbow")
    )
    objective: str = option("negative", "objective of a prediction", choices=OBJECTIVES)
    dim: int = window_options.dim()
    window: int = window_options.window()
    min_n: int = option(3, "shortest character n-gram, with boundary marks", minimum=1)
    max_n: int = option(6, "longest character n-gram; 0 for whole words only", minimum=0)
    buckets: int = option(2_000_000, "number of hash buckets for n-grams", minimum=1, maximum=2**31 - 1)
    hashing: str = option(
        "fasttext",
        "hashing: one row per n-gram and word (fastText), or a small shared table (floret)",
        choices=("fasttext", "floret"),
    )
    hash_count: int = option(2, "rows per n-gram with floret hashing", minimum=1, maximum=4)
    negative: int = window_options.negative()
    sample: float | None = window_options.sample()
    epochs: int | None = window_options.epochs()
    lr: float = window_options.lr(0.05)
    lr_end_factor: float = window_options.lr_end_factor()
    noise_exponent: float = window_options.noise_exponent(0.5)
    shrink_windows: bool = window_options.shrink_windows()
    shared_windows: int = window_options.shared_windows()

    def __post_init__(self) -> None:
        options.check(self)
        if 0 < self.max_n < self.min_n:
            raise OptionError(
                f"min_n={self.min_n}, max_n={self.max_n}: expected max_n of at least min_n, or 0 for whole words only"
            )

    def train_on(self, corpus: Corpus, arguments: TrainingArguments[SubwordVectors]) -> SubwordVectors:
        """Train on an encoded corpus; see `CorpusTrainer.train`."""
        subwords, matrices = self.initial_matrices(corpus, arguments.seed, arguments.start)
        frozen = frozen_words(matrices.words, arguments.frozen)
        matrices = dataclasses.replace(matrices, frozen=None if frozen is None else subwords.rows_of(frozen))
        tree = huffman(corpus.vocabulary.counts) if self.objective == "hierarchical" else None
        layer = output_layer(corpus, self.objective, self.negative, self.noise_exponent, tree)
        trainer = functools.partial(self._shard_trainer, corpus, arguments, subwords, layer)
        finish, rates = functools.partial(self._finish, subwords), functools.partial(self._row_rates, subwords)
        return window_run(self, corpus, arguments, matrices, layer, trainer, finish, rates).train()

    def initial_matrices(self, corpus: Corpus, seed: int, start: SubwordVectors | None) -> tuple["Subwords", Matrices]:
        """Return the rows of each word, and initial matrices: input rows of words, then of n-grams.

        Raises:
            OptionError: `start` has other n-grams.
            ShapeError: `start` has another width.
        """
        if start is not None and not isinstance(start, SubwordVectors):
            raise OptionError(f"start is {type(start).__name__}, expected SubwordVectors, which have rows of n-grams")
        if start is not None and start.ngrams.hashing != self.ngrams:
            raise OptionError(
                f"start has {start.ngrams.hashing}, the options ask for {self.ngrams}: use those of start"
            )
        if start is not None and start.ngrams.pruned:
            raise OptionError("start has lost n-grams to quantisation: start from the original vectors")
        matrices = initial_matrices(corpus, self.dim, seed=seed, start=None if start is None else start.trainable())
        subwords = Subwords.of(matrices.words, self.ngrams)
        inputs = aligned_rows(subwords.own + len(subwords.buckets), self.dim)
        inputs[: subwords.own] = matrices.inputs[: subwords.own]
        ngrams = inputs[subwords.own :, : self.dim]
        random = generator(seed, "n-grams")
        for rows in np.array_split(ngrams, max(1, len(ngrams) // 4096)):
            rows[:] = (random.random(rows.shape, dtype=np.float32) * 2 - 1) / self.dim
        if start is not None:
            start_rows = start.ngrams.positions(subwords.buckets)
            ngrams[start_rows >= 0] = start.ngrams.rows(start_rows[start_rows >= 0])
        return subwords, dataclasses.replace(matrices, inputs=inputs)

    @property
    def ngrams(self) -> Hashing:
        """The hashing of n-grams."""
        hashes = self.hash_count if self.hashing == "floret" else 0
        return Hashing(self.min_n, self.max_n, self.buckets, hashes)

    def _row_rates(self, subwords: "Subwords", corpus: Corpus, layer: Scoring) -> RowRates:
        """Return how often training changes each row."""
        kept_share, contexts = kept_shares(self, corpus), mean_contexts(self)
        sizes = np.diff(subwords.starts)[: len(kept_share)]
        weights = np.repeat(kept_share * contexts, sizes)
        inputs = np.asarray(np.bincount(subwords.rows[: sizes.sum()], weights=weights), dtype=np.float64)
        return RowRates(inputs, output_rates(layer, kept_share) * (contexts if self.architecture == "skipgram" else 1))

    def _shard_trainer(
        self,
        corpus: Corpus,
        arguments: TrainingArguments[Any],
        subwords: "Subwords",
        layer: Scoring,
        matrices: Matrices,
    ) -> TrainShard:
        """Return the function that trains one shard of `corpus`."""
        mode = SKIPGRAM if self.architecture == "skipgram" else CBOW
        rows = subwords.rows * (4 * matrices.inputs.shape[1]) + matrices.inputs.ctypes.data
        settings = SubwordSettings(
            noise=layer.noise,
            starts=subwords.starts,
            rows=rows.ctypes.data,
            mode=mode,
            window=self.window,
            shrink=self.shrink_windows,
            shared=self.shared_windows,
        )
        text = text_of(self, corpus, arguments.shards)
        together = 2 * self.window if mode == SKIPGRAM else 1
        contexts = 2 * self.window * int(np.diff(subwords.starts).max(initial=1))
        work = new_workspace(
            self.window,
            together * self.negative,
            AHEAD // self.shared_windows + 2,
            matrices.inputs.shape[1],
            outputs=most_outputs(layer),
            contexts=contexts,
        )
        at = addresses(
            work, matrices.inputs, matrices.outputs, dim=self.dim, normalised=layer.kind in NORMALISED,
            frozen=matrices.frozen,
        )  # fmt: skip

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            assert rows.size  # keeps the array alive: the kernel has its address
            own = own_copies(layer, matrices.outputs, arguments.writers)
            train_subwords(text, settings, work, at, predictor(layer, at, shard.loss, own), shard.state(stop))

        return train_shard

    def _finish(self, subwords: "Subwords", matrices: Matrices, facts: dict[str, Any]) -> SubwordVectors:
        m, own, order = matrices, subwords.own, np.argsort(subwords.buckets)
        ngrams = NgramRows(self.ngrams, m.inputs[own:, : m.dim][order], subwords.buckets[order])
        return SubwordVectors.composed(
            m.words,
            m.inputs[:own, : m.dim] if own else None,
            ngrams,
            counts=m.counts,
            output_vectors=m.outputs[:, : m.dim] if self.objective != "hierarchical" else None,
            metadata={"training": facts},
        )


@dataclass(frozen=True)
class Subwords:
    """The input rows of each word.

    Attributes:
        own: number of words with a row of their own: V or 0.
        starts: (V + 1,) where the rows of each word begin in `rows`.
        rows: a word's own row, then `own` + the index of each of its n-grams in `buckets`.
        buckets: (U,) buckets in use, in the order in which the words, most frequent first, need them: rows used
            together are close in memory.
    """

    own: int
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    buckets: npt.NDArray[np.int64]

    def rows_of(self, words: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return (R,) 1 for rows that any of some words has, which (V,) `words` marks with 1."""
        marked = np.zeros(self.own + len(self.buckets), dtype=np.uint8)
        marked[self.rows[np.repeat(words, np.diff(self.starts)) != 0]] = 1
        return marked

    @staticmethod
    def of(words: list[str], ngrams: Hashing) -> "Subwords":
        """Return the rows of words."""
        starts, buckets = ngrams.buckets_of(words)
        used, first, inverse = np.unique(buckets, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        if ngrams.hashes:
            return Subwords(0, starts, rank[inverse], used[order])
        rows = np.insert(rank[inverse] + len(words), starts[:-1], np.arange(len(words)))
        return Subwords(len(words), starts + np.arange(len(starts)), rows, used[order])
