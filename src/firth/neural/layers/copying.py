"""Copying: a decoder writes a word of its vocabulary, or a word of the source that it attends to.

What
    A gate between an output layer and the attention. The words of a source that are not in the vocabulary have ids of
    their own after it, so that a decoder can write words that it has never seen.
Objective
    P(w) = g P_vocab(w) + (1 - g) sum_{s: x_s = w} alpha_s,   g = sigma(v . [a_t; y_t-1] + b)
    coverage loss of a step: sum_s min(alpha_ts, c_ts),   c_ts = sum_{t' < t} alpha_t's
Source
    See, Liu and Manning 2017, sections 2.2 (equations 8 and 9) and 2.3 (equations 10 and 12).
Departures
    The gate reads the attentional state a_t = tanh(W [c_t; h_t]) in place of the context c_t and the state h_t.
Cost
    B T S additions in training, where only targets are scored; B (V + E) numbers per step of a search, for E words of
    sources outside the vocabulary.
"""

import torch
from torch import nn
from torch.nn.functional import logsigmoid

LEAST = 1e-30  # of a probability whose logarithm is taken


class CopyGate(nn.Module):
    """The gate between generating and copying.

    Args:
        width: H, of the attentional states.
        dim: D, of the embeddings of the words before.
    """

    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width + dim, 1)

    def forward(self, states: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        """Return the (...,) logit of generating, in float32 or more precise.

        Args:
            states: (..., H) attentional states.
            before: (..., D) embeddings of the words before.
        """
        logits: torch.Tensor = self.linear(torch.cat([states, before], -1)).squeeze(-1)
        return logits.to(torch.promote_types(logits.dtype, torch.float32))


def copied_log_prob_of(
    generated: torch.Tensor,
    gate: torch.Tensor,
    attention: torch.Tensor,
    sources: torch.Tensor,
    targets: torch.Tensor,
    words: int,
) -> torch.Tensor:
    """Return (N,) log P(target) of the mixture.

    Args:
        generated: (N,) log P_vocab of the targets; of those outside the vocabulary any finite number.
        gate: (N,) logits of generating.
        attention: (N, S) over the source.
        sources: (N, S) extended ids of the words of the source.
        targets: (N,) extended ids.
        words: V.
    """
    attention = attention.to(gate.dtype)
    copied = (attention * (sources == targets[:, None])).sum(1).clamp_min(LEAST).log()
    generated = generated.to(gate.dtype).masked_fill(targets >= words, -torch.inf)
    return torch.logaddexp(logsigmoid(gate) + generated, logsigmoid(-gate) + copied)


def copied_log_prob(
    generated: torch.Tensor,
    gate: torch.Tensor,
    attention: torch.Tensor,
    sources: torch.Tensor,
    extra: int,
    least: float = 0.0,
) -> torch.Tensor:
    """Return (N, V + E) log P of all words, -inf of those outside the vocabulary that a source does not have.

    Args:
        generated: (N, V) log P_vocab.
        gate: (N,) logits of generating.
        attention: (N, S) over the source, or a part of it that was selected.
        sources: (N, S) extended ids of the words of the source.
        extra: E.
        least: of a probability; above 0 in training, as the logarithm of 0 has no gradient.
    """
    share = gate.sigmoid()[:, None]
    P = torch.cat([generated.to(gate.dtype).exp() * share, share.new_zeros(len(share), extra)], 1)
    return P.scatter_add_(1, sources, attention.to(gate.dtype) * (1 - share)).clamp_min(least).log()


def selected_attention(attention: torch.Tensor, selected: torch.Tensor) -> torch.Tensor:
    """Return (N, S) attention over selected positions only; over all where that selects nothing that is attended to.

    Args:
        attention: (N, S).
        selected: (N, S) booleans; a row without False keeps its attention to the bit.

    Source:
        Gehrmann, Deng and Rush 2018, section 4.
    """
    kept = attention * selected
    total = kept.sum(1, keepdim=True)
    changed = (total > LEAST) & ~selected.all(1, keepdim=True)
    return torch.where(changed, kept / total.clamp_min(LEAST), attention)


def coverage_losses(attention: torch.Tensor) -> torch.Tensor:
    """Return the (B, T) coverage loss of each step: how much it attends to what was attended to before.

    Args:
        attention: (B, T, S).
    """
    attention = attention.to(torch.promote_types(attention.dtype, torch.float32))
    before = attention.cumsum(1) - attention
    return torch.minimum(attention, before).sum(2)
