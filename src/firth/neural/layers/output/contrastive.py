"""Noise-contrastive estimation (NCE): a logistic classifier of text words against noise words.

What: a softmax whose normaliser is never computed in training. It is a constant, fixed or learned; scores that
distinguish text from noise become normalised by themselves.

Objective: with scores s = W h + b - log Z, K noise words n from q,

    x_w = s_w - log(K q(w)),      loss = -log sigma(x_target) - sum_n log sigma(-x_n)

whose gradient approaches that of -log p(target) as K grows. `log_prob` and `log_prob_of` normalise exactly;
`log_scores` does not.

Source: Gutmann and Hyvarinen 2010, "Noise-contrastive estimation"; Mnih and Teh 2012, "A fast and simple algorithm for
training neural probabilistic language models", section 3, equations 8 to 13, and section 3.2 for Z as a constant.

Departures: the same K words serve all predictions of a batch, in one matrix product; Mnih and Teh sample 25 for each.
Noise may contain the target, or a word twice, as often as q says. Z is one number for all contexts. Biases start at log
q + log Z, so that scores are log-probabilities from the start; Mnih and Teh do not say how theirs start.

Cost: N (K + 1) D multiplications.
"""

import torch
from torch.nn import functional

from firth.neural.layers.output.base import OutputConfig, OutputLayer, checked_number, checked_switch
from firth.neural.layers.output.full import FullSoftmax
from firth.neural.layers.output.noise import NoiseDistribution


class ContrastiveSoftmax(OutputLayer):
    """Noise-contrastive estimation; see the module.

    Args:
        config: width, words, counts (for q and the initial biases; q is uniform without them) and tied weight.
        samples: K.
        log_z: log Z, or its initial value.
        learn_z: whether it is learned.

    Attributes:
        full: the softmax.
        log_z: (), a parameter if it is learned.
    """

    log_z: torch.Tensor

    def __init__(self, config: OutputConfig, *, samples: int = 1024, log_z: float = 0.0, learn_z: bool = False) -> None:
        super().__init__(config)
        self.samples: int = checked_number("samples", samples, 1, whole=True)
        self.full = FullSoftmax(config)
        self.noise = NoiseDistribution(config)
        self.register_buffer(
            "_log_share", self.noise.probabilities.log().to(torch.get_default_dtype()), persistent=False
        )
        constant = torch.tensor(checked_number("log_z", log_z))
        self.full.begin_at(self.noise.probabilities.log() + constant)
        if checked_switch("learn_z", learn_z):
            self.log_z = torch.nn.Parameter(constant)
        else:
            self.register_buffer("log_z", constant)

    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return the (N,) logistic loss of text against noise; see `OutputLayer.loss`."""
        noise = self.noise.sample(self.samples).to(targets.device)
        of_target, of_noise = self.full.some_scores(hidden, targets, noise)
        share = self.get_buffer("_log_share") + torch.log(torch.tensor(float(self.samples)))
        text = of_target - self.log_z - share[targets]
        noise_scores = of_noise - self.log_z - share[noise]
        return functional.softplus(-text) + functional.softplus(noise_scores).sum(1)

    def log_scores(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) unnormalised scores, whose exponentials sum to about one after successful training."""
        return self.full.scores(hidden) - self.log_z

    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) log p; see `OutputLayer.log_prob`."""
        return self.full.log_prob(hidden)

    def log_prob_of(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) log p(target); see `OutputLayer.log_prob_of`."""
        return self.full.log_prob_of(hidden, targets)
