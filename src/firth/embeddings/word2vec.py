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
- A window of more than 2 * `MOST_HIDDEN` words takes several steps, one after the other, against the same noise.
- The learning rate falls linearly with the words that a thread has read of its own share, to 1/10000 of its start.
- CBOW's default gradient is word2vec.c's, the whole gradient of h for every context word. `cbow_gradient="mean"`
  divides it by M, as the derivative of the mean does; it needs a learning rate some four times as high.

Cost: 6 D (K + 1) flops a pair; 2 V rows of D float32, padded to 64 bytes, whatever the corpus's size. With one thread a
seed gives the same bits on every run of one machine; with more, threads write to shared rows without locks (Niu et al.
2011, "Hogwild!") and the bits differ from run to run.
"""

import dataclasses
import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from firth import options
from firth.corpus.encoded import Corpus
from firth.embeddings.training import Matrices, Run, Shard, TrainShard, initial_matrices, usable_threads
from firth.errors import OptionError
from firth.kernels.noise import alias_table, draw_alias
from firth.kernels.random import below, draw
from firth.kernels.rows import aligned_floats
from firth.kernels.step import (
    MOST_HIDDEN,
    MOST_PADDING,
    WIDTH,
    call_rows,
    call_score,
    call_update,
    coefficient_floats,
    compile_kernels,
    new_likelihood,
    new_signs,
    prefetch_row,
    take_loss,
)
from firth.kernels.windows import LONGEST, keep_thresholds, subsample
from firth.options import option
from firth.progress import Progress
from firth.vectors.word_vectors import WordVectors

WINDOW, PAIR, CBOW = range(3)  # what the epoch kernel does with a window
AHEAD = 2  # windows between the drawing of noise words and their use, so that their rows can be fetched meanwhile
DEFAULT_LR = {"skipgram": 0.025, "cbow": 0.075}


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
        None, "learning rate at the start; by default 0.025 for skip-gram, 0.075 for CBOW", minimum=0, exclusive=True
    )
    noise_exponent: float = option(0.75, "power of the counts that noise words are drawn by", minimum=-10, maximum=10)
    shrink_windows: bool = option(True, "draw each window's size from 1 to the window's width")
    update: str = option("window", "one step a window, or the classical step a pair", choices=("window", "pair"))
    shared_windows: int = option(2, "windows in a row that share their noise words", minimum=1)
    cbow_gradient: str = option(
        "full", "what each context word of CBOW gets of its mean's gradient", choices=("full", "mean")
    )

    def __post_init__(self) -> None:
        options.check(self)
        if self.architecture == "cbow" and self.update == "pair":
            raise OptionError("update='pair': CBOW makes one prediction a window; leave update at 'window'")

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
            DivergenceError: a vector left the finite numbers.
        """
        count = usable_threads(threads)
        matrices = initial_matrices(corpus, self.dim, seed=seed, start=start)
        run = Run(
            corpus=corpus,
            matrices=matrices,
            train_shard=self._shard_trainer(corpus, matrices, count),
            options={"model": "word2vec", **dataclasses.asdict(self), "lr": self.learning_rate},
            epochs=self.epochs,
            lr=self.learning_rate,
            untrained_loss=(self.negative + 1) * np.log(2.0),
            seed=seed,
            threads=count,
        )
        return run.train(progress=progress, checkpoint=checkpoint)

    @property
    def learning_rate(self) -> float:
        """The learning rate at the start."""
        return DEFAULT_LR[self.architecture] if self.lr is None else self.lr

    def _shard_trainer(self, corpus: Corpus, matrices: Matrices, threads: int) -> TrainShard:
        kernels = compile_kernels(WIDTH)
        addresses = np.array([kernels[name] for name in ("score", "update", "mean", "add")])
        thresholds = keep_thresholds(corpus.vocabulary.keep_probabilities(self.sample))
        noise = alias_table(corpus.vocabulary.noise_probabilities(self.noise_exponent))
        mode = CBOW if self.architecture == "cbow" else PAIR if self.update == "pair" else WINDOW
        total = max(1, self.epochs * corpus.num_tokens // threads)
        shared = self.shared_windows if mode != PAIR else 1

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            train_words(
                corpus.ids, corpus.offsets, shard.last, shard.position, shard.read, total, thresholds, noise,
                matrices.inputs, matrices.outputs, self.window, self.negative, shared, self.shrink_windows, mode,
                self.cbow_gradient == "mean", self.learning_rate, addresses, shard.random, shard.loss,
                shard.predictions, stop,
            )  # fmt: skip

        return train_shard


@njit(nogil=True, cache=True)
def train_words(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    offsets: npt.NDArray[np.int64],  # (S + 1,) where sentences begin
    last: int,  # one past the shard's last token
    position: npt.NDArray[np.int64],  # (1,) next token to read, updated
    read: npt.NDArray[np.int64],  # (1,) tokens read in all epochs, updated
    total: int,  # tokens this shard reads in all epochs: the learning rate's schedule
    thresholds: npt.NDArray[np.uint32],  # (V,) of subsampling
    noise: npt.NDArray[np.uint64],  # (V,) alias table
    inputs: npt.NDArray[np.float32],  # (V, P) updated in place
    outputs: npt.NDArray[np.float32],  # (V, P) updated in place
    window: int,
    negative: int,
    shared: int,  # windows in a row with the same noise
    shrink: bool,  # whether windows are drawn from 1 to `window` words a side
    mode: int,  # WINDOW, PAIR or CBOW
    mean_gradient: bool,  # CBOW: whether the gradient is divided by the number of context words
    lr: float,
    kernels: npt.NDArray[np.int64],  # (4,) addresses of score, update, mean, add
    random: npt.NDArray[np.uint64],  # (1,) state, updated
    loss: npt.NDArray[np.float64],  # (1,) nats, added to
    predictions: npt.NDArray[np.int64],  # (1,) added to
    stop: npt.NDArray[np.int64],  # (1,) not zero: return at the next sentence
) -> None:
    """Train on a shard from where it stands to its end, or until `stop` is set."""
    score, update, mean, add = kernels[0], kernels[1], kernels[2], kernels[3]
    padded = inputs.shape[1]
    row_bytes, chunks = padded * 4, padded // WIDTH
    input_base, output_base = inputs.ctypes.data, outputs.ctypes.data
    most = max(2 * window, MOST_HIDDEN)
    sentence = np.empty(LONGEST + 1, dtype=np.int64)
    contexts = np.empty(most, dtype=np.int64)  # row addresses
    table = np.empty(negative + 1 + MOST_PADDING, dtype=np.int64)  # row addresses: centre, noise, padding
    signs = new_signs(negative + 1)
    slots = AHEAD // shared + 2  # sets of noise words that live at one time
    noise_words = np.empty((slots, negative), dtype=np.int64)
    coefficients = aligned_floats(coefficient_floats(negative + 1))
    zeros, hidden, gradient = aligned_floats(padded), aligned_floats(padded), aligned_floats(padded)
    hidden_table, gradient_table = np.array([hidden.ctypes.data]), np.array([gradient.ctypes.data])
    likelihood = new_likelihood()
    table[:] = zeros.ctypes.data
    place = np.searchsorted(offsets, position[0], side="right")  # the sentence in work ends at offsets[place]
    since = 0
    while position[0] < last and stop[0] == 0:
        while offsets[place] <= position[0]:
            place += 1
        count, reached = subsample(ids, position[0], min(offsets[place], last), thresholds, random, sentence)
        rate = np.float32(lr * max(1e-4, 1 - read[0] / total))
        if count < 2:
            count = 0  # a word alone has no window
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                if ahead % shared == 0:
                    draw_noise(noise, random, noise_words[ahead // shared % slots], output_base, row_bytes)
                prefetch_row(output_base + sentence[ahead] * row_bytes, row_bytes)
                if ahead + window < count:
                    prefetch_row(input_base + sentence[ahead + window] * row_bytes, row_bytes)
            if t < 0:
                continue
            reach = window - below(draw(random), window) if shrink else window
            m = 0
            for c in range(max(0, t - reach), min(count, t + reach + 1)):
                if c != t:
                    contexts[m] = input_base + sentence[c] * row_bytes
                    m += 1
            centre = sentence[t]
            table[0] = output_base + centre * row_bytes
            place_noise(noise_words[t // shared % slots], centre, table, signs, output_base, row_bytes)
            if mode == WINDOW:
                predictions[0] += m
                for first in range(0, m, MOST_HIDDEN):
                    block = contexts[first : first + MOST_HIDDEN].ctypes.data
                    size = min(MOST_HIDDEN, m - first)
                    call_score(
                        score, block, size, table.ctypes.data, negative + 1, chunks, coefficients.ctypes.data,
                        signs.ctypes.data, likelihood.ctypes.data, rate,
                    )  # fmt: skip
                    call_update(
                        update, block, block, size, table.ctypes.data, negative + 1, chunks, coefficients.ctypes.data
                    )
            elif mode == PAIR:
                predictions[0] += m
                for c in range(m):
                    if c > 0:
                        draw_noise(noise, random, noise_words[0], output_base, row_bytes)
                        place_noise(noise_words[0], centre, table, signs, output_base, row_bytes)
                    row = contexts[c:].ctypes.data
                    call_score(
                        score, row, 1, table.ctypes.data, negative + 1, chunks, coefficients.ctypes.data,
                        signs.ctypes.data, likelihood.ctypes.data, rate,
                    )  # fmt: skip
                    call_update(update, row, row, 1, table.ctypes.data, negative + 1, chunks, coefficients.ctypes.data)
            else:
                predictions[0] += 1
                call_rows(mean, contexts.ctypes.data, m, hidden.ctypes.data, chunks, np.float32(1 / m))
                call_score(
                    score, hidden_table.ctypes.data, 1, table.ctypes.data, negative + 1, chunks,
                    coefficients.ctypes.data, signs.ctypes.data, likelihood.ctypes.data, rate,
                )  # fmt: skip
                call_update(
                    update, hidden_table.ctypes.data, gradient_table.ctypes.data, 1, table.ctypes.data, negative + 1,
                    chunks, coefficients.ctypes.data,
                )  # fmt: skip
                scale = np.float32(1 / m if mean_gradient else 1.0)
                call_rows(add, contexts.ctypes.data, m, gradient.ctypes.data, chunks, scale)
        read[0] += reached - position[0]
        position[0] = reached
        since += count
        if since > 4096:
            loss[0] += take_loss(likelihood)
            since = 0
    loss[0] += take_loss(likelihood)


@njit(nogil=True, inline="always")
def draw_noise(
    noise: npt.NDArray[np.uint64],  # (V,) alias table
    random: npt.NDArray[np.uint64],  # (1,) state, updated
    words: npt.NDArray[np.int64],  # (K,) receives the noise words
    base: int,  # address of the output rows
    row_bytes: int,
) -> None:
    """Draw noise words and ask for their rows."""
    for k in range(len(words)):
        words[k] = draw_alias(noise, draw(random))
        prefetch_row(base + words[k] * row_bytes, row_bytes)


@njit(nogil=True, inline="always")
def place_noise(
    words: npt.NDArray[np.int64],  # (K,) noise words
    centre: int,
    table: npt.NDArray[np.int64],  # (1 + K + padding,) row addresses, updated from entry 1
    signs: npt.NDArray[np.float32],  # (1 + K + padding,) updated from entry 1
    base: int,  # address of the output rows
    row_bytes: int,
) -> None:
    """Put the rows of noise words behind the centre's; one that is the centre itself takes no part."""
    for k in range(len(words)):
        table[k + 1] = base + words[k] * row_bytes
        signs[k + 1] = 0.0 if words[k] == centre else -1.0
