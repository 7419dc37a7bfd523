"""COCO-LM: an encoder corrects the tokens that a small masked language model has replaced, and contrasts windows.

What
    A generator replaces some tokens by samples (`corruption`). The encoder tells for every token whether it is the
    original, and predicts the original at sampled positions: it copies the token or chooses another (corrective
    language modelling). Its states before a corrupted window and before a piece of the same window are alike, and
    unlike those of other windows (sequence contrastive learning).
Objective
    With states h_t of the corrupted window x', a gate g_t = sigmoid(v . h_t), and hidden positions M,

        p(x_t) = [x_t = x'_t] sg(g_t) + sg(1 - g_t) softmax(E f(h_t) + b)_{x_t}
        L = sum over M of -log p(x_t) / |M| + lambda mean over all t of the cross entropy of g_t and [x_t = x'_t]
            + mu mean over s of -log exp(cos(s, s+)) / sum over s' != s of exp(cos(s, s'))
            + mean over M of -log p_G(x_t)

    where sg stops gradients, s is the state h_0 of a corrupted window or of a crop of the original, s+ that of the
    other one of the same window, s' all others of the batch, and cosines are divided by a temperature.
Source
    Meng, Xiong, Bajaj, Tiwary, Bennett, Han and Song 2021, "COCO-LM: Correcting and Contrasting Text Sequences for
    Language Model Pretraining", section 3.2, equations 1 to 6; lambda = 50, temperature 1, crops of 90 %.
Departures
    Positions are learned and absolute, so that the encoder has BERT's layout; the paper adds relative ones. Crops keep
    the order of the window: they begin at one of its first tokens.
Cost
    Twice the encoder's over all tokens, and about a tenth for the generator.
"""

from typing import ClassVar

import torch
from torch import nn
from torch.nn import functional

from firth.neural.layers.contrastive import InfoNCE, group_masks
from firth.neural.layers.token_masking import TokenMasking
from firth.neural.models.pretraining.corruption import GENERATOR_SHARES, Corrupted, Corruption
from firth.neural.models.pretraining.network import EncoderConfig, EncoderNetwork, initialise, masked_prediction
from firth.neural.models.pretraining.train import Measures, Objective, PretrainingOptions, auc, token_masking
from firth.options import Preset, option, options_class
from firth.text.wordpieces import WordPieces


