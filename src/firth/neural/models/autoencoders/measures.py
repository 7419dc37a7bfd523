"""What a sentence autoencoder knows: bounds on the likelihood, and how much of a sentence is in its code.

What
    The evidence lower bound, the importance-weighted bound with k samples, the divergence, the mutual information of
    codes and sentences, active units, and how evenly discrete codes are used.
Objective
    ELBO = E_q log p(x | z) - KL(q(z | x) | p(z));   IW_k = log 1/k sum_i p(x | z_i) p(z_i) / q(z_i | x),  z_i ~ q
    I = E_x KL(q(z | x) | p(z)) - KL(q(z) | p(z)) = E_x E_q(z|x) [log q(z | x) - log q(z)],
    q(z) = 1/N sum_n q(z | x_n)
    active: dimensions whose posterior means have a variance above .01, and slots with more than .01 nats of
    information H(1/N sum_n q(c | x_n)) - 1/N sum_n H(q(c | x_n)); code perplexity: exp of the entropy of the most
    probable codes, per slot; perplexity exp(-sum of the bound / words)
Source
    Kingma and Welling 2014, equation 3; Burda, Grosse and Salakhutdinov 2016, equation 8 and section 4 (active units);
    Hoffman and Johnson 2016, section 2, as estimated by He et al. 2019, section 3.1.
Departures
    The mutual information is that of the sentences evaluated, at most `MOST` of them, and not of each batch: it cannot
    exceed the logarithm of their number. The importance-weighted bound with one sample is an estimate of the ELBO. With
    labels, q(z) is the mean over all sentences, whatever their labels.
Cost
    k decodings of each sentence; N^2 D operations for the mutual information.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import one_hot

from firth.errors import brief_repr
from firth.neural.models.autoencoders.data import Sentences
from firth.neural.models.autoencoders.module import SentenceAutoencoder
from firth.neural.training.batching import Buckets
from firth.progress import Report, Status
from firth.randomness import torch_seed

MOST = 2000  # sentences of which the mutual information is estimated
ACTIVE = 0.01  # variance of the posterior means of an active unit; nats of information of an active slot
COLLAPSED = 0.5  # nats of KL below which a code says next to nothing
ROWS = 256  # sentences that are decoded at once
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CodeUse:
    """A category of a slot among sentences.

    Attributes:
        slot: from 0.
        code: from 0.
        count: sentences with this category.
        words: that mark it, best first.
        sentences: the first ones with it.
    """

    slot: int
    code: int
    count: int
    words: tuple[str, ...]
    sentences: tuple[str, ...]

    __repr__ = brief_repr

    def __str__(self) -> str:
        return f"slot {self.slot}, code {self.code}: {self.count:,} sentences; {', '.join(self.words)}"


def code_uses(
    codes: npt.NDArray[np.int64], words: Sequence[Sequence[str]], texts: Sequence[str], size: int, top: int
) -> list[CodeUse]:
    """Return the use of each category, also of those without sentences.

    Args:
        codes: (N, M).
        size: K.
    """
    everywhere = Counter(word for sentence in words for word in sentence)
    return [
        _use(slot, code, np.flatnonzero(codes[:, slot] == code).tolist(), everywhere, words, texts, top)
        for slot in range(codes.shape[1])
        for code in range(size)
    ]


def _use(
    slot: int,
    code: int,
    rows: Sequence[int],
    everywhere: Counter[str],
    words: Sequence[Sequence[str]],
    texts: Sequence[str],
    top: int,
) -> CodeUse:
    here = Counter(word for row in rows for word in words[row])
    total, all_words = here.total(), everywhere.total()
    weight = {word: n * math.log(n / total * all_words / everywhere[word]) for word, n in here.items()}
    best = sorted((word for word in weight if weight[word] > 0), key=lambda word: (-weight[word], word))[:top]
    return CodeUse(slot, code, len(rows), tuple(best), tuple(texts[row] for row in rows[:top]))


@dataclass(frozen=True)
class AutoencoderScores:
    """How well a sentence autoencoder knows sentences, and how much of them its codes hold; in nats per sentence.

    Attributes:
        elbo: evidence lower bound on the log-likelihood, with the whole divergence.
        low: lower bound of its 95 % interval, over sentences.
        high: upper bound.
        importance_weighted: tighter bound with `samples` samples of each code; None if it was not computed.
        samples: of the importance-weighted bound.
        kl: divergence of posteriors from priors.
        kl_by_unit: that of each dimension or slot.
        reconstruction: log-likelihood of sentences given their codes.
        mutual_information: of codes and sentences.
        active_units: dimensions, or slots, that tell sentences apart.
        code_perplexity: effective number of most probable codes, of each slot; none for normal codes.
        perplexity: per word and end of sentence, from the tighter bound.
        words: number of words and ends.
        sentences: number of sentences.
    """

    elbo: float
    low: float
    high: float
    importance_weighted: float | None
    samples: int
    kl: float
    kl_by_unit: tuple[float, ...]
    reconstruction: float
    mutual_information: float
    active_units: int
    code_perplexity: tuple[float, ...]
    perplexity: float
    words: int
    sentences: int

    __repr__ = brief_repr

    @property
    def collapsed(self) -> bool:
        """Whether the codes say next to nothing: a divergence below half a nat, or no active unit."""
        return self.kl < COLLAPSED or not self.active_units

    def __str__(self) -> str:
        bound = self.importance_weighted
        tighter = "" if bound is None else f"importance-weighted {bound:.2f} ({self.samples} samples), "
        codes = "" if not self.code_perplexity else f", code perplexity {_listed(self.code_perplexity)}"
        return (
            f"ELBO {self.elbo:.2f} nats per sentence ({self.low:.2f} to {self.high:.2f}), {tighter}perplexity "
            f"{self.perplexity:.2f}, KL {self.kl:.2f}, mutual information {self.mutual_information:.2f}, "
            f"{self.active_units} active units{codes}; {self.sentences:,} sentences"
        )


def _listed(numbers: Sequence[float]) -> str:
    return " ".join(f"{number:.1f}" for number in numbers)


@torch.no_grad()
def measure(
    module: SentenceAutoencoder, batches: Buckets[Any], *, samples: int = 0, seed: int = 0, report: Report | None = None
) -> AutoencoderScores:
    """Return the scores of sentences; the module is in evaluation mode."""
    device = next(module.parameters()).device
    generator = torch.Generator(device).manual_seed(torch_seed(seed, "codes of a test"))
    parts: list[tuple[torch.Tensor, ...]] = []
    for batch in batches.epoch(0):
        parts.append(_of_batch(module, batch.to(device), max(samples, 1), generator))
        if report is not None:
            done = sum(len(part[1]) for part in parts)
            report(Status(stage="scoring", done=done, total=len(batches.items), unit="sentences"))
    posterior, kl, weights, log_likelihood = (torch.cat(part) for part in zip(*parts, strict=True))
    words = int((batches.lengths - 1).sum())
    elbo = log_likelihood.mean(1) - kl.sum(1)
    tight = torch.logsumexp(weights, 1) - math.log(weights.shape[1])
    bound = tight if samples else elbo
    spread = 1.96 * float(elbo.std(correction=0)) / math.sqrt(len(elbo))
    mean = float(elbo.mean())
    return AutoencoderScores(
        elbo=mean,
        low=mean - spread,
        high=mean + spread,
        importance_weighted=float(tight.mean()) if samples else None,
        samples=samples,
        kl=float(kl.sum(1).mean()),
        kl_by_unit=tuple(kl.mean(0).tolist()),
        reconstruction=float(log_likelihood.mean()),
        mutual_information=mutual_information(module, posterior, generator),
        active_units=active_units(module, posterior),
        code_perplexity=code_perplexity(module, posterior),
        perplexity=math.exp(min(-float(bound.sum()) / words, 700.0)),
        words=words,
        sentences=len(elbo),
    )


def _of_batch(
    module: SentenceAutoencoder, batch: Sentences, samples: int, generator: torch.Generator
) -> tuple[torch.Tensor, ...]:
    """Return posteriors, (B, G) divergences, and the (B, k) logarithms of weights and of likelihoods given codes."""
    code = module.code
    posterior = code.distribution(module.encoder(batch))
    prior = code.prior(batch.labels, len(posterior))
    kl = code.kl(posterior, prior).double()
    weights, likelihoods = [], []
    step = max(1, ROWS // len(posterior))
    for first in range(0, samples, step):
        times = min(step, samples - first)
        many, own, before = (
            batch.repeated(times),
            *(table.repeat_interleave(times, 0) for table in (posterior, prior)),
        )
        codes = code.draw(own, generator)
        log_likelihood = -module.reconstruction(many, module.condition(code.vectors(codes), many.labels))
        ratio = code.log_prob(codes, before).double() - code.log_prob(codes, own).double()
        weights.append((log_likelihood + ratio).view(-1, times))
        likelihoods.append(log_likelihood.view(-1, times))
    return posterior, kl, torch.cat(weights, 1), torch.cat(likelihoods, 1)


@torch.no_grad()
def mutual_information(
    module: SentenceAutoencoder, posterior: torch.Tensor, generator: torch.Generator | None = None
) -> float:
    """Return the mutual information of codes and sentences in nats, from one code of each sentence."""
    code = module.code
    rows = posterior[:: max(1, -(-len(posterior) // MOST))].double()
    codes = code.draw(rows, generator)
    own = code.log_prob(codes, rows)
    total = torch.cat([torch.logsumexp(code.log_prob(part[:, None], rows[None]), 1) for part in torch.split(codes, 64)])
    return max(float((own - total).mean()) + math.log(len(rows)), 0.0)


def active_units(module: SentenceAutoencoder, posterior: torch.Tensor) -> int:
    """Return the number of dimensions, or slots, that tell sentences apart."""
    rows = posterior.double()
    if module.code.discrete:
        information = _entropy(rows.exp().mean(0)) - _entropy(rows.exp()).mean(0)  # (M,)
        return int((information > ACTIVE).sum())
    return int((module.code.best(rows).var(0, correction=0) > ACTIVE).sum())


def code_perplexity(module: SentenceAutoencoder, posterior: torch.Tensor) -> tuple[float, ...]:
    """Return the effective number of codes in use of each slot; nothing for normal codes."""
    if not module.code.discrete:
        return ()
    share = one_hot(module.code.best(posterior), posterior.shape[-1]).double().mean(0)  # (M, K)
    return tuple(_entropy(share).exp().tolist())


def _entropy(probabilities: torch.Tensor) -> torch.Tensor:
    return -torch.xlogy(probabilities, probabilities).sum(-1)
