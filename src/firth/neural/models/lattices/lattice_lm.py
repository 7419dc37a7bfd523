"""Neural lattice language models: the probability of a text is the sum over its segmentations into chunks.

What: a unit is a token (a character, a word) or a frequent chunk of up to L tokens; each has K embeddings ("senses").
    An LSTM reads a text unit by unit and predicts the next unit. Segmentations share their states: where several units
    end at the same place, their states become one. With L = 1 this is a polysemy lattice, several embeddings per word;
    with L = K = 1 it is an LSTM language model.
Objective: with s_i the state of node i, between tokens i and i + 1, an edge e = (i, j, u, k) for each unit u that is
    the text between two nodes, and each sense k:

    p(e) = softmax(U h_i + b)[u, k]              log alpha_j = log sum_{e into j} alpha_i p(e),   p(text) = alpha_N
    s_j  = sum_{e into j} w_e LSTM(s_i, x_uk)                w_e = alpha_i p(e) / alpha_j           merge=expected
                                                             w = one edge drawn by w_e              merge=sampled
                                                             w = softmax((log w_e + g) / temperature)  merge=gumbel

    with g Gumbel's noise. A state depends on earlier tokens only, so that p is a distribution over texts, and
    p(x_t | x_1 .. x_{t-1}) counts the units that have begun and go on.
Source: Buckman and Neubig 2018, "Neural lattice language models": section 3.1 (lattices), section 3.3 (states:
    Monte Carlo, marginalised, Gumbel-softmax), section 4.1 (several embeddings), section 4.2 (chunks).
Departures:
- Chunks are the most frequent of the training text, each with an embedding and an output row of its own. Others have no
  edge: tokens spell them. (The paper composes the embeddings of others from their tokens.)
- With K > 1, row (u, k) of U and b is the sum of a row of the unit, which its senses share, and a difference of the
  sense, which starts at 0. Separate rows would split the examples of a unit among them
  (benchmarks/results/lattice.md).
- Drawn states (sampled, gumbel) are for training. Evaluation takes the expected state, which needs no random numbers.
- One LSTM layer: with more, each edge would need products of its own.
- The text is in parallel streams, as in the other language models, and chunks reach across the windows of
  back-propagation; gradients do not.
- In training a stream's loss is that of the paths that end at its last token, so that a chunk never goes past it.
- Dropout of an embedding has one mask per unit and batch.
Cost: per token the 8 H^2 multiplications of an LSTM (its products are those of nodes), (V + C) K H for the softmax over
    C chunks, and L K times the LSTM's element-wise arithmetic. benchmarks/results/lattice.md has the speed.
"""

from collections.abc import Sequence
from typing import ClassVar

from firth.neural.models.lattices.chunks import Chunk, Units
from firth.neural.models.lattices.module import MERGES, LatticeModule
from firth.neural.models.lattices.train import train_lattice
from firth.neural.training.options import TrainingOptions
from firth.options import check, option, options_class


@options_class
class LatticeLM:
    """Neural lattice language model, over characters or words and chunks of them.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Buckman and Neubig 2018; the module's docstring has the formula and every departure.
    """

    common_options: ClassVar = ("max_length", "chunks", "senses", "dim", "hidden")
    train = train_lattice
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=5, batch_size=32, lr=0.005, schedule="linear", clip_norm=1.0
    )

    max_length: int = option(4, "tokens of the longest chunk; 1 for none", minimum=1)
    chunks: int = option(700, "largest number of chunks of each length", minimum=0)
    min_count: int = option(20, "lowest count of a chunk in the training text", minimum=1)
    senses: int = option(1, "embeddings of each unit (polysemy lattice)", minimum=1)
    merge: str = option("expected", "how the states of a node become one in training", choices=MERGES)
    temperature: float = option(1.0, "of the Gumbel-softmax, with merge=gumbel", minimum=0, exclusive=True)
    dim: int = option(128, "width of embeddings", minimum=1)
    hidden: int = option(256, "width of the LSTM's state", minimum=1)
    dropout: float = option(0.1, "dropout of embeddings and of the LSTM's output", minimum=0, maximum=0.99)
    bptt: int = option(64, "truncated back-propagation through time: tokens per stream and batch", minimum=1)

    def __post_init__(self) -> None:
        check(self)

    def build(self, tokens: int, chunks: Sequence[Chunk], bos: int) -> LatticeModule:
        """Return a module with random parameters from torch's default generator.

        Args:
            tokens: V, size of the vocabulary.
            chunks: token ids of each.
            bos: id before a fresh text.
        """
        return LatticeModule(
            Units(tokens, chunks, self.max_length),
            senses=self.senses,
            dim=self.dim,
            hidden=self.hidden,
            dropout=self.dropout,
            merge=self.merge,
            temperature=self.temperature,
            bos=bos,
        )
