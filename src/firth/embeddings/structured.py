"""StructuredWord2Vec: skip-gram and CBOW that know the order of words.

What: as `firth.embeddings.word2vec`, but a word before the centre is something else than the same word behind it. The
structured skip-gram has an output vector a word and place; the continuous window predicts from the context's vectors
side by side instead of from their mean. Both bring words together that stand in the same grammar.

Objective, for a centre word w, context words c_j at the places j = -window .. -1, 1 .. window and K noise words n_k:

    skip-gram          sum_j [ log sigma(v_w . u^j_{c_j}) + sum_k log sigma(-v_w . u^j_{n_k}) ]
    continuous window  log sigma(h . u_w) + sum_k log sigma(-h . u_{n_k}),    h = [v_{c_-window}; ...; v_{c_window}]

u^j_w is the part for place j of the output vector u_w, which is 2 window D wide in both models.

Source: Ling, Dyer, Black and Trancoso 2015, "Two/too simple adaptations of word2vec for syntax problems", sections 2.2
and 2.3.

Departures:
- Noise words are drawn once for `shared_windows` windows, and the skip-gram's noise words serve every place of a
  window; all pairs of a window are scored before any of them updates a row. See `firth.embeddings.word2vec`.
- Windows keep their full width, as in wang2vec, the authors' program; `shrink_windows=True` draws it as word2vec does.
- wang2vec's skip-gram predicts the centre from each context word, with the place seen from the other side; the paper,
  and firth, predict the context words from the centre. Over a corpus the pairs are the same.
- A place beyond the sentence's end is zero and is not trained.
- Input vectors of the skip-gram start uniform in +-1/(2D), as in wang2vec: what a rare word has learned of grammar is
  not lost in larger random numbers (benchmarks/results/structured_qvec.md). Those of the continuous window start in
  +-1/D.

Cost: the skip-gram takes 12 window D (K + 1) flops a word, the continuous window as many; V rows of D float32 and V
rows of 2 window D, each padded to 64 bytes.
"""

import dataclasses
import os
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth import options
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
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
from firth.errors import ShapeError
from firth.kernels.compiled import compiled
from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import alias_table
from firth.kernels.objectives import (
    MERGE,
    NEGATIVE,
    Predictor,
    Scoring,
    end_outputs,
    extend_path,
    merge_copies,
    most_outputs,
    own_copies,
    place_path,
    place_prediction,
    predictor,
    scoring,
    take_step,
    untrained_loss,
)
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.positions import gather_places, join_rows, split_gradient
from firth.kernels.random import below, draw
from firth.kernels.rows import aligned_rows
from firth.kernels.step import WIDTH
from firth.kernels.targets import (
    Addresses,
    Work,
    addresses,
    draw_noise,
    fetch_rows,
    following,
    new_work,
    place_outputs,
)
from firth.kernels.trees import huffman
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.vectors.word_vectors import WordVectors

SKIPGRAM, CWINDOW = range(2)
AHEAD = 2  # windows between the drawing of noise words and their use, so that their rows can be fetched meanwhile
LR = {"skipgram": 0.025, "cwindow": 0.05}
REACH = {"skipgram": 0.5, "cwindow": 1.0}  # of the random input vectors, times D


