"""Scores of tags to sequences: a CRF, or each tag by itself.

What
    A head gives each word scores of K tags, and a batch its loss. A conditional random field also scores neighbouring
    tags and forbids those that mark no spans; softmax decides each tag by itself.
Objective
    crf      log Z - score(y), with transitions A, b and z as in `firth.neural.structs.chains`
    softmax  -sum_t log softmax(s_t)[y_t]
Source
    Lafferty, McCallum and Pereira 2001; Lample et al. 2016, section 2.2.
Departures
    Forbidden transitions have a score of minus infinity also in training, so that log Z sums over tags of spans only.
    Softmax decides between tags as they are shown: those that are shown alike, such as B and S of BIOES, are summed.
Cost
    K^2 per word for the CRF, K for softmax.
"""

import abc

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from firth.neural.models.tags.tag_set import TagSet
from firth.neural.structs.chains import Chain, chain_score, log_partition


class TagHead(nn.Module, abc.ABC):
    """Scores of K tags from vectors of words.

    Args:
        width: W, of the vectors.
        tags: K tags.
    """

    def __init__(self, width: int, tags: TagSet) -> None:
        super().__init__()
        self.linear = nn.Linear(width, len(tags))

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        """Return (B, T, K) scores of (B, T, W) vectors, in single precision or double."""
        scores: torch.Tensor = self.linear(h)
        return scores.to(torch.promote_types(scores.dtype, torch.float32))

    @abc.abstractmethod
    def chain(self, scores: torch.Tensor, lengths: torch.Tensor) -> Chain:
        """Return the scores of all tag sequences: (B, T, K) scores of words of (B,) sentences, and of neighbours."""

    @abc.abstractmethod
    def sequences(self, scores: torch.Tensor, lengths: torch.Tensor, tags: TagSet) -> tuple[Chain, TagSet]:
        """Return what the best sequences are searched in, with the tags that it numbers; no two sequences show alike.

        Args:
            scores: (B, T, K) of words.
            lengths: (B,) words of the sentences.
            tags: K tags.
        """

    @abc.abstractmethod
    def loss(self, scores: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B,) losses of sentences with (B, T) tags, in nats."""


class CrfHead(TagHead):
    """Scores of tags and of neighbouring tags; for the arguments see `TagHead`."""

    def __init__(self, width: int, tags: TagSet) -> None:
        super().__init__(width, tags)
        K = len(tags)
        self.transitions, self.first, self.last = (
            nn.Parameter(torch.empty(shape).uniform_(-0.1, 0.1)) for shape in ((K, K), (K,), (K,))
        )
        for name, allowed in zip(("pairs", "begins", "ends"), tags.allowed, strict=True):
            self.register_buffer(f"forbidden_{name}", torch.from_numpy(~allowed), persistent=False)

    def chain(self, scores: torch.Tensor, lengths: torch.Tensor) -> Chain:
        """Return the scores of all tag sequences; see `TagHead.chain`."""
        transitions, first, last = (
            part.masked_fill(self.get_buffer(f"forbidden_{name}"), -torch.inf)
            for name, part in (("pairs", self.transitions), ("begins", self.first), ("ends", self.last))
        )
        return Chain(scores, transitions, first, last, lengths.to(scores.device))

    def sequences(self, scores: torch.Tensor, lengths: torch.Tensor, tags: TagSet) -> tuple[Chain, TagSet]:
        """Return the chain: sequences of BIOES that mark spans never show alike; see `TagHead.sequences`."""
        return self.chain(scores, lengths), tags

    def loss(self, scores: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return -log p of the tags; see `TagHead.loss`."""
        chain = self.chain(scores, lengths)
        return log_partition(chain) - chain_score(chain, tags)


class SoftmaxHead(TagHead):
    """Scores of each tag by itself; for `width` and `tags` see `TagHead`.

    Args:
        width: of the vectors.
        tags: of the head.
        probabilities: whether scores are logarithms of probabilities, which can be summed; False of a margin.
    """

    def __init__(self, width: int, tags: TagSet, *, probabilities: bool = True) -> None:
        super().__init__(width, tags)
        self.probabilities = probabilities

    def chain(self, scores: torch.Tensor, lengths: torch.Tensor) -> Chain:
        """Return the scores, with zeros for neighbours; see `TagHead.chain`."""
        K = scores.shape[2]
        edge = scores.new_zeros(K)
        return Chain(scores, scores.new_zeros(K, K), edge, edge, lengths.to(scores.device))

    def sequences(self, scores: torch.Tensor, lengths: torch.Tensor, tags: TagSet) -> tuple[Chain, TagSet]:
        """Return the scores of tags as they are shown, each the sum or the largest; see `TagHead.sequences`."""
        if len(tags.shown) < len(tags):
            join = torch.logsumexp if self.probabilities else torch.amax
            scores = torch.stack([join(scores[..., numbers], 2) for numbers in tags.members], 2)
        return self.chain(scores, lengths), tags.as_shown

    def loss(self, scores: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the cross entropy of each sentence; see `TagHead.loss`."""
        inside = inside_of(scores, lengths)
        losses = cross_entropy(scores.flatten(0, 1), tags.clamp(min=0).flatten(), reduction="none")
        return (losses.view(tags.shape) * inside).sum(1)


def inside_of(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return (B, T), True at words and False at padding, for (B, T, ...) x and (B,) lengths."""
    return torch.arange(x.shape[1], device=x.device) < lengths.to(x.device).unsqueeze(1)
