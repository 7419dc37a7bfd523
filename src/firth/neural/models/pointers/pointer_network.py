"""Pointer networks: sequences of input positions, for inputs of any number.

What
    An LSTM reads N vectors. A second LSTM starts from its state and points at one input after the other, by attention
    over the first one's outputs; what it pointed at is its next input. Pointing at the end closes the sequence.
Objective
    u_j^t = v . tanh(W_1 e_j + W_2 d_t),   p(C_t = j | C_1 ... C_t-1, P) = softmax_j u^t,   over the allowed j
    with e_j the encoder's outputs, e_0 a learned vector for the end, and d_t the decoder's output. The loss is the
    cross entropy of the positions and the end.
Source
    Vinyals, Fortunato and Jaitly 2015, section 2.3, equation 3.
Departures
    Positions that `order` rules out have probability zero in training, too; the paper rules them out in the search
    only. Vectors pass through a linear layer before both LSTMs.
Cost
    O(N T H) for the attention, O((N + T) H^2) for the LSTMs, per example.
"""

from typing import Any, ClassVar, Unpack

import torch
from torch import nn

from firth.arguments import explained
from firth.errors import OptionError
from firth.neural.layers.attention import AdditiveScores
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.masks import mask_scores
from firth.neural.models.pointers.data import END, PointerBatch, pointer_batches, read_examples
from firth.neural.models.pointers.predict import PointerModel
from firth.neural.supervised import SupervisedTask, digest, mean_figures, mean_loss, split_examples
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.options import option, options_class
from firth.timing import running_clock

ORDERS = ("any", "distinct", "permutation")
EVAL_BATCH = 256  # examples per batch of an evaluation


