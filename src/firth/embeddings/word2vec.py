"""Word2Vec: skip-gram and CBOW, with negative sampling and four objectives that define a probability.

What: a word's vector is trained to predict the words that stand around it, or to tell them from words drawn at random.

Objective, for a centre word w with context words c_1 .. c_M and K noise words n_k drawn from counts^0.75:

    skip-gram   sum_m [ log sigma(v_{c_m} . u_w) + sum_k log sigma(-v_{c_m} . u_{n_k}) ]
    CBOW              log sigma(h . u_w)         + sum_k log sigma(-h . u_{n_k}),      h = 1/M sum_m v_{c_m}

v are the input vectors, which are returned; u are the output vectors, kept so that training can go on. As in
word2vec.c, skip-gram predicts the centre from each context word; over a corpus the pairs are the same as the other way
round. With another objective than "negative", log P(w | c_m) or log P(w | h) stands in place of the brackets:
`firth.kernels.objectives` has the formulas. `combine="sum"` makes h the sum of the context vectors, `score="scaled"`
divides every product by D.

Source: Mikolov et al. 2013, "Efficient estimation of word representations in vector space" (both architectures);
Mikolov et al. 2013 (NIPS), "Distributed representations of words and phrases and their compositionality", equation 4
(negative sampling), section 2.3 (subsampling); Ji et al. 2016, "Parallelizing word2vec in shared and distributed
memory", section 3 (noise shared inside a window); Irsoy, Benton and Stratos 2021, "Corrected CBOW performs as well as
skip-gram", equation 4 (`cbow_gradient="mean"`).

Departures:
- `update="window"`: the noise words are drawn once for `shared_windows` windows and not once a pair, and all pairs of a
  window are scored before any of them updates a row. In expectation over the noise the first-order update is that of
  `update="pair"`, which draws and updates pair by pair as word2vec.c does.
- A noise word that is the centre word is left out of the step, as in word2vec.c, and not drawn again.
- Input vectors start uniform in +-1/D, as in gensim; word2vec.c starts them in +-1/(2D). CBOW learns better from it.
- A window of more than `MOST_HIDDEN` words takes several steps, one after the other, against the same noise.
- The learning rate falls linearly with the words that a thread has read of its own share, to `lr_end_factor` of its
  start: 1/10000 for skip-gram, as in word2vec.c; 1/5 for CBOW, which learns better from it (benchmarks/LOG.md).
- CBOW's default gradient is word2vec.c's, the whole gradient of h for every context word. `cbow_gradient="mean"`
  divides it by M, as the derivative of the mean does; it needs a learning rate some four times as high.

- Several threads of hierarchical softmax have copies of their own of the nodes near the root, merged every few hundred
  words (`firth.kernels.objectives.Copies`).
- Hierarchical softmax does not leave out nodes whose score is beyond 6, as word2vec.c and gensim do.
- A learned tree is learned from vectors that are trained first, with the same options and a random tree, and then
  forgotten; unless `start` has a vector for every word.
- Output rows of another objective or another tree mean something else: with such a `start` they begin at zero.

Cost: 6 D (K + 1) flops a pair, or as `firth.kernels.objectives` says; 2 V rows of D float32, padded to 64 bytes,
whatever the corpus's size. With one thread a seed gives the same bits on every run of one machine; with more, threads
write to shared rows without locks (Niu et al. 2011, "Hogwild!") and the bits differ from run to run.
"""

import dataclasses
import os
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.embeddings.predictions import AHEAD, CBOW, PAIR, WINDOW, Task, train_predictions
from firth.embeddings.probability import log_prob, starting_matrices, tree_attributes
from firth.embeddings.training import (
    LearningRate,
    Matrices,
    Run,
    Shard,
    TrainShard,
    text_of,
    usable_threads,
    word_vectors,
)
from firth.embeddings.word_trees import NAMES as TREES
from firth.embeddings.word_trees import WordTree, tree_children
from firth.errors import OptionError
from firth.kernels import objectives
from firth.kernels.compiled import compiled
from firth.kernels.noise import alias_table
from firth.kernels.objectives import Scoring, predictor
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.random import below, draw
from firth.kernels.targets import (
    Addresses,
    Work,
    addresses,
    combine,
    draw_noise,
    fetch_rows,
    following,
    gather_contexts,
    new_work,
    place_outputs,
    scatter,
    step,
    step_window,
)
from firth.kernels.trees import Children, from_children
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary

