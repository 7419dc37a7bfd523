"""Multi-sense skip-gram: the senses of each word and their vectors, learned together while reading the text.

What: skip-gram in which a frequent word has several vectors. Each occurrence of a word first takes the sense whose
centre is nearest to its context (`firth.senses.online_state`). Only the vector of that sense learns to tell the words
around it from randomly drawn words. With `nonparametric=False` (MSSG) each word has the same number of senses; with
`nonparametric=True` (NP-MSSG) a new sense is opened where no other fits.

Objective, for a word w of sense s among context words c_1 .. c_M, with K noise words n_k drawn from counts^0.75:

    sum_m [ log sigma(v_{w,s} . u_{c_m}) + sum_k log sigma(-v_{w,s} . u_{n_k}) ]

v are the sense vectors, the result; u, one per word, are the global vectors, from which context vectors are made.

Source: Neelakantan, Shankar, Passos and McCallum 2014, "Efficient non-parametric estimation of multiple embeddings per
word in vector space", sections 4.1 (MSSG) and 4.2 (NP-MSSG); Mikolov et al. 2013 (NIPS) for the rest.

Departures:
- Pairs, noise, windows and steps are those of `firth.embeddings.word2vec`: with senses=1 the vectors are bit for bit
  those of its skip-gram.
- Context vectors are centred and whitened (see `firth.senses.online_state`), so lambda has another scale: unrelated
  contexts have a cosine of 0 here.
- Senses are distinguished only after the share `warm_up` of the training; before that, global vectors, and therefore
  contexts, carry little information.
- Contexts have their own window, wider than that of the pairs and of fixed size. All words of a part of the text (at
  most 1000) take their senses before any of its pairs is trained.
- MSSG opens the senses of a word one by one, with contexts that differ from earlier ones. In the paper all centres are
  random at first, and most never get a context.
- After NP-MSSG, senses whose centres have a cosine above `merge_above` are merged, and senses with less than
  `min_share` of the word's occurrences are dropped: a single context is short and sometimes opens a spurious sense.

Cost: that of skip-gram, plus 4 (context_window + n) D flops for each token whose word may have n senses; S + V rows of
D float32, and as many for centres and contexts. With one thread a seed gives the same bits in every run on one machine.
"""

import dataclasses
import threading
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.corpus.encoded import Corpus
from firth.embeddings.matrices import Matrices
from firth.embeddings.predictions import AHEAD
from firth.embeddings.shards import Shard, TrainShard
from firth.embeddings.trainer import CorpusTrainer, TrainingArguments
from firth.embeddings.window_model import SkipGramOptions, output_layer, text_of, window_run
from firth.kernels.compiled import compiled
from firth.kernels.native_calls import prefetch_row
from firth.kernels.noise import draw_ahead, next_set
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.sense_centres import CentreAddresses, choose_senses
from firth.kernels.targets import (
    Addresses,
    Workspace,
    addresses,
    draw_reach,
    gather_contexts,
    new_workspace,
    place_outputs,
    step_window,
)
from firth.options import Preset, option, options_class
from firth.senses.online_senses import PruningThresholds, initial_state, sense_vectors
from firth.senses.online_state import SenseState, centres
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.word_vectors import WordVectors


