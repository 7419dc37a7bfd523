"""AdaGram: skip-gram with as many vectors a word as the words around it ask for.

What: every word has up to T senses, each with a vector that predicts the words around it. Which sense an occurrence has
is not known, nor how many a word needs: a prior that breaks a stick lets a sense arise where the others predict badly.

Objective: word w_i with the context words c_ij and the hidden sense z_i, a vector x_wk a sense, u_n a row a node of a
Huffman tree over the words, and the stick of `firth.kernels.stick_breaking`:

    log p(c | w, z = k) = sum of log sigma(+- x_wk . u_n) over the path to c
    q(z_i = k) ~ exp( E log pi_wk + sum_j log p(c_ij | w, k) )                    the posterior of an occurrence
    L = sum_i log sum_k exp( E log pi_wk + sum_j log p(c_ij | w, k) ) - KL(q(beta) || p(beta | alpha))

L is a lower bound of the log-likelihood. At each window x and u go up its gradient, weighted by q, with the learning
rate r; n_wk, how many of the word's n_w occurrences have sense k, takes a natural gradient step:

    n_wk += r (n_w q(z_i = k) - n_wk)

Source: Bartunov, Kondrashkin, Osokin and Vetrov 2016, "Breaking sticks and ambiguities with adaptive skip-gram",
section 3 and algorithm 1.

Departures:
- The tree is learned from skip-gram vectors by default (`tree="learned"`, `firth.embeddings.learned_tree`), where the
  paper and the authors' program have Huffman's. In Huffman's tree neighbours have like counts and nothing else in
  common, and most turns say nothing about a sense; in a learned tree a turn tells topics apart. On pseudowords the
  adjusted Rand index rises by 0.04 to 0.05, with the best `merge_above` for each tree.
- Of the senses that no occurrence has had, one is weighed in each window and not all T: the others are its copies with
  ever smaller priors. None counts that together have less than `NEW` occurrences.
- A sense whose posterior is below `threshold` learns nothing from a window, as in the authors' program.
- n_w counts the occurrences that subsampling leaves.
- When training ends, senses of a word whose vectors have a cosine above `merge_above` become one, nearest first: where
  text is plenty a plain word gets a second sense too, but one that is like the first, while the senses of a word that
  means two things are apart. 1 merges none, as in the paper.
- A sense that less than `min_share` of the occurrences are then expected to have is dropped, as in the authors' program
  (there at 1e-3); so is one with less than `OCCUPIED` occurrences, whose share is the prior's and not the text's.
- Senses open from the first window on, as in the paper. A warm-up with one sense, from which the others are then split
  with noise, lowers the index (`benchmarks/results/senses/adagram.md`).
- Windows are drawn from one word to `window` wide, so that near words teach more than far ones; where the places of
  words are known, an occurrence is read with its words divided by their distance likewise.
- Several threads have copies of their own of the nodes near the root (`firth.kernels.objectives.Copies`).

Cost: 2 D flops for the evidence of a sense and 4 D for its step, a node of the window's paths, each of which counts
once; T V + V rows of D float32; for a learned tree a skip-gram training of three passes before. With one thread a seed
gives the same bits on every run of one machine.
"""

import dataclasses
import math
import os
import time
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth import options
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.embeddings.predictions import AHEAD
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
from firth.embeddings.word2vec import Word2Vec
from firth.embeddings.word_trees import tree_children
from firth.kernels import objectives
from firth.kernels.compiled import compiled
from firth.kernels.memory import get_float64, get_int64, set_float64, set_int64
from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import alias_table
from firth.kernels.objectives import MERGE, Predictor, Scoring, fetch_outputs, merge_copies, predictor
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.random import below, draw
from firth.kernels.rows import aligned_rows, own_lines
from firth.kernels.sense_paths import Nodes, Paths, list_nodes, new_nodes, paths_of, step_senses, weigh_evidence
from firth.kernels.stick_breaking import expected_logs, expected_parts
from firth.kernels.targets import Addresses, Work, addresses, new_work
from firth.kernels.trees import Tree, from_children
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.randomness import generator
from firth.senses.clustering import one_each
from firth.senses.merging import merge_alike
from firth.vectors.sense_readers import Likelihood
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.word_vectors import WordVectors

NEW = 0.01  # occurrences that the senses behind a word's last one may have together
OCCUPIED = 1.0  # occurrences that a sense must have to be kept
STATE = "occurrences"  # the name of n among a run's arrays
FIRST_EPOCHS = 3  # passes of the skip-gram training that a tree is learned from


