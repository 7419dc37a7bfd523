"""AdaGram: skip-gram that learns the number of senses of each word.

What: every word has up to T senses, each with a vector that predicts the context words. Neither the sense of an
occurrence nor the number of senses is known: with a stick-breaking prior, a new sense arises where the others predict
badly.

Objective, for a word w_i with context words c_ij and hidden sense z_i, a vector x_wk per sense, a row u_n per node of a
tree over the words, and the prior of `firth.kernels.stick_breaking`:

    log p(c | w, z = k) = sum of log sigma(+- x_wk . u_n) over the path to c
    q(z_i = k) ~ exp( E log pi_wk + sum_j log p(c_ij | w, k) )                    the posterior of an occurrence
    L = sum_i log sum_k exp( E log pi_wk + sum_j log p(c_ij | w, k) ) - KL(q(beta) || p(beta | alpha))

L is a lower bound of the log-likelihood. In each window, x and u take a gradient step weighted by q, with the learning
rate r; n_wk, the expected number of the word's n_w occurrences with sense k, takes a natural gradient step:

    n_wk += r (n_w q(z_i = k) - n_wk)

Source: Bartunov, Kondrashkin, Osokin and Vetrov 2016, "Breaking sticks and ambiguities with adaptive skip-gram",
section 3 and algorithm 1.

Departures:
- By default the tree is learned from skip-gram vectors (`tree="learned"`, `firth.embeddings.output_tree`); the paper
  and the authors' program use a Huffman tree. Neighbours in a Huffman tree have similar counts and nothing else in
  common, so most turns say nothing about a sense; in a learned tree a turn separates topics. On pseudowords the
  adjusted Rand index is higher (`benchmarks/results/senses/adagram.md`, which says on which seeds the tree was chosen).
- Of the senses without occurrences, only one is considered in each window, not all T: the others are copies of it with
  ever smaller priors. Senses that together have less than `NEW` occurrences count as unused.
- A sense whose posterior is below `threshold` does not learn from a window, as in the authors' program.
- n_w counts the occurrences left after subsampling.
- After training, senses of a word whose vectors have a cosine above `merge_above` are merged, nearest first. With much
  text a word with one meaning also gets a second sense, but one similar to the first, while those of an ambiguous word
  differ. 1 merges none, as in the paper.
- Then, senses expected in less than `min_share` of the occurrences are dropped, as in the authors' program (there
  1e-3). So are senses with less than `OCCUPIED` occurrences, whose share comes from the prior and not from the text.
- New senses are allowed from the first window on, as in the paper. A warm-up with one sense that is then split with
  noise lowers the index (`benchmarks/results/senses/adagram.md`).
- Window sizes are drawn from 1 to `window`, so near words have more influence than distant ones. When a sense is
  predicted in a context with known positions, words are weighted by 1 / distance accordingly.
- Several threads have their own copies of the nodes near the root (`firth.kernels.objectives.Copies`).

Cost: 2 D flops for the evidence of a sense and 4 D for its step, per distinct node on the paths of a window; T V + V
rows of D float32; for a learned tree, three epochs of skip-gram before. With one thread a seed gives the same bits in
every run on one machine.
"""

import dataclasses
import functools
import os
import time
from typing import Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from firth import options
from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.embeddings import window_options
from firth.embeddings.matrices import Matrices, initial_matrices
from firth.embeddings.output_tree import train_with_tree
from firth.embeddings.shards import Shard, TrainShard
from firth.embeddings.trainer import TrainingArguments
from firth.embeddings.window_model import WindowModel, output_layer, text_of, window_run
from firth.embeddings.word2vec import Word2Vec
from firth.kernels.objectives import Scoring, own_copies, predictor
from firth.kernels.rows import aligned_rows, own_lines
from firth.kernels.sense_paths import new_nodes, paths_of
from firth.kernels.stick_breaking import expected_parts
from firth.kernels.targets import addresses, new_workspace
from firth.kernels.threads import usable_threads
from firth.kernels.trees import Children, Tree, from_children
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.randomness import generator
from firth.senses.adagram_windows import AdaGramSettings, SenseWorkspace, train_windows
from firth.senses.clustering import one_sense_per_word
from firth.senses.online_senses import merge_similar
from firth.vectors.sense_readers import Likelihood
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.word_vectors import WordVectors

OCCUPIED = 1.0  # senses with fewer occurrences are dropped
STATE = "occurrences"  # the name of n among the arrays of a run
FIRST_EPOCHS = 3  # epochs of the skip-gram training that a tree is learned from