@options_class
class StructuredWord2Vec:
    """Structured skip-gram or continuous window: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Ling et al. 2015; the module's docstring gives the formulas and every departure.
    """

    presets: ClassVar = {
        "structured": Preset("Structured skip-gram: skip-gram that knows the order of words (Ling et al. 2015)."),
    }
    common_options: ClassVar = ("architecture", "dim", "window", "negative", "epochs", "lr")

    architecture: str = option(
        "skipgram",
        "predict each context word by its place, or the centre from the context side by side",
        choices=("skipgram", "cwindow"),
    )
    objective: str = option("negative", "how a prediction is scored", choices=("negative", "hierarchical"))
    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    window: int = option(5, "words on each side of the centre word", minimum=1)
    negative: int = option(5, "noise words a prediction", minimum=1)
    sample: float = option(
        1e-4, "relative frequency above which words are thinned out; 0 keeps all", minimum=0, maximum=1
    )
    epochs: int = option(5, "passes over the corpus", minimum=1)
    lr: float | None = option(
        None, "learning rate at the start; by default 0.025 for skip-gram, 0.05 for cwindow", minimum=0, exclusive=True
    )
    lr_end_factor: float = option(1e-4, "share of lr that is left at the end", minimum=0, maximum=1)
    noise_exponent: float = option(0.75, "power of the counts that noise words are drawn by", minimum=-10, maximum=10)
    shrink_windows: bool = option(False, "draw each window's size from 1 to the window's width")
    shared_windows: int = option(2, "windows in a row that share their noise words", minimum=1)

    def __post_init__(self) -> None:
        options.check(self)

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
                are.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            checkpoint: a folder in which the state is kept every five minutes, and after each epoch where that takes
                no more than a twentieth of the time; a later call with
                the same corpus, options, seed and threads goes on from it.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            One vector a word of the corpus, with output vectors of 2 window D numbers (the places -window .. -1,
            1 .. window, D numbers each), counts, and `metadata["training"]`. After objective="hierarchical" there are
            no output vectors: they are nodes, not words.

        Raises:
            CorpusError: the text cannot be read, or leaves no words.
            OptionError: `threads` is below one, or the checkpoint is of another run.
            ShapeError: `start` has another width.
            DivergenceError: numbers or loss grew as no learning could make them.
        """
        count = usable_threads(threads)
        corpus = as_corpus(corpus, text, progress=progress)
        model = self.settled()
        matrices = model.initial(corpus, seed, start)
        noise = corpus.vocabulary.noise_probabilities(self.noise_exponent)
        tree = huffman(corpus.vocabulary.counts) if self.objective == "hierarchical" else None
        by = scoring(self.objective, noise, negative=self.negative, noise=alias_table(noise), tree=tree)
        run = Run(
            corpus=corpus,
            matrices=matrices,
            train_shard=model.shard_trainer(corpus, matrices, by, count),
            options={"model": "structured", **dataclasses.asdict(model)},
            epochs=self.epochs,
            rate=model.rate,
            untrained_loss=untrained_loss(by, corpus.vocabulary.kept_shares(self.sample)),
            seed=seed,
            sampled=True,
            threads=count,
            finish=self._finish,
        )
        return run.train(progress=progress, checkpoint=checkpoint)

    def settled(self) -> "StructuredWord2Vec":
        """Return these options with the learning rate filled in that depends on the architecture."""
        return self if self.lr is not None else dataclasses.replace(self, lr=LR[self.architecture])

    @property
    def rate(self) -> LearningRate:
        """The learning rate of settled options."""
        assert self.lr is not None
        return LearningRate(self.lr, self.lr_end_factor)

    def initial(self, corpus: Corpus, seed: int, start: WordVectors | None) -> Matrices:
        """Return matrices to train, with output rows of 2 window padded parts.

        Args:
            corpus: its vocabulary gives the words.
            seed: of the random input vectors.
            start: vectors to go on from, or None.

        Raises:
            ShapeError: `start` has another width, or its output vectors are of another window.
        """
        places = 2 * self.window
        kept = None if start is None or self.objective != "negative" else start.output_vectors
        if kept is not None and kept.shape[1] != places * self.dim:
            raise ShapeError(
                f"start's output vectors are {kept.shape[1]} wide, expected 2 window dim = {places * self.dim}: start "
                "from vectors of the same model, or from vectors without output vectors"
            )
        bare = None if start is None else WordVectors(start.words, start.vectors, counts=start.counts)
        made = initial_matrices(corpus, self.dim, seed=seed, start=bare, reach=REACH[self.architecture])
        parts = aligned_rows(len(made.words) * places, self.dim)
        if kept is not None:
            place = {word: i for i, word in enumerate(made.words)}
            rows = [place[word] for word in bare or ()]
            by_word = parts.reshape(len(made.words), places, -1)
            by_word[rows, :, : self.dim] = np.reshape(kept, (len(rows), places, self.dim))
        return dataclasses.replace(made, outputs=parts.reshape(len(made.words), -1))

    def _finish(self, matrices: Matrices, facts: dict[str, Any]) -> WordVectors:
        m = matrices
        outputs = m.outputs.reshape(len(m.words), 2 * self.window, -1)[:, :, : self.dim].reshape(len(m.words), -1)
        return WordVectors(
            m.words,
            m.inputs[:, : self.dim],
            counts=m.counts,
            output_vectors=outputs if self.objective == "negative" else None,
            metadata={"training": facts},
        )

    def shard_trainer(self, corpus: Corpus, matrices: Matrices, by: Scoring, threads: int) -> TrainShard:
        """Return the function that trains one shard with settled options.

        Args:
            corpus: the encoded text.
            matrices: what is trained.
            by: the objective.
            threads: how many share the corpus.
        """
        mode = SKIPGRAM if self.architecture == "skipgram" else CWINDOW
        task = Task(
            noise=by.noise,
            mode=mode,
            window=self.window,
            shrink=self.shrink_windows,
            shared=self.shared_windows,
        )
        text = text_of(corpus, sample=self.sample, rate=self.rate, epochs=self.epochs, threads=threads)
        most = most_outputs(by) * (2 * self.window if mode == SKIPGRAM else 1)
        wide = matrices.outputs.shape[1]

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            work = new_work(self.window, self.negative, AHEAD // self.shared_windows + 2, wide, outputs=most)
            at = addresses(work, matrices.inputs, matrices.outputs, dim=self.dim)
            joined = at._replace(chunks=wide // WIDTH)
            own = own_copies(by, matrices.outputs, threads)
            train_places(text, task, work, at, joined, predictor(by, at, shard.loss, own), shard.state(stop))

        return train_shard


class Task(NamedTuple):
    """What a shard's kernel makes of a text."""

    noise: npt.NDArray[np.uint64]  # (V,) alias table
    mode: int  # SKIPGRAM or CWINDOW
    window: int  # words a side
    shrink: bool  # whether a window's reach is drawn from 1 to `window`
    shared: int  # windows in a row with the same noise


