"""Mentions and their antecedents: the task of end-to-end models, and the chains of a document."""

from collections.abc import Mapping, Sequence

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from firth.documents.document import Span
from firth.evaluation.coreference import score_coreference
from firth.neural.layers.state import State
from firth.neural.models.coreference.span_data import SpanInputs
from firth.neural.models.coreference.span_module import Candidates, Links, SpanModule, Spans
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput


class SpanTask:
    """A module with its documents; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: documents to train on.
        held_out: documents that select the model, in order.
        gold: chains of each document of `held_out`.
        mention_weight: of the loss of mentions.
        singletons: whether chains of one mention are kept.

    Attributes:
        module: as given.
        batches: as given.
        unit: "spans".
        eval_predictions: gold mentions of `held_out`.
    """

    def __init__(
        self,
        module: SpanModule,
        batches: Batches,
        held_out: Batches,
        gold: Sequence[Sequence[Sequence[Span]]],
        *,
        mention_weight: float,
        singletons: bool,
    ) -> None:
        self.module: torch.nn.Module = module
        self.batches, self.unit = batches, "spans"
        self._held_out, self._gold = held_out, gold
        self._weight, self._singletons = mention_weight, singletons
        self.eval_predictions = sum(len(chain) for chains in gold for chain in chains)

    def step(self, batch: SpanInputs, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the loss of a document per span that was kept; see `Task.step`."""
        spans, kept, links = self.module(batch)
        linking = antecedent_loss(links, batch.chains[kept.starts, kept.widths])
        mentions = mention_loss(spans, batch)
        count = len(kept.starts)
        return StepOutput((linking + self._weight * mentions) / count, linking.detach().sum(dtype=torch.float64), count)

    def evaluate(self) -> Mapping[str, float]:
        """Return what the mean F1 of MUC, B-cubed and CEAF-e, and the F1 of mentions, lack to 1."""
        device = next(self.module.parameters()).device
        found = []
        for batch in self._held_out.epoch(0):
            _, kept, links = self.module(batch.to(device))
            spans = spans_of(kept)
            chains = decode(kept, links, singletons=self._singletons)
            found.append([[spans[number] for number in chain] for chain in chains])
        scores = score_coreference(self._gold, found)
        return {"error": 1 - scores.conll, "mention_error": 1 - scores.mentions.f1}


def antecedent_loss(links: Links, chains: torch.Tensor) -> torch.Tensor:
    """Return the marginal likelihood of gold antecedents: minus its logarithm, summed over the kept spans.

    Args:
        links: antecedents of K spans.
        chains: (K,) number of each span's gold chain; -1 for no mention.
    """
    same = (chains.unsqueeze(1) == chains[links.antecedents]) & (chains >= 0).unsqueeze(1)
    same &= links.scores > -torch.inf
    scores, gold = with_dummy(links.scores), torch.cat([~same.any(1, keepdim=True), same], 1)
    return (scores.logsumexp(1) - scores.masked_fill(~gold, -torch.inf).logsumexp(1)).sum()


def with_dummy(scores: torch.Tensor) -> torch.Tensor:
    """Return (K, 1 + A) scores of antecedents with that of the dummy, 0, before them."""
    return torch.cat([scores.new_zeros(len(scores), 1), scores], 1)


def mention_loss(spans: Spans, inputs: SpanInputs) -> torch.Tensor:
    """Return the cross entropy of all valid spans, mention or not, summed."""
    scores = spans.scores[inputs.valid]
    target = (inputs.chains[inputs.valid] >= 0).to(scores.dtype)
    return binary_cross_entropy_with_logits(scores, target, reduction="sum")


def decode(candidates: Candidates, links: Links, *, singletons: bool, every: bool = False) -> list[list[int]]:
    """Return the chains of a document, of numbers of spans.

    A span is a mention if its score is above 0, a probability of a half. Each mention is linked with its best
    antecedent among the mentions before it, unless the dummy, whose score is 0, is better.

    Args:
        candidates: K spans.
        links: their antecedents.
        singletons: whether chains of one mention are kept.
        every: whether every span is a mention.
    """
    mention = torch.ones_like(candidates.starts, dtype=torch.bool) if every else candidates.scores > 0
    scores = with_dummy(links.scores.masked_fill(~mention[links.antecedents], -torch.inf))
    best = scores.argmax(1)  # 0: the dummy
    linked = links.antecedents.gather(1, (best - 1).clamp(min=0).unsqueeze(1)).squeeze(1)
    antecedents = torch.where(best > 0, linked, -1).tolist()
    chains: list[list[int]] = []
    chain_of: dict[int, list[int]] = {}
    for number in torch.nonzero(mention).flatten().tolist():
        if antecedents[number] < 0:
            chains.append([])
            chain_of[number] = chains[-1]
        else:
            chain_of[number] = chain_of[antecedents[number]]
        chain_of[number].append(number)
    return [chain for chain in chains if singletons or len(chain) > 1]


def spans_of(candidates: Candidates) -> list[Span]:
    """Return spans as first token and token after the last."""
    return [
        (start, start + width + 1)
        for start, width in zip(candidates.starts.tolist(), candidates.widths.tolist(), strict=True)
    ]