DEFAULTS: dict[str, dict[str, Any]] = {  # measured: benchmarks/LOG.md
    "skipgram": {"lr": 0.025, "lr_end_factor": 1e-4, "shared_windows": 2},
    "cbow": {"lr": 0.05, "lr_end_factor": 0.2, "shared_windows": 1},
}


@options_class
class Word2Vec:
    """Skip-gram or CBOW, with any of five objectives: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Mikolov et al. 2013; the module's docstring gives the formulas and every departure.
    """

    presets: ClassVar = {
        "skipgram": Preset(
            "Skip-gram: each word predicts the words around it, by negative sampling (Mikolov et al. 2013).",
            architecture="skipgram",
        ),
        "cbow": Preset(
            "CBOW: the words around it predict each word, by negative sampling (Mikolov et al. 2013).",
            architecture="cbow",
        ),
        "hierarchical": Preset(
            "Skip-gram with hierarchical softmax in place of negative sampling (Mikolov et al. 2013).",
            architecture="skipgram",
            objective="hierarchical",
        ),
    }
    common_options: ClassVar = ("dim", "window", "negative", "sample", "epochs", "lr")

    architecture: str = option(
        "skipgram", "predict from each context word, or from their mean", choices=("skipgram", "cbow")
    )
    objective: str = option("negative", "how a prediction is scored", choices=objectives.NAMES)
    tree: str | WordTree = option("huffman", "tree over the words that objective='hierarchical' walks", choices=TREES)
    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    window: int = option(5, "words on each side of the centre word", minimum=1)
    negative: int = option(5, "noise words a prediction", minimum=1)
    sample: float = option(
        1e-4, "relative frequency above which words are thinned out; 0 keeps all", minimum=0, maximum=1
    )
    epochs: int = option(5, "passes over the corpus", minimum=1)
    lr: float | None = option(
        None, "learning rate at the start; by default 0.025 for skip-gram, 0.05 for CBOW", minimum=0, exclusive=True
    )
    lr_end_factor: float | None = option(
        None, "share of lr that is left at the end; by default 0.0001 for skip-gram, 0.2 for CBOW", minimum=0, maximum=1
    )
    noise_exponent: float = option(0.75, "power of the counts that noise words are drawn by", minimum=-10, maximum=10)
    shrink_windows: bool = option(True, "draw each window's size from 1 to the window's width")
    update: str = option("window", "one step a window, or the classical step a pair", choices=("window", "pair"))
    shared_windows: int | None = option(
        None, "windows in a row that share their noise words; by default 2 for skip-gram, 1 for CBOW", minimum=1
    )
    cbow_gradient: str = option(
        "full", "what each context word of CBOW gets of its mean's gradient", choices=("full", "mean")
    )
    combine: str = option("mean", "what CBOW makes of its context words' vectors", choices=("mean", "sum"))
    score: str = option("dot", "CBOW's score: the dot product, or that divided by dim", choices=("dot", "scaled"))

    def __post_init__(self) -> None:
        options.check(self)
        cbow, sampled = self.architecture == "cbow", self.objective == "negative"
        if self.update == "pair" and cbow:
            raise OptionError("update='pair': CBOW makes one prediction a window; leave update at 'window'")
        if self.update == "pair" and self.shared_windows not in (None, 1):
            raise OptionError(
                f"shared_windows={self.shared_windows}: update='pair' draws noise for each pair; leave it out"
            )
        if not sampled and self.shared_windows not in (None, 1):
            raise OptionError(
                f"shared_windows={self.shared_windows}: only objective='negative' shares noise; leave it out"
            )
        if self.tree != "huffman" and self.objective != "hierarchical":
            raise OptionError(f"tree={self.tree!r}: only objective='hierarchical' walks a tree; leave it out")
        if not cbow and (self.combine, self.score) != ("mean", "dot"):
            raise OptionError(
                f"combine={self.combine!r}, score={self.score!r}: only CBOW combines vectors; leave them out"
            )
        if self.combine == "sum" and self.cbow_gradient == "mean":
            raise OptionError("cbow_gradient='mean' with combine='sum': a sum has no mean's gradient; leave one out")

    def train(
        self,
        corpus: Corpus | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        start: WordVectors | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **text: Any,
    ) -> WordVectors:
        """Train vectors on a corpus.

        Args:
            corpus: the encoded text, or whatever `Corpus.build` takes: a path, texts, lists of tokens, a table.
            seed: of every random draw; with one thread it decides every bit of the result.
            threads: how many; by default one a processor.
            start: vectors to go on from; words that it lacks start at random, words that only it has are kept as they
                are; output vectors of another objective or another tree begin at zero.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            checkpoint: a folder in which the state is kept every five minutes, and after each epoch where that takes
                no more than a twentieth of the time; a later call with
                the same corpus, options, seed and threads goes on from it.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            One vector a word of the corpus, with output vectors, counts, and `metadata["training"]`: options, seed,
            threads, loss (nats a prediction, one figure an epoch), words, seconds.

        Raises:
            CorpusError: the text cannot be read, or leaves no words.
            OptionError: `threads` is below one, `start` has another width, the checkpoint is of another run, or the
                tree lacks a word.
            DivergenceError: numbers or loss grew as no learning could make them.
        """
        count = usable_threads(threads)
        corpus = as_corpus(corpus, text, progress=progress)
        model, children = self.settled(), None
        if self.objective == "hierarchical":
            known = start
            if self.tree == "learned" and (start is None or any(word not in start for word in corpus.vocabulary.words)):
                aside = None if checkpoint is None else Path(checkpoint) / "first"
                first = dataclasses.replace(self, tree="random")
                known = first.train(
                    corpus, seed=seed, threads=threads, start=start, progress=progress, checkpoint=aside
                )
                if known.metadata["training"]["interrupted"]:
                    return known
            children = tree_children(self.tree, corpus.vocabulary, seed, known)
        matrices = starting_matrices(corpus, self.dim, seed=seed, start=start, objective=self.objective, tree=children)
        by = model.scoring(corpus.vocabulary, children)
        run = Run(
            corpus=corpus,
            matrices=matrices,
            train_shard=model.shard_trainer(corpus, matrices, count, by),
            options={"model": "word2vec", **model.described()},
            epochs=self.epochs,
            rate=model.rate,
            untrained_loss=objectives.untrained_loss(by, corpus.vocabulary.kept_shares(self.sample)),
            seed=seed,
            sampled=True,
            threads=count,
            finish=lambda m, facts: word_vectors(
                m, {**facts, "vocabulary": len(corpus.vocabulary)}, tree_attributes(children, len(m.words))
            ),
        )
        return run.train(progress=progress, checkpoint=checkpoint)

    def log_prob(self, vectors: WordVectors, centre: Any, context: Any) -> Any:
        """Return the log-probability, in nats, that trained vectors give a centre word in its context.

        Args:
            vectors: trained with this objective.
            centre: a word, or a list of them for a batch; None for every word of the training's corpus.
            context: for skip-gram the context word, for CBOW the list of context words; a list of those for a batch.

        Returns:
            A float; (B,) for a batch; (V,) or (B, V) where `centre` is None.

        Raises:
            OptionError: the objective is "negative", which defines no probability; or the vectors were not trained with
                this objective, or hold no output vectors.
            UnknownWordError: a word was not in the training's corpus.
        """
        return log_prob(vectors, centre, context, self)

    def described(self) -> dict[str, Any]:
        """Return the options as values that JSON holds."""
        plain = dataclasses.asdict(dataclasses.replace(self, tree="huffman"))
        return {**plain, "tree": self.tree if isinstance(self.tree, str) else self.tree.name}

    def settled(self) -> "Word2Vec":
        """Return these options with every default filled in that depends on the architecture."""
        defaults = DEFAULTS[self.architecture]
        if self.update == "pair" or self.objective != "negative":
            defaults = {**defaults, "shared_windows": 1}
        return dataclasses.replace(self, **{k: v for k, v in defaults.items() if getattr(self, k) is None})

    @property
    def rate(self) -> LearningRate:
        """The learning rate of settled options."""
        assert self.lr is not None
        assert self.lr_end_factor is not None
        return LearningRate(self.lr, self.lr_end_factor)

    def scoring(self, vocabulary: Vocabulary, children: Children | None) -> Scoring:
        """Return what the objective reads.

        Args:
            vocabulary: the words.
            children: the tree over them, for hierarchical softmax.
        """
        noise = vocabulary.noise_probabilities(self.noise_exponent)
        tree = None if children is None else from_children(children)
        return objectives.scoring(self.objective, noise, negative=self.negative, noise=alias_table(noise), tree=tree)

    def shard_trainer(self, corpus: Corpus, matrices: Matrices, threads: int, by: Scoring) -> TrainShard:
        """Return the function that trains one shard with settled options.

        Args:
            corpus: the text.
            matrices: what is trained, in place.
            threads: how many shards there are.
            by: the objective.
        """
        assert self.shared_windows is not None
        shared, kind = self.shared_windows, by.kind
        task = Task(
            noise=by.noise,
            mode=CBOW if self.architecture == "cbow" else PAIR if self.update == "pair" else WINDOW,
            window=self.window,
            shrink=self.shrink_windows,
            shared=shared,
            mean=self.combine == "mean",
            divide=self.cbow_gradient == "mean",
            scale=1 / self.dim if self.score == "scaled" else 1.0,
        )
        text = text_of(corpus, sample=self.sample, rate=self.rate, epochs=self.epochs, threads=threads)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            # Workspaces are small; one a call keeps shards apart whichever thread trains them.
            padded = matrices.inputs.shape[1]
            work = new_work(
                self.window, self.negative, AHEAD // shared + 2, padded, outputs=objectives.most_outputs(by)
            )
            at = addresses(
                work, matrices.inputs, matrices.outputs, dim=self.dim, normalised=kind in objectives.NORMALISED
            )
            state = shard.state(stop)
            if kind == objectives.NEGATIVE:
                train_words(text, task, work, at, state)
            else:
                own = objectives.own_copies(by, matrices.outputs, threads)
                train_predictions(text, task, predictor(by, at, shard.loss, own), work, at, state)

        return train_shard


