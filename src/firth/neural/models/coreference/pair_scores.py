"""Scores of pairs of mentions as a table with a row per mention, and which of them are right."""

from dataclasses import dataclass

import torch

from firth.neural.models.coreference.pair_data import PairInputs

NONE = -1e9  # score of what is no candidate


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of a document with M mentions and P pairs.

    Attributes:
        pairs: (P,) that the pair corefers.
        new: (M,) that a mention has no antecedent.
        hidden: (P, H) what the score of a pair is computed from.
    """

    pairs: torch.Tensor
    new: torch.Tensor
    hidden: torch.Tensor


def score_table(inputs: PairInputs, scores: PairScores) -> torch.Tensor:
    """Return (M, K + 1) scores of each mention's antecedents: column 0 for none, -1e9 where there is no candidate."""
    width = int(inputs.columns.max()) if len(inputs.columns) else 0
    table = scores.pairs.new_full((len(scores.new), width + 1), NONE)
    table = table.index_put((inputs.anaphors, inputs.columns), scores.pairs)
    return torch.cat([scores.new[:, None], table[:, 1:]], dim=1)


def gold_table(inputs: PairInputs, chains: torch.Tensor, width: int) -> torch.Tensor:
    """Return (M, K + 1) which of a mention's antecedents are right: those of its chain, or none if it has none."""
    table = torch.zeros((len(chains), width), dtype=torch.bool, device=chains.device)
    table[inputs.anaphors, inputs.columns] = chains[inputs.anaphors] == chains[inputs.antecedents]
    table[:, 0] = ~table.any(1)
    return table
