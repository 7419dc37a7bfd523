"""context2vec: vectors of contexts and of words in one space, from two LSTMs that never see the target word.

What
    One LSTM reads the sentence up to the word before the target, another reads it backward down to the word after the
    target. A network with one hidden layer joins both states into the vector of the context. Words that fit a context
    have vectors near that of the context.
Objective
    c_i = V relu(U [lstm_f(w_1 .. w_i-1); lstm_b(w_n .. w_i+1)])
    sum_i -log sigma(t_(w_i) . c_i) - sum of k noise words n, log sigma(-t_n . c_i);   n ~ count^0.75
Source
    Melamud, Goldberger and Dagan 2016, "context2vec: learning generic context embedding with bidirectional LSTM",
    sections 2.1 (model) and 2.2 (objective). Nearest words of a context and their ranking as in section 4.
Departures
- The noise words are shared by a batch, and words have biases (`layers.output.sampled`).
- Unknown words are read, but not predicted. Sentences longer than `max_length` are cut.
Cost
    16 H (D + H) operations per word and pass for the LSTMs, 8 H^2 + 4 H D for the network, 2 D S for S noise words.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Unpack

import numpy as np
import torch
from torch import nn

from firth.arguments import explained
from firth.errors import CorpusError
from firth.language.text import EOS, UNK
from firth.neural.layers.bidirectional import reversed_sequences
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.sampled import NegativeSampling
from firth.neural.models.context2vec.predict import ContextModel
from firth.neural.models.sentences.data import SentenceText, TokenBatch
from firth.neural.models.sentences.options import long_sentences
from firth.neural.supervised import SupervisedTask, digest, mean_figures
from firth.neural.training.batching import Buckets
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, TrainingOptions, text_options
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import Preset, option, options_class
from firth.timing import running_clock
from firth.vocabulary import Vocabulary

SHORTEST = 2  # words: one word alone has no context
EVAL_BATCH = 128  # sentences per batch of an evaluation


def sentence_batches(
    text: SentenceText, *, limit: int, batch_size: int, shuffle: bool = True, seed: int = 0
) -> Buckets[int]:
    """Return the sentences of a text with at least two words, in batches of similar length.

    Raises:
        CorpusError: there is no such sentence.
    """
    numbers = np.flatnonzero(text.lengths >= SHORTEST)
    if not len(numbers):
        raise CorpusError(f"none of {len(text):,} sentences has {SHORTEST} words: a word alone has no context")

    def collate(rows: Sequence[int]) -> TokenBatch:
        return TokenBatch.of([text.sentence(row, limit) for row in rows])

    items: Any = numbers  # an array of N numbers is a sequence of them
    lengths = np.minimum(text.lengths[numbers], limit)
    return Buckets(items=items, lengths=lengths, collate=collate, batch_size=batch_size, shuffle=shuffle, seed=seed)


def context_task(module: Any, batches: Batches, held_out: Buckets[int] | None) -> SupervisedTask:
    """Return a module with its sentences as a task; evaluations have the same noise words."""

    def losses(batch: TokenBatch) -> torch.Tensor:
        """Return the (N,) losses of the words that are targets."""
        vectors = module(batch.ids, batch.lengths)
        steps = torch.arange(batch.ids.shape[1], device=batch.ids.device)
        counted = steps < batch.lengths.to(steps.device)[:, None]
        counted &= ~torch.isin(batch.ids, module.silent.to(steps.device))
        values: torch.Tensor = module.output.loss(vectors[counted], batch.ids[counted])
        return values

    def loss(batch: TokenBatch, progress: TrainingProgress) -> StepOutput:
        values = losses(batch)
        total = values.detach().sum(dtype=torch.float64)
        return StepOutput(values.sum() / max(len(values), 1), total, len(values))  # a batch may have no target

    def figures() -> Mapping[str, float]:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return {} if held_out is None else mean_figures(held_out, module, losses)

    words = 0 if held_out is None else int(held_out.lengths.sum())  # at most: unknown ones are not predicted
    return SupervisedTask(
        module=module, batches=batches, loss=loss, figures=figures, unit="words", eval_predictions=words
    )


@explained(unknown="<unk>", sentences="punctuation")
def train_context2vec(
    options: Any, corpus: Any, *, held_out: Any = None, **arguments: Unpack[TextRunArguments]
) -> ContextModel:
    """Train context2vec on the sentences of a text.

    Args:
        options: `firth.Context2Vec`.
        corpus: training text: anything that `Corpus.build` takes, which is split into sentences at punctuation and at
            blank lines; or a corpus built with `unknown="<unk>"`.
        held_out: text of the same kind, which selects the best epoch. Without it, the last epoch is kept.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no corpus yet.

    Returns:
        The model of the best evaluation on held-out text, or the last.

    Raises:
        CorpusError: the text is empty, no sentence has two words, the corpus has left words out, or no word of the
            held-out text is known.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    with running_clock():
        text = SentenceText.of(corpus, given, defaults=options.text, progress=config.progress)
        limit = options.max_length
        test = None
        if held_out is not None:
            read = text.read(held_out, given, config.progress)
            test = sentence_batches(read, batch_size=EVAL_BATCH, shuffle=False, limit=limit)
        batches = sentence_batches(text, batch_size=config.training.batch_size, seed=config.seed, limit=limit)
        long = long_sentences(text.lengths, options.max_length, text.rules)
        module = new_module(config.seed, options.build, text.vocabulary, copies=2)
        task = context_task(module, batches, test)
        data = {"text": digest(text.corpus.fingerprint, np.asarray(text.numbers)), "sentences": len(batches.items)}
        facts = fit_model(task, options, config, data, facts={"long_sentences": long})
    return ContextModel(module, options, text.vocabulary, text.rules, {"training": facts})


