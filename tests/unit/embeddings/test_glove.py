"""GloVe: its cost, its threads, and what goes on from where."""

import numpy as np
import pytest

import firth
from firth.embeddings.glove import Tiles
from firth.errors import DivergenceError, OptionError, ShapeError
from firth.kernels.least_squares import FIXED
from firth.kernels.tiles import count_cells

SMALL = {"dim": 12, "window": 4, "epochs": 4, "x_max": 10.0}


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIRTH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def test_words_of_one_topic_come_to_lie_together(built):
    random = np.random.default_rng(0)
    topics = [["ab"[(topic + (place % 4 == 3)) % 2] for place in range(12)] for topic in random.choice(2, 2000)]
    corpus = built([[f"{topic}{random.integers(20)}" for topic in row] for row in topics])
    vectors = firth.GloVe(**{**SMALL, "epochs": 30}).train(corpus)
    near = [word for word, _ in vectors.most_similar("a3", topn=15)]
    assert all(word.startswith("a") for word in near)


def test_threads_change_no_bit(zipf):
    made = [firth.GloVe(**SMALL).train(zipf, seed=5, threads=threads) for threads in (1, 2, 3)]
    for other in made[1:]:
        assert other.vectors.tobytes() == made[0].vectors.tobytes()
        assert other.output_vectors.tobytes() == made[0].output_vectors.tobytes()
        assert other.metadata["training"]["loss"] == made[0].metadata["training"]["loss"]
    assert firth.GloVe(**SMALL).train(zipf, seed=6).vectors.tobytes() != made[0].vectors.tobytes()


def test_cost_is_that_of_the_formula(zipf, monkeypatch):
    """Where nothing moves, the cost of an epoch is that of the vectors it began with."""
    begin = firth.GloVe.initial_matrices

    def still(*told):
        matrices = begin(*told)
        for squares in matrices.state.values():
            squares[:] = FIXED
        return matrices

    monkeypatch.setattr(firth.GloVe, "initial_matrices", still)
    counts = firth.Cooccurrence(window=4).count(zipf)
    made = firth.GloVe(**{**SMALL, "epochs": 1}).train(counts, seed=3)
    x = counts.to_scipy().toarray().astype(np.float64)
    v, u = made.vectors - made.output_vectors, made.output_vectors
    error = v @ u.T + made.attributes["bias"][:, None] + made.attributes["output_bias"] - np.log(np.where(x, x, 1))
    cost = (np.minimum(1, x / 10) ** 0.75 * error**2).sum() / 2 / (x > 0).sum()
    np.testing.assert_allclose(made.metadata["training"]["loss"], [cost], rtol=1e-5)


def test_a_first_step_in_numbers(built):
    """Two words that meet 9 times: vectors move by r f e times the other side's, biases by f e."""
    counts = firth.Cooccurrence(window=1).count(built([["one", "two"]] * 9))
    model = firth.GloVe(dim=3, x_max=20.0, epochs=1, lr=0.01)
    tiles = Tiles.cut(counts, model, 7, 1)
    begun = model.initial_matrices(counts, tiles, 7, None)
    v, u = (side[tiles.rows].astype(np.float64) for side in (begun.inputs, begun.outputs))
    made = model.train(counts, seed=7)
    for i, j in ((0, 1), (1, 0)):
        step = (9 / 20) ** 0.75 * (v[i, :3] @ u[j, :3] + v[i, 3] + u[j, 4] - np.log(9))
        np.testing.assert_allclose(made.attributes["bias"][i], v[i, 3] - step, atol=1e-5)
        np.testing.assert_allclose(made.attributes["output_bias"][j], u[j, 4] - step, atol=1e-5)
        np.testing.assert_allclose(made.output_vectors[j], u[j, :3] - 0.01 * step * v[i, :3], atol=1e-6)


def test_cost_falls_with_every_epoch(zipf):
    loss = firth.GloVe(**{**SMALL, "epochs": 8}).train(zipf).metadata["training"]["loss"]
    assert all(np.diff(loss) < 0)


def test_counts_may_come_ready_made(zipf):
    counts = firth.Cooccurrence(window=4).count(zipf)
    one, other = firth.GloVe(**SMALL).train(counts, seed=1), firth.GloVe(**SMALL).train(zipf, seed=1)
    assert one.vectors.tobytes() == other.vectors.tobytes()
    left = firth.GloVe(**SMALL).train(firth.Cooccurrence(window=4, sides="left").count(zipf), seed=1)
    assert left.metadata["training"]["options"]["counts"]["sides"] == "left"


def test_goes_on_from_its_own_vectors(zipf):
    first = firth.GloVe(**SMALL).train(zipf, seed=1)
    on = firth.GloVe(**{**SMALL, "epochs": 1}).train(zipf, seed=2, start=first)
    fresh = first.metadata["training"]["loss"]
    assert on.metadata["training"]["loss"][0] < fresh[1]
    with pytest.raises(ShapeError, match="start holds vectors of width 12, the options ask for dim=5"):
        firth.GloVe(dim=5).train(zipf, start=first)


def test_goes_on_from_a_checkpoint(zipf, tmp_path):
    def stop(status):
        if status.stage.startswith("training, epoch 3"):
            raise KeyboardInterrupt

    model = firth.GloVe(**SMALL)
    whole = model.train(zipf, seed=4)
    with pytest.warns(UserWarning, match="interrupted"):
        model.train(zipf, seed=4, checkpoint=tmp_path, progress=stop)
    on = model.train(zipf, seed=4, checkpoint=tmp_path, threads=1)
    assert on.vectors.tobytes() == whole.vectors.tobytes()
    assert on.metadata["training"]["loss"] == whole.metadata["training"]["loss"]


def test_cells_beyond_the_memory_lie_on_disk(zipf, monkeypatch):
    here = firth.GloVe(**SMALL).train(zipf, seed=1)
    monkeypatch.setattr("firth.embeddings.glove.MEBIBYTE", 1)
    there = firth.GloVe(**SMALL).train(zipf, seed=1)
    assert there.vectors.tobytes() == here.vectors.tobytes()


def test_tiles_of_a_round_share_no_row(zipf):
    counts = firth.Cooccurrence(window=4).count(zipf)
    tiles = Tiles.cut(counts, firth.GloVe(**SMALL), 0, 1)
    rounds = list(tiles.rounds(0, 0, 0))
    assert all(len(set(side)) == len(side) for round_ in rounds for side in round_.T)
    assert len({tuple(tile) for round_ in rounds for tile in round_}) == (len(tiles.blocks) - 1) ** 2
    sizes = np.zeros_like(tiles.sizes)
    count_cells(counts.rows, counts.columns, counts.half, sizes)
    assert tiles.num_tokens == sizes.sum() == counts.to_scipy().nnz
    assert sorted(tiles.rows) == list(range(len(counts)))


def test_a_rate_that_explodes_is_stopped(zipf):
    with pytest.raises(DivergenceError, match=r"diverged in epoch 1 after [\d,]+ cells with lr=100000000"):
        firth.GloVe(**{**SMALL, "lr": 1e8}).train(zipf)


@pytest.mark.parametrize(
    "wrong", [{"x_max": 0.0}, {"x_max": float("nan")}, {"alpha": -1.0}, {"dim": 0}, {"lr": 0.0}, {"epochs": 0}]
)
def test_options_out_of_range(wrong):
    with pytest.raises(OptionError, match=next(iter(wrong))):
        firth.GloVe(**wrong)