@options_class
class AdaGram(WindowModel):
    """Adaptive skip-gram, which learns the number of senses of each word: the options, and `train`.

    Source:
        Bartunov et al. 2016; the module docstring has the formulas and all departures.
    """

    presets: ClassVar = {"adagram": Preset("AdaGram: learns how many senses each word has (Bartunov et al. 2016).")}
    common_options: ClassVar = ("dim", "window", "max_senses", "epochs", "lr")
    model_name: ClassVar = "adagram"

    dim: int = window_options.dim()
    max_senses: int = option(4, "maximum number of senses of a word", minimum=1)
    alpha: float = option(0.2, "concentration of the prior: larger values give more senses", minimum=0, exclusive=True)
    window: int = window_options.window()
    sample: float = window_options.sample(1e-4)
    epochs: int = window_options.epochs(5)
    lr: float = window_options.lr(0.025, maximum=1)
    lr_end_factor: float = window_options.lr_end_factor()
    tree: str = option("learned", "tree over the words for hierarchical softmax", choices=("learned", "huffman"))
    shrink_windows: bool = window_options.shrink_windows()
    threshold: float = option(
        1e-10, "senses with a smaller posterior do not learn from a window", minimum=0, maximum=0.1
    )
    merge_above: float = option(
        0.3, "senses of a word with a cosine above this are merged after training", minimum=-1, maximum=1
    )
    min_share: float = option(
        0.15, "senses with a smaller share of their word's occurrences are dropped", minimum=0, maximum=1
    )

    def __post_init__(self) -> None:
        options.check(self)

    @explained
    def train(
        self,
        corpus: Corpus | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **text: Unpack[TextArguments],
    ) -> SenseVectors:
        """Train on a corpus; for the arguments see `firth.Word2Vec.train`.

        Returns the senses of every word; the likelihood of a context decides between them. `metadata["training"]` holds
        the loss (-L without the part of the prior, in nats per context word), and seconds that include the tree. If
        training is interrupted before the tree is learned, every word has one sense.

        Raises:
            CorpusError: the text cannot be read, or has no words.
            OptionError: `threads` is below 1, or the checkpoint belongs to another run.
            DivergenceError: the training diverged.
        """
        began, count = time.monotonic(), usable_threads(threads)
        encoded = as_corpus(corpus, text, progress=progress)
        arguments = TrainingArguments[WordVectors](seed=seed, threads=count, progress=progress, checkpoint=checkpoint)
        first = Word2Vec(dim=self.dim, window=self.window, sample=self.sample, epochs=FIRST_EPOCHS)
        return train_with_tree(
            self.tree,
            encoded,
            arguments,
            first=first.train_on,
            train=functools.partial(self._train, began=began),
            interrupted=one_sense_per_word,
        )

    def _train(
        self, corpus: Corpus, arguments: TrainingArguments[WordVectors], children: Children, began: float
    ) -> SenseVectors:
        tree = from_children(children)
        matrices, layer = self.initial_matrices(corpus, arguments.seed), _output_layer(corpus, tree)
        before = time.monotonic() - began

        def finish(matrices: Matrices, facts: dict[str, Any]) -> SenseVectors:
            return self.sense_vectors(matrices, tree, {**facts, "seconds": round(facts["seconds"] + before, 3)})

        trainer = functools.partial(self._shard_trainer, corpus, layer, arguments.threads)
        return window_run(self, corpus, arguments, matrices, layer, trainer, finish, sampled=False).train()

    def initial_matrices(self, corpus: Corpus, seed: int) -> Matrices:
        """Return random senses, sense k of word w in row w T + k; every occurrence has the first sense of its word."""
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
        """Return (V,) the expected number of occurrences of each word after subsampling, n_w."""
        words = corpus.vocabulary
        return np.asarray(words.counts * words.keep_probabilities(self.sample), dtype=np.float64)

    def _shard_trainer(self, corpus: Corpus, layer: Scoring, threads: int, matrices: Matrices) -> TrainShard:
        """Return the function that trains one shard of `corpus`."""
        text = text_of(self, corpus, threads)
        most = 2 * self.window * max(layer.tree.longest, 1)
        occurrences, totals = matrices.state[STATE], self.kept_occurrences(corpus)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            work = new_workspace(self.window, 1, 1, matrices.inputs.shape[1], outputs=most)
            at = addresses(work, matrices.inputs, matrices.outputs, dim=self.dim, normalised=True)
            copies, own = own_copies(layer, matrices.outputs, threads), self.workspace(layer.words, most)
            settings = self.settings(own, occurrences, totals)
            train_windows(text, settings, predictor(layer, at, shard.loss, copies), work, at, shard.state(stop))

        return train_shard

    def workspace(self, words: int, most: int) -> SenseWorkspace:
        """Return the arrays of a thread, for V words and at most `most` nodes on the paths of a window."""
        table = np.stack([own_lines(self.max_senses, np.int64) for _ in range(3)])
        return SenseWorkspace(new_nodes(words, most, self.max_senses), table, own_lines(self.max_senses, np.float64))

    def settings(
        self, own: SenseWorkspace, occurrences: npt.NDArray[np.float64], totals: npt.NDArray[np.float64]
    ) -> AdaGramSettings:
        """Return the settings of a thread: its workspace, (V, T) n_wk, updated in training, and (V,) n_w."""
        return AdaGramSettings(
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
        """Merge and drop senses of trained matrices, and return the rest."""
        occurrences = matrices.state[STATE]
        parts = expected_parts(occurrences, self.alpha)  # (V, T) E pi
        occupied = occurrences >= OCCUPIED
        occupied[np.arange(len(occupied)), parts.argmax(axis=1)] = True
        vectors = matrices.inputs[:, : matrices.dim].reshape(*parts.shape, matrices.dim).copy()
        parts = np.where(occupied, parts, 0)
        for word in np.flatnonzero(occupied.sum(axis=1) > 1):
            merge_similar(vectors[word], parts[word], self.merge_above, live=occupied[word])
        parts /= parts.sum(axis=1, keepdims=True)
        mask = (parts > 0) & (parts >= self.min_share)
        mask[np.arange(len(mask)), parts.argmax(axis=1)] = True
        parts = np.where(mask, parts, 0)
        parts /= parts.sum(axis=1, keepdims=True)
        return SenseVectors(
            matrices.words,
            np.concatenate([[0], np.cumsum(mask.sum(axis=1))]),
            vectors[mask],
            priors=parts[mask],
            reader=Likelihood(matrices.outputs[:, : matrices.dim], tree, decay=1.0 if self.shrink_windows else 0.0),
            counts=matrices.counts,
            metadata={"training": facts},
        )


def _output_layer(corpus: Corpus, tree: Tree) -> Scoring:
    return output_layer(corpus, "hierarchical", 1, 1.0, tree)  # without noise words
