"""Word2Vec: skip-gram and CBOW with negative sampling.

What: a word's vector is trained to tell the words that stand around it from words drawn at random.

Objective, for a centre word w with context words c_1 .. c_M and K noise words n_k drawn from counts^0.75:

    skip-gram   sum_m [ log sigma(v_{c_m} . u_w) + sum_k log sigma(-v_{c_m} . u_{n_k}) ]
    CBOW              log sigma(h . u_w)         + sum_k log sigma(-h . u_{n_k}),      h = 1/M sum_m v_{c_m}

v are the input vectors, which are returned; u are the output vectors, kept so that training can go on. As in
word2vec.c, skip-gram predicts the centre from each context word; over a corpus the pairs are the same as the other way
round.

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
- The learning rate falls linearly with the words that a thread has read of its own share, to `final_lr` of its start:
  1/10000 for skip-gram, as in word2vec.c; 1/5 for CBOW, which learns better from it (benchmarks/LOG.md).
- CBOW's default gradient is word2vec.c's, the whole gradient of h for every context word. `cbow_gradient="mean"`
  divides it by M, as the derivative of the mean does; it needs a learning rate some four times as high.

Cost: 6 D (K + 1) flops a pair; 2 V rows of D float32, padded to 64 bytes, whatever the corpus's size. With one thread a
seed gives the same bits on every run of one machine; with more, threads write to shared rows without locks (Niu et al.
2011, "Hogwild!") and the bits differ from run to run.
"""

import dataclasses
import os
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.encoded import Corpus
from firth.embeddings.training import (
    Matrices,
    Run,
    Shard,
    ShardState,
    TrainShard,
    initial_matrices,
    usable_threads,
    word_vectors,
)
from firth.errors import OptionError
from firth.kernels.compiled import compiled
from firth.kernels.noise import alias_table
from firth.kernels.random import below, draw
from firth.kernels.step import take_loss
from firth.kernels.targets import (
    Addresses,
    Work,
    addresses,
    draw_noise,
    fetch_rows,
    following,
    gather_contexts,
    new_work,
    place_outputs,
    step,
    step_mean,
    step_window,
)
from firth.kernels.windows import keep_thresholds, subsample
from firth.options import option
from firth.progress import Progress
from firth.vectors.word_vectors import WordVectors

WINDOW, PAIR, CBOW = range(3)  # what the epoch kernel does with a window
AHEAD = 2  # windows between the drawing of noise words and their use, so that their rows can be fetched meanwhile
LOSS_INTERVAL = 4096  # words between two readings of the running likelihood
DEFAULTS: dict[str, dict[str, Any]] = {  # measured: benchmarks/LOG.md
    "skipgram": {"lr": 0.025, "final_lr": 1e-4, "shared_windows": 2},
    "cbow": {"lr": 0.05, "final_lr": 0.2, "shared_windows": 1},
}


