"""ELECTRA: an encoder learns to tell which tokens a small masked language model has replaced.

What
    A generator replaces some tokens by samples (`corruption`). The encoder, the discriminator, tells for every token
    whether it is the original. A sample that happens to be the original counts as original. Only the discriminator is
    kept.
Objective
    L = mean over hidden t of -log p_G(x_t) + lambda mean over all t of the binary cross entropy of D(x', t)
Source
    Clark, Luong, Le and Manning 2020, "ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators",
    section 2; lambda = 50, and the sizes of ELECTRA-Small in appendix A.
Departures
    The generator trains by maximum likelihood only, as in the paper; masks are drawn per token and not per window, and
    see `corruption` for what is masked. The discriminator's bias begins at the share of tokens that draws by frequency
    would replace: from zero, its large loss would first make the states of all tokens alike.
Cost
    That of the encoder over all tokens, and about a tenth for the generator.
"""

from typing import ClassVar

import torch
from torch.nn import functional

from firth.neural.layers.token_masking import TokenMasking
from firth.neural.models.pretraining.corruption import GENERATOR_SHARES, Corruption, ReplacedPrediction
from firth.neural.models.pretraining.network import EncoderConfig, EncoderNetwork
from firth.neural.models.pretraining.train import Measures, Objective, PretrainingOptions, auc, token_masking
from firth.options import Preset, option, options_class
from firth.text.wordpieces import WordPieces


@options_class
class Electra(PretrainingOptions):
    """ELECTRA: replaced-token detection.

    Source:
        Clark et al. 2020; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "electra": Preset("ELECTRA: tells which tokens a small generator has replaced (Clark et al. 2020).")
    }
    common_options: ClassVar = ("dim", "layers", "heads", "max_length", "generator")
    layout: ClassVar[str] = "electra"

    embedding_dim: int = option(128, "width of the vectors of tokens, which generator and encoder share", minimum=1)
    generator: float = option(
        0.25, "width of the generator, as a share of the encoder's", minimum=0, maximum=1, exclusive=True
    )
    weight: float = option(50.0, "weight of the discriminator's loss (lambda)", minimum=0, exclusive=True)

    @property
    def vectors_dim(self) -> int:
        """E; see `PretrainingOptions.vectors_dim`."""
        return self.embedding_dim

    def build_objective(self, config: EncoderConfig, pieces: WordPieces) -> "ReplacedObjective":
        """Return the objective; see `PretrainingOptions.build_objective`."""
        masking = token_masking(self, pieces, **GENERATOR_SHARES)
        return ReplacedObjective(self.build_encoder(config), masking, self.generator, self.weight)


class ReplacedObjective(Objective):
    """An encoder that tells which tokens were replaced, with its generator."""

    def __init__(self, encoder: EncoderNetwork, masking: TokenMasking, share: float, weight: float) -> None:
        super().__init__()
        self.encoder, self.weight = encoder, weight
        self.corruption = Corruption(encoder, masking, share)
        self.prediction = ReplacedPrediction(encoder.config)

    @property
    def head(self) -> ReplacedPrediction:
        """The layer that tells which tokens were replaced."""
        return self.prediction

    def loss(self, ids: torch.Tensor) -> tuple[torch.Tensor, int]:
        """Return the loss of generator and discriminator; see `Objective.loss`."""
        corrupted = self.corruption(ids)
        scores = self.prediction(self.encoder(corrupted.ids))
        detection = functional.binary_cross_entropy_with_logits(scores.float(), corrupted.replaced.float())
        return corrupted.losses.mean() + self.weight * detection, len(corrupted.losses)

    def measure(self, ids: torch.Tensor) -> Measures:
        """Return the generator's losses, and scores and answers at ordinary tokens; see `Objective.measure`."""
        corrupted = self.corruption(ids)
        scores = self.prediction(self.encoder(corrupted.ids)).float()
        losses = functional.binary_cross_entropy_with_logits(scores, corrupted.replaced.float(), reduction="none")
        ordinary = self.corruption.masking.hideable[ids]
        return {
            "generator": corrupted.losses,
            "losses": losses.flatten(),
            "scores": scores[ordinary],
            "replaced": corrupted.replaced[ordinary],
        }

    def figures(self, measures: Measures) -> dict[str, float]:
        """Return the loss, its parts, and the area under the ROC curve of replaced tokens (without special ones)."""
        generator, detection = float(measures["generator"].mean()), float(measures["losses"].mean())
        area = auc(measures["scores"], measures["replaced"])
        return {
            "loss": generator + self.weight * detection,
            "generator_loss": generator,
            "replaced_loss": detection,
            **({} if area is None else {"replaced_auc": area}),
        }
