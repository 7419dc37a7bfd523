"""The best dependency tree of each sentence of a batch."""

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import ShapeError
from firth.kernels.spanning_trees import best_tree
from firth.neural.structs.projective_trees import check_arcs, projective_total
from firth.neural.structs.semirings import MAX


def best_trees(arcs: torch.Tensor, lengths: torch.Tensor, *, projective: bool = False) -> list[npt.NDArray[np.int64]]:
    """Return the heads of the words of each sentence in its best tree with one word below the root; 0 is the root.

    Args:
        arcs: (B, n + 1, n + 1) scores of arcs from head to dependent; 0 is the root. -inf: not possible.
        lengths: (B,) words of each sentence, from 1 to n.
        projective: whether arcs may not cross (Eisner's algorithm in place of Chu-Liu/Edmonds).

    Raises:
        ShapeError: see `projective_trees.check_arcs`; there is no tree of possible arcs.

    Source:
        `kernels.spanning_trees`; `structs.projective_trees`.
    """
    check_arcs(arcs, lengths)
    scores = arcs.detach().double()
    if projective:
        with torch.enable_grad():
            leaf = scores.requires_grad_()
            total = projective_total(leaf, lengths, MAX)
            chosen = torch.autograd.grad(total.sum(), leaf)[0].argmax(1).cpu().numpy()
        possible = (total.detach() > -torch.inf).tolist()
        found = [row[1 : n + 1] for row, n in zip(chosen, lengths.tolist(), strict=True)]
    else:
        found, possible = [], []
        for row, n in zip(scores.cpu().numpy(), lengths.tolist(), strict=True):
            heads = np.empty(n + 1, np.int64)
            possible.append(best_tree(np.array(row[: n + 1, : n + 1], order="C"), heads))
            found.append(heads[1:])
    if not all(possible):
        raise ShapeError(f"sentence {possible.index(False)}: no tree of possible arcs with one word below the root")
    return found
