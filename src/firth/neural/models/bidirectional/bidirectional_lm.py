"""Bidirectional language models (ELMo): a forward and a backward LSTM over the same character CNN.

What: words are read by their characters alone. One stack of LSTMs reads a sentence forward and predicts each next word,
    another one reads it backward and predicts each word before. Neither sees what the other has read. Their states,
    layer by layer, are vectors of words in context for taggers, parsers and classifiers (`firth.ELMo`, `firth.TagLM`).
Objective: with x_t the vector of word t from its characters, the mean per word and direction of

    -log p(w_t | w_1 .. w_{t-1}) - log p(w_t | w_{t+1} .. w_n),

    softmax(U f_{t-1} + b) and softmax(U b_{t+1} + b), f and b the states of the last layers of both stacks, U shared
Source: Peters et al. 2018, "Deep contextualized word representations", section 3.1; Peters et al. 2017,
    "Semi-supervised sequence tagging with bidirectional language models", section 2.3; Jozefowicz et al. 2016 and Kim
    et al. 2016 for the character CNN with highway layers.
Departures:
- Each sentence is read on its own, from zero states and the end of a sentence before it, since that is how taggers read
  it; the authors carry the state from sentence to sentence.
- The vector of a word is normalised (layer normalisation) before the LSTMs read it; without, it grows until they
  saturate.
- The layers have no projections: the state of an LSTM is as wide as the vector of a word (`dim`).
- The softmax is one over the words of the vocabulary; all other words are read by their characters, and predicted as
  `<unk>`.
Cost: 16 D^2 multiplications per word and layer for both directions, the characters once per distinct word of a batch,
    and the output layer twice per word; three times that in training.
"""

from typing import ClassVar

from firth.errors import OptionError
from firth.neural.models.bidirectional.module import BidirectionalModule
from firth.neural.models.bidirectional.train import train_bidirectional
from firth.neural.models.language.options import output_layer, parse_output
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, check, option, options_class
from firth.vocabulary import Vocabulary


@options_class
class BidirectionalLM:
    """Bidirectional language model. In its training options, `batch_size` counts words.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Peters et al. 2018; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "elmo": Preset("Bidirectional LSTMs over a character CNN (Peters et al. 2018): vectors for `firth.ELMo`.")
    }
    common_options: ClassVar = ("dim", "layers", "dropout", "output")
    train = train_bidirectional
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=5, batch_size=1500, optimiser="adam", lr=0.002, schedule="linear", warmup=200, clip_norm=1.0
    )
    spells: ClassVar[bool] = True
    default_tokens: ClassVar[str] = "cased"

    dim: int = option(256, "width of the vector of a word, and of each LSTM's state", minimum=1)
    layers: int = option(2, "number of LSTM layers in each direction", minimum=1)
    char_dim: int = option(16, "width of character vectors", minimum=1)
    highway: int = option(2, "highway layers over the character CNN", minimum=0)
    dropout: float = option(0.1, "dropout of the input and output of each layer", minimum=0, maximum=0.99)
    output: str = option(
        "adaptive",
        "output layer, such as full, adaptive or importance (a sampled softmax); options follow after colons",
    )

    def __post_init__(self) -> None:
        check(self)
        if parse_output(self.output)[0] in ("nce", "negative") or "learned" in self.output:
            raise OptionError(
                f"output={self.output!r}: expected a layer that gives probabilities, without a learned tree, such as "
                "adaptive or importance"
            )

    def build_module(self, vocabulary: Vocabulary, bos: int) -> BidirectionalModule:
        """Return a module with random parameters from torch's default generator.

        Args:
            vocabulary: V words with their counts.
            bos: id of the end of a sentence, which stands before its first word, too.
        """
        return BidirectionalModule(
            list(vocabulary.words),
            output_layer(self.output, self.dim, vocabulary),
            dim=self.dim,
            layers=self.layers,
            char_dim=self.char_dim,
            highway=self.highway,
            dropout=self.dropout,
            bos=bos,
        )