@options_class
class AdaGram:
    """Adaptive skip-gram: as many senses a word as its contexts ask for.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Bartunov et al. 2016; the module's docstring gives the formulas and every departure.
    """

    presets: ClassVar = {
        "adagram": Preset("AdaGram: learns how many senses each word has (Bartunov et al. 2016)."),
    }
    common_options: ClassVar = ("dim", "window", "max_senses", "epochs", "lr")

    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    max_senses: int = option(4, "the most senses of a word", minimum=1)
    alpha: float = option(0.2, "how readily a word gets another sense", minimum=0, exclusive=True)
    window: int = option(5, "words on each side of the centre word", minimum=1)
    sample: float = option(
        1e-4, "relative frequency above which words are thinned out; 0 keeps all", minimum=0, maximum=1
    )
    epochs: int = option(5, "passes over the corpus", minimum=1)
    lr: float = option(0.025, "learning rate at the start", minimum=0, maximum=1, exclusive=True)
    lr_end_factor: float = option(1e-4, "share of lr that is left at the end", minimum=0, maximum=1)
    tree: str = option("learned", "tree over the words that contexts are predicted by", choices=("learned", "huffman"))
    shrink_windows: bool = option(True, "draw each window's size from 1 to the window's width")
    threshold: float = option(
        1e-10, "posterior below which a sense learns nothing from a window", minimum=0, maximum=0.1
    )
    merge_above: float = option(
        0.3, "cosine of two senses of a word above which they become one at the end", minimum=-1, maximum=1
    )
    min_share: float = option(
        0.15, "expected share of a word's occurrences below which a sense is dropped", minimum=0, maximum=1
    )

    def __post_init__(self) -> None:
        options.check(self)

    def train(
        self,
        corpus: Corpus | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **text: Any,
    ) -> SenseVectors:
        """Train senses on a corpus.

        Args:
            corpus: the encoded text, or whatever `Corpus.build` takes: a path, texts, lists of tokens, a table.
            seed: of every random draw; with one thread it decides every bit of the result.
            threads: how many; by default one a processor.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            checkpoint: a folder in which the state is kept; a later call with the same corpus, options, seed and
                threads goes on from it. The skip-gram training that a tree is learned from has a folder of its own
                there, "first".
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            The senses of every word, which their contexts tell apart by their likelihood; `metadata["training"]` holds
            options, seed, threads, loss (-L without the prior's part, nats a context word, one figure an epoch), words
            and seconds, those of the tree included. One sense a word where training is interrupted before the tree is
            learned.

        Raises:
            CorpusError: the text cannot be read, or leaves no words.
            OptionError: `threads` is below one, or the checkpoint is of another run.
            DivergenceError: numbers or loss grew as no learning could make them.
        """
        count, began, known = usable_threads(threads), time.monotonic(), None
        corpus = as_corpus(corpus, text, progress=progress)
        if self.tree == "learned":
            known = self.first_vectors(corpus, seed, count, progress, checkpoint)
            if known.metadata["training"]["interrupted"]:
                return one_each(known)
        tree = from_children(tree_children(self.tree, corpus.vocabulary, seed, known))
        matrices, by = self.starting_matrices(corpus, seed), _scoring(corpus, tree)
        before = time.monotonic() - began
        run = Run(
            corpus=corpus,
            matrices=matrices,
            train_shard=self.shard_trainer(corpus, matrices, count, by),
            options={"model": "adagram", **dataclasses.asdict(self)},
            epochs=self.epochs,
            rate=self.rate,
            untrained_loss=objectives.untrained_loss(by, corpus.vocabulary.kept_shares(self.sample)),
            seed=seed,
            threads=count,
            finish=lambda m, facts: self.sense_vectors(
                m, by.tree, {**facts, "seconds": round(facts["seconds"] + before, 3)}
            ),
        )
        return run.train(progress=progress, checkpoint=checkpoint)

    def first_vectors(
        self,
        corpus: Corpus,
        seed: int,
        threads: int,
        progress: Progress,
        checkpoint: str | os.PathLike[str] | None,
    ) -> WordVectors:
        """Return the skip-gram vectors that a tree is learned from.

        Args:
            corpus: the encoded text.
            seed: of every random draw.
            threads: how many.
            progress: as for `train`.
            checkpoint: the folder of the whole training, or None.
        """
        first = Word2Vec(dim=self.dim, window=self.window, sample=self.sample, epochs=FIRST_EPOCHS)
        aside = None if checkpoint is None else Path(checkpoint) / "first"
        return first.train(corpus, seed=seed, threads=threads, progress=progress, checkpoint=aside)

    @property
    def rate(self) -> LearningRate:
        """The learning rate, of the vectors and of the occurrences alike."""
        return LearningRate(self.lr, self.lr_end_factor)

    def starting_matrices(self, corpus: Corpus, seed: int) -> Matrices:
        """Return random senses, sense k of word w in row w T + k, all occurrences with the first sense of their word.

        Args:
            corpus: its vocabulary gives the words.
            seed: of the random vectors.
        """
        first, most = initial_matrices(corpus, self.dim, seed=seed, start=None), self.max_senses
        inputs, random = aligned_rows(len(first.words) * most, self.dim), generator(seed, "further senses")
        inputs[::most] = first.inputs
        for k in range(1, most):
            noise = random.random((len(first.words), self.dim), dtype=np.float32)
            inputs[k::most, : self.dim] = (noise * 2 - 1) / self.dim
        occurrences = np.zeros((len(first.words), most))
        occurrences[:, 0] = self.kept_occurrences(corpus)
        return dataclasses.replace(first, inputs=inputs, state={STATE: occurrences})

    def kept_occurrences(self, corpus: Corpus) -> npt.NDArray[np.float64]:
        """Return (V,) how many occurrences of each word subsampling leaves, n_w."""
        words = corpus.vocabulary
        return np.asarray(words.counts * words.keep_probabilities(self.sample), dtype=np.float64)

    def shard_trainer(self, corpus: Corpus, matrices: Matrices, threads: int, by: Scoring) -> TrainShard:
        """Return the function that trains one shard.

        Args:
            corpus: the text.
            matrices: what is trained, in place.
            threads: how many shards there are.
            by: the tree over the words.
        """
        text = text_of(corpus, sample=self.sample, rate=self.rate, epochs=self.epochs, threads=threads)
        most = 2 * self.window * max(by.tree.longest, 1)
        occurrences, totals = matrices.state[STATE], self.kept_occurrences(corpus)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            work = new_work(self.window, 1, 1, matrices.inputs.shape[1], outputs=most)
            at = addresses(work, matrices.inputs, matrices.outputs, dim=self.dim, normalised=True)
            copies, own = objectives.own_copies(by, matrices.outputs, threads), self.own(by.words, most)
            task = self.task(own, occurrences, totals)
            train_windows(text, task, predictor(by, at, shard.loss, copies), work, at, shard.state(stop))

        return train_shard

    def own(self, words: int, most: int) -> "Own":
        """Return the arrays of a thread.

        Args:
            words: V.
            most: nodes that the paths of a window may have.
        """
        table = np.stack([own_lines(self.max_senses, np.int64) for _ in range(3)])
        return Own(new_nodes(words, most, self.max_senses), table, own_lines(self.max_senses, np.float64))

    def task(self, own: "Own", occurrences: npt.NDArray[np.float64], totals: npt.NDArray[np.float64]) -> "Task":
        """Return what a thread does, as plain numbers.

        Args:
            own: its arrays.
            occurrences: (V, T) n_wk, which training updates.
            totals: (V,) n_w.
        """
        return Task(
            window=self.window,
            shrink=self.shrink_windows,
            senses=self.max_senses,
            alpha=self.alpha,
            threshold=self.threshold,
            occurrences=occurrences.ctypes.data,
            totals=totals.ctypes.data,
            paths=paths_of(own.nodes),
            rows=own.table[0].ctypes.data,
            learning=own.table[1].ctypes.data,
            chosen=own.table[2].ctypes.data,
            posterior=own.posterior.ctypes.data,
        )

    def sense_vectors(self, matrices: Matrices, tree: Tree, facts: dict[str, Any]) -> SenseVectors:
        """Return the senses that some part of their word's occurrences is expected to have.

        Args:
            matrices: as trained.
            tree: over the words.
            facts: about the run.
        """
        occurrences = matrices.state[STATE]
        parts = expected_parts(occurrences, self.alpha)
        occupied = occurrences >= OCCUPIED
        occupied[np.arange(len(occupied)), parts.argmax(axis=1)] = True
        vectors = matrices.inputs[:, : matrices.dim].reshape(*parts.shape, matrices.dim).copy()
        parts = np.where(occupied, parts, 0)
        for word in np.flatnonzero(occupied.sum(axis=1) > 1):
            merge_alike(vectors[word], parts[word], self.merge_above, live=occupied[word])
        parts /= parts.sum(axis=1, keepdims=True)
        kept = (parts > 0) & (parts >= self.min_share)
        kept[np.arange(len(kept)), parts.argmax(axis=1)] = True
        parts = np.where(kept, parts, 0)
        parts /= parts.sum(axis=1, keepdims=True)
        return SenseVectors(
            matrices.words,
            np.concatenate([[0], np.cumsum(kept.sum(axis=1))]),
            vectors[kept],
            priors=parts[kept],
            reader=Likelihood(matrices.outputs[:, : matrices.dim], tree, decay=1.0 if self.shrink_windows else 0.0),
            counts=matrices.counts,
            metadata={"training": facts},
        )


