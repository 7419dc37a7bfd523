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
- The noise words are shared by a batch, and words have biases (`layers.output.negative`).
- Unknown words are read, but not predicted. Sentences longer than `max_length` are cut.
Cost
    16 H (D + H) operations per word and pass for the LSTMs, 8 H^2 + 4 H D for the network, 2 D S for S noise words.
"""

from typing import Any, ClassVar

import torch
from torch import nn

from firth.language.text import EOS, UNK
from firth.neural.layers.bidirectional import reversed_sequences
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.negative import NegativeSampling
from firth.neural.models.contexts.train import train_context2vec
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, check, option, options_class
from firth.vocabulary import Vocabulary


class ContextModule(nn.Module):
    """The network.

    Args:
        options: of the model.
        vocabulary: V words with their counts, `<unk>` and `</s>` among them.

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

    Raises:
        OptionError: an option is out of its range.

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

    def __post_init__(self) -> None:
        check(self)

    def build(self, vocabulary: Vocabulary) -> ContextModule:
        """Return a module with random parameters from torch's default generator.

        Args:
            vocabulary: V words with their counts, `<unk>` and `</s>` among them.
        """
        return ContextModule(self, vocabulary)
