"""Masked language model: an encoder learns to predict hidden tokens from those on both sides of them (BERT).

What
    Some tokens of each window are hidden, anew at every step; the states at their positions predict them.
Objective
    -log p(w_t | the window with some tokens hidden), the mean over hidden positions t. A hidden token is replaced by
    `[MASK]` (80 %), by a random token (10 %), or by itself (10 %); `firth.neural.layers.token_masking` has the rest.
Source
    Devlin, Chang, Lee and Toutanova 2019, "BERT", section 3.1, task 1, and appendix A.2; Liu et al. 2019, "RoBERTa",
    section 4, for new masks at every step, windows of full length, and without the prediction of the next sentence.
Departures
    The output layer, and what follows attention in the last block, are computed at hidden positions only, which changes
    nothing but the draws of dropout. The output layer's biases begin at
    the logarithm of each piece's frequency. Attention starts at neighbouring positions, as `network` explains. There is
    no pooler, the layer that only the prediction of the next sentence trains.
Cost
    That of the encoder, whose last block has its feed-forward network at 15 % of the tokens only, and E V
    multiplications for these; three times that in training.
"""

from typing import ClassVar

import torch

from firth.neural.layers.masking import MaskedPrediction
from firth.neural.layers.token_masking import TokenMasking
from firth.neural.models.pretraining.network import EncoderConfig, EncoderNetwork, masked_prediction
from firth.neural.models.pretraining.train import Measures, Objective, PretrainingOptions, token_masking
from firth.options import Preset, options_class
from firth.text.wordpieces import WordPieces


@options_class
class MaskedLM(PretrainingOptions):
    """Masked language model.

    Source:
        Devlin et al. 2019 and Liu et al. 2019; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "masked": Preset("Masked language model: predicts hidden tokens (BERT: Devlin et al. 2019, Liu et al. 2019).")
    }
    common_options: ClassVar = ("dim", "layers", "heads", "max_length", "masking")

    def build_objective(self, config: EncoderConfig, pieces: WordPieces) -> "MaskedObjective":
        """Return the objective; see `PretrainingOptions.build_objective`."""
        return MaskedObjective(self.build_encoder(config), token_masking(self, pieces))


class MaskedObjective(Objective):
    """An encoder that predicts hidden tokens."""

    def __init__(self, encoder: EncoderNetwork, masking: TokenMasking) -> None:
        super().__init__()
        self.encoder, self.masking = encoder, masking
        self.prediction = masked_prediction(encoder)

    @property
    def head(self) -> MaskedPrediction:
        """The layer that predicts tokens."""
        return self.prediction

    def loss(self, ids: torch.Tensor) -> tuple[torch.Tensor, int]:
        """Return the mean loss of the hidden tokens; see `Objective.loss`."""
        replaced, hidden = self.masking(ids)
        losses = self.prediction.loss(self.encoder(replaced, at=hidden), ids[hidden])
        return losses.mean(), len(losses)

    def measure(self, ids: torch.Tensor) -> Measures:
        """Return the log-probability of each hidden token, and whether it was predicted; see `Objective.measure`."""
        replaced, hidden = self.masking(ids)
        log_probs, hits = self.prediction.scores(self.encoder(replaced, at=hidden), ids[hidden])
        return {"log_probs": log_probs, "hits": hits}

    def figures(self, measures: Measures) -> dict[str, float]:
        """Return the loss in nats per hidden token, and the share of them that is predicted."""
        return {"loss": -float(measures["log_probs"].mean()), "accuracy": float(measures["hits"].mean())}