@dataclass(frozen=True, kw_only=True)
class Word2Vec:
    """Skip-gram or CBOW with negative sampling: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Mikolov et al. 2013; the module's docstring gives the formulas and every departure.
    """

    architecture: str = option(
        "skipgram", "predict from each context word, or from their mean", choices=("skipgram", "cbow")
    )
    objective: str = option("negative", "how a prediction is scored", choices=("negative",))
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
    final_lr: float | None = option(
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

    def __post_init__(self) -> None:
        options.check(self)
        if self.update == "pair" and self.architecture == "cbow":
            raise OptionError("update='pair': CBOW makes one prediction a window; leave update at 'window'")
        if self.update == "pair" and self.shared_windows not in (None, 1):
            raise OptionError(
                f"shared_windows={self.shared_windows}: update='pair' draws noise for each pair; leave it out"
            )

    def train(
        self,
        corpus: Corpus,
        *,
        seed: int = 0,
        threads: int | None = None,
        start: WordVectors | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> WordVectors:
        """Train vectors on a corpus.

        Args:
            corpus: the encoded text.
            seed: of every random draw; with one thread it decides every bit of the result.
            threads: how many; by default one a processor.
            start: vectors to go on from; words that it lacks start at random, words that only it has are kept as they
                are.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            checkpoint: a folder in which the state is kept after each epoch and every five minutes; a later call with
                the same corpus, options, seed and threads goes on from it.

        Returns:
            One vector a word of the corpus, with output vectors, counts, and `metadata["training"]`: options, seed,
            threads, loss (nats a prediction, one figure an epoch), words, seconds.

        Raises:
            OptionError: `threads` is below one, `start` has another width, or the checkpoint is of another run.
            DivergenceError: numbers or loss grew as no learning could make them.
        """
        count = usable_threads(threads)
        model = self.settled()
        matrices = initial_matrices(corpus, self.dim, seed=seed, start=start)
        run = Run(
            corpus=corpus,
            matrices=matrices,
            train_shard=model.shard_trainer(corpus, matrices, count),
            options={"model": "word2vec", **dataclasses.asdict(model)},
            epochs=self.epochs,
            learning_rate=model.learning_rate,
            untrained_loss=(self.negative + 1) * np.log(2.0),
            seed=seed,
            threads=count,
            finish=word_vectors,
        )
        return run.train(progress=progress, checkpoint=checkpoint)

    def settled(self) -> "Word2Vec":
        """Return these options with every default filled in that depends on the architecture."""
        defaults = DEFAULTS[self.architecture] | ({"shared_windows": 1} if self.update == "pair" else {})
        return dataclasses.replace(self, **{k: v for k, v in defaults.items() if getattr(self, k) is None})

    def learning_rate(self, progress: float) -> float:
        """Return the learning rate of settled options when a share `progress` of all words has been read."""
        assert self.lr is not None
        assert self.final_lr is not None
        return self.lr * (1 - (1 - self.final_lr) * progress)

    def shard_trainer(self, corpus: Corpus, matrices: Matrices, threads: int) -> TrainShard:
        """Return the function that trains one shard with settled options."""
        assert self.shared_windows is not None
        mode = CBOW if self.architecture == "cbow" else PAIR if self.update == "pair" else WINDOW
        shared = self.shared_windows
        task = Task(
            ids=corpus.ids,
            offsets=corpus.offsets,
            thresholds=keep_thresholds(corpus.vocabulary.keep_probabilities(self.sample)),
            noise=alias_table(corpus.vocabulary.noise_probabilities(self.noise_exponent)),
            mode=mode,
            window=self.window,
            shrink=self.shrink_windows,
            shared=shared,
            mean_gradient=self.cbow_gradient == "mean",
            first_lr=self.learning_rate(0),
            last_lr=self.learning_rate(1),
            total=max(1, self.epochs * corpus.num_tokens // threads),
        )

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            # Workspaces are small; one a call keeps shards apart whichever thread trains them.
            work = new_work(self.window, self.negative, AHEAD // shared + 2, matrices.inputs.shape[1])
            at = addresses(work, matrices.inputs, matrices.outputs)
            place = int(np.searchsorted(corpus.offsets, shard.position[0], side="right"))
            train_words(task, work, at, shard.state(stop), place, shard.last)

        return train_shard


class Task(NamedTuple):
    """What a shard's kernel reads."""

    ids: npt.NDArray[np.int32]  # (N,) the corpus
    offsets: npt.NDArray[np.int64]  # (S + 1,) where sentences begin
    thresholds: npt.NDArray[np.uint32]  # (V,) of subsampling
    noise: npt.NDArray[np.uint64]  # (V,) alias table
    mode: int  # WINDOW, PAIR or CBOW
    window: int  # words a side
    shrink: bool  # whether a window's reach is drawn from 1 to `window`
    shared: int  # windows in a row with the same noise
    mean_gradient: bool  # CBOW: whether the gradient is divided by the number of context words
    first_lr: float
    last_lr: float
    total: int  # tokens the shard reads in all epochs: the learning rate's schedule


@compiled
def train_words(task: Task, work: Work, at: Addresses, state: ShardState, place: int, last: int) -> None:
    """Train on a shard from where it stands, in the sentence ending at offsets[place], to the token before `last`."""
    # A field of a tuple is counted as a reference each time it is read: outside the loops, once.
    ids, offsets, thresholds, noise, mode = task.ids, task.offsets, task.thresholds, task.noise, task.mode
    sentence, sets, contexts, table, signs = work.sentence, work.noise, work.contexts, work.outputs, work.signs
    position, read, random, predictions = state.position, state.read, state.random, state.predictions
    stop, window, shared = state.stop, task.window, task.shared
    since = 0
    while position[0] < last and stop[0] == 0:
        while offsets[place] <= position[0]:
            place += 1
        count, reached = subsample(ids, position[0], min(offsets[place], last), thresholds, random, sentence)
        rate = np.float32(task.first_lr + (task.last_lr - task.first_lr) * min(1.0, read[0] / task.total))
        if count < 2:
            count = 0  # a word alone has no window
        drawn = used = len(sets) - 1  # the sets of noise words last drawn and in use, and the windows left to each
        due = left = 0
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                if due == 0:
                    drawn, due = following(drawn, len(sets)), shared
                    draw_noise(noise, random, sets, drawn, at)
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
                step_mean(m, rate, task.mean_gradient, at)
            else:
                for c in range(m):
                    if c > 0:
                        draw_noise(noise, random, sets, used, at)  # in this window's own set: the next wait in theirs
                        place_outputs(sentence[t], sets, used, table, signs, at)
                    step(at.contexts + 8 * c, at.contexts + 8 * c, 1, rate, at)
            predictions[0] += 1 if mode == CBOW else m
        read[0] += reached - position[0]
        position[0] = reached
        since += count
        if since > LOSS_INTERVAL:
            state.loss[0] += take_loss(work.likelihood, work.exponents)
            since = 0
    state.loss[0] += take_loss(work.likelihood, work.exponents)