@compiled
def train_places(
    text: Text,
    task: Task,
    work: Work,
    at: Addresses,  # of rows D wide
    joined: Addresses,  # the same for steps of rows 2 window D wide
    by: Predictor,
    state: ShardState,
) -> None:
    """Train on a shard from where it stands."""
    # A field of a tuple is counted as a reference each time it is read: outside the loops, once.
    noise, mode, window, shared = task.noise, task.mode, task.window, task.shared
    sentence, sets, contexts, table, signs = work.sentence, work.noise, work.contexts, work.outputs, work.signs
    random, predictions = state.random, state.predictions
    for count, _, rate in pieces(text, work, state):
        merge_copies(by, at, count)
        if count < 2:
            continue  # a word alone has no window
        drawn = used = len(sets) - 1  # the sets of noise words last drawn and in use, and the windows left to each
        due = left = 0
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count and by.kind == NEGATIVE:
                if due == 0:
                    drawn, due = following(drawn, len(sets)), shared
                    draw_noise(noise, random, sets, drawn, at, shared if task.shrink else 0)
                due -= 1
                if mode == CWINDOW:
                    fetch_rows(sentence, ahead, window, count, at)
                else:
                    fetch_places(sentence, ahead, window, count, at)
            if t < 0:
                continue
            if left == 0:
                used, left = following(used, len(sets)), shared
            left -= 1
            reach = window - below(draw(random), window) if task.shrink else window
            before, after = min(reach, t), min(reach, count - 1 - t)
            if mode == CWINDOW:
                gather_places(sentence, t, before, after, window, contexts, at)
                n = by.negative + 1
                if by.kind == NEGATIVE:
                    place_outputs(sentence[t], sets, used, table, signs, at)
                else:
                    n = place_path(by, at, sentence[t])
                join_rows(at.contexts, 2 * window, at)
                if n > 0:
                    take_step(by, joined, at.hidden_table, at.gradient_table, 1, n, 0, rate)
                split_gradient(at.contexts, 0, 2 * window, at)
                predictions[0] += 1
            else:
                contexts[0] = at.inputs + sentence[t] * at.row_bytes
                n = place_by_offset(by, sentence, t, before, after, window, sets, used, at)
                if n > 0:
                    take_step(by, at, at.contexts, at.contexts, 1, n, 0, rate)
                predictions[0] += before + after
    merge_copies(by, at, MERGE)


@njit(nogil=True, inline="always")
def fetch_places(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    t: int,  # the window that will come
    window: int,
    count: int,  # words in the sentence
    at: Addresses,
) -> None:
    """Ask for the rows that skip-gram's window t will be the first to touch, those of its last word at every place."""
    prefetch_row(at.inputs + sentence[t] * at.row_bytes, at.row_bytes)
    if t + window < count:
        prefetch_row(at.outputs + sentence[t + window] * at.output_bytes, at.output_bytes)


@njit(nogil=True, inline="always")
def place_by_offset(
    by: Predictor,
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    t: int,  # the centre's place
    before: int,  # context words before the centre
    after: int,  # context words behind it
    window: int,  # the most of either
    sets: npt.NDArray[np.int64],  # (slots, K) noise words
    used: int,  # the set to use
    at: Addresses,
) -> int:
    """List, for each place, the rows of its word and noise there, or of the path to its word; return how many."""
    n = 0
    for j in range(window - before, window + after):
        word = sentence[t - window + j + (j >= window)]
        if by.kind == NEGATIVE:
            n = place_prediction(at, n, word, j * at.row_bytes, sets, used, 0, by.negative)
        else:
            n = extend_path(by, at, n, word, j * at.row_bytes)
    end_outputs(at, n)
    return n
