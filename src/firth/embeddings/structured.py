"""StructuredWord2Vec: skip-gram and CBOW that know the order of words.

What: as `firth.embeddings.word2vec`, but a context word counts by its position. The structured skip-gram has an output
vector per word and position; the continuous window predicts from the concatenation of the context vectors instead of
their mean. Both bring words with the same syntax closer together.

Objective, for a centre word w, context words c_j at positions j = -window .. -1, 1 .. window and K noise words n_k:

    skip-gram          sum_j [ log sigma(v_w . u^j_{c_j}) + sum_k log sigma(-v_w . u^j_{n_k}) ]
    continuous window  log sigma(h . u_w) + sum_k log sigma(-h . u_{n_k}),    h = [v_{c_-window}; ...; v_{c_window}]

u^j_w is the part for position j of the output vector u_w, which is 2 window D wide in both models.

Source: Ling, Dyer, Black and Trancoso 2015, "Two/too simple adaptations of word2vec for syntax problems", sections 2.2
and 2.3.

Departures:
- Noise words are drawn once for `shared_windows` windows, and those of the skip-gram serve every position of a window;
  all pairs of a window are scored before any of them updates a row. See `firth.embeddings.word2vec`.
- Windows have their full size, as in wang2vec, the authors' program; `shrink_windows=True` draws it as word2vec does.
- wang2vec's skip-gram predicts the centre from each context word, with mirrored positions; the paper and firth predict
  the context words from the centre. Over a corpus the pairs are the same.
- A position beyond the end of a sentence is zero and is not trained.
- Input vectors of the skip-gram start uniform in +-1/(2D), as in wang2vec: larger random numbers would hide what a rare
  word has learned about syntax (benchmarks/results/structured_qvec.md). Those of the continuous window start in +-1/D.

Cost: 12 window D (K + 1) flops per word in both models; V rows of D float32 and V rows of 2 window D, each padded to 64
bytes.
"""

import dataclasses
import functools
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.corpus.encoded import Corpus
from firth.embeddings import window_options
from firth.embeddings.matrices import Matrices, frozen_words, initial_matrices
from firth.embeddings.replicas import RowRates
from firth.embeddings.shards import Shard, TrainShard
from firth.embeddings.trainer import CorpusTrainer, TrainingArguments
from firth.embeddings.window_model import (
    SkipGramOptions,
    kept_shares,
    mean_contexts,
    output_layer,
    output_rates,
    text_of,
    window_run,
)
from firth.errors import ShapeError
from firth.kernels.compiled import compiled
from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import draw_ahead, next_set
from firth.kernels.objectives import (
    MERGE,
    NEGATIVE,
    Predictor,
    Scoring,
    extend_path,
    merge_copies,
    most_outputs,
    own_copies,
    place_path,
    predictor,
    take_step,
)
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.positions import gather_positions, join_rows, leave_out_frozen, split_gradient
from firth.kernels.rows import aligned_rows
from firth.kernels.step_emission import WIDTH
from firth.kernels.targets import (
    Addresses,
    Workspace,
    addresses,
    draw_reach,
    end_outputs,
    fetch_rows,
    new_workspace,
    place_outputs,
    place_prediction,
    target_rows,
)
from firth.kernels.trees import huffman
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors

SKIPGRAM, CWINDOW = range(2)
AHEAD = 2  # windows between drawing noise words and using them; their rows are prefetched meanwhile
LR = {"skipgram": 0.025, "cwindow": 0.05}
REACH = {"skipgram": 0.5, "cwindow": 1.0}  # bound of the random input vectors, times D


