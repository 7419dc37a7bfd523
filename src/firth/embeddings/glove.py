"""GloVe: vectors whose dot products are the logarithms of co-occurrence counts.

What: the vector of a word and the vector of a context word are fitted so that their dot product, plus a bias for each,
is the logarithm of the co-occurrence count; the result is the sum of a word's two vectors.

Objective, over the pairs with X_ij > 0:

    J = 1/2 sum_ij f(X_ij) (v_i . u_j + b_i + c_j - log X_ij)^2,      f(x) = min(1, (x / x_max)^alpha)

Source: Pennington, Socher and Manning 2014, "GloVe: Global vectors for word representation", equations 8 and 9; section
4.2 for the sum of both vectors, AdaGrad with a rate of 0.05, x_max = 100 and alpha = 3/4.

Departures:
- AdaGrad's accumulators are those of GloVe's program: `firth.kernels.least_squares` explains the difference to the
  paper. Biases have a learning rate of 1, as in the program: with that of the vectors, the vectors of rare words would
  have to compensate for their biases.
- Gradients are not clipped. GloVe's program clips at 100, which never happens at learning rates that work. Diverging
  numbers stop the training instead.
- Cells are not shuffled globally. They are stored in tiles (a block of words by a block of context words), shuffled
  within each tile; an epoch has B rounds of B tiles without common rows, in a new order each time. Threads never share
  a row, so they need no locks, and the order in which they finish does not matter.

Cost: 16 D flops per cell and epoch; 12 bytes per cell, 16 D bytes per word. A seed gives the same bits with any number
of threads in every run on one machine.
"""

import dataclasses
import functools
import os
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.counts.cooccurrence import Cooccurrence, memory_option, weights_option, window_option
from firth.counts.counting import MEBIBYTE
from firth.counts.matrix import CooccurrenceMatrix, writing_counts
from firth.embeddings import window_options
from firth.embeddings.matrices import Matrices
from firth.embeddings.shards import Shard, TrainShard
from firth.embeddings.trainer import Trainer, TrainingArguments
from firth.embeddings.training import LearningRate, TrainingRun
from firth.errors import ShapeError
from firth.kernels.least_squares import AHEAD, CELL, FIXED, compile_fit, fit_tiles
from firth.kernels.rows import aligned_rows
from firth.kernels.step_emission import WIDTH
from firth.kernels.tiles import count_cells, fill_tiles, shuffle_tiles
from firth.options import Preset, option, options_class
from firth.randomness import generator, kernel_states
from firth.storage.files import cache_folder
from firth.training_facts import text_facts
from firth.vectors.word_vectors import WordVectors

BIASES = 2  # numbers after a row's vector: v has (bias, 1), u has (1, bias)
TILE_BYTES = 1 << 20  # size of all rows of a tile: they stay in the L2 cache
LEAST_BLOCKS, MOST_BLOCKS = 16, 2048


