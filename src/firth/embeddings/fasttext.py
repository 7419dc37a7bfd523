"""FastText: skip-gram and CBOW whose words are made of character n-grams.

What: a word is a bag of its n-grams and itself. Its vector is the mean of their rows, so that words which share letters
share what they learn, and a word that never stood in the corpus has a vector too.

Objective, with G_w the rows of w: its own and those of its n-grams, boundary marks included; z_r are input rows:

    u_w = 1/|G_w| sum_{r in G_w} z_r
    skip-gram   sum_m [ log sigma(v_{c_m} . u_w) + sum_k log sigma(-v_{n_mk} . u_w) ]
    CBOW        log sigma(v_w . h) + sum_k log sigma(-v_{n_k} . h),     h = the mean of all rows of all context words

for a centre w with context words c_1 .. c_M and K noise words a prediction. v are the output vectors. Instead of noise
words, objective="hierarchical" walks Huffman's tree, and "softmax" scores every word.

Source: Bojanowski, Grave, Joulin and Mikolov 2017, "Enriching word vectors with subword information", section 3; the
program of the same authors for the mean, the hashes, and what a row gets of a gradient. `firth.kernels.ngram_hash` has
the n-grams.

Departures:
- The centre predicts its context, as in the paper; `firth.embeddings.word2vec` does it the other way round.
- The mean of G_w, where the paper has the sum: as in the authors' program. Each row gets the whole gradient of u_w, as
  there, and not 1/|G_w| of it.
- Between the predictions of a window the hidden row alone moves, by each one's gradient, and its rows move by the sum
  when the window ends. The authors' program moves the rows and takes their mean anew, which is the same but for a row
  that stands in a word twice or that two threads share.
- Each prediction has K noise words of its own, as there; the next `shared_windows` - 1 windows use the same ones again.
- Noise is drawn by counts to the power of 0.5, as in the authors' program; the paper has none of its own and refers to
  word2vec, whose power is 0.75.
- Only rows of n-grams that stand in some word of the vocabulary are kept: the others would never be trained. They count
  as zeros in the vector of an unseen word; the authors' program leaves them at random.
- A sentence's end is no word.

Cost: see `firth.embeddings.subword_windows`; V + U rows of D float32 for U n-grams in use, V more for the outputs. With
one thread a seed gives the same bits on every run of one machine.
"""

import dataclasses
import os
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.embeddings.subword_windows import AHEAD, CBOW, SKIPGRAM, Task, train_subwords
from firth.embeddings.training import (
    LearningRate,
    Matrices,
    Run,
    Shard,
    TrainShard,
    initial_matrices,
    text_of,
    usable_threads,
)
from firth.errors import OptionError
from firth.kernels.noise import alias_table
from firth.kernels.objectives import (
    NORMALISED,
    Scoring,
    most_outputs,
    own_copies,
    predictor,
    scoring,
    untrained_loss,
)
from firth.kernels.rows import aligned_rows
from firth.kernels.targets import addresses, new_work
from firth.kernels.trees import huffman
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.randomness import generator
from firth.vectors.character_ngrams import Hashing
from firth.vectors.ngram_rows import NgramRows
from firth.vectors.subword_vectors import SubwordVectors

OBJECTIVES = ("negative", "hierarchical", "softmax")


