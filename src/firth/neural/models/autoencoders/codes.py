"""The latent codes of sentences: posteriors, priors, draws and divergences of each kind.

What
    A code is a vector of D normal numbers; or M slots, each with one of K categories, drawn by the Gumbel-softmax or
    chosen by vector quantisation. A distribution is one tensor: (B, 2 D) means and log-variances, or (B, M, K)
    log-probabilities. Codes are (B, D) numbers or (B, M) int64.
Objective
    gaussian  q = N(m, s^2), p = N(0, 1) or N(m_c, s_c^2) of label c
    gumbel    q = softmax(W h) per slot, p uniform or softmax(W' tanh(V c)) per slot
    vq        q puts all on the nearest code; p is uniform in training, and then the share of each code per slot
Source
    Kingma and Welling 2014, section 3; Sohn, Lee and Yan 2015, section 4.1 (the prior network); Jang, Gu and Poole
    2017, section 2; van den Oord et al. 2017, section 3.
Departures
    The prior of quantised codes is that of slots which are independent given the label; the paper trains a PixelCNN.
Cost
    Little beside the encoder and the decoder.
"""

import abc
import math

import torch
from torch import nn
from torch.nn.functional import one_hot

from firth.neural.layers.stochastic import (
    annealed_temperature,
    gaussian,
    gaussian_kl,
    gumbel_max,
    gumbel_softmax,
    straight_through,
)
from firth.neural.layers.vector_quantisation import VectorQuantiser

NONE = -1e30  # log-probability of what cannot be: finite, as 0 times it must be 0


class Code(nn.Module, abc.ABC):
    """A kind of latent code.

    Attributes:
        inputs: what `distribution` reads of each sentence, so many numbers.
        width: W, of the vectors that the decoder reads.
        discrete: whether codes are int64.
    """

    inputs: int
    width: int
    discrete: bool

    @abc.abstractmethod
    def distribution(self, raw: torch.Tensor) -> torch.Tensor:
        """Return the posteriors of B sentences, given (B, inputs) numbers of the encoder."""

    @abc.abstractmethod
    def prior(self, labels: torch.Tensor | None, batch: int) -> torch.Tensor:
        """Return the priors of B sentences, given their (B,) int64 labels, if there are any."""

    @abc.abstractmethod
    def train_draw(self, raw: torch.Tensor, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, W) vectors of drawn codes, with gradients, and (B,) further losses.

        Args:
            raw: (B, inputs).
            step: of the training, for schedules of temperature.
        """

    @abc.abstractmethod
    def kl(self, posterior: torch.Tensor, prior: torch.Tensor) -> torch.Tensor:
        """Return (B, G) divergences in nats, of each dimension or slot."""

    @abc.abstractmethod
    def draw(self, distribution: torch.Tensor, generator: torch.Generator | None = None) -> torch.Tensor:
        """Return a code of each of B distributions, without gradients."""

    @abc.abstractmethod
    def best(self, distribution: torch.Tensor) -> torch.Tensor:
        """Return the most probable code of each of B distributions."""

    @abc.abstractmethod
    def log_prob(self, codes: torch.Tensor, distribution: torch.Tensor) -> torch.Tensor:
        """Return (...,) log-densities or log-probabilities; codes and distributions broadcast before their own axes."""

    @abc.abstractmethod
    def vectors(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (B, W) vectors of codes."""