def _scoring(corpus: Corpus, tree: Tree) -> Scoring:
    noise = corpus.vocabulary.noise_probabilities(1.0)  # nothing is drawn from it
    return objectives.scoring("hierarchical", noise, negative=1, noise=alias_table(noise), tree=tree)


class Own(NamedTuple):
    """One thread's arrays, kept alive for as long as its `Task` is used."""

    nodes: Nodes
    table: npt.NDArray[np.int64]  # (3, T)
    posterior: npt.NDArray[np.float64]  # (T,)


class Task(NamedTuple):
    """What one thread makes of a text, as plain numbers: arrays that threads share would slow each other down."""

    window: int  # words a side
    shrink: bool  # whether a window's reach is drawn from 1 to `window`
    senses: int  # T
    alpha: float
    threshold: float  # posterior below which a sense learns nothing
    occurrences: int  # address of (V, T) float64 n_wk, updated in place
    totals: int  # of (V,) float64 n_w
    paths: Paths
    rows: int  # of (T,) int64, the rows of the senses that are weighed
    learning: int  # of (T,) int64, the rows of those that learn
    chosen: int  # of (T,) int64, which ones these are
    posterior: int  # of (T,) float64


@compiled
def train_windows(text: Text, task: Task, by: Predictor, work: Work, at: Addresses, state: ShardState) -> None:
    """Train on a shard from where it stands."""
    # A field of a tuple is counted as a reference each time it is read: outside the loops, once.
    sentence, random, loss, predictions = work.sentence, state.random, state.loss, state.predictions
    window, word_bytes = task.window, at.row_bytes * task.senses
    for count, _, rate in pieces(text, work, state):
        merge_copies(by, at, count)
        if count < 2 or by.words < 2:
            continue  # a word alone has no window, and a tree of one word no node
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                prefetch_row(at.inputs + sentence[ahead] * word_bytes, at.row_bytes)
                if ahead + window < count:
                    fetch_outputs(by, at, sentence[ahead + window])
            if t < 0:
                continue
            reach = window - below(draw(random), window) if task.shrink else window
            first, last = max(0, t - reach), min(count - 1, t + reach)
            n = list_nodes(by, at, task.paths, sentence, first, t, last)
            loss[0] -= learn_window(task, at, sentence[t], n, rate)
            predictions[0] += last - first
    merge_copies(by, at, MERGE)