@options_class
class MultiSenseSkipGram(CorpusTrainer[SenseVectors | WordVectors, SenseVectors], SkipGramOptions):
    """Multi-sense skip-gram, MSSG or NP-MSSG: the options, and `train`.

    A `start` has the senses of this model, or it has ordinary vectors, which become the first sense of each word.

    Source:
        Neelakantan et al. 2014; the module docstring has the formulas and all departures.
    """

    presets: ClassVar = {
        "mssg": Preset(
            "MSSG: multi-sense skip-gram with the same number of senses for every word (Neelakantan et al. 2014).",
            nonparametric=False,
        ),
        "np-mssg": Preset(
            "NP-MSSG: multi-sense skip-gram that adds a sense where no other fits (Neelakantan et al. 2014).",
            nonparametric=True,
        ),
    }
    common_options: ClassVar = ("senses", "dim", "window", "negative", "epochs", "lr")
    model_name: ClassVar = "multisense"

    nonparametric: bool = option(
        False, "open a new sense where none fits (NP-MSSG), instead of a fixed number per word (MSSG)"
    )
    senses: int | None = option(
        None, "senses per word, or their maximum if nonparametric; by default 2, or 5 if nonparametric", minimum=1
    )
    sense_words: int = option(30_000, "number of most frequent words that may have several senses", minimum=0)
    new_sense_below: float = option(
        0.0,
        "lambda: a context whose cosine with every centre is below this opens a new sense, if nonparametric",
        minimum=-1,
        maximum=1,
    )
    merge_above: float = option(
        0.24, "senses whose centres have a cosine above this are merged, if nonparametric", minimum=-1, maximum=1
    )
    min_share: float = option(
        0.15,
        "senses with a smaller share of their word's occurrences are dropped, if nonparametric",
        minimum=0,
        maximum=1,
    )
    context_window: int = option(10, "words on each side that decide the sense", minimum=1)
    warm_up: float = option(0.4, "warm-up: share of the training before senses are distinguished", minimum=0, maximum=1)
    whiten: float = option(
        0.5, "whitening of contexts: exponent of the inverse covariance of global vectors", minimum=0, maximum=1
    )

    def train_on(self, corpus: Corpus, arguments: TrainingArguments[SenseVectors | WordVectors]) -> SenseVectors:
        """Train on an encoded corpus; see `CorpusTrainer.train`."""
        assert self.sample is not None  # `train` chooses it
        model = self.with_defaults()
        room = model.room(len(corpus.vocabulary))
        matrices, state = initial_state(corpus, self.dim, room, seed=arguments.seed, start=arguments.start)
        keep = corpus.vocabulary.keep_probabilities(self.sample)
        thresholds = PruningThresholds(self.merge_above, self.min_share) if self.nonparametric else None
        layer = output_layer(corpus, "negative", self.negative, self.noise_exponent, None)
        matrices = dataclasses.replace(matrices, state=state._asdict(), limits=state.limits)
        train_shard = model._shard_trainer(corpus, matrices, state, layer.noise, arguments.threads)

        def finish(trained: Matrices, facts: dict[str, Any]) -> SenseVectors:
            return sense_vectors(trained, state, facts, keep, thresholds)

        # One function for all shards: they take turns where it settles senses.
        run = window_run(model, corpus, arguments, matrices, layer, lambda _: train_shard, finish, sampled=False)
        return run.train()

    def with_defaults(self) -> "MultiSenseSkipGram":
        """Return these options with the number of senses filled in."""
        return self if self.senses is not None else dataclasses.replace(self, senses=5 if self.nonparametric else 2)

    def room(self, words: int) -> npt.NDArray[np.int64]:
        """Return the maximum number of senses of each of the V words of a corpus, most frequent first."""
        most = self.with_defaults().senses
        assert most is not None
        return np.where(np.arange(words) < self.sense_words, most, 1).astype(np.int64)

    def _shard_trainer(
        self, corpus: Corpus, matrices: Matrices, state: SenseState, noise: npt.NDArray[np.uint64], threads: int
    ) -> TrainShard:
        """Return the function that trains one shard of `corpus`; `with_defaults` comes first.

        The input rows of `matrices` belong to senses, the output rows to words; `noise` is a (V,) alias table.
        """
        assert self.sample is not None
        text = text_of(self, corpus, threads)
        shares = corpus.vocabulary.subsampled_shares(self.sample)
        warm = 0 if state.matrix.any() else round(self.warm_up * text.total)  # a start may have senses
        one_each, turn = bool((np.diff(state.firsts) == 1).all()), threading.Lock()

        def ready(shard: Shard) -> None:
            epoch = int(shard.read[0]) // max(1, shard.last - shard.first)
            with turn:
                if not state.matrix.any():
                    state.fit_whitening(matrices.outputs, shares, self.whiten)
                if state.epoch[0] < epoch:
                    state.refresh(matrices.outputs, epoch)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            work = new_workspace(self.window, self.negative, AHEAD // self.shared_windows + 2, matrices.inputs.shape[1])
            rows = np.zeros_like(work.sentence)
            at = addresses(work, matrices.inputs, matrices.outputs, dim=self.dim)
            centre_addresses = centres(state, self.new_sense_below if self.nonparametric else None)
            settings = SenseSettings(noise, self.window, self.context_window, self.shrink_windows, self.shared_windows)
            left = shard.last - shard.first if one_each else max(0, warm - int(shard.read[0]))
            until = min(shard.last, int(shard.position[0]) + left)
            train_senses(
                text, settings, False, rows, centre_addresses, work, at, shard.state(stop)._replace(last=until)
            )
            if not stop[0] and until < shard.last:
                ready(shard)
                train_senses(text, settings, True, rows, centre_addresses, work, at, shard.state(stop))

        return train_shard


class SenseSettings(NamedTuple):
    """Settings of the multi-sense kernel."""

    noise: npt.NDArray[np.uint64]  # (V,) alias table
    window: int  # words on each side
    around: int  # words on each side that decide the sense
    shrink: bool  # whether the size of each window is drawn from 1 to `window`
    shared: int  # consecutive windows with the same noise words


@compiled
def train_senses(
    text: Text,
    settings: SenseSettings,
    separate: bool,  # whether senses are distinguished
    rows: npt.NDArray[np.int64],  # (LONGEST + 1 + window,) the sense row of each word of a part of the text
    centres: CentreAddresses,
    work: Workspace,
    at: Addresses,
    state: ShardState,
) -> None:
    """Train a shard from its current position to its end or a stop."""
    # Numba counts a reference each time it reads a field of a tuple: read them once, outside the loops.
    noise, window, shared = settings.noise, settings.window, settings.shared
    sentence, sets, contexts, table, signs = work.sentence, work.noise, work.contexts, work.outputs, work.signs
    random, predictions = state.random, state.predictions
    for count, _, rate in pieces(text, work, state):
        if count < 2:
            continue  # a single word has no context
        choose_senses(sentence, count, separate, settings.around, rows, centres, at)
        newest = current = len(sets) - 1  # the noise sets last drawn and in use
        due = remaining = 0  # windows until a new set is drawn, and until the next one is used
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if ahead < count:
                newest, due = draw_ahead(noise, random, sets, newest, due, shared, settings.shrink, at)
                prefetch_row(at.outputs + sentence[ahead] * at.output_bytes, at.output_bytes)
                if ahead + window < count:
                    prefetch_row(at.inputs + rows[ahead + window] * at.row_bytes, at.row_bytes)
            if t < 0:
                continue
            current, remaining = next_set(current, remaining, len(sets), shared)
            reach = draw_reach(random, window, settings.shrink)
            m = gather_contexts(rows, t, min(reach, t), min(reach, count - 1 - t), window, contexts, at)
            place_outputs(sentence[t], sets, current, table, signs, at)
            step_window(m, rate, at)
            predictions[0] += m