@options_class
class StructuredWord2Vec(CorpusTrainer[WordVectors, WordVectors], SkipGramOptions):
    """Structured skip-gram or continuous window: the options, and `train`.

    The output vectors have 2 window D numbers: the positions -window .. -1, 1 .. window, D numbers each. After
    objective="hierarchical" there are none: they belong to nodes, not words.

    Source:
        Ling et al. 2015; the module docstring has the formulas and all departures.
    """

    presets: ClassVar = {
        "structured": Preset("Structured skip-gram: skip-gram that knows the order of words (Ling et al. 2015).")
    }
    common_options: ClassVar = ("architecture", "dim", "window", "negative", "epochs", "lr")
    model_name: ClassVar = "structured"
    any_threads: ClassVar = True
    freezes: ClassVar = True

    architecture: str = option(
        "skipgram",
        "skip-gram (predict each context word by its position) or continuous window (predict the centre)",
        choices=("skipgram", "cwindow"),
    )
    objective: str = option("negative", "objective of a prediction", choices=("negative", "hierarchical"))
    lr: float | None = window_options.lr(None, "; by default 0.025 for skip-gram, 0.05 for cwindow")
    shrink_windows: bool = window_options.shrink_windows(False)

    def train_on(self, corpus: Corpus, arguments: TrainingArguments[WordVectors]) -> WordVectors:
        """Train on an encoded corpus; see `CorpusTrainer.train`."""
        model = self.with_defaults()
        matrices = model.initial_matrices(corpus, arguments.seed, arguments.start)
        matrices = dataclasses.replace(matrices, frozen=frozen_words(matrices.words, arguments.frozen))
        tree = huffman(corpus.vocabulary.counts) if self.objective == "hierarchical" else None
        layer = output_layer(corpus, self.objective, self.negative, self.noise_exponent, tree)
        trainer = functools.partial(model._shard_trainer, corpus, arguments, layer)
        return window_run(model, corpus, arguments, matrices, layer, trainer, self._finish, model._row_rates).train()

    def with_defaults(self) -> "StructuredWord2Vec":
        """Return these options with the learning rate of the architecture filled in."""
        return self if self.lr is not None else dataclasses.replace(self, lr=LR[self.architecture])

    def initial_matrices(self, corpus: Corpus, seed: int, start: WordVectors | None) -> Matrices:
        """Return initial matrices, with output rows of 2 window padded parts.

        Raises:
            ShapeError: `start` has another width, or its output vectors belong to another window.
        """
        positions = 2 * self.window
        outputs = None if start is None or self.objective != "negative" else start.output_vectors
        if outputs is not None and outputs.shape[1] != positions * self.dim:
            raise ShapeError(
                f"start's output vectors have width {outputs.shape[1]}, expected 2 window dim = "
                f"{positions * self.dim}: start from vectors of the same model, or from vectors without output vectors"
            )
        bare = None if start is None else WordVectors(start.words, start.vectors, counts=start.counts)
        matrices = initial_matrices(corpus, self.dim, seed=seed, start=bare, reach=REACH[self.architecture])
        parts = aligned_rows(len(matrices.words) * positions, self.dim)
        if outputs is not None:
            row_of = {word: i for i, word in enumerate(matrices.words)}
            rows = [row_of[word] for word in bare or ()]
            by_word = parts.reshape(len(matrices.words), positions, -1)
            by_word[rows, :, : self.dim] = np.reshape(outputs, (len(rows), positions, self.dim))
        return dataclasses.replace(matrices, outputs=parts.reshape(len(matrices.words), -1))

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

    def _row_rates(self, corpus: Corpus, layer: Scoring) -> RowRates:
        """Return how often training changes each input row, and each part of an output row: once per window."""
        kept_share = kept_shares(self, corpus)
        return RowRates(kept_share * mean_contexts(self), output_rates(layer, kept_share))

    def _shard_trainer(
        self, corpus: Corpus, arguments: TrainingArguments[Any], layer: Scoring, matrices: Matrices
    ) -> TrainShard:
        """Return the function that trains one shard of `corpus`; `with_defaults` comes first."""
        mode = SKIPGRAM if self.architecture == "skipgram" else CWINDOW
        settings = StructuredSettings(layer.noise, mode, self.window, self.shrink_windows, self.shared_windows)
        text = text_of(self, corpus, arguments.shards)
        most = most_outputs(layer) * (2 * self.window if mode == SKIPGRAM else 1)
        wide = matrices.outputs.shape[1]
        work = new_workspace(self.window, self.negative, AHEAD // self.shared_windows + 2, wide, outputs=most)
        at = addresses(work, matrices.inputs, matrices.outputs, dim=self.dim, frozen=matrices.frozen)
        joined = at._replace(chunks=wide // WIDTH)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            own = own_copies(layer, matrices.outputs, arguments.writers)
            train_positions(text, settings, work, at, joined, predictor(layer, at, shard.loss, own), shard.state(stop))

        return train_shard


class StructuredSettings(NamedTuple):
    """Settings of the structured kernel."""

    noise: npt.NDArray[np.uint64]  # (V,) alias table
    mode: int  # SKIPGRAM or CWINDOW
    window: int  # words on each side
    shrink: bool  # whether the size of each window is drawn from 1 to `window`
    shared: int  # consecutive windows with the same noise words


@compiled
def train_positions(
    text: Text,
    settings: StructuredSettings,
    work: Workspace,
    at: Addresses,  # rows are D wide
    joined: Addresses,  # the same, for steps of rows 2 window D wide
    predictor: Predictor,
    state: ShardState,
) -> None:
    """Train a shard from its current position to its end or a stop."""
    # Numba counts a reference each time it reads a field of a tuple: read them once, outside the loops.
    noise, mode, window, shared = settings.noise, settings.mode, settings.window, settings.shared
    sentence, sets, contexts, table, signs = work.sentence, work.noise, work.contexts, work.outputs, work.signs
    random, predictions = state.random, state.predictions
    for count, _, rate in pieces(text, work, state):
        merge_copies(predictor, at, count)
        if count < 2:
            continue  # a single word has no context
        newest = current = len(sets) - 1  # the noise sets last drawn and in use
        due = remaining = 0  # windows until a new set is drawn, and until the next one is used
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count and predictor.kind == NEGATIVE:
                newest, due = draw_ahead(noise, random, sets, newest, due, shared, settings.shrink, at)
                if mode == CWINDOW:
                    fetch_rows(sentence, ahead, window, count, at)
                else:
                    fetch_positions(sentence, ahead, window, count, at)
            if t < 0:
                continue
            current, remaining = next_set(current, remaining, len(sets), shared)
            reach = draw_reach(random, window, settings.shrink)
            before, after = min(reach, t), min(reach, count - 1 - t)
            if mode == CWINDOW:
                gather_positions(sentence, t, before, after, window, contexts, at)
                n = predictor.negative + 1
                if predictor.kind == NEGATIVE:
                    place_outputs(sentence[t], sets, current, table, signs, at)
                else:
                    n = place_path(predictor, at, sentence[t])
                join_rows(at.contexts, 2 * window, at)
                if n > 0:
                    take_step(predictor, joined, at.hidden_table, at.gradient_table, 1, n, 0, rate)
                leave_out_frozen(at.contexts, 2 * window, at)
                split_gradient(at.contexts, 0, 2 * window, at)
                predictions[0] += 1
            else:
                contexts[0] = at.inputs + sentence[t] * at.row_bytes
                n = place_by_position(predictor, sentence, t, before, after, window, sets, current, at)
                if n > 0:
                    take_step(predictor, at, at.contexts, target_rows(at.contexts, 1, at), 1, n, 0, rate)
                predictions[0] += before + after
    merge_copies(predictor, at, MERGE)


@njit(nogil=True, inline="always")
def fetch_positions(
    sentence: npt.NDArray[np.int64],  # words that subsampling kept
    t: int,  # a later window
    window: int,
    count: int,  # words in the sentence
    at: Addresses,
) -> None:
    """Prefetch the rows that window t of skip-gram is the first to use: those of its last word at every position."""
    prefetch_row(at.inputs + sentence[t] * at.row_bytes, at.row_bytes)
    if t + window < count:
        prefetch_row(at.outputs + sentence[t + window] * at.output_bytes, at.output_bytes)


@njit(nogil=True, inline="always")
def place_by_position(
    predictor: Predictor,
    sentence: npt.NDArray[np.int64],  # words that subsampling kept
    t: int,  # position of the centre
    before: int,  # context words before the centre
    after: int,  # context words after it
    window: int,  # the most on either side
    sets: npt.NDArray[np.int64],  # (slots, K) noise words
    current: int,  # the set to use
    at: Addresses,
) -> int:
    """List the output rows of the word at each position and of its noise words or path; return their number."""
    n = 0
    for j in range(window - before, window + after):
        word = sentence[t - window + j + (j >= window)]
        if predictor.kind == NEGATIVE:
            n = place_prediction(at, n, word, j * at.row_bytes, sets, current, 0, predictor.negative)
        else:
            n = extend_path(predictor, at, n, word, j * at.row_bytes)
    end_outputs(at, n)
    return n
