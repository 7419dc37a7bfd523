"""Initialisation of weights.

What
    One function for a whole module, with rules for matrices, recurrent matrices, embeddings and biases.
Objective
    With n_in and n_out the sides of a matrix, U[-a, a] or N(0, s^2):

        xavier   a = sqrt(6 / (n_in + n_out)),  s = sqrt(2 / (n_in + n_out))    tanh, sigma: keeps variance both ways
        he       a = sqrt(6 / n_in),            s = sqrt(2 / n_in)              relu, which halves the variance
        lecun    a = sqrt(3 / n_in),            s = sqrt(1 / n_in)              keeps variance forward
        orthogonal   U U' = 1                                                   keeps lengths; recurrent matrices
Source
    Glorot and Bengio 2010, equations 12 and 16; He et al. 2015, equation 10; LeCun et al. 1998, section 4.6; Saxe,
    McClelland and Ganguli 2014; Jozefowicz, Zaremba and Sutskever 2015, section 2.2, for the forget gate's bias of 1.
Departures
    The blocks of a recurrent matrix, one per gate, count as separate matrices.
Cost
    One pass over the weights; a decomposition for each orthogonal block.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.characters import CharacterTable
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.highway import Gate
from firth.neural.layers.qrnn import POOLINGS, Qrnn
from firth.neural.layers.recurrence import CELL_STEPS

SCHEMES: dict[str, Callable[..., torch.Tensor]] = {
    "xavier-uniform": nn.init.xavier_uniform_,
    "xavier-normal": nn.init.xavier_normal_,
    "he-uniform": partial(nn.init.kaiming_uniform_, nonlinearity="relu"),
    "he-normal": partial(nn.init.kaiming_normal_, nonlinearity="relu"),
    "lecun-uniform": partial(nn.init.kaiming_uniform_, nonlinearity="linear"),
    "lecun-normal": partial(nn.init.kaiming_normal_, nonlinearity="linear"),
    "orthogonal": nn.init.orthogonal_,
}


def initialise(
    module: nn.Module,
    *,
    weights: str = "xavier-uniform",
    recurrent: str = "orthogonal",
    embeddings: float = 0.1,
    forget_bias: float = 1.0,
    seed: int = 0,
) -> None:
    """Initialise the weights of every layer of a module; biases become 0.

    This covers linear layers, convolutions, torch's embeddings, and firth's recurrent layers, embeddings and highways.
    Normalisation, parameters outside these layers, and embeddings that are frozen or pretrained do not change. A
    highway's gate keeps its negative bias.

    Args:
        recurrent: a name of `SCHEMES`, for recurrent matrices.
        embeddings: limit of the uniform distribution of embeddings, which is symmetric.
        seed: of the weights; torch's own generator does not matter.
    """
    for name in (weights, recurrent):
        if name not in SCHEMES:
            raise OptionError(f"{name!r} is not an initialisation scheme: expected one of {', '.join(SCHEMES)}")
    generator = torch.Generator().manual_seed(seed)
    into = partial(SCHEMES[weights], generator=generator)
    onward = partial(SCHEMES[recurrent], generator=generator)
    with torch.no_grad():
        for part in reversed(list(module.modules())):  # a gate comes behind the linear layer that it holds
            if isinstance(part, RecurrentLayer):
                _recurrent(part, into, onward, forget_bias)
            elif isinstance(part, Qrnn):
                _blocks(part.weight, POOLINGS[part.pooling], into)
                part.bias.zero_()
            elif isinstance(part, nn.Linear | nn.Conv1d):
                into(part.weight)
                if part.bias is not None:
                    part.bias.zero_()
            elif isinstance(part, nn.Embedding) or (isinstance(part, WordEmbedding) and not part.pretrained):
                if part.weight.requires_grad:
                    part.weight.uniform_(-embeddings, embeddings, generator=generator)
            elif isinstance(part, CharacterTable):
                part.weight.uniform_(-embeddings, embeddings, generator=generator)
                part.clear()
            elif isinstance(part, Gate):
                part.close()


Filler = Callable[[torch.Tensor], torch.Tensor]


def _recurrent(layer: RecurrentLayer, into: Filler, onward: Filler, forget_bias: float) -> None:
    gates = CELL_STEPS[layer.kind].gates
    _blocks(layer.weight_ih, gates, into)
    _blocks(layer.weight_hh, gates, onward)
    layer.bias_ih.zero_()
    layer.bias_hh.zero_()
    if layer.kind == "lstm":
        layer.bias_ih[layer.width : 2 * layer.width] = forget_bias


def _blocks(weight: torch.Tensor, gates: int, fill: Filler) -> None:
    for block in weight.chunk(gates):
        fill(block)
