"""The plain file of GloVe: its gradients, and the same counts and vectors as `firth.GloVe`."""

import numpy as np
import pytest

import firth
from examples.plain import glove
from firth.embeddings.glove import Tiles
from tests.examples.differences import check_gradients

SIZE, DIM, LR, X_MAX = 16, 6, 0.05, 5.0


def test_gradients():
    rng = np.random.default_rng(0)
    v, u, biases, x = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), rng.normal(size=3), np.array([1.0, 4, 20])
    _, *gradients = glove.gradients(v, u, biases, x, X_MAX)
    check_gradients(lambda: glove.gradients(v, u, biases, x, X_MAX)[0].sum(), [v, u, biases], gradients)


def test_a_diagonal_shares_no_row(corpus):
    groups = glove.diagonals(glove.cooccurrences(sentences_of(corpus), 3), SIZE)
    assert sum(len(i) for i, _, _ in groups) > SIZE
    assert all(len(set(i)) == len(set(j)) == len(i) for i, j, _ in groups)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    rng = np.random.default_rng(0)
    law = 1 / np.arange(1, SIZE + 1)
    sentences = [[f"w{i}" for i in rng.choice(SIZE, 15, p=law / law.sum())] for _ in range(20)]
    return firth.Corpus.build(sentences, min_count=1, cache=tmp_path_factory.mktemp("cache"))


def sentences_of(corpus):
    return [ids.tolist() for ids in np.split(corpus.ids, corpus.offsets[1:-1])]


def test_agrees_with_firth(corpus, tmp_path):
    """Counts to float32, 1e-6 of each; vectors to 1e-5, after some hundred float32 steps of a row rounded by 3e-8.

    With 16 words firth's tiles are single cells and its rounds the diagonals: the order of steps can be the same.
    """
    counts = firth.Cooccurrence(window=3).count(corpus, cache=tmp_path)
    cells = glove.cooccurrences(sentences_of(corpus), 3)
    dense = np.zeros((SIZE, SIZE))
    dense[cells[0], cells[1]] = cells[2]
    np.testing.assert_allclose(counts.to_scipy().toarray(), dense, rtol=1e-6)

    model = firth.GloVe(dim=DIM, x_max=X_MAX, epochs=3, lr=LR)
    tiles = Tiles.cut(counts, model, 7, 1)
    start = model.initial_matrices(counts, tiles, 7, None)
    x, y = (side[tiles.rows].astype(np.float64) for side in (start.inputs, start.outputs))
    sides = [
        glove.Side(rows[:, :DIM].copy(), rows[:, column].copy(), np.ones((SIZE, DIM)), np.ones(SIZE))
        for rows, column in ((x, DIM), (y, DIM + 1))
    ]
    groups = {int((j[0] - i[0]) % SIZE): (i, j, x) for i, j, x in glove.diagonals(cells, SIZE)}
    word_of = np.argsort(tiles.rows)
    losses = []
    for epoch in range(3):
        cost = 0.0
        for tile in tiles.rounds(7, epoch, 0):
            row, column = word_of[tile[0]]
            cost += glove.train_diagonal(*sides, groups[int((column - row) % SIZE)], LR, X_MAX)
        losses.append(cost / len(cells[0]))
    vectors = model.train(counts, seed=7, progress=False)
    assert np.abs(vectors.vectors - sides[0].vectors - sides[1].vectors).max() < 1e-5
    assert np.abs(vectors.attributes["bias"] - sides[0].biases).max() < 1e-5
    assert vectors.metadata["training"]["loss"] == pytest.approx(losses, rel=1e-5)
    assert losses[-1] < 0.5 * losses[0]


def test_learns_a_text(tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on the mat\nthe dog sat on the log\n" * 20)
    glove.main([str(text)])
    printed = capsys.readouterr().out
    costs = [float(line.split()[3]) for line in printed.splitlines() if line.startswith("epoch")]
    assert costs[-1] < costs[0] / 2
