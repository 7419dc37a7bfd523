"""The best dependency tree of each sentence of a batch."""

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import ShapeError
from firth.kernels.projective_trees import best_projective_tree
from firth.kernels.spanning_trees import best_tree
from firth.neural.structs.projective_trees import check_arcs


def best_trees(arcs: torch.Tensor, lengths: torch.Tensor, *, projective: bool = False) -> list[npt.NDArray[np.int64]]:
    """Return the heads of the words of each sentence in its best tree with one word below the root; 0 is the root.

    Args:
        arcs: (B, n + 1, n + 1) scores of arcs from head to dependent; 0 is the root. -inf: not possible.
        lengths: (B,) words of each sentence, from 1 to n.
        projective: whether arcs may not cross (Eisner's algorithm in place of Chu-Liu/Edmonds).

    Source:
        `kernels.spanning_trees`; `kernels.projective_trees`.
    """
    check_arcs(arcs, lengths)
    search, trees = best_projective_tree if projective else best_tree, []
    scores = arcs.detach().double().cpu().numpy()
    for number, (row, n) in enumerate(zip(scores, lengths.tolist(), strict=True)):
        heads = np.empty(n + 1, np.int64)
        if not search(np.array(row[: n + 1, : n + 1], order="C"), heads):
            raise ShapeError(f"sentence {number}: no tree of possible arcs with one word below the root")
        trees.append(heads[1:])
    return trees
