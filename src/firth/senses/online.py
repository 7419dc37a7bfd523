"""Multi-sense skip-gram: the senses of a word and their vectors, learned in one go through the text.

What: skip-gram in which a frequent word has several vectors. A word in the text first takes the sense whose centre is
nearest to its context (`firth.senses.online_state`); the vector of that sense alone learns to tell the words around
from words drawn at random. `growing=False` (MSSG) gives each word the same number of senses, `growing=True` (NP-MSSG)
opens one where no sense fits.

Objective, for a word w of sense s among context words c_1 .. c_M, with K noise words n_k drawn from counts^0.75:

    sum_m [ log sigma(v_{w,s} . u_{c_m}) + sum_k log sigma(-v_{w,s} . u_{n_k}) ]

v are the sense vectors, which are returned; u, one a word, are the global vectors, of which contexts are made.

Source: Neelakantan, Shankar, Passos and McCallum 2014, "Efficient non-parametric estimation of multiple embeddings per
word in vector space", sections 4.1 (MSSG) and 4.2 (NP-MSSG); Mikolov et al. 2013 (NIPS) for the rest.

Departures:
- Pairs, noise, windows and steps are those of `firth.embeddings.word2vec`: with senses=1 the vectors are those of its
  skip-gram to the bit.
- Contexts are centred and whitened, which `firth.senses.online_state` explains. lambda is another number for it:
  contexts that have nothing in common have a cosine of 0 here.
- Senses are told apart after `warm_up` of the training; before, global vectors, and so contexts, say little.
- A context has a window of its own, which is wider than that of the pairs and never shrinks; all words of a piece of
  text (at most 1000) take their senses before any of its pairs is trained.
- MSSG opens a word's senses one by one, with contexts that are unlike those before. In the paper all begin with random
  centres, and most of them with no context of their own.
- When training ends, senses that grew are looked through: those whose centres have a cosine above `merge_above` become
  one, and those with a share of the word's occurrences below `min_prior` go. A single context is too short to tell, and
  opens senses that turn out to be none.

Cost: that of skip-gram, and 4 (context_window + n) D flops for each word of the text that may have n senses; S + V rows
of D float32, and as many for centres and contexts. With one thread a seed gives the same bits on every run of one
machine.
"""

import dataclasses
import os
import threading
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.embeddings.predictions import AHEAD
from firth.embeddings.training import LearningRate, Matrices, Run, Shard, TrainShard, text_of, usable_threads
from firth.kernels.compiled import compiled
from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import alias_table
from firth.kernels.objectives import scoring, untrained_loss
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.random import below, draw
from firth.kernels.sense_centres import Centres, choose_senses
from firth.kernels.targets import (
    Addresses,
    Work,
    addresses,
    draw_noise,
    following,
    gather_contexts,
    new_work,
    place_outputs,
    step_window,
)
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.senses.online_senses import Tidying, beginning, sense_vectors
from firth.senses.online_state import SenseState, centres
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.word_vectors import WordVectors