@options_class
class CocoLM(PretrainingOptions):
    """COCO-LM: corrective language modelling and sequence contrastive learning.

    Source:
        Meng et al. 2021; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "coco": Preset("COCO-LM: corrects replaced tokens and contrasts windows of text (Meng et al. 2021).")
    }
    common_options: ClassVar = ("dim", "layers", "heads", "max_length", "generator", "crop")

    generator: float = option(
        0.25, "width of the generator, as a share of the encoder's", minimum=0, maximum=1, exclusive=True
    )
    weight: float = option(50.0, "weight of the loss of copying (lambda)", minimum=0)
    contrast: float = option(1.0, "weight of the contrastive loss (mu); 0 for none", minimum=0)
    crop: float = option(0.9, "share of a window in its cropped view", minimum=0, maximum=1)
    temperature: float = option(1.0, "temperature: cosines are divided by it", minimum=0, exclusive=True)

    def build_objective(self, config: EncoderConfig, pieces: WordPieces) -> "CorrectiveObjective":
        """Return the objective; see `PretrainingOptions.build_objective`."""
        encoder = self.build_encoder(config)
        return CorrectiveObjective(encoder, token_masking(self, pieces, **GENERATOR_SHARES), self)


class CorrectiveObjective(Objective):
    """An encoder that corrects tokens, with its generator."""

    def __init__(self, encoder: EncoderNetwork, masking: TokenMasking, options: CocoLM) -> None:
        super().__init__()
        self.encoder, self.options = encoder, options
        self.corruption = Corruption(encoder, masking, options.generator)
        self.prediction = masked_prediction(encoder)
        self.copy = nn.Linear(encoder.width, 1, bias=False)
        initialise(self.copy)
        self.contrast = InfoNCE(options.temperature)

    def loss(self, ids: torch.Tensor) -> tuple[torch.Tensor, int]:
        """Return the sum of the losses; see `Objective.loss`."""
        corrupted = self.corruption(ids)
        states = self.encoder(corrupted.ids)
        gates = self.copy(states)[..., 0].float()
        copied = functional.binary_cross_entropy_with_logits(gates, (~corrupted.replaced).float())
        corrected = self.corrective(states, gates, ids, corrupted)
        loss = corrupted.losses.mean() + corrected.mean() + self.options.weight * copied
        if self.options.contrast:
            loss = loss + self.options.contrast * self.contrastive(states, ids).mean()
        return loss, len(corrupted.losses)

    def corrective(
        self, states: torch.Tensor, gates: torch.Tensor, ids: torch.Tensor, corrupted: Corrupted
    ) -> torch.Tensor:
        """Return (n,) -log p of the original at hidden positions.

        Args:
            states: (B, T, D) of the corrupted window.
            gates: (B, T) scores of copying; no gradient passes through them.
            ids: (B, T) the originals.
        """
        hidden = corrupted.hidden
        gate = gates.detach()[hidden]
        chosen = functional.logsigmoid(-gate) - self.prediction.loss(states[hidden], ids[hidden])
        same = ~corrupted.replaced[hidden]
        return -torch.where(same, torch.logaddexp(functional.logsigmoid(gate), chosen), chosen)

    def contrastive(self, states: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """Return (2 B,) contrastive losses of windows and crops, each compared with all others of both kinds."""
        both = torch.cat((states[:, 0], self.encoder(self.cropped(ids))[:, 0])).float()
        pair = torch.arange(len(ids), device=ids.device).repeat(2)
        positive, compared = group_masks(pair, pair)
        losses: torch.Tensor = self.contrast(both, both, positive=positive, compared=compared)
        return losses

    def cropped(self, ids: torch.Tensor) -> torch.Tensor:
        """Return (B, T') ids: of each window a random piece, between its first and its last token."""
        body = ids.shape[1] - 2
        length = max(1, round(self.options.crop * body))
        starts = torch.randint(body - length + 1, (len(ids), 1), device=ids.device)
        positions = 1 + starts + torch.arange(length, device=ids.device)
        return torch.cat((ids[:, :1], ids.gather(1, positions), ids[:, -1:]), 1)

    def measure(self, ids: torch.Tensor) -> Measures:
        """Return values of all losses, and the scores of copying at ordinary tokens; see `Objective.measure`."""
        corrupted = self.corruption(ids)
        states = self.encoder(corrupted.ids)
        gates = self.copy(states)[..., 0].float()
        losses = functional.binary_cross_entropy_with_logits(gates, (~corrupted.replaced).float(), reduction="none")
        ordinary = self.corruption.masking.hideable[ids]
        _, hits = self.prediction.scores(states[corrupted.hidden], ids[corrupted.hidden])
        return {
            "generator": corrupted.losses,
            "losses": losses.flatten(),
            "corrected": self.corrective(states, gates, ids, corrupted),
            "hits": hits,
            "scores": -gates[ordinary],
            "replaced": corrupted.replaced[ordinary],
            "contrast": self.contrastive(states, ids) if self.options.contrast else gates.new_zeros(1),
        }

    def figures(self, measures: Measures) -> dict[str, float]:
        """Return the loss, its parts, the share of hidden tokens that the softmax alone finds, and the area."""
        parts = {name: float(measures[name].mean()) for name in ("generator", "corrected", "losses", "contrast")}
        area = auc(measures["scores"], measures["replaced"])
        loss = parts["generator"] + parts["corrected"] + self.options.weight * parts["losses"]
        return {
            "loss": loss + self.options.contrast * parts["contrast"],
            "generator_loss": parts["generator"],
            "corrective_loss": parts["corrected"],
            "copy_loss": parts["losses"],
            "contrastive_loss": parts["contrast"],
            "accuracy": float(measures["hits"].mean()),
            **({} if area is None else {"replaced_auc": area}),
        }
