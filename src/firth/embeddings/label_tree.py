"""The tree over labels that hierarchical softmax walks: Huffman's, with ties broken as fastText breaks them.

A fastText file holds no tree: whoever reads it builds the tree anew from the labels' counts. Labels stand in the order
of their counts, the commonest first. The rarest are joined first; of equal counts an inner node goes before a label and
the later label before the earlier. The second of the two that are joined is reached by the positive turn, which
fastText takes to the right and `firth.kernels.trees` to the left.
"""

import numpy as np
import numpy.typing as npt

ENDLESS = 10**15  # fastText's count of a node that is not made yet


def label_children(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the tree as `firth.kernels.trees` has it: (L - 1, 2) the left and right child of each inner node.

    Source: Huffman 1952, "A method for the construction of minimum-redundancy codes".

    Args:
        counts: (L,) of the labels, which never rise; each is from 0 to below `ENDLESS`.
    """
    labels = len(counts)
    weights = [*counts.tolist(), *[ENDLESS] * (labels - 1)]
    children = np.zeros((max(labels - 1, 0), 2), dtype=np.int64)
    leaf, node = labels - 1, labels
    for made in range(labels - 1):
        joined = []
        for _ in range(2):
            if leaf >= 0 and weights[leaf] < weights[node]:
                joined.append(leaf)
                leaf -= 1
            else:
                joined.append(node)
                node += 1
        weights[labels + made] = weights[joined[0]] + weights[joined[1]]
        children[made] = joined[1], joined[0]
    return children