@options_class
class MultiSenseSkipGram:
    """Multi-sense skip-gram, MSSG or NP-MSSG: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Neelakantan et al. 2014; the module's docstring gives the formulas and every departure.
    """

    presets: ClassVar = {
        "mssg": Preset(
            "MSSG: multi-sense skip-gram with the same number of senses for every word (Neelakantan et al. 2014).",
            growing=False,
        ),
        "np-mssg": Preset(
            "NP-MSSG: multi-sense skip-gram that adds a sense where no other fits (Neelakantan et al. 2014).",
            growing=True,
        ),
    }
    common_options: ClassVar = ("senses", "dim", "window", "negative", "epochs", "lr")

    growing: bool = option(False, "open a sense where no sense fits, instead of as many for each word")
    senses: int | None = option(
        None, "senses a word, or the most of them where they grow; by default 2, and 5 where they grow", minimum=1
    )
    sense_words: int = option(30_000, "most frequent words that may have several senses", minimum=0)
    opening: float = option(
        0.0,
        "lambda: cosine with every centre below which a context opens a sense, where senses grow",
        minimum=-1,
        maximum=1,
    )
    merge_above: float = option(
        0.24, "cosine of two centres above which two senses that grew become one", minimum=-1, maximum=1
    )
    min_prior: float = option(
        0.15, "share of a word's occurrences below which a sense that grew goes", minimum=0, maximum=1
    )
    context_window: int = option(10, "words on each side that tell a word's sense", minimum=1)
    warm_up: float = option(0.4, "share of the training before senses are separated", minimum=0, maximum=1)
    whiten: float = option(
        0.5, "power of the global vectors' covariance that contexts are divided by", minimum=0, maximum=1
    )
    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    window: int = option(5, "words on each side of the centre word", minimum=1)
    negative: int = option(5, "noise words a prediction", minimum=1)
    sample: float = option(
        1e-4, "relative frequency above which words are thinned out; 0 keeps all", minimum=0, maximum=1
    )
    epochs: int = option(5, "passes over the corpus", minimum=1)
    lr: float = option(0.025, "learning rate at the start", minimum=0, exclusive=True)
    lr_end_factor: float = option(1e-4, "share of lr that is left at the end", minimum=0, maximum=1)
    noise_exponent: float = option(0.75, "power of the counts that noise words are drawn by", minimum=-10, maximum=10)
    shrink_windows: bool = option(True, "draw each window's size from 1 to the window's width")
    shared_windows: int = option(2, "windows in a row that share their noise words", minimum=1)

    def __post_init__(self) -> None:
        options.check(self)

    def train(
        self,
        corpus: Corpus | Any,
        *,
        seed: int = 0,
        threads: int | None = None,
        start: SenseVectors | WordVectors | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **text: Any,
    ) -> SenseVectors:
        """Train sense vectors on a corpus.

        Args:
            corpus: the encoded text, or whatever `Corpus.build` takes: a path, texts, lists of tokens, a table.
            seed: of every random draw; with one thread it decides every bit of the result.
            threads: how many; by default one a processor.
            start: senses of this model to go on from, or ordinary vectors, which become the first sense of each word;
                words that it lacks start at random, words that only it has are kept as they are.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            checkpoint: a folder in which the state is kept every five minutes, and after each epoch where that takes
                no more than a twentieth of the time; a later call with the same corpus, options, seed and threads goes
                on from it.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            The senses of each word, by how often they are meant, with the global vectors, a reader by centres, and
            `metadata["training"]`: options, seed, threads, loss (nats a prediction, one figure an epoch), words,
            seconds.

        Raises:
            CorpusError: the text cannot be read, or leaves no words.
            OptionError: `threads` is below one, the checkpoint is of another run, or a word of `start` has more senses
                than `senses`.
            ShapeError: `start` has another width.
            DivergenceError: numbers or loss grew as no learning could make them.
        """
        count = usable_threads(threads)
        corpus = as_corpus(corpus, text, progress=progress)
        model = self.settled()
        matrices, state = beginning(corpus, self.dim, model.room(len(corpus.vocabulary)), seed=seed, start=start)
        noise = corpus.vocabulary.noise_probabilities(self.noise_exponent)
        keep = corpus.vocabulary.keep_probabilities(self.sample)
        tidying = Tidying(self.merge_above, self.min_prior) if self.growing else None
        by = scoring("negative", noise, negative=self.negative, noise=alias_table(noise))
        run = Run(
            corpus=corpus,
            matrices=dataclasses.replace(matrices, state=state._asdict(), limits=state.limits),
            train_shard=model.shard_trainer(corpus, matrices, state, by.noise, count),
            options={"model": "multisense", **dataclasses.asdict(model)},
            epochs=self.epochs,
            rate=model.rate,
            untrained_loss=untrained_loss(by, corpus.vocabulary.kept_shares(self.sample)),
            seed=seed,
            threads=count,
            finish=lambda m, facts: sense_vectors(m, state, facts, keep, tidying),
        )
        return run.train(progress=progress, checkpoint=checkpoint)

    def settled(self) -> "MultiSenseSkipGram":
        """Return these options with the number of senses filled in."""
        return self if self.senses is not None else dataclasses.replace(self, senses=5 if self.growing else 2)

    def room(self, words: int) -> npt.NDArray[np.int64]:
        """Return how many senses each of a corpus's words, from the most frequent on, may have.

        Args:
            words: V, how many those are.
        """
        most = self.settled().senses
        assert most is not None
        return np.where(np.arange(words) < self.sense_words, most, 1).astype(np.int64)

    @property
    def rate(self) -> LearningRate:
        """The learning rate."""
        return LearningRate(self.lr, self.lr_end_factor)

    def shard_trainer(
        self, corpus: Corpus, matrices: Matrices, state: SenseState, noise: npt.NDArray[np.uint64], threads: int
    ) -> TrainShard:
        """Return the function that trains one shard with settled options.

        Args:
            corpus: the encoded text.
            matrices: what is trained: input rows a sense, output rows a word.
            state: what is known of the senses.
            noise: (V,) alias table.
            threads: how many share the corpus.
        """
        text = text_of(corpus, sample=self.sample, rate=self.rate, epochs=self.epochs, threads=threads)
        shares = corpus.vocabulary.kept_shares(self.sample)
        warm = 0 if state.matrix.any() else round(self.warm_up * text.total)  # a start may bring senses along
        one_each, turn = bool((np.diff(state.firsts) == 1).all()), threading.Lock()

        def ready(shard: Shard) -> None:
            epoch = int(shard.read[0]) // max(1, shard.last - shard.first)
            with turn:
                if not state.matrix.any():
                    state.settle(matrices.outputs, shares, self.whiten)
                if state.epoch[0] < epoch:
                    state.refresh(matrices.outputs, epoch)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            work = new_work(self.window, self.negative, AHEAD // self.shared_windows + 2, matrices.inputs.shape[1])
            rows = np.zeros_like(work.sentence)
            at = addresses(work, matrices.inputs, matrices.outputs, dim=self.dim)
            by = centres(state, self.opening if self.growing else None)
            task = Task(noise, self.window, self.context_window, self.shrink_windows, self.shared_windows)
            left = shard.last - shard.first if one_each else max(0, warm - int(shard.read[0]))
            until = min(shard.last, int(shard.position[0]) + left)
            train_senses(text, task, False, rows, by, work, at, shard.state(stop)._replace(last=until))
            if not stop[0] and until < shard.last:
                ready(shard)
                train_senses(text, task, True, rows, by, work, at, shard.state(stop))

        return train_shard


class Task(NamedTuple):
    """What a shard's kernel makes of a text."""

    noise: npt.NDArray[np.uint64]  # (V,) alias table
    window: int  # words a side
    around: int  # words a side that tell a word's sense
    shrink: bool  # whether a window's reach is drawn from 1 to `window`
    shared: int  # windows in a row with the same noise


@compiled
def train_senses(
    text: Text,
    task: Task,
    told: bool,  # whether senses are told apart
    rows: npt.NDArray[np.int64],  # (LONGEST + 1 + window,) the sense row of each word of a piece
    by: Centres,
    work: Work,
    at: Addresses,
    state: ShardState,
) -> None:
    """Train on a shard from where it stands."""
    # A field of a tuple is counted as a reference each time it is read: outside the loops, once.
    noise, window, shared = task.noise, task.window, task.shared
    sentence, sets, contexts, table, signs = work.sentence, work.noise, work.contexts, work.outputs, work.signs
    random, predictions = state.random, state.predictions
    for count, _, rate in pieces(text, work, state):
        if count < 2:
            continue  # a word alone has no window
        choose_senses(sentence, count, told, task.around, rows, by, at)
        drawn = used = len(sets) - 1  # the sets of noise words last drawn and in use, and the windows left to each
        due = left = 0
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                if due == 0:
                    drawn, due = following(drawn, len(sets)), shared
                    draw_noise(noise, random, sets, drawn, at, shared if task.shrink else 0)
                due -= 1
                prefetch_row(at.outputs + sentence[ahead] * at.output_bytes, at.output_bytes)
                if ahead + window < count:
                    prefetch_row(at.inputs + rows[ahead + window] * at.row_bytes, at.row_bytes)
            if t < 0:
                continue
            if left == 0:
                used, left = following(used, len(sets)), shared
            left -= 1
            reach = window - below(draw(random), window) if task.shrink else window
            m = gather_contexts(rows, t, min(reach, t), min(reach, count - 1 - t), window, contexts, at)
            place_outputs(sentence[t], sets, used, table, signs, at)
            step_window(m, rate, at)
            predictions[0] += m
