"""Unsupervised SimCSE: the same text twice, with two dropout masks, is a positive pair.

What: each text of a batch is encoded twice in training mode. Both vectors belong to the same text and differ by their
    dropout masks alone; the other texts of the batch are the negatives.
Objective: InfoNCE (`firth.neural.layers.contrastive`) of z_i = g(f(x_i, mask)) against all z'_j = g(f(x_j, mask')),
    with f the encoder's mean and g a layer with tanh that is used in training only.
Source: Gao, Yao and Chen 2021, "SimCSE", section 3, equation 4, and section 6.3 for g.
Departures: the encoder's output is a mean; the paper takes that of a first token. Copies of a text are left out: they
    would be negatives of each other. The learning rate is that of a small encoder. With several processes, the
    negatives are those of the process.
Cost: two passes of the encoder per text; three times that in training.
"""

from typing import Any, ClassVar

import torch
from torch import nn

from firth.language.text import LanguageText
from firth.neural.layers.contrastive import InfoNCE
from firth.neural.layers.dropout import sampling
from firth.neural.models.sentences.contrastive_task import ContrastiveModule, check_batches, contrastive_task
from firth.neural.models.sentences.data import TokenBatch, different, row_batches, sentences
from firth.neural.models.sentences.encoder import EncoderModule
from firth.neural.models.sentences.encoder_training import TextOptions
from firth.neural.models.sentences.options import long_sentences
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.supervised import SupervisedTask
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.options import Preset, option, options_class
from firth.randomness import torch_seed


def temperature_option(default: float = 0.05) -> Any:
    """Return the field for the temperature of InfoNCE."""
    return option(default, "temperature: cosines are divided by it", minimum=0, exclusive=True)


@options_class
class SimCSE(TextOptions):
    """Unsupervised SimCSE.

    Source:
        Gao, Yao and Chen 2021; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "simcse": Preset("SimCSE: a text and itself under another dropout mask (Gao, Yao and Chen 2021).")
    }
    common_options: ClassVar = ("temperature", "dropout", "max_length")
    selected_by_pairs: ClassVar[bool] = True
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=1, batch_size=64, optimiser="adamw", lr=0.0001, schedule="linear", clip_norm=1.0
    )

    temperature: float = temperature_option()
    head: bool = option(True, "projection head: a layer with tanh, in training only")
    same_mask: bool = option(False, "control: both sides of a pair have the same dropout mask, and are equal")

    def build_task(
        self, model: SentenceEncoder, text: LanguageText, held_out: Any, config: RunConfig
    ) -> SupervisedTask:
        """Return the task; see `TextOptions.build_task`."""
        assert isinstance(model.module, EncoderModule)
        module = SimCSEModule(
            model.module, self.temperature, head=self.head, same_mask=self.same_mask, seed=config.seed
        )
        return sentence_task(module, model, text, held_out, config)


def sentence_task(
    module: ContrastiveModule, model: SentenceEncoder, text: LanguageText, held_out: Any, config: RunConfig
) -> SupervisedTask:
    """Return the task of a model whose texts are single sentences, each of them once."""
    size, limit = config.training.batch_size, model.options.max_length
    check_batches(size)
    every = sentences(text)
    rows = different(every)
    truncated = long_sentences(rows.lengths, limit, text.rules)

    def batches(numbers: Any, *, shuffle: bool) -> Any:
        return row_batches(rows.take(numbers), size, limit=limit, seed=config.seed, shuffle=shuffle)

    def facts(aside: int) -> dict[str, int]:
        kept, copies = len(rows) - aside, len(every) - len(rows)
        return {"sentences": kept, "copies": copies, "set_aside": aside, "truncated": truncated}

    return contrastive_task(
        module, model, len(rows), batches, held_out, config, name="texts", unit="sentences", facts=facts
    )


class Projection(nn.Module):
    """The head g of contrastive training, g(x) = tanh(W x + b)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (B, D)."""
        return torch.tanh(self.dense(x))


def projection(width: int, seed: int, *, used: bool = True) -> nn.Module:
    """Return a head with random parameters, or the identity; torch's own random state is kept."""
    if not used:
        return nn.Identity()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(seed, "projection head"))
        return Projection(width)


class SimCSEModule(ContrastiveModule):
    """An encoder with SimCSE's head and loss."""

    def __init__(
        self, encoder: EncoderModule, temperature: float, *, head: bool = True, same_mask: bool = False, seed: int = 0
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = projection(encoder.width, seed, used=head)
        self.loss = InfoNCE(temperature)
        self.same_mask = same_mask

    def losses(self, batch: TokenBatch) -> torch.Tensor:
        """Return the (B,) losses of a batch; see `ContrastiveModule.losses`."""
        x, y = (self.head(side) for side in self._sides(batch))
        losses: torch.Tensor = self.loss(x, y)
        return losses

    def pairs(self, batch: TokenBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the vectors of each text under two dropout masks; see `ContrastiveModule.pairs`."""
        with sampling(self.encoder):
            return self._sides(batch)

    def _sides(self, batch: TokenBatch) -> tuple[torch.Tensor, torch.Tensor]:
        if self.same_mask:
            once = self.encoder(batch.ids, batch.lengths)
            return once, once
        both = self.encoder(batch.ids.repeat(2, 1), batch.lengths.repeat(2))
        x, y = both.chunk(2)
        return x, y