class PointerModule(nn.Module):
    """The network, for vectors of width D, with states of width H."""

    def __init__(self, dim: int, hidden: int, *, order: str) -> None:
        super().__init__()
        self.order = order
        self.embedding = nn.Linear(dim, hidden)
        self.encoder, self.decoder = (RecurrentLayer("lstm", hidden, hidden) for _ in range(2))
        self.scores = AdditiveScores(hidden, hidden, hidden)
        self.start = nn.Parameter(torch.empty(hidden).uniform_(-0.1, 0.1))  # the decoder's first input
        self.end = nn.Parameter(torch.empty(hidden).uniform_(-0.1, 0.1))  # e_0

    def encode(self, inputs: torch.Tensor, lengths: torch.Tensor) -> "Memory":
        """Return what the decoder needs of (B, N, D) padded inputs with (B,) lengths."""
        embedded = self.embedding(inputs)
        outputs, state = self.encoder(embedded, None, lengths)
        B = len(inputs)
        keys = torch.cat([self.end.expand(B, 1, -1), outputs], 1)  # (B, N + 1, H)
        read = torch.cat([self.start.expand(B, 1, -1), embedded], 1)  # what pointing at each gives as next input
        steps = torch.arange(keys.shape[1], device=keys.device)
        inside = steps <= lengths.to(keys.device)[:, None]  # (B, N + 1)
        return self.scores.project(keys), read, inside, state

    def decode(
        self, memory: "Memory", previous: torch.Tensor, state: Any, used: torch.Tensor
    ) -> tuple[torch.Tensor, Any]:
        """Return (B, T, N + 1) log-probabilities of the next ids, and the decoder's state after them.

        `previous` are the (B, T) ids before each step, END at the first; `used` is (B, T, N + 1), whether each position
        was pointed at before.
        """
        keys, read, inside, _ = memory
        rows = torch.arange(len(read), device=read.device)[:, None]
        outputs, state = self.decoder(read[rows, previous], state)
        scores = self.scores.compare(outputs, keys)
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))  # of half precision
        return mask_scores(scores, self._allowed(inside, used)).log_softmax(-1), state

    def forward(self, inputs: torch.Tensor, lengths: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (B, T) log-probabilities of (B, T) target ids, each given the true ones before it."""
        memory = self.encode(inputs, lengths)
        previous = nn.functional.pad(targets[:, :-1], (1, 0), value=END)
        pointed = nn.functional.one_hot(previous, memory[0].shape[1])  # (B, T, N + 1)
        used = pointed.cumsum(1) > 0
        log_probs, _ = self.decode(memory, previous, memory[3], used)
        return log_probs.gather(2, targets[..., None]).squeeze(2)

    def _allowed(self, inside: torch.Tensor, used: torch.Tensor) -> torch.Tensor:
        allowed = inside[:, None].expand_as(used)
        if self.order == "any":
            return allowed
        allowed = allowed & ~used
        # Every step pointed at END as "previous" of the first, so that END is set anew.
        ends = ~allowed[..., 1:].any(-1) if self.order == "permutation" else torch.ones_like(allowed[..., 0])
        return torch.cat([ends[..., None], allowed[..., 1:]], -1)


Memory = tuple[torch.Tensor, torch.Tensor, torch.Tensor, Any]  # keys, inputs of the decoder, which exist, first state


@options_class
class PointerNetwork:
    """Pointer network: learns to order or to choose vectors of a set.

    Source:
        Vinyals, Fortunato and Jaitly 2015; the module's docstring has the formula and every departure.
    """

    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=128, optimiser="adam", lr=0.001, clip_norm=2.0, schedule="linear"
    )

    hidden: int = option(256, "width of the states", minimum=1)
    order: str = option(
        "distinct",
        "what is pointed at: any position any number of times; distinct positions, some of them; a permutation of all",
        choices=ORDERS,
    )

    max_length: int = option(100, "positions that a search points at, at most, with order=any", minimum=1)

    def build(self, dim: int) -> PointerModule:
        """Return a module with random parameters from torch's default generator, for vectors of width D."""
        return PointerModule(dim, self.hidden, order=self.order)

    @explained
    def train(
        self,
        inputs: Any,
        targets: Any,
        *,
        held_out: Any = None,
        held_out_targets: Any = None,
        **run: Unpack[RunArguments],
    ) -> PointerModel:
        """Train a pointer network.

        Args:
            inputs: sets of vectors: arrays of N vectors of D numbers, N different from set to set; or one array (B, N,
                D). Numbers are best near 1.
            targets: for each set, the positions from 0 to point at, in order. Where several orders are right, such as
                those of a cycle, always give the same one of them.
            held_out: sets that select the best epoch. Without them a tenth of the training examples is held out.
            held_out_targets: their positions.
            **run: training options and circumstances of the run; see `RunConfig`.

        Returns:
            The model of the best evaluation on held-out examples.

        Raises:
            CorpusError: there are no examples, not as many targets as sets, or a position is outside its set.
            ArgumentTypeError: a set is no array of numbers.
            ShapeError: a set is empty, or its vectors have another width.
            OptionError: an option is out of its range, held-out sets have no targets, or the checkpoint is of another
                run.
            DivergenceError: training diverged.
        """
        config = RunConfig.of(self.training, run)
        if (held_out is None) != (held_out_targets is None):
            raise OptionError("held_out and held_out_targets: one is given without the other; expected both or neither")
        with running_clock():
            examples = read_examples(inputs, targets, order=self.order)
            if held_out is None:
                examples, validation = split_examples(examples, config.seed, f"inputs: {len(examples)} set")
            else:
                validation = read_examples(held_out, held_out_targets, order=self.order, dim=examples.dim)
            module: PointerModule = new_module(config.seed, self.build, examples.dim, copies=2)

            def losses(batch: PointerBatch) -> torch.Tensor:
                log_probs: torch.Tensor = module(batch.inputs, batch.lengths, batch.targets)
                return -log_probs[batch.counted]

            evaluation = pointer_batches(validation, batch_size=EVAL_BATCH, shuffle=False)
            task = SupervisedTask(
                module=module,
                batches=pointer_batches(examples, batch_size=config.training.batch_size, seed=config.seed),
                loss=lambda batch, progress: mean_loss(losses(batch)),
                figures=lambda: mean_figures(evaluation, module, losses),
                unit="positions",
                eval_predictions=sum(len(positions) + 1 for positions in validation.targets),
            )
            data = {"examples": digest(examples.content(), validation.content()), "sets": len(examples)}
            facts = fit_model(task, self, config, data, facts={"held_out_sets": len(validation)})
        return PointerModel(module, self, examples.dim, {"training": facts})
