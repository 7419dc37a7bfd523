"""The best tag sequences of a batch (Viterbi).

Source: Rabiner 1989, "A tutorial on hidden Markov models", equations 32 to 35. Cost: T K^2 sums and comparisons a text.
"""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled


@compiled
def best_paths(
    tags: npt.NDArray[np.float64],  # (B, T, K) scores of tags
    transitions: npt.NDArray[np.float64],  # (K, K) of tag j after tag i
    first: npt.NDArray[np.float64],  # (K,)
    last: npt.NDArray[np.float64],  # (K,)
    lengths: npt.NDArray[np.int64],  # (B,) tokens of each text
    paths: npt.NDArray[np.int64],  # (B, T) written: the best tag of each token; of equal ones the first
) -> None:
    """Fill in the best tags of each text, up to its length."""
    _, T, K = tags.shape
    alpha, best = np.empty(K), np.empty(K)
    origin = np.empty((T, K), np.int64)
    for text in range(len(tags)):
        for j in range(K):
            alpha[j] = first[j] + tags[text, 0, j]
        # alpha_t(j) = max_i [alpha_t-1(i) + transitions(i, j)] + tags(t, j); i outside, so that j runs along rows
        for t in range(1, lengths[text]):
            for j in range(K):
                best[j] = alpha[0] + transitions[0, j]
                origin[t, j] = 0
            for i in range(1, K):
                for j in range(K):
                    score = alpha[i] + transitions[i, j]
                    better = score > best[j]
                    best[j] = score if better else best[j]
                    origin[t, j] = i if better else origin[t, j]
            for j in range(K):
                alpha[j] = best[j] + tags[text, t, j]
        # Backwards from the best last tag: path(t - 1) = origin(t, path(t)).
        tag = 0
        for j in range(1, K):
            if alpha[j] + last[j] > alpha[tag] + last[tag]:
                tag = j
        for t in range(lengths[text] - 1, -1, -1):
            paths[text, t] = tag
            tag = origin[t, tag] if t else tag