@compiled
def train_words(text: Text, task: Task, work: Work, at: Addresses, state: ShardState) -> None:
    """Train on a shard from where it stands."""
    # A field of a tuple is counted as a reference each time it is read: outside the loops, once.
    noise, mode, window, shared = task.noise, task.mode, task.window, task.shared
    sentence, sets, contexts, table, signs = work.sentence, work.noise, work.contexts, work.outputs, work.signs
    random, predictions = state.random, state.predictions
    for count, _, rate in pieces(text, work, state):
        if count < 2:
            continue  # a word alone has no window
        drawn = used = len(sets) - 1  # the sets of noise words last drawn and in use, and the windows left to each
        due = left = 0
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                if due == 0:
                    drawn, due = following(drawn, len(sets)), shared
                    draw_noise(noise, random, sets, drawn, at, shared if task.shrink else 0)
                due -= 1
                fetch_rows(sentence, ahead, window, count, at)
            if t < 0:
                continue
            if left == 0:
                used, left = following(used, len(sets)), shared
            left -= 1
            reach = window - below(draw(random), window) if task.shrink else window
            m = gather_contexts(sentence, t, min(reach, t), min(reach, count - 1 - t), window, contexts, at)
            place_outputs(sentence[t], sets, used, table, signs, at)
            if mode == WINDOW:
                step_window(m, rate, at)
            elif mode == CBOW:
                combine(m, task.mean, task.scale, at)
                step(at.hidden_table, at.gradient_table, 1, rate, at)
                scatter(m, task.divide, task.scale, at)
            else:
                for c in range(m):
                    if c > 0:
                        draw_noise(
                            noise, random, sets, used, at, 0
                        )  # in this window's own set: the next wait in theirs
                        place_outputs(sentence[t], sets, used, table, signs, at)
                    step(at.contexts + 8 * c, at.contexts + 8 * c, 1, rate, at)
            predictions[0] += 1 if mode == CBOW else m
