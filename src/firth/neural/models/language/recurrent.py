"""Recurrent language models: words or their spellings in, a stack of any cell, words out.

What: each word's vector enters a recurrent stack whose state holds all that came before; its output predicts the next
word. Simple recurrent networks, LSTM, GRU and QRNN are cells of one stack; the character-aware model is the stack over
vectors that are read off how words are written.

Objective: with x_t the vector of word w_t and (y_t, s_t) = stack(x_t, s_{t-1}),

    log p(w_{t+1} | w_1 ... w_t) = log softmax(U y_t + b)[w_{t+1}],      U = E where `tie` says so

Source: Mikolov et al. 2010, "Recurrent neural network based language model"; Zaremba, Sutskever and Vinyals 2014 (LSTM
with dropout between layers); Gal and Ghahramani 2016, section 4 (variational dropout); Press and Wolf 2017 (tying);
Merity, Keskar and Socher 2018 (dropped weights); Bradbury et al. 2017 (QRNN); Kim, Jernite, Sontag and Rush 2016
(character-aware, presets of its small model); Ling et al. 2015 (C2W).

Departures:
- The text is one stream, whose state is carried over the ends of sentences as well.
- The character-aware model's batches are those of all others, and its optimiser Adam; Kim et al. use stochastic
  gradients halved when the held-out perplexity does not fall.
- C2W reads spellings here with a word softmax behind the stack, as the character-aware model does.
- A word outside the vocabulary is `<unk>` as a target and read by its characters, in training, scoring and generation,
  as in Kim et al. Where a text holds `<unk>` itself, those are the characters that are read.

Cost: 8 H^2 multiplications a word and layer for an LSTM (6 for a GRU, 2 for a simple network) and V H for the softmax;
three times that in training. Spellings cost once for each distinct word of a batch.
"""

import dataclasses
from typing import ClassVar

import torch

from firth import options
from firth.errors import OptionError
from firth.neural.layers.characters import CharacterCNN, CharacterLSTM
from firth.neural.layers.connections import CONNECTIONS
from firth.neural.layers.dropout import Dropouts
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.recurrent import CELLS, RecurrentStack
from firth.neural.layers.state import State
from firth.neural.models.language.module import LanguageModule
from firth.neural.models.language.options import check_output, output_of, output_option
from firth.neural.models.language.train import train_language_model
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vocabulary import Vocabulary

DROPOUTS = ("plain", "variational", "weights")


@options_class
class RecurrentLM:
    """Recurrent language model, over words or their spellings: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Mikolov et al. 2010 and those whom the module's docstring names, which gives the formula and every departure.
    """

    presets: ClassVar = {
        "rnn": Preset("Plain recurrent network, Elman's (Mikolov et al. 2010).", cell="plain"),
        "lstm": Preset("LSTM with dropout between layers (Zaremba et al. 2014).", cell="lstm"),
        "gru": Preset("GRU: gated recurrent units (Cho et al. 2014).", cell="gru"),
        "qrnn": Preset("QRNN: quasi-recurrent network, convolutions and pooling (Bradbury et al. 2017).", cell="qrnn"),
        "char-aware": Preset(
            "LSTM over a character CNN: reads words by their spelling (Kim et al. 2016).",
            cell="lstm",
            embed="characters",
        ),
    }
    common_options: ClassVar = ("dim", "hidden", "layers", "dropout", "tie", "output")
    train = train_language_model
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=12, batch_size=20, steps=35, lr=0.002, schedule="linear", clip=1.0, patience=2
    )

    cell: str = option("lstm", "what a layer is made of", choices=tuple(CELLS))
    dim: int = option(200, "width of words' vectors; with embed=characters the filters decide", minimum=1)
    hidden: int = option(200, "width of each layer's state", minimum=1)
    layers: int = option(2, "layers, each over the one below", minimum=1)
    connect: str = option("plain", "what goes from layer to layer", choices=tuple(CONNECTIONS))
    dropout: float = option(0.2, "share left out of what enters and leaves layers", minimum=0, maximum=0.99)
    noise: str = option(
        "plain",
        "a mask a word; one a sequence, for recurrent connections as well; or one a sequence, and recurrent weights",
        choices=DROPOUTS,
    )
    word_dropout: float = option(0.0, "share of word types left out of a batch", minimum=0, maximum=0.99)
    zoneout: float = option(0.0, "chance that a number of the state stays as it was", minimum=0, maximum=0.99)
    tie: bool = option(False, "read words by the vectors that they are predicted by")
    embed: str = option(
        "words", "what words are read by: a table, or their letters", choices=("words", "characters", "c2w")
    )
    characters: int = option(15, "width of the vectors of characters, with embed=characters", minimum=1)
    output: str = output_option()

    def __post_init__(self) -> None:
        options.check(self)
        check_output(self.output)
        if self.spells and (self.tie or self.word_dropout):
            what = "tie=True" if self.tie else f"word_dropout={self.word_dropout}"
            raise OptionError(f"{what} with embed={self.embed!r}: spellings have no table of words' vectors")

    def module(self, vocabulary: Vocabulary, begin: int) -> "Recurrent":
        """Return a module whose parameters torch's generator draws.

        Args:
            vocabulary: V words with their counts.
            begin: the id that stands before a fresh text.
        """
        return Recurrent(self, vocabulary, begin)

    @property
    def spells(self) -> bool:
        """Whether words are read by their characters, so that the vocabulary limits only what is predicted."""
        return self.embed != "words"

    def dropouts(self) -> Dropouts:
        """Return the rates of dropout in all places of the stack."""
        if self.noise == "variational":
            return dataclasses.replace(Dropouts.variational(self.dropout), zoneout=self.zoneout)
        locked, weights = self.noise == "weights", self.dropout if self.noise == "weights" else 0.0
        return dataclasses.replace(Dropouts.plain(self.dropout), locked=locked, weights=weights, zoneout=self.zoneout)


class Recurrent(LanguageModule):
    """The parameters of a recurrent language model.

    Args:
        how: the options.
        vocabulary: V words with their counts.
        begin: the id that stands before a fresh text.
    """

    def __init__(self, how: RecurrentLM, vocabulary: Vocabulary, begin: int) -> None:
        super().__init__()
        self.begin, self.spells, tied = begin, how.spells, None
        words, width = list(vocabulary.words), how.dim
        if how.embed == "words":
            self.embedding = table = WordEmbedding(len(words), how.dim, dropout=how.word_dropout)
            tied = table.weight if how.tie else None
        elif how.embed == "characters":
            self.embedding = convolution = CharacterCNN(words, characters=how.characters)
            width = convolution.width
        else:
            self.embedding = CharacterLSTM(words, width=how.dim)
        self.stack = RecurrentStack(
            width, how.hidden, how.layers, cell=how.cell, connect=how.connect, dropout=how.dropouts()
        )
        self.output = output_of(how.output, self.stack.width, vocabulary, tied)

    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return what is known after each id; see `LanguageModule.forward`."""
        rows = self.embedding(ids) if unknown is None else self.embedding(ids, unknown)
        hidden, state = self.stack(rows, state)
        return hidden, state