@njit(nogil=True)
def learn_window(
    task: Task,  # n nodes listed
    at: Addresses,
    word: int,  # the centre
    n: int,
    rate: np.float32,
) -> float:
    """Learn from one window; return its part of the lower bound, log sum_k exp(E log pi_k + evidence_k), in nats."""
    counts = task.occurrences + 8 * task.senses * word
    m = _place_senses(task, at, word, counts)
    expected_logs(counts, task.senses, task.alpha, m, task.posterior)
    weigh_evidence(at, task.paths, n, task.rows, m, task.posterior)
    bound: float = _normalise(task.posterior, m)
    learning = _choose(task, m)
    step_senses(at, task.paths, n, task.learning, task.chosen, task.posterior, learning, rate)
    total = get_float64(task.totals, word)
    for k in range(task.senses):
        seen = total * get_float64(task.posterior, k) if k < m else 0.0
        set_float64(counts, k, get_float64(counts, k) + rate * (seen - get_float64(counts, k)))
    return bound


@njit(nogil=True, inline="always")
def _place_senses(task: Task, at: Addresses, word: int, counts: int) -> int:
    """List the senses that a word has and one that would be new; return how many they are."""
    m, behind = task.senses, 0.0
    while m > 1 and behind + get_float64(counts, m - 1) < NEW:
        m -= 1
        behind += get_float64(counts, m)
    m = min(m + 1, task.senses)
    for k in range(m):
        set_int64(task.rows, k, at.inputs + (word * task.senses + k) * at.row_bytes)
    return m


@njit(nogil=True, inline="always")
def _normalise(logs: int, m: int) -> float:
    """Turn log weights into probabilities; return the logarithm of the weights' sum."""
    largest, total = get_float64(logs, 0), 0.0
    for k in range(1, m):
        largest = max(largest, get_float64(logs, k))
    for k in range(m):
        set_float64(logs, k, math.exp(get_float64(logs, k) - largest))
        total += get_float64(logs, k)
    for k in range(m):
        set_float64(logs, k, get_float64(logs, k) / total)
    return float(largest + math.log(total))


@njit(nogil=True, inline="always")
def _choose(task: Task, m: int) -> int:
    """List the senses that learn, and take the others' posterior away; return how many learn."""
    learning = 0
    for k in range(m):
        if get_float64(task.posterior, k) < task.threshold:
            set_float64(task.posterior, k, 0.0)
        else:
            set_int64(task.learning, learning, get_int64(task.rows, k))
            set_int64(task.chosen, learning, k)
            learning += 1
    return learning