@options_class
class FastText:
    """Skip-gram or CBOW over character n-grams: options that train.

    Raises:
        OptionError: an option is out of its range, or the range of n-grams is empty.

    Source:
        Bojanowski et al. 2017; the module's docstring gives the formulas and every departure.
    """

    presets: ClassVar = {
        "fasttext": Preset(
            "fastText: words as sums of character n-grams, so unseen words get vectors too (Bojanowski et al. 2017)."
        ),
    }
    common_options: ClassVar = ("architecture", "dim", "window", "min_n", "max_n", "negative", "epochs", "lr")

    architecture: str = option(
        "skipgram", "predict the context from each word, or each word from its context", choices=("skipgram", "cbow")
    )
    objective: str = option("negative", "how a prediction is scored", choices=OBJECTIVES)
    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    window: int = option(5, "words on each side of the centre word", minimum=1)
    min_n: int = option(3, "fewest characters of an n-gram, boundary marks included", minimum=1)
    max_n: int = option(6, "most characters of an n-gram; 0 for words alone", minimum=0)
    buckets: int = option(2_000_000, "rows that n-grams are hashed to", minimum=1, maximum=2**31 - 1)
    hashing: str = option(
        "fasttext", "one row an n-gram and one a word, or a table of floret's", choices=("fasttext", "floret")
    )
    hash_count: int = option(2, "rows an n-gram has in a table of floret's", minimum=1, maximum=4)
    negative: int = option(5, "noise words a prediction", minimum=1)
    sample: float = option(
        1e-4, "relative frequency above which words are thinned out; 0 keeps all", minimum=0, maximum=1
    )
    epochs: int = option(5, "passes over the corpus", minimum=1)
    lr: float = option(0.05, "learning rate at the start", minimum=0, exclusive=True)
    lr_end_factor: float = option(1e-4, "share of lr that is left at the end", minimum=0, maximum=1)
    noise_exponent: float = option(0.5, "power of the counts that noise words are drawn by", minimum=-10, maximum=10)
    shrink_windows: bool = option(True, "draw each window's size from 1 to the window's width")
    shared_windows: int = option(2, "windows in a row that share their noise words", minimum=1)

    def __post_init__(self) -> None:
        options.check(self)
        if 0 < self.max_n < self.min_n:
            raise OptionError(
                f"min_n={self.min_n}, max_n={self.max_n}: no n-gram is that long; expected max_n of at least min_n, or "
                "max_n=0 for words alone"
            )

    def train(
        self,
        corpus: Corpus | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        start: SubwordVectors | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **text: Any,
    ) -> SubwordVectors:
        """Train vectors on a corpus.

        Args:
            corpus: the encoded text, or whatever `Corpus.build` takes: a path, texts, lists of tokens, a table.
            seed: of every random draw; with one thread it decides every bit of the result.
            threads: how many; by default one a processor.
            start: vectors to go on from; rows that it lacks start at random, words that only it has are kept.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            checkpoint: a folder in which the state is kept every five minutes, and after each epoch where that takes
                no more than a twentieth of the time; a later call with
                the same corpus, options, seed and threads goes on from it.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            One vector a word of the corpus and the rows of its n-grams, with counts, output vectors where the objective
            has one a word, and `metadata["training"]`.

        Raises:
            CorpusError: the text cannot be read, or leaves no words.
            OptionError: `threads` is below one, `start` has other n-grams, or the checkpoint is of another run.
            ShapeError: `start` has another width.
            DivergenceError: numbers or loss grew as no learning could make them.
        """
        count = usable_threads(threads)
        corpus = as_corpus(corpus, text, progress=progress)
        subwords, matrices = self.initial(corpus, seed, start)
        noise = corpus.vocabulary.noise_probabilities(self.noise_exponent)
        tree = huffman(corpus.vocabulary.counts) if self.objective == "hierarchical" else None
        by = scoring(self.objective, noise, negative=self.negative, noise=alias_table(noise), tree=tree)

        def finish(matrices: Matrices, facts: dict[str, Any]) -> SubwordVectors:
            return _finished(self, subwords, matrices, facts)

        run = Run(
            corpus=corpus,
            matrices=matrices,
            train_shard=self.shard_trainer(corpus, matrices, subwords, by, count),
            options={"model": "fasttext", **dataclasses.asdict(self)},
            epochs=self.epochs,
            rate=self.rate,
            untrained_loss=untrained_loss(by, corpus.vocabulary.kept_shares(self.sample)),
            seed=seed,
            sampled=True,
            threads=count,
            finish=finish,
        )
        return run.train(progress=progress, checkpoint=checkpoint)

    @property
    def rate(self) -> LearningRate:
        """The learning rate."""
        return LearningRate(self.lr, self.lr_end_factor)

    def initial(self, corpus: Corpus, seed: int, start: SubwordVectors | None) -> tuple["Subwords", Matrices]:
        """Return which rows make up each word, and matrices to train: input rows of words, then of n-grams.

        Args:
            corpus: its vocabulary gives the words.
            seed: of the random rows.
            start: vectors to go on from, or None.

        Raises:
            OptionError: `start` has other n-grams.
            ShapeError: `start` has another width.
        """
        if start is not None and not isinstance(start, SubwordVectors):
            raise OptionError(
                f"start is {type(start).__name__}, expected SubwordVectors: the rows of n-grams are missing"
            )
        if start is not None and start.ngrams.hashing != self.ngrams:
            raise OptionError(
                f"start has {start.ngrams.hashing}, the options ask for {self.ngrams}: use those of start"
            )
        if start is not None and start.ngrams.pruned:
            raise OptionError("start has lost n-grams to quantisation: go on from the vectors as they were trained")
        made = initial_matrices(corpus, self.dim, seed=seed, start=None if start is None else start.trainable())
        subwords = Subwords.of(made.words, self.ngrams)
        inputs = aligned_rows(subwords.own + len(subwords.buckets), self.dim)
        inputs[: subwords.own] = made.inputs[: subwords.own]
        ngrams = inputs[subwords.own :, : self.dim]
        random = generator(seed, "n-grams")
        for rows in np.array_split(ngrams, max(1, len(ngrams) // 4096)):
            rows[:] = (random.random(rows.shape, dtype=np.float32) * 2 - 1) / self.dim
        if start is not None:
            places = start.ngrams.places(subwords.buckets)
            ngrams[places >= 0] = start.ngrams.rows(places[places >= 0])
        return subwords, dataclasses.replace(made, inputs=inputs)

    @property
    def ngrams(self) -> Hashing:
        """How n-grams become buckets."""
        hashes = self.hash_count if self.hashing == "floret" else 0
        return Hashing(self.min_n, self.max_n, self.buckets, hashes)

    def shard_trainer(
        self, corpus: Corpus, matrices: Matrices, subwords: "Subwords", by: Scoring, threads: int
    ) -> TrainShard:
        """Return the function that trains one shard.

        Args:
            corpus: the encoded text.
            matrices: what is trained.
            subwords: the rows of each word.
            by: the objective.
            threads: how many share the corpus.
        """
        mode = SKIPGRAM if self.architecture == "skipgram" else CBOW
        rows = subwords.rows * (4 * matrices.inputs.shape[1]) + matrices.inputs.ctypes.data
        task = Task(
            noise=by.noise,
            starts=subwords.starts,
            rows=rows.ctypes.data,
            mode=mode,
            window=self.window,
            shrink=self.shrink_windows,
            shared=self.shared_windows,
        )
        text = text_of(corpus, sample=self.sample, rate=self.rate, epochs=self.epochs, threads=threads)
        together = 2 * self.window if mode == SKIPGRAM else 1
        contexts = 2 * self.window * int(np.diff(subwords.starts).max(initial=1))

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            assert rows.size  # kept alive: the kernel has its address
            work = new_work(
                self.window,
                together * self.negative,
                AHEAD // self.shared_windows + 2,
                matrices.inputs.shape[1],
                outputs=most_outputs(by),
                contexts=contexts,
            )
            at = addresses(work, matrices.inputs, matrices.outputs, dim=self.dim, normalised=by.kind in NORMALISED)
            own = own_copies(by, matrices.outputs, threads)
            train_subwords(text, task, work, at, predictor(by, at, shard.loss, own), shard.state(stop))

        return train_shard


@dataclass(frozen=True)
class Subwords:
    """Which input rows make up each word.

    Attributes:
        own: how many words have a row of their own: V or 0.
        starts: (V + 1,) where each word's begin.
        rows: a word's own row, then `own` + the place of each of its n-grams among `buckets`.
        buckets: (U,) those in use, in the order in which the words, commonest first, need them: what is used together
            stands together.
    """

    own: int
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    buckets: npt.NDArray[np.int64]

    @staticmethod
    def of(words: list[str], ngrams: Hashing) -> "Subwords":
        """Return the rows of words."""
        starts, found = ngrams.buckets_of(words)
        used, first, places = np.unique(found, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        if ngrams.hashes:
            return Subwords(0, starts, rank[places], used[order])
        rows = np.insert(rank[places] + len(words), starts[:-1], np.arange(len(words)))
        return Subwords(len(words), starts + np.arange(len(starts)), rows, used[order])


def _finished(model: FastText, subwords: Subwords, m: Matrices, facts: dict[str, Any]) -> SubwordVectors:
    own, order = subwords.own, np.argsort(subwords.buckets)
    ngrams = NgramRows(model.ngrams, m.inputs[own:, : m.dim][order], subwords.buckets[order])
    return SubwordVectors.composed(
        m.words,
        m.inputs[:own, : m.dim] if own else None,
        ngrams,
        counts=m.counts,
        output_vectors=m.outputs[:, : m.dim] if model.objective != "hierarchical" else None,
        metadata={"training": facts},
    )