class ContextModule(nn.Module):
    """The network.

    Attributes:
        width: D of the vectors of contexts and targets.
        output: vectors of the words as targets.
        silent: (2,) int64, ids that are never targets: unknown words and sentence ends.
    """

    def __init__(self, options: "Context2Vec", vocabulary: Vocabulary) -> None:
        super().__init__()
        D, H = options.dim, options.hidden
        self.width, self._end = D, vocabulary.ids[EOS]
        self.silent = torch.tensor([vocabulary.ids[UNK], self._end])
        counts = vocabulary.counts.copy()
        counts[self.silent.numpy()] = 0
        self.embedding = WordEmbedding(len(vocabulary), D)
        self.forward_layer, self.backward_layer = (RecurrentLayer("lstm", D, H) for _ in range(2))
        self.joint = nn.Sequential(nn.Linear(2 * H, 2 * H), nn.ReLU(), nn.Linear(2 * H, D))
        self.dropout = Dropout(options.dropout)
        self.output = NegativeSampling(
            OutputConfig(D, len(vocabulary), counts, None), negative=options.negative, samples=options.samples
        )

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the (B, T, D) vectors of the contexts of all words, meaningless at padding.

        Args:
            ids: (B, T) int64, padded on the right.
            lengths: (B,) int64 on the CPU, words of each sentence, at least 1.
        """
        before = self._layer(self.forward_layer, ids)
        after = self._layer(self.backward_layer, _reversed(ids, lengths))
        states = torch.cat([before, reversed_sequences(after, lengths)], 2)
        vectors: torch.Tensor = self.joint(self.dropout(states))
        return vectors

    @property
    def targets(self) -> torch.Tensor:
        """(V, D) vectors of the words as targets."""
        return self.output.full.weight

    def _layer(self, layer: nn.Module, ids: torch.Tensor) -> torch.Tensor:
        """Return (B, T, H) states, each after a sentence end and the ids before its own."""
        shifted = nn.functional.pad(ids[:, :-1], (1, 0), value=self._end)
        states: torch.Tensor = layer(self.dropout(self.embedding(shifted)))[0]
        return states


def _reversed(ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    return reversed_sequences(ids[..., None], lengths)[..., 0]


@options_class
class Context2Vec:
    """context2vec: vectors of contexts and words, for substitutes of a word in its sentence.

    Source:
        Melamud et al. 2016; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "context2vec": Preset("context2vec: two LSTMs that never see the target word (Melamud et al. 2016).")
    }
    common_options: ClassVar = ("dim", "hidden", "max_length")
    train = train_context2vec
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=3, batch_size=64, optimiser="adam", lr=0.001, schedule="linear", warmup=200, clip_norm=5.0
    )
    text: ClassVar[dict[str, Any]] = {"max_size": 50_000, "sentences": "punctuation"}

    dim: int = option(300, "width of the vectors of words and contexts", minimum=1)
    hidden: int = option(300, "width of the state of each LSTM", minimum=1)
    negative: float = option(10.0, "negative samples per word", minimum=0, exclusive=True)
    samples: int = option(512, "noise words that a batch shares, weighted as the negative samples", minimum=1)
    dropout: float = option(0.0, "dropout rate", minimum=0, maximum=0.99)
    max_length: int = option(64, "words of a sentence that are read; the rest is left out", minimum=2)

    def build(self, vocabulary: Vocabulary) -> ContextModule:
        """Return a module with random parameters from torch's default generator."""
        return ContextModule(self, vocabulary)
