"""Chains of mentions from the antecedent of each."""

from collections.abc import Sequence

import numpy as np
import torch

from firth.documents.document import Span
from firth.neural.models.coreference.pair_data import PairInputs
from firth.neural.models.coreference.pair_scores import PairScores, score_table


def antecedents(inputs: PairInputs, scores: PairScores, bias: float = 0.0) -> list[int]:
    """Return the best antecedent of each mention by its number, -1 for none.

    Args:
        inputs: the document.
        scores: its scores.
        bias: added to the scores of having no antecedent.
    """
    table = score_table(inputs, scores)
    table[:, 0] += bias
    columns = table.argmax(1).cpu().numpy()
    first = np.searchsorted(inputs.anaphors.cpu().numpy(), np.arange(len(columns)))
    earlier = np.append(inputs.antecedents.cpu().numpy(), -1)
    chosen = earlier[np.minimum(first + columns - 1, len(earlier) - 1)]
    return np.where(columns == 0, -1, chosen).tolist()  # type: ignore[no-any-return]  # tolist has no type


def chains_of(spans: Sequence[Span], earlier: Sequence[int]) -> list[list[Span]]:
    """Return chains of mentions that are linked to earlier ones.

    Args:
        spans: M mentions in the order of the text.
        earlier: the number of each mention's antecedent, which is smaller than its own; -1 for none.
    """
    chains: list[list[Span]] = []
    of: list[int] = []
    for span, antecedent in zip(spans, earlier, strict=True):
        of.append(of[antecedent] if antecedent >= 0 else len(chains))
        if antecedent < 0:
            chains.append([])
        chains[of[-1]].append(span)
    return chains


def spans_of(inputs: PairInputs) -> list[Span]:
    """Return the mentions of a document."""
    return [(start, end) for start, end in inputs.spans.tolist()]


def best_chains(inputs: PairInputs, scores: PairScores, bias: float) -> list[list[Span]]:
    """Return the chains of a document; the arguments are those of `antecedents`."""
    with torch.no_grad():
        return chains_of(spans_of(inputs), antecedents(inputs, scores, bias))
