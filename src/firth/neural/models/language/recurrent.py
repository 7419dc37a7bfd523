"""Recurrent language models: words or their characters in, a stack of any cell, words out.

What: the vector of each word enters a recurrent stack, whose state represents all earlier words; its output predicts
    the next word. Simple recurrent networks, LSTM, GRU and QRNN are cells of the same stack. The character-aware model
    is the stack over vectors computed from characters.
Objective: with x_t the vector of word w_t and (y_t, s_t) = stack(x_t, s_{t-1}),

    log p(w_{t+1} | w_1 ... w_t) = log softmax(U y_t + b)[w_{t+1}],      U = E with tied weights

Source: Mikolov et al. 2010, "Recurrent neural network based language model"; Zaremba, Sutskever and Vinyals 2014 (LSTM
    with dropout between layers); Gal and Ghahramani 2016, section 4 (variational dropout); Press and Wolf 2017 (weight
    tying); Merity, Keskar and Socher 2018 (weight dropping); Bradbury et al. 2017 (QRNN); Kim, Jernite, Sontag and Rush
    2016 (character-aware; defaults of its small model); Ling et al. 2015 (C2W).
Departures:
- The text is one stream, whose state is carried across the ends of sentences as well.
- The character-aware model uses the same batches as all others, and Adam; Kim et al. use stochastic gradient descent,
  with the rate halved when the held-out perplexity does not fall.
- C2W has a word softmax behind the stack here, as the character-aware model does.
- A word outside the vocabulary is `<unk>` as a target, and is read by its characters, in training, scoring and
  generation, as in Kim et al. If a text contains `<unk>` itself, those are the characters that are read.
Cost: 8 H^2 multiplications per word and layer for an LSTM (6 for a GRU, 2 for a simple network) and V H for the
    softmax; three times that in training. Characters cost once per distinct word of a batch.
"""

import dataclasses
from typing import ClassVar

import torch

from firth.errors import OptionError
from firth.neural.layers.characters import CharacterCNN, CharacterLSTM
from firth.neural.layers.connections import CONNECTIONS
from firth.neural.layers.dropout import Dropouts
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.recurrent import CELLS, RecurrentStack
from firth.neural.layers.state import State
from firth.neural.models.language.language_model import LanguageModule, LanguageOptions, output_layer
from firth.neural.models.language.train import train_language_model
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vocabulary import Vocabulary

EMBEDDINGS = ("words", "char-cnn", "c2w")
DROPOUT_KINDS = ("plain", "variational", "weights")


@options_class
class RecurrentLM(LanguageOptions):
    """Recurrent language model, over words or their characters.

    Source:
        Mikolov et al. 2010 and the papers in the module's docstring, with the formula and every departure.
    """

    presets: ClassVar = {
        "rnn": Preset("Simple recurrent network, Elman's (Mikolov et al. 2010).", cell="rnn"),
        "lstm": Preset("LSTM with dropout between layers (Zaremba et al. 2014).", cell="lstm"),
        "gru": Preset("GRU: gated recurrent units (Cho et al. 2014).", cell="gru"),
        "qrnn": Preset("QRNN: quasi-recurrent network, convolutions and pooling (Bradbury et al. 2017).", cell="qrnn"),
        "char-aware": Preset(
            "LSTM over a character CNN: reads words by their spelling (Kim et al. 2016).",
            cell="lstm",
            embedding="char-cnn",
            unused=("dim", "word_dropout", "tie_weights"),
        ),
    }
    common_options: ClassVar = ("dim", "hidden", "layers", "dropout", "tie_weights", "output")
    train = train_language_model
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=12, batch_size=20, lr=0.002, schedule="linear", clip_norm=1.0, patience=2
    )

    cell: str = option("lstm", "recurrent cell", choices=tuple(CELLS))
    dim: int = option(200, "width of word vectors; with embedding=char-cnn the filters determine it", minimum=1)
    hidden: int = option(200, "width of each layer's hidden state", minimum=1)
    layers: int = option(2, "number of recurrent layers", minimum=1)
    connection: str = option("plain", "connection around each layer", choices=tuple(CONNECTIONS))
    dropout: float = option(0.2, "dropout of the inputs and outputs of layers", minimum=0, maximum=0.99)
    dropout_kind: str = option(
        "plain",
        "plain: a mask per word; variational: one per sequence, for recurrent connections as well; weights: one per "
        "sequence, with weight dropping (AWD-LSTM)",
        choices=DROPOUT_KINDS,
    )
    word_dropout: float = option(0.0, "embedding dropout: fraction of word types per batch", minimum=0, maximum=0.99)
    zoneout: float = option(
        0.0, "zoneout: probability that a unit of the state keeps its value", minimum=0, maximum=0.99
    )
    tie_weights: bool = option(False, "weight tying: input and output word vectors are the same")
    embedding: str = option(
        "words", "word embedding: a table, or computed from characters by a CNN or an LSTM (C2W)", choices=EMBEDDINGS
    )
    char_dim: int = option(15, "width of character vectors, with embedding=char-cnn", minimum=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spells and (self.tie_weights or self.word_dropout):
            conflict = "tie_weights=True" if self.tie_weights else f"word_dropout={self.word_dropout}"
            raise OptionError(f"{conflict} with embedding={self.embedding!r}: there is no table of word vectors")

    @property
    def spells(self) -> bool:
        """Whether the model reads characters, so that the vocabulary limits only what it predicts."""
        return self.embedding != "words"

    def dropouts(self) -> Dropouts:
        """Return the dropout rates of the stack."""
        if self.dropout_kind == "variational":
            return dataclasses.replace(Dropouts.variational(self.dropout), zoneout=self.zoneout)
        locked = self.dropout_kind == "weights"
        weights = self.dropout if locked else 0.0
        return dataclasses.replace(Dropouts.plain(self.dropout), locked=locked, weights=weights, zoneout=self.zoneout)

    def build_module(self, vocabulary: Vocabulary, bos: int) -> "Recurrent":
        """Return a module with random parameters; see `LanguageOptions.build_module`."""
        return Recurrent(self, vocabulary, bos)


class Recurrent(LanguageModule):
    """Module of a recurrent language model; arguments as in `LanguageOptions.build_module`."""

    def __init__(self, options: RecurrentLM, vocabulary: Vocabulary, bos: int) -> None:
        super().__init__()
        self.bos, self.spells, tied = bos, options.spells, None
        words, width = list(vocabulary.words), options.dim
        if options.embedding == "words":
            self.embedding = table = WordEmbedding(len(words), options.dim, dropout=options.word_dropout)
            tied = table.weight if options.tie_weights else None
        elif options.embedding == "char-cnn":
            self.embedding = cnn = CharacterCNN(words, char_dim=options.char_dim)
            width = cnn.width
        else:
            self.embedding = CharacterLSTM(words, width=options.dim)
        self.stack = RecurrentStack(
            width,
            options.hidden,
            options.layers,
            cell=options.cell,
            connection=options.connection,
            dropout=options.dropouts(),
        )
        self.output = output_layer(options.output, self.stack.width, vocabulary, tied)

    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return hidden states and the state; see `LanguageModule.forward`."""
        x = self.embedding(ids) if unknown is None else self.embedding(ids, unknown)  # (B, T, D)
        hidden, state = self.stack(x, state)  # (B, T, H)
        return hidden, state
