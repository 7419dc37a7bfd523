"""Variational autoencoders of sentences: a latent code for each sentence, and a sentence for each code.

What
    An LSTM reads a sentence and gives the distribution of its code; another writes the sentence from a code. Codes are
    normal vectors, or slots with one of K categories: drawn by the Gumbel-softmax, or chosen by vector quantisation.
    With labels, the prior of the codes depends on the label, and both LSTMs read it: a conditional autoencoder.
Objective
    log p(x) >= E_q(z | x) log p(x | z) - KL(q(z | x) | p(z));   `objective` says how the divergence counts in training
Source
    Bowman et al. 2016, "Generating sentences from a continuous space"; Sohn, Lee and Yan 2015 (conditional); Jang, Gu
    and Poole 2017 (Gumbel-softmax); van den Oord, Vinyals and Kavukcuoglu 2017 (vector quantisation).
Departures
    The decoder reads the code at each step, too, and not only at the start. Free bits are given by default: without
    them the code collapses more often. Other departures are in `codes`, `module`, `objective`, `lagging` and
    `measures`.
Cost
    A step of two LSTMs and of the softmax over all words for each word.
"""

from typing import ClassVar

from firth.errors import OptionError
from firth.neural.layers.sequence_pooling import POOLINGS
from firth.neural.models.autoencoders.codes import Code, GaussianCode, GumbelCode, QuantisedCode
from firth.neural.models.autoencoders.module import SentenceAutoencoder
from firth.neural.models.autoencoders.objective import ANNEALING
from firth.neural.models.autoencoders.train import train_autoencoder
from firth.neural.models.translation.units import Units
from firth.neural.training.options import TrainingOptions
from firth.options import check, option, options_class

CODES = ("gaussian", "gumbel", "vq")


@options_class
class SentenceVAE:
    """A variational autoencoder of sentences.

    Raises:
        OptionError: an option is out of its range, or two contradict each other.

    Source:
        Bowman et al. 2016; the module's docstring has the formula and every departure.
    """

    train = train_autoencoder
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=32, lr=0.002, schedule="linear", clip_norm=5.0
    )

    code: str = option(
        "gaussian",
        "latent code: normal numbers, or categories by the Gumbel-softmax or vector quantisation",
        choices=CODES,
    )
    latent: int = option(32, "width of the code; of discrete codes the width of a category's vector", minimum=1)
    slots: int = option(1, "slots of a discrete code, each with one category", minimum=1)
    codes: int = option(16, "categories of each slot of a discrete code", minimum=2)
    dim: int = option(128, "width of word vectors", minimum=1)
    hidden: int = option(256, "width of the layers of encoder and decoder", minimum=1)
    layers: int = option(1, "layers of the encoder, and of the decoder", minimum=1)
    cell: str = option("lstm", "recurrent cell", choices=("lstm", "gru", "rnn"))
    pooling: str = option(
        "max", "what of the encoder's outputs gives the code; last is that of Bowman et al.", choices=POOLINGS
    )
    label_dim: int = option(16, "width of the vectors of labels, where sentences have labels", minimum=1)
    dropout: float = option(0.3, "dropout of the decoder's inputs and outputs", minimum=0, maximum=0.99)
    word_dropout: float = option(
        0.2, "word dropout: share of the words that the decoder reads which become unknown ones", minimum=0, maximum=1
    )
    annealing: str = option("linear", "KL annealing: how the weight of the divergence rises to 1", choices=ANNEALING)
    annealing_share: float = option(0.5, "part of the run in which it rises", minimum=0, maximum=1)
    free_bits: float = option(0.1, "free bits: nats of KL per dimension or slot that cost nothing", minimum=0)
    lagging: bool = option(
        False, "lagging encoder: aggressive updates of the encoder until the mutual information stops to rise"
    )
    encoder_updates: int = option(30, "most updates of a lagging encoder before one of the decoder", minimum=1)
    temperature: float = option(1.0, "first temperature of the Gumbel-softmax", minimum=0, exclusive=True)
    least_temperature: float = option(0.5, "last temperature of the Gumbel-softmax", minimum=0, exclusive=True)
    temperature_decay: float = option(0.0003, "decay of the temperature per update", minimum=0)
    hard: bool = option(False, "straight-through Gumbel-softmax: the decoder reads single categories in training")
    commitment: float = option(0.25, "weight of the commitment loss of vector quantisation", minimum=0)
    units: str = option("words", "what sentences are split into", choices=("words", "subwords"))
    max_size: int = option(10_000, "maximum number of words or subwords", minimum=1)
    min_count: int = option(2, "minimum count of a word; rarer ones are unknown", minimum=1)
    lowercase: bool = option(True, "whether sentences are read in lower case")
    max_length: int = option(50, "words of a sentence that are read; the rest is left out", minimum=1)

    def __post_init__(self) -> None:
        check(self)
        if self.least_temperature > self.temperature:
            raise OptionError(
                f"least_temperature={self.least_temperature}: expected at most temperature={self.temperature}"
            )
        if self.lagging and self.code == "vq":
            raise OptionError(
                "lagging=True with code='vq': its posterior has no divergence that could lag; leave it out"
            )

    def build(self, units: Units, labels: int) -> SentenceAutoencoder:
        """Return a module with random parameters from torch's default generator.

        Args:
            units: V words with their counts.
            labels: L; 0 for none.
        """
        return SentenceAutoencoder(self, units, labels, self._build_code(labels))

    def _build_code(self, labels: int) -> Code:
        if self.code == "gaussian":
            return GaussianCode(self.latent, labels, self.label_dim)
        if self.code == "vq":
            return QuantisedCode(self.slots, self.codes, self.latent, labels, commitment=self.commitment)
        schedule = (self.temperature, self.least_temperature, self.temperature_decay)
        return GumbelCode(
            self.slots, self.codes, self.latent, labels, self.label_dim, hard=self.hard, schedule=schedule
        )
