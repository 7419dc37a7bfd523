"""Noise-contrastive estimation: words of the text are told from words that are drawn.

What: a softmax whose sum over all words is never computed in training: it is taken as a constant, or learned as one,
and scores that tell text from noise come out normalised by themselves.

Objective: with scores s = W h + b - log Z, K noise words n drawn from q,

    x_w = s_w - log(K q(w)),      loss = -log sigma(x_target) - sum_n log sigma(-x_n)

whose gradient becomes that of -log p(target) as K grows. `log_prob` and `log_prob_of` compute the sum and divide by it;
`log_scores` does not.

Source: Gutmann and Hyvarinen 2010, "Noise-contrastive estimation"; Mnih and Teh 2012, "A fast and simple algorithm for
training neural probabilistic language models", section 3, equations 8 to 13, and section 3.2 for Z as a constant.

Departures: the same K words serve all predictions of a batch, which makes of them one product of matrices; Mnih and Teh
draw 25 for each. Noise may hold the target or a word twice: q says how often it should. Z is one number for all
contexts. Biases begin at log q + log Z, so that scores are logarithms of probabilities from the start; Mnih and Teh say
nothing of how theirs begin.

Cost: N (K + 1) D multiplications.
"""

from typing import Any

import torch
from torch.nn import functional

from firth.neural.layers.output.base import OutputLayer, checked_number, checked_switch
from firth.neural.layers.output.full import FullSoftmax
from firth.neural.layers.output.noise import NoiseDistribution


class ContrastiveSoftmax(OutputLayer):
    """A softmax that learns to tell text from noise; see the module.

    Args:
        width: D, of the hidden vectors.
        words: V.
        counts: (V,) of the words, for q and the biases' beginning; q is even without them.
        tied: (V, E) the weight of an embedding, to be shared.
        samples: K.
        log_z: log Z, or where it begins.
        learn_z: whether it is learned.

    Attributes:
        full: the softmax.
        log_z: () a parameter where it is learned.

    Raises:
        OptionError: there are no samples.
        ShapeError: the tied weight has not V rows, or there are not V counts.
    """

    log_z: torch.Tensor

    def __init__(
        self,
        width: int,
        words: int,
        *,
        counts: Any = None,
        tied: torch.nn.Parameter | None = None,
        samples: int = 1024,
        log_z: float = 0.0,
        learn_z: bool = False,
    ) -> None:
        super().__init__(width, words)
        self.samples: int = checked_number("samples", samples, 1, whole=True)
        self.full = FullSoftmax(width, words, counts=counts, tied=tied)
        self.noise = NoiseDistribution(counts, words)
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
        """Return (N,) how badly text and noise are told apart; see `OutputLayer.loss`."""
        noise = self.noise.sample(self.samples).to(targets.device)
        of_target, of_noise = self.full.some_scores(hidden, targets, noise)
        share = self.get_buffer("_log_share") + torch.log(torch.tensor(float(self.samples)))
        text = of_target - self.log_z - share[targets]
        drawn = of_noise - self.log_z - share[noise]
        return functional.softplus(-text) + functional.softplus(drawn).sum(1)

    def log_scores(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) the scores as they are, whose exponentials sum to about one once training has gone well."""
        return self.full.scores(hidden) - self.log_z

    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) log p; see `OutputLayer.log_prob`."""
        return self.full.log_prob(hidden)

    def log_prob_of(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) log p(target); see `OutputLayer.log_prob_of`."""
        return self.full.log_prob_of(hidden, targets)
