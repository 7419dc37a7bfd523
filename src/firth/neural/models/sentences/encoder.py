"""The encoder that masked language models and contrastive models train: token vectors, layers over them, their mean.

What: subwords pass through a transformer, or through an LSTM that reads in both directions, or through nothing. The
    vector of a sentence is the mean of the last layer's outputs.
Objective: y = 1/n sum_t h_t, with h = layers(E[w_1] ... E[w_n]), or h = E[w] ("average"); the objective is that of the
    model.
Source: Vaswani et al. 2017, section 3.1 (encoder); Graves and Schmidhuber 2005 (bidirectional LSTM); Wieting et al.
    2016, "Towards universal paraphrastic sentence embeddings", section 3 (average); Gao, Yao and Chen 2021, section 6.3
    (the mean of the last layer).
Departures: positions are rotary (`firth.neural.layers.positions`), so that no length needs parameters. Word vectors are
    multiplied by sqrt(D) and start as in `firth.neural.models.language.transformer`. There are no tokens for the
    beginning and end of a sentence; one row of the table, after those of the V words, is the mask of masked language
    modelling.
Cost: 12 D^2 + 2 T D multiplications per token and layer of a transformer, 5 D^2 of an LSTM (two of width D / 2).
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.masking import MaskedPrediction, Masking
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.recurrent import RecurrentStack
from firth.neural.layers.sequence_pooling import pooled
from firth.neural.layers.transformer import TransformerConfig, TransformerEncoder
from firth.neural.models.language.transformer import MAX_OWN_LOGIT, MAX_SPREAD
from firth.neural.models.sentences.options import SentenceModule, SentenceOptions
from firth.options import option, options_class
from firth.vocabulary import Vocabulary

ENCODERS = ("transformer", "bilstm", "average")
NETWORK: Mapping[str, Any] = {"encoder": "transformer", "dim": 256, "heads": 4}  # where nothing is said, and no start
LAYERS: Mapping[str, int] = {"transformer": 4, "bilstm": 1, "average": 0}


@options_class
class EncoderOptions(SentenceOptions):
    """Options of models that train an encoder of token vectors.

    Options of the network that are not given are those of the start, if there is one.
    """

    text: ClassVar[dict[str, Any]] = {"tokens": "subwords", "sentences": "punctuation"}
    reads_documents: ClassVar[bool] = False  # whether a text's units are documents, whatever those of the start are
    predicts_words: ClassVar[bool] = False  # whether the trained model keeps the head of a masked language model
    encoder: str | None = option(None, f"layers of the encoder; default: {NETWORK['encoder']}", choices=ENCODERS)
    dim: int | None = option(
        None, f"width of the encoder and of sentence vectors; default: {NETWORK['dim']}", minimum=1
    )
    layers: int | None = option(
        None,
        f"number of layers; default: {LAYERS['transformer']}, of a BiLSTM {LAYERS['bilstm']}; an average has none",
        minimum=0,
    )
    heads: int | None = option(
        None, f"attention heads of a transformer, which share its width; default: {NETWORK['heads']}", minimum=1
    )
    dropout: float = option(0.1, "dropout of inputs and of the output of each part", minimum=0, maximum=0.99)

    def with_defaults(self, start: "EncoderOptions | None" = None) -> Self:
        """Return the options with all of the network: as given, or those of a start, or the defaults.

        Raises:
            OptionError: an option contradicts the start, or heads do not divide the width.
        """
        names = (*NETWORK, "layers")
        given = {name: getattr(self, name) for name in names}
        if start is not None:
            own = {name: getattr(start, name) for name in names}
            wrong = [name for name in names if given[name] is not None and given[name] != own[name]]
            if wrong:
                wanted, expected = (", ".join(f"{name}={values[name]!r}" for name in wrong) for values in (given, own))
                raise OptionError(
                    f"{wanted} with a start that has {expected}: a start keeps its network; leave these options out"
                )
            given = own
        network: dict[str, Any] = {name: NETWORK.get(name) if value is None else value for name, value in given.items()}
        if network["layers"] is None:
            network["layers"] = LAYERS[network["encoder"]]
        _check_network(**network)
        return dataclasses.replace(self, **network)

    def build_module(self, vocabulary: Vocabulary) -> "EncoderModule":
        """Return a module with random parameters; see `SentenceOptions.build_module`."""
        return EncoderModule(self.with_defaults(), vocabulary, predicts_words=self.predicts_words)


def _check_network(*, encoder: str, dim: int, heads: int, layers: int) -> None:
    if (layers == 0) != (encoder == "average"):
        expected = "0, as it has no layers" if encoder == "average" else "1 or more"
        raise OptionError(f"layers={layers} with encoder={encoder!r}: expected {expected}")
    if encoder == "bilstm" and dim % 2:
        raise OptionError(f"dim={dim}: a BiLSTM has half of it in each direction; expected an even number")
    if encoder == "transformer" and dim % heads:
        raise OptionError(f"heads={heads}: expected a divisor of dim={dim}, which the heads share")
    if encoder == "transformer" and dim // heads % 2:
        raise OptionError(
            f"dim={dim}, heads={heads}: rotary positions rotate pairs of numbers, and each head has {dim // heads}; "
            "expected an even number"
        )


class EncoderModule(SentenceModule):
    """Module of an encoder.

    Attributes:
        width: D.
        masking: hides tokens for masked language modelling.
        prediction: the head, whose output layer shares the table of word vectors; None without.
    """

    def __init__(self, options: EncoderOptions, vocabulary: Vocabulary, *, predicts_words: bool = False) -> None:
        super().__init__()
        words, dim = len(vocabulary), int(options.dim or 0)
        self.width = dim
        self.masking = Masking(mask_id=words, words=words)
        self.embedding = WordEmbedding(words + 1, dim)
        nn.init.normal_(self.embedding.weight, std=min(MAX_SPREAD, MAX_OWN_LOGIT / dim))
        self.layers: TransformerEncoder | RecurrentStack | Dropout
        if options.encoder == "transformer":
            config = TransformerConfig(width=dim, heads=int(options.heads or 0), dropout=options.dropout)
            self.layers = TransformerEncoder(config, int(options.layers or 0), context=0, positions="rotary")
        elif options.encoder == "average":
            self.layers = Dropout(options.dropout)
        else:
            self.layers = RecurrentStack(
                dim, dim // 2, int(options.layers or 0), bidirectional=True, dropout=options.dropout
            )
        self.prediction: MaskedPrediction | None = None
        if predicts_words:
            counts = np.append(np.asarray(vocabulary.counts), 0)
            self.prediction = MaskedPrediction(OutputConfig(dim, words + 1, counts=counts, tied=self.embedding.weight))

    def hidden(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, T, D) outputs of the last layer, meaningless at padding.

        Args:
            ids: (B, T) int64.
            lengths: (B,) int64.
        """
        x = self.width**0.5 * self.embedding(ids)
        if isinstance(self.layers, TransformerEncoder):
            full = bool((lengths == ids.shape[1]).all())  # without a mask, attention is faster
            outputs: torch.Tensor = self.layers(x, None if full else lengths.to(ids.device))
            return outputs
        if isinstance(self.layers, Dropout):
            dropped: torch.Tensor = self.layers(x)
            return dropped
        states: torch.Tensor = self.layers(x, None, lengths)[0]
        return states

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, D) means; arguments as in `hidden`."""
        return pooled(self.hidden(ids, lengths), lengths.to(ids.device), "mean")

    def encode(self, ids: torch.Tensor, lengths: torch.Tensor, added: torch.Tensor | None = None) -> torch.Tensor:
        """Return (B, D) vectors; see `SentenceModule.encode`."""
        mean: torch.Tensor = self(ids, lengths)
        return mean

    def start_from(self, other: "EncoderModule") -> None:
        """Copy the parameters of another encoder of the same network and vocabulary; its head, if both have one."""
        state = other.state_dict()
        mine = self.state_dict()
        self.load_state_dict({name: state.get(name, value) for name, value in mine.items()})