class GaussianCode(Code):
    """Normal codes."""

    discrete = False
    standard: torch.Tensor

    def __init__(self, width: int, labels: int, label_dim: int) -> None:
        super().__init__()
        self.width, self.inputs = width, 2 * width
        self.prior_network = _prior_network(labels, label_dim, 2 * width)
        self.register_buffer("standard", torch.zeros(1, 2 * width), persistent=False)

    def distribution(self, raw: torch.Tensor) -> torch.Tensor:
        """Return (B, 2 D); see `Code.distribution`."""
        return raw

    def prior(self, labels: torch.Tensor | None, batch: int) -> torch.Tensor:
        """Return (B, 2 D); see `Code.prior`."""
        if self.prior_network is None:
            return self.standard.expand(batch, -1)
        numbers: torch.Tensor = self.prior_network(labels)
        return numbers

    def train_draw(self, raw: torch.Tensor, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Draw by reparametrisation; see `Code.train_draw`."""
        return gaussian(*raw.chunk(2, -1)), raw.new_zeros(len(raw))

    def kl(self, posterior: torch.Tensor, prior: torch.Tensor) -> torch.Tensor:
        """Return the (B, D) closed form; see `Code.kl`."""
        parts = [half.unsqueeze(-1) for table in (posterior, prior) for half in table.chunk(2, -1)]
        return gaussian_kl(*parts)

    def draw(self, distribution: torch.Tensor, generator: torch.Generator | None = None) -> torch.Tensor:
        """Return (B, D); see `Code.draw`."""
        return gaussian(*distribution.chunk(2, -1), generator=generator)

    def best(self, distribution: torch.Tensor) -> torch.Tensor:
        """Return the (B, D) means; see `Code.best`."""
        return distribution.chunk(2, -1)[0]

    def log_prob(self, codes: torch.Tensor, distribution: torch.Tensor) -> torch.Tensor:
        """Return log-densities; see `Code.log_prob`."""
        mean, log_variance = distribution.chunk(2, -1)
        squares = (codes - mean).square() * (-log_variance).exp()
        return -0.5 * (squares + log_variance + math.log(2 * math.pi)).sum(-1)

    def vectors(self, codes: torch.Tensor) -> torch.Tensor:
        """Return the codes themselves; see `Code.vectors`."""
        return codes


class DiscreteCode(Code, abc.ABC):
    """M slots of K categories."""

    discrete = True
    slots: int
    codes: int

    def kl(self, posterior: torch.Tensor, prior: torch.Tensor) -> torch.Tensor:
        """Return (B, M); see `Code.kl`."""
        return (posterior.exp() * (posterior - prior)).sum(-1)

    def draw(self, distribution: torch.Tensor, generator: torch.Generator | None = None) -> torch.Tensor:
        """Return (B, M); see `Code.draw`."""
        return gumbel_max(distribution, generator=generator)

    def best(self, distribution: torch.Tensor) -> torch.Tensor:
        """Return (B, M); see `Code.best`."""
        return distribution.argmax(-1)

    def log_prob(self, codes: torch.Tensor, distribution: torch.Tensor) -> torch.Tensor:
        """Return log-probabilities; see `Code.log_prob`."""
        index = codes.unsqueeze(-1) + torch.zeros_like(distribution[..., :1], dtype=torch.int64)
        chosen: torch.Tensor = distribution.expand(*index.shape[:-1], -1).gather(-1, index)
        return chosen.squeeze(-1).sum(-1)


class GumbelCode(DiscreteCode):
    """Slots drawn by the Gumbel-softmax."""

    def __init__(
        self,
        slots: int,
        codes: int,
        width: int,
        labels: int,
        label_dim: int,
        *,
        hard: bool,
        schedule: tuple[float, float, float],
    ) -> None:
        super().__init__()
        self.slots, self.codes, self.width, self.inputs = slots, codes, slots * width, slots * codes
        self.hard, self.schedule = hard, schedule
        self.rows = nn.Parameter(torch.empty(slots, codes, width).normal_())
        self.prior_network = _prior_network(labels, label_dim, slots * codes)

    def distribution(self, raw: torch.Tensor) -> torch.Tensor:
        """Return (B, M, K); see `Code.distribution`."""
        return raw.reshape(*raw.shape[:-1], self.slots, self.codes).log_softmax(-1)

    def prior(self, labels: torch.Tensor | None, batch: int) -> torch.Tensor:
        """Return (B, M, K); see `Code.prior`."""
        if self.prior_network is None:
            return self.rows.new_full((batch, self.slots, self.codes), -math.log(self.codes))
        return self.distribution(self.prior_network(labels))

    def train_draw(self, raw: torch.Tensor, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Draw relaxed categories; see `Code.train_draw`."""
        start, least, rate = self.schedule
        temperature = annealed_temperature(step, start=start, rate=rate, least=least)
        drawn = gumbel_softmax(self.distribution(raw), temperature)
        drawn = straight_through(drawn) if self.hard else drawn
        return torch.einsum("bmk,mkd->bmd", drawn, self.rows).flatten(1), raw.new_zeros(len(raw))

    def vectors(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (B, M D); see `Code.vectors`."""
        return self.rows[torch.arange(self.slots, device=codes.device), codes].flatten(1)


class QuantisedCode(DiscreteCode):
    """Slots chosen by vector quantisation.

    Attributes:
        log_prior: (max(L, 1), M, K), uniform until `fit_prior`.
    """

    log_prior: torch.Tensor

    def __init__(self, slots: int, codes: int, width: int, labels: int, *, commitment: float) -> None:
        super().__init__()
        self.slots, self.codes, self.width, self.inputs = slots, codes, slots * width, slots * width
        self.quantiser = VectorQuantiser(slots, codes, width, commitment=commitment)
        self.register_buffer("log_prior", torch.full((max(labels, 1), slots, codes), -math.log(codes)))

    def _split(self, raw: torch.Tensor) -> torch.Tensor:
        return raw.reshape(*raw.shape[:-1], self.slots, -1)

    def distribution(self, raw: torch.Tensor) -> torch.Tensor:
        """Return (B, M, K), 0 at the nearest code; see `Code.distribution`."""
        nearest = one_hot(self.quantiser.nearest(self._split(raw)), self.codes)
        return torch.where(nearest.bool(), 0.0, NONE).to(raw.dtype)

    def prior(self, labels: torch.Tensor | None, batch: int) -> torch.Tensor:
        """Return (B, M, K); see `Code.prior`."""
        return self.log_prior.expand(batch, -1, -1) if labels is None else self.log_prior[labels]

    def train_draw(self, raw: torch.Tensor, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the nearest rows, straight-through, and the losses of the codebook; see `Code.train_draw`."""
        rows, losses = self.quantiser(self._split(raw))
        return rows.flatten(1), losses

    def vectors(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (B, M D); see `Code.vectors`."""
        return self.quantiser.vectors(codes).flatten(1)

    @torch.no_grad()
    def fit_prior(self, codes: torch.Tensor, labels: torch.Tensor) -> None:
        """Set the prior to the share of each code among (N, M) codes of sentences with (N,) labels, plus one each."""
        for label in range(len(self.log_prior)):
            own = codes[labels == label] if len(self.log_prior) > 1 else codes
            counts = one_hot(own, self.codes).sum(0).double() + 1  # (M, K)
            self.log_prior[label] = (counts / counts.sum(-1, keepdim=True)).log().to(self.log_prior.dtype)


def _prior_network(labels: int, dim: int, width: int) -> nn.Sequential | None:
    """Return a network from labels to parameters of priors, which are 0 at first; None without labels."""
    if not labels:
        return None
    last = nn.Linear(dim, width)
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(nn.Embedding(labels, dim), nn.Tanh(), last)
