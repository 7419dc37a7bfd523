"""Word2Vec: skip-gram and CBOW, with negative sampling or one of four objectives that define a probability.

For a plain version to read first, see `tests/golden/word2vec_twin.py`: the same algorithm in about 200 lines of NumPy,
which the compiled trainer below must agree with. `firth.kernels` explains the short names of the kernels.

What: a word's vector is trained to predict the words around it, or to tell them from randomly drawn words.

Objective, for a centre word w with context words c_1 .. c_M and K noise words n_k drawn from counts^0.75:

    skip-gram   sum_m [ log sigma(v_{c_m} . u_w) + sum_k log sigma(-v_{c_m} . u_{n_k}) ]
    CBOW              log sigma(h . u_w)         + sum_k log sigma(-h . u_{n_k}),      h = 1/M sum_m v_{c_m}

v are the input vectors, which are the result; u are the output vectors, kept so that training can continue. As in
word2vec.c, skip-gram predicts the centre from each context word; over a corpus the pairs are the same either way. With
another objective than "negative", log P(w | c_m) or log P(w | h) replaces the brackets: see
`firth.kernels.objectives`. `combine="sum"` makes h the sum of the context vectors, `score="scaled"` divides every
dot product by D.

Source: Mikolov et al. 2013, "Efficient estimation of word representations in vector space" (both architectures);
Mikolov et al. 2013 (NIPS), "Distributed representations of words and phrases and their compositionality", equation 4
(negative sampling), section 2.3 (subsampling); Ji et al. 2016, "Parallelizing word2vec in shared and distributed
memory", section 3 (noise shared inside a window); Irsoy, Benton and Stratos 2021, "Corrected CBOW performs as well as
skip-gram", equation 4 (`cbow_gradient="mean"`).

Departures:
- `update="window"`: noise words are drawn once for `shared_windows` windows instead of once per pair, and all pairs of
  a window are scored before any of them updates a row. The expected first-order update is that of `update="pair"`,
  which draws and updates pair by pair as word2vec.c does.
- A noise word equal to the centre word is left out of the step, as in word2vec.c, and not drawn again.
- Input vectors start uniform in +-1/D, as in gensim; word2vec.c starts them in +-1/(2D). CBOW learns better from it.
- A window of more than `MOST_HIDDEN` words takes several consecutive steps against the same noise words.
- The learning rate decays linearly with the words that a thread has read of its own share, to `lr_end_factor` of its
  initial value: 1/10000 for skip-gram, as in word2vec.c; 1/5 for CBOW, which learns better from it
  (benchmarks/LOG.md).
- By default, every context word of CBOW gets the whole gradient of h, as in word2vec.c. `cbow_gradient="mean"` divides
  it by M, the exact derivative of the mean; it needs a learning rate about four times as high.
- Several threads of hierarchical softmax have their own copies of the nodes near the root, merged every few hundred
  words (`firth.kernels.objectives.Copies`).
- Hierarchical softmax keeps nodes whose score is beyond 6; word2vec.c and gensim skip them.
- A learned tree is built from vectors of a first training with the same options and a random tree, unless `start` has
  a vector for every word.
- Output rows of another objective or another tree have another meaning: after such a `start` they begin at zero.

Cost: 6 D (K + 1) flops per pair, or as `firth.kernels.objectives` says; 2 V rows of D float32, padded to 64 bytes,
independent of the corpus size. With one thread a seed gives the same bits in every run on one machine; with more,
threads write to shared rows without locks (Niu et al. 2011, "Hogwild!") and the bits differ from run to run, unless
`deterministic=True` is passed to `train` (`firth.embeddings.replicas`).
"""

import dataclasses
import functools
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.encoded import Corpus
from firth.embeddings import window_options
from firth.embeddings.matrices import Matrices, frozen_words, word_vectors
from firth.embeddings.output_tree import train_with_tree
from firth.embeddings.predictions import AHEAD, CBOW, PAIR, WINDOW, WindowSettings, train_predictions
from firth.embeddings.probability import log_prob, starting_matrices, tree_attributes
from firth.embeddings.replicas import RowRates
from firth.embeddings.shards import Shard, TrainShard
from firth.embeddings.trainer import CorpusTrainer, TrainingArguments
from firth.embeddings.window_model import (
    WindowModel,
    kept_shares,
    mean_contexts,
    output_layer,
    output_rates,
    text_of,
    window_run,
)
from firth.embeddings.word_trees import NAMES as TREES
from firth.embeddings.word_trees import WordTree
from firth.errors import OptionError
from firth.kernels import objectives
from firth.kernels.compiled import compiled
from firth.kernels.noise import draw_ahead, draw_noise, next_set
from firth.kernels.objectives import Scoring, predictor
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.targets import (
    Addresses,
    Workspace,
    addresses,
    combine,
    draw_reach,
    fetch_rows,
    gather_contexts,
    new_workspace,
    place_outputs,
    scatter,
    step,
    step_window,
    target_rows,
)
from firth.kernels.trees import Children, from_children
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors

DEFAULTS: dict[str, dict[str, Any]] = {  # measured: benchmarks/LOG.md
    "skipgram": {"lr": 0.025, "lr_end_factor": 1e-4, "shared_windows": 2},
    "cbow": {"lr": 0.05, "lr_end_factor": 0.2, "shared_windows": 1},
}


@options_class
class Word2Vec(CorpusTrainer[WordVectors, WordVectors], WindowModel):
    """Skip-gram or CBOW with any of five objectives: the options, and `train`.

    After a `start` with another objective or another tree, output vectors begin at zero.

    Source:
        Mikolov et al. 2013; the module docstring has the formulas and all departures.
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
    model_name: ClassVar = "word2vec"
    any_threads: ClassVar = True
    freezes: ClassVar = True

    architecture: str = option(
        "skipgram", "skip-gram (predict from each context word) or CBOW (from their mean)", choices=("skipgram", "cbow")
    )
    objective: str = option(
        "negative", "objective: negative sampling, or a loss that defines probabilities", choices=objectives.NAMES
    )
    tree: str | WordTree = option("huffman", "tree over the words for objective='hierarchical'", choices=TREES)
    dim: int = window_options.dim()
    window: int = window_options.window()
    negative: int = window_options.negative()
    sample: float | None = window_options.sample()
    epochs: int | None = window_options.epochs()
    lr: float | None = window_options.lr(None, "; by default 0.025 for skip-gram, 0.05 for CBOW")
    lr_end_factor: float | None = window_options.lr_end_factor(None, "; by default 0.0001 for skip-gram, 0.2 for CBOW")
    noise_exponent: float = window_options.noise_exponent()
    shrink_windows: bool = window_options.shrink_windows()
    update: str = option(
        "window", "update rows once per window, or per pair as word2vec.c does", choices=("window", "pair")
    )
    shared_windows: int | None = window_options.shared_windows(None, "; by default 2 for skip-gram, 1 for CBOW")
    cbow_gradient: str = option(
        "full",
        "gradient of each context word of CBOW: the full gradient of the mean, or 1/M of it",
        choices=("full", "mean"),
    )
    combine: str = option("mean", "hidden vector of CBOW: mean or sum of the context vectors", choices=("mean", "sum"))
    score: str = option("dot", "score of CBOW: dot product, or dot product divided by dim", choices=("dot", "scaled"))

    def __post_init__(self) -> None:
        options.check(self)
        cbow, sampled = self.architecture == "cbow", self.objective == "negative"
        if self.update == "pair" and cbow:
            raise OptionError("update='pair': CBOW makes one prediction per window; use update='window'")
        if self.update == "pair" and self.shared_windows not in (None, 1):
            raise OptionError(
                f"shared_windows={self.shared_windows}: update='pair' draws noise words for each pair; leave it out"
            )
        if not sampled and self.shared_windows not in (None, 1):
            raise OptionError(
                f"shared_windows={self.shared_windows}: only objective='negative' shares noise words; leave it out"
            )
        if self.tree != "huffman" and self.objective != "hierarchical":
            raise OptionError(f"tree={self.tree!r}: only objective='hierarchical' uses a tree; leave it out")
        if not cbow and (self.combine, self.score) != ("mean", "dot"):
            raise OptionError(
                f"combine={self.combine!r}, score={self.score!r}: only CBOW combines vectors; leave them out"
            )
        if self.combine == "sum" and self.cbow_gradient == "mean":
            raise OptionError("cbow_gradient='mean' with combine='sum': a sum has no mean gradient; leave one out")

    def train_on(self, corpus: Corpus, arguments: TrainingArguments[WordVectors]) -> WordVectors:
        """Train on an encoded corpus; see `firth.Word2Vec.train`."""
        if self.objective != "hierarchical":
            return self._train(corpus, arguments, None)
        first = dataclasses.replace(self, tree="random")
        return train_with_tree(
            self.tree, corpus, arguments, first=first.train_on, train=self._train, interrupted=lambda vectors: vectors
        )

    def _train(self, corpus: Corpus, arguments: TrainingArguments[WordVectors], tree: Children | None) -> WordVectors:
        model = self.with_defaults()
        matrices = starting_matrices(
            corpus, self.dim, seed=arguments.seed, start=arguments.start, objective=self.objective, tree=tree
        )
        matrices = dataclasses.replace(matrices, frozen=frozen_words(matrices.words, arguments.frozen))
        paths = None if tree is None else from_children(tree)
        layer = output_layer(corpus, self.objective, self.negative, self.noise_exponent, paths)

        def finish(matrices: Matrices, facts: dict[str, Any]) -> WordVectors:
            facts = {**facts, "vocabulary": len(corpus.vocabulary)}
            return word_vectors(matrices, facts, tree_attributes(tree, len(matrices.words)))

        trainer = functools.partial(model._shard_trainer, corpus, arguments, layer)
        return window_run(model, corpus, arguments, matrices, layer, trainer, finish, model._row_rates).train()

    def log_prob(self, vectors: WordVectors, centre: Any, context: Any) -> Any:
        """Return the log-probability of a centre word given its context, in nats.

        Args:
            vectors: trained with this objective.
            centre: a word, or a list of words for a batch; None for every word of the training corpus.
            context: for skip-gram the context word, for CBOW the list of context words; for a batch, a list of those.

        Returns:
            A float; (B,) for a batch; (V,) or (B, V) if `centre` is None.

        Raises:
            OptionError: the objective is "negative", which defines no probability; or the vectors were not trained with
                this objective, or have no output vectors.
            UnknownWordError: a word was not in the training corpus.
        """
        return log_prob(vectors, centre, context, self)

    def with_defaults(self) -> "Word2Vec":
        """Return these options with the defaults of the architecture filled in."""
        defaults = DEFAULTS[self.architecture]
        if self.update == "pair" or self.objective != "negative":
            defaults = {**defaults, "shared_windows": 1}
        return dataclasses.replace(self, **{k: v for k, v in defaults.items() if getattr(self, k) is None})

    def _row_rates(self, corpus: Corpus, layer: Scoring) -> RowRates:
        """Return how often training changes each row; `with_defaults` comes first."""
        kept_share, contexts = kept_shares(self, corpus), mean_contexts(self)
        return RowRates(
            kept_share * contexts,
            output_rates(layer, kept_share) * (contexts if self.architecture == "skipgram" else 1),
        )

    def _shard_trainer(
        self, corpus: Corpus, arguments: TrainingArguments[Any], layer: Scoring, matrices: Matrices
    ) -> TrainShard:
        """Return the function that trains one shard of `corpus`; `with_defaults` comes first."""
        assert self.shared_windows is not None
        slots, normalised = AHEAD // self.shared_windows + 2, layer.kind in objectives.NORMALISED
        settings = WindowSettings(
            noise=layer.noise,
            mode=CBOW if self.architecture == "cbow" else PAIR if self.update == "pair" else WINDOW,
            window=self.window,
            shrink=self.shrink_windows,
            shared=self.shared_windows,
            mean=self.combine == "mean",
            divide=self.cbow_gradient == "mean",
            scale=1 / self.dim if self.score == "scaled" else 1.0,
        )
        text = text_of(self, corpus, arguments.shards)
        work = new_workspace(
            self.window, self.negative, slots, matrices.inputs.shape[1], outputs=objectives.most_outputs(layer)
        )
        at = addresses(
            work, matrices.inputs, matrices.outputs, dim=self.dim, normalised=normalised, frozen=matrices.frozen
        )

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            if layer.kind == objectives.NEGATIVE:
                train_words(text, settings, work, at, shard.state(stop))
            else:
                own = objectives.own_copies(layer, matrices.outputs, arguments.writers)
                train_predictions(text, settings, predictor(layer, at, shard.loss, own), work, at, shard.state(stop))

        return train_shard


@compiled
def train_words(text: Text, settings: WindowSettings, work: Workspace, at: Addresses, state: ShardState) -> None:
    """Train a shard by negative sampling, from its current position to its end or a stop."""
    # Numba counts a reference each time it reads a field of a tuple: read them once, outside the loops.
    noise, mode, window, shared = settings.noise, settings.mode, settings.window, settings.shared
    sentence, sets, contexts, table, signs = work.sentence, work.noise, work.contexts, work.outputs, work.signs
    random, predictions = state.random, state.predictions
    for count, _, rate in pieces(text, work, state):
        if count < 2:
            continue  # a single word has no context
        newest = current = len(sets) - 1  # the noise sets last drawn and in use
        due = remaining = 0  # windows until a new set is drawn, and until the next one is used
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                newest, due = draw_ahead(noise, random, sets, newest, due, shared, settings.shrink, at)
                fetch_rows(sentence, ahead, window, count, at)
            if t < 0:
                continue
            current, remaining = next_set(current, remaining, len(sets), shared)
            reach = draw_reach(random, window, settings.shrink)
            m = gather_contexts(sentence, t, min(reach, t), min(reach, count - 1 - t), window, contexts, at)
            place_outputs(sentence[t], sets, current, table, signs, at)
            if mode == WINDOW:
                step_window(m, rate, at)  # m hidden rows against the same 1 + K output rows: two small matrix products
            elif mode == CBOW:
                combine(m, settings.mean, settings.scale, at)  # h = mean or sum of the m context rows
                step(at.hidden_table, at.gradient_table, 1, rate, at)
                scatter(m, settings.divide, settings.scale, at)  # adds the gradient of h to each context row
            else:
                targets = target_rows(at.contexts, m, at)
                for c in range(m):
                    if c > 0:
                        draw_noise(noise, random, sets, current, at, 0)  # into this window's own set
                        place_outputs(sentence[t], sets, current, table, signs, at)
                    step(at.contexts + 8 * c, targets + 8 * c, 1, rate, at)
            predictions[0] += 1 if mode == CBOW else m