@options_class
class GloVe(Trainer[CooccurrenceMatrix, WordVectors, WordVectors]):
    """GloVe, global vectors from co-occurrence counts: the options, and `train`.

    It trains on a corpus, counted with these options, or on co-occurrence counts. The result has a vector per word, the
    sum of both sides, with the context side as output vectors and the biases as attributes. A seed decides every bit of
    it, with any number of threads. Vectors of GloVe as `start` are continued; of other vectors, each side begins with
    half. Words that only `start` has are left out.

    Source:
        Pennington, Socher and Manning 2014; the module docstring has the formulas and all departures.
    """

    presets: ClassVar = {
        "glove": Preset("GloVe: vectors fitted to the logarithms of co-occurrence counts (Pennington et al. 2014).")
    }
    common_options: ClassVar = ("dim", "window", "epochs", "lr")
    any_threads: ClassVar = True
    counts_in_pieces: ClassVar = True

    dim: int = window_options.dim()
    window: int = window_option(10)
    weights: str = weights_option("harmonic")
    x_max: float = option(100.0, "count at and above which a pair has weight 1", minimum=0, exclusive=True)
    alpha: float = option(0.75, "exponent of the weight (count / x_max) ** alpha of rarer pairs", minimum=0, maximum=10)
    epochs: int = window_options.epochs(15, "passes over the counts")
    lr: float = window_options.lr(0.05, " of AdaGrad")
    memory: int = memory_option()

    def __post_init__(self) -> None:
        options.check(self)

    def read(
        self, corpus: Any, text: Mapping[str, Any], arguments: TrainingArguments[WordVectors]
    ) -> CooccurrenceMatrix:
        """Return co-occurrence counts, counted with these options unless they are given."""
        cooccurrence = Cooccurrence(window=self.window, weights=self.weights)
        return cooccurrence.of(
            corpus,
            text,
            threads=arguments.threads,
            memory=self.memory,
            progress=arguments.progress,
            checkpoint=arguments.checkpoint,
        )

    def train_on(self, counts: CooccurrenceMatrix, arguments: TrainingArguments[WordVectors]) -> WordVectors:
        """Train on co-occurrence counts; see `GloVe.train`."""
        seed, count = arguments.seed, arguments.threads
        tiles = Tiles.cut(counts, self, seed, count)
        matrices = self.initial_matrices(counts, tiles, seed, arguments.start)
        return TrainingRun(
            corpus=tiles,
            matrices=matrices,
            trainer=functools.partial(self._shard_trainer, tiles, seed, count),
            options={"model": "glove", **dataclasses.asdict(self), "counts": dict(counts.options)},
            epochs=self.epochs,
            rate=LearningRate(self.lr, 1.0),
            untrained_loss=tiles.untrained_cost(),
            # One shard, whose rounds have their own threads.
            arguments=dataclasses.replace(arguments, threads=1, start=None, deterministic=False),
            unit="cells",
            finish=lambda trained, facts: _finish(counts, tiles, trained, {**facts, "threads": count}),
        ).train()

    def initial_matrices(
        self, counts: CooccurrenceMatrix, tiles: "Tiles", seed: int, start: WordVectors | None
    ) -> Matrices:
        """Return initial matrices in tile order, uniform in +-1/(2D) with the biases; for `start` see `GloVe.train`.

        Raises:
            ShapeError: `start` has another width.
        """
        if start is not None and start.dim != self.dim:
            raise ShapeError(f"start holds vectors of width {start.dim}, the options ask for dim={self.dim}: use that")
        width = self.dim + BIASES
        sides = []
        for name, learned, fixed in (("words", self.dim, self.dim + 1), ("contexts", self.dim + 1, self.dim)):
            rows, squares = aligned_rows(len(counts), width), aligned_rows(len(counts), width)
            random = generator(seed, name)
            for piece in np.array_split(tiles.rows, max(1, len(counts) // 4096)):
                rows[piece, : self.dim + 1] = (
                    random.random((len(piece), self.dim + 1), dtype=np.float32) - 0.5
                ) / self.dim
            rows[:, learned] = rows[:, self.dim]
            rows[:, fixed], squares[:] = 1, 1
            squares[:, learned], squares[:, fixed] = self.lr**2, FIXED  # a rate of 1, with a sum that begins at 1
            sides.append((rows, squares))
        (x, a), (y, b) = sides
        if start is not None:
            _copy_start_vectors(start, counts, tiles.rows, x, y)
        words = list(counts.vocabulary.words)
        return Matrices(words, counts.vocabulary.counts, x, y, self.dim, {"input_squares": a, "output_squares": b})

    def _shard_trainer(self, tiles: "Tiles", seed: int, threads: int, matrices: Matrices) -> TrainShard:
        """Return the function that trains round by round; threads share the tiles of a round."""
        blocks, row_bytes = len(tiles.blocks) - 1, matrices.inputs.strides[0]
        kernel = compile_fit(WIDTH, matrices.inputs.shape[1] // WIDTH)
        at = [m.ctypes.data for m in (matrices.inputs, matrices.outputs, *matrices.state.values())]
        costs = np.zeros((blocks, blocks))
        rate = np.float32(self.lr)

        def fit(round_: npt.NDArray[np.int64]) -> None:
            fit_tiles(kernel, round_, tiles.bounds, tiles.blocks, tiles.cells.ctypes.data, *at, row_bytes, costs, rate)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            if shard.position[0] >= shard.last:
                return fit(np.empty((0, 2), np.int64))  # the call that compiles
            with ThreadPoolExecutor(threads) as pool:
                for round_ in tiles.rounds(seed, int(shard.read[0]) // tiles.num_tokens, int(shard.position[0])):
                    list(pool.map(fit, np.array_split(round_, threads)))
                    cells = tiles.sizes[round_[:, 0], round_[:, 1]].sum()
                    shard.loss[0] += costs[round_[:, 0], round_[:, 1]].sum()
                    for count in (shard.position, shard.read, shard.predictions):
                        count[0] += cells
                    if stop[0]:
                        return None
            return None

        return train_shard


@dataclass(frozen=True, eq=False)
class Tiles:
    """The cells of a co-occurrence matrix, in tiles: the training data.

    Attributes:
        cells: (C + some, 3) float32: row and column inside the tile as 16 bits each, log X, weight.
        bounds: (B, B, 2) int64, where the cells of each tile begin and end.
        blocks: (B + 1,) int64, where the rows of each block begin.
        rows: (V,) int64, the row of each word.
        num_tokens: C.
    """

    cells: npt.NDArray[np.float32]
    bounds: npt.NDArray[np.int64]
    blocks: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    num_tokens: int
    fingerprint: str

    @classmethod
    def cut(cls, counts: CooccurrenceMatrix, model: GloVe, seed: int, threads: int) -> "Tiles":
        """Split counts into tiles and shuffle the cells of each."""
        words = len(counts)
        padded = aligned_rows(1, model.dim + BIASES).shape[1]
        least = max(-(-words * 16 * padded // TILE_BYTES), min(words, LEAST_BLOCKS))
        blocks = min(least, MOST_BLOCKS)
        sizes = np.zeros((blocks, blocks), dtype=np.int64)
        count_cells(counts.rows, counts.columns, counts.half, sizes)
        ends = np.cumsum(sizes).reshape(blocks, blocks)
        bounds = np.stack([ends - sizes, ends], axis=2)
        total = int(ends[-1, -1])
        cells = _room(total + AHEAD, model.memory)
        free, states = bounds[:, :, 0].copy(), kernel_states(seed, "row of tiles", blocks)

        def fill(first: int, last: int) -> None:
            fill_tiles(
                counts.rows, counts.columns, counts.values, counts.half, float(model.x_max), float(model.alpha), bounds,
                free, cells.view(np.uint16), cells, first, last,
            )  # fmt: skip
            shuffle_tiles(bounds, cells.view(np.uint32), states, first, last)

        cuts = [blocks * t // threads for t in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, cuts[:-1], cuts[1:]))
        of_block = np.bincount(np.arange(words) % blocks, minlength=blocks)
        starts = np.concatenate([[0], np.cumsum(of_block)])
        positions = starts[np.arange(words) % blocks] + np.arange(words) // blocks
        return cls(cells, bounds, starts, positions, total, counts.fingerprint)

    @property
    def ids(self) -> Any:
        """The cells; their pages are released while they are not read."""
        return self.cells

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of cells of each tile, (B, B)."""
        return np.asarray(self.bounds[:, :, 1] - self.bounds[:, :, 0])

    def rounds(self, seed: int, epoch: int, done: int) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the remaining rounds of an epoch: (B, 2) tiles without common rows or columns.

        Args:
            epoch: number of the epoch, from 0.
            done: number of cells in the rounds before.
        """
        blocks = np.arange(len(self.blocks) - 1)
        for shift in generator(seed, f"rounds of epoch {epoch}").permutation(len(blocks)):
            tiles = np.stack([blocks, (blocks + shift) % len(blocks)], axis=1)
            done -= int(self.sizes[tiles[:, 0], tiles[:, 1]].sum())
            if done < 0:
                yield tiles

    def untrained_cost(self) -> float:
        """Return the mean cost per cell if all vectors are zero."""
        cost = 0.0
        for piece in np.array_split(self.cells[: self.num_tokens], max(1, self.num_tokens >> 20)):
            cost += float((piece[:, 2].astype(np.float64) * piece[:, 1] ** 2).sum()) / 2
        return cost / self.num_tokens


def _room(cells: int, memory: int) -> npt.NDArray[np.float32]:
    """Return zeros for cells: in memory, or in an unnamed file if they would take more than half of it."""
    if cells * CELL <= memory * MEBIBYTE // 2:
        return np.zeros((cells, CELL // 4), dtype=np.float32)
    folder = cache_folder("cooccurrences")
    with writing_counts(folder, cells * CELL):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            if hasattr(os, "posix_fallocate"):  # otherwise a full disk shows only when a cell is written
                os.posix_fallocate(file.fileno(), 0, cells * CELL)
            return np.memmap(file, dtype=np.float32, mode="r+", shape=(cells, CELL // 4))


def _copy_start_vectors(
    start: WordVectors,
    counts: CooccurrenceMatrix,
    rows_of_words: npt.NDArray[np.int64],
    x: npt.NDArray[np.float32],
    y: npt.NDArray[np.float32],
) -> None:
    words = counts.vocabulary.ids
    common = [row for row, word in enumerate(start.words) if word in words]
    rows = rows_of_words[[words[start.words[row]] for row in common]]
    own = start.metadata.get("training", {}).get("options", {}).get("model") == "glove"
    outputs = start.output_vectors if own else None
    context = outputs[common] if outputs is not None else start.vectors[common] / 2
    x[rows, : start.dim], y[rows, : start.dim] = start.vectors[common] - context, context
    if outputs is not None:
        x[rows, start.dim] = start.attributes["bias"][common]
        y[rows, start.dim + 1] = start.attributes["output_bias"][common]


def _finish(counts: CooccurrenceMatrix, tiles: Tiles, matrices: Matrices, facts: dict[str, Any]) -> WordVectors:
    x, y, dim = matrices.inputs[tiles.rows], matrices.outputs[tiles.rows], matrices.dim
    return WordVectors(
        matrices.words,
        x[:, :dim] + y[:, :dim],
        counts=counts.vocabulary.counts,
        output_vectors=y[:, :dim],
        metadata={"training": {**facts, **text_facts(counts)}},
        attributes={"bias": x[:, dim].copy(), "output_bias": y[:, dim + 1].copy()},
    )
