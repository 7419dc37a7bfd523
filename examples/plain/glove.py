"""GloVe in one file: word vectors whose dot products are the logarithms of co-occurrence counts.

    python examples/plain/glove.py [TEXT]

Without TEXT (or with "-") it reads firth's own pages. X_ij says how often word j stands near word i, a neighbour at
distance d counting 1/d. How often two words meet is a product of how frequent each is and how well they go together,
and the logarithm makes a sum of a product: a bias for each word, and the dot product of two vectors. We descend

    J = sum_ij J_ij,   J_ij = 1/2 f(X_ij) (v_i . u_j + b_i + c_j - log X_ij)^2,   f(x) = min(1, (x / x_max)^(3/4))

over the pairs with X_ij > 0. The weight f keeps pairs that met once or twice, which say little, from deciding. The
derivatives, with the weighted error e = f(X_ij) (v_i . u_j + b_i + c_j - log X_ij):

    dJ_ij/dv_i = e u_j,     dJ_ij/du_j = e v_i,     dJ_ij/db_i = dJ_ij/dc_j = e

Each cell (i, j) takes a step of its own with AdaGrad (Duchi, Hazan and Singer 2011), which divides by the root of the
squares of earlier steps: rows that were updated often move less. The cells of a diagonal, those with the same (j - i)
mod V, share neither a row nor a column, so NumPy can step all of them at once. The result is v + u, for X is symmetric,
and v and u differ by their random start only.

Source: Pennington, Socher and Manning 2014, "GloVe: Global vectors for word representation", equations 8 and 9, section
4.2. As in their program, sums of squares begin at 1, and biases have a rate of 1. `firth.GloVe` is the fast one.
"""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Cells = tuple[Ints, Ints, Floats]  # i, j and X_ij of n pairs of words, (n,) each


def cooccurrences(sentences: Sequence[Sequence[int]], window: int) -> Cells:
    """Return the cells of X that are not 0; the weight of a pair at distance d is 1/d."""
    x: dict[tuple[int, int], float] = defaultdict(float)
    for ids in sentences:
        for t, word in enumerate(ids):
            for d in range(1, min(window, t) + 1):
                x[word, ids[t - d]] += 1 / d
                x[ids[t - d], word] += 1 / d  # the same pair, seen from the other word
    i, j = np.array(list(x)).T
    return i, j, np.array(list(x.values()))


def diagonals(cells: Cells, size: int) -> list[Cells]:
    """Return the cells in groups with the same (j - i) mod V."""
    i, j, x = cells
    shift = (j - i) % size
    order = np.argsort(shift, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(shift[order])) + 1)
    return [(i[group], j[group], x[group]) for group in groups]


class Side(NamedTuple):
    """The vectors and biases of words, or of contexts, with AdaGrad's sums of squared steps."""

    vectors: Floats  # (V, D)
    biases: Floats  # (V,)
    vector_squares: Floats  # (V, D)
    bias_squares: Floats  # (V,)


def new_side(size: int, dim: int, rng: np.random.Generator) -> Side:
    """Return small random vectors and biases."""
    numbers = (rng.random((size, dim + 1)) - 0.5) / dim
    return Side(numbers[:, :dim], numbers[:, dim], np.ones((size, dim)), np.ones(size))


def gradients(v: Floats, u: Floats, biases: Floats, x: Floats, x_max: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the costs of n cells, (n,), and their derivatives by v_i and u_j, (n, D), and by either bias, (n,)."""
    weight = np.minimum(1, (x / x_max) ** 0.75)
    difference = (v * u).sum(1) + biases - np.log(x)  # (n,)
    error = weight * difference
    return 0.5 * error * difference, error[:, None] * u, error[:, None] * v, error


def adagrad(numbers: Floats, squares: Floats, rows: Ints, step: Floats) -> None:
    """Take a step down in some rows, shortened by what was stepped there before, in place."""
    numbers[rows] -= step / np.sqrt(squares[rows])
    squares[rows] += step**2


def train_diagonal(words: Side, contexts: Side, cells: Cells, lr: float, x_max: float) -> float:
    """Take a step for each cell of a diagonal, in place, and return the sum of their costs before the step."""
    i, j, x = cells
    biases = words.biases[i] + contexts.biases[j]
    cost, dv, du, db = gradients(words.vectors[i], contexts.vectors[j], biases, x, x_max)
    adagrad(words.vectors, words.vector_squares, i, lr * dv)
    adagrad(contexts.vectors, contexts.vector_squares, j, lr * du)
    adagrad(words.biases, words.bias_squares, i, db)
    adagrad(contexts.biases, contexts.bias_squares, j, db)
    return float(cost.sum())


def train(cells: Cells, size: int, dim: int = 50, epochs: int = 20, x_max: float = 10.0) -> Floats:
    """Return the (V, D) sums of both vectors of each word."""
    rng = np.random.default_rng(0)
    words, contexts = new_side(size, dim, rng), new_side(size, dim, rng)
    groups = diagonals(cells, size)
    for epoch in range(epochs):
        order = rng.permutation(len(groups))  # another one each time, so that no pair always comes last
        cost = sum(train_diagonal(words, contexts, groups[number], 0.05, x_max) for number in order)
        print(f"epoch {epoch + 1}: cost {cost / len(cells[0]):.4f} a cell")
    return words.vectors + contexts.vectors


def neighbours(vectors: Floats, word: int, count: int = 6) -> list[int]:
    """Return the words whose vectors have the largest cosines with that of a word."""
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return list(np.argsort(-directions @ directions[word])[1 : count + 1])  # the first is the word itself


def main(arguments: Sequence[str] | None = None) -> None:
    """Train on a text, a sentence a line, and print the neighbours of frequent words."""
    name = [*(sys.argv[1:] if arguments is None else arguments), "-"][0]
    root = Path(__file__).resolve().parents[2]
    paths = [root / "README.md", *sorted(root.glob("docs/tasks/*.md"))] if name == "-" else [Path(name)]
    if not all(path.is_file() and path.stat().st_size for path in paths):
        sys.exit(f"{name}: missing or empty; expected a text in UTF-8")
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").lower().splitlines()]
    sentences = [re.findall(r"[^\W\d_]+", line) for line in lines]
    counts = Counter(word for sentence in sentences for word in sentence)
    words = [word for word, count in counts.most_common() if count >= 5]
    ids = {word: number for number, word in enumerate(words)}
    cells = cooccurrences([[ids[word] for word in sentence if word in ids] for sentence in sentences], window=10)
    print(f"{len(words):,} words, {len(cells[0]):,} pairs that meet")
    vectors = train(cells, len(words))
    for word in words[20:200:15]:
        print(f"{word:>12}: {', '.join(words[row] for row in neighbours(vectors, ids[word]))}")


if __name__ == "__main__":
    main()
