"""Composition of phrases: gradients, the contraction, and a function that is found again."""

import numpy as np
import pytest

import firth
from firth.embeddings.compositional import Tensor, additive, cost, multiplicative, ranking, reciprocal_ranks, squares
from firth.errors import FormatError, OptionError, UnknownWordError
from firth.loading import load_vectors

D, R = 6, 2


def random_tensor(random, scale=0.5):
    shapes = [(D, R, D), (D, R, D), (D,), (D, D), (D, D)]
    return Tensor(*(random.normal(0, scale, shape) for shape in shapes))


def test_low_rank_contraction_is_the_full_tensors():
    random = np.random.default_rng(0)
    tensor, x, y = random_tensor(random), random.normal(size=(9, D)), random.normal(size=(9, D))
    full = np.einsum("bj,ijk,bk->bi", x, tensor.full(), y) + x @ tensor.m.T + y @ tensor.n.T
    np.testing.assert_allclose(tensor(x, y), full, atol=1e-12)
    np.testing.assert_array_equal(Tensor.of(tensor.flat(), D, R).u, tensor.u)


@pytest.mark.parametrize("objective", ["squares", "ranking"])
def test_derivative_is_that_of_the_cost(objective):
    random = np.random.default_rng(1)
    tensor = random_tensor(random, 0.2)
    x, y, z = (random.normal(0, 0.4, (7, D)) for _ in range(3))
    towards = np.eye(D), 2 * np.eye(D)
    flat, h = tensor.flat(), 1e-6
    groups = [np.array([0, 3, 6]), np.array([5, 1, 2, 4])]

    def error(made):
        return squares(made, z) if objective == "squares" else ranking(made, z, groups)

    def j(numbers):
        return cost(Tensor.of(numbers, D, R), towards, x, y, error, 0.1)[0]

    wanted = np.array([(j(flat + h * e) - j(flat - h * e)) / (2 * h) for e in np.eye(len(flat))])
    np.testing.assert_allclose(cost(tensor, towards, x, y, error, 0.1)[1], wanted, atol=1e-6)


def test_ranking_is_a_softmax_over_the_group():
    random = np.random.default_rng(3)
    made, z = random.normal(0, 0.3, (5, D)), random.normal(0, 0.3, (5, D))
    groups = [np.array([4, 0]), np.array([1, 2, 3])]
    wanted = 0.0
    for group in groups:
        for i in group:
            chances = np.exp([20 * made[i] @ z[j] for j in group])
            wanted -= np.log(np.exp(20 * made[i] @ z[i]) / chances.sum()) / 5
    np.testing.assert_allclose(ranking(made, z, groups)[0], wanted, rtol=1e-12)


@pytest.fixture(scope="module")
def composed():
    """Vectors of 40 words, and of 800 phrases that a tensor makes of them."""
    random = np.random.default_rng(2)
    words = [f"w{i}" for i in range(40)]
    rows = random.normal(size=(40, D))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    tensor = random_tensor(random, 1.0)
    pairs = [(f"w{a}", f"w{b}") for a, b in random.permutation([(a, b) for a in range(40) for b in range(40)])[:800]]
    one, other = ([int(pair[side][1:]) for pair in pairs] for side in range(2))
    made = tensor(rows[one], rows[other])
    vectors = firth.WordVectors([*words, *("_".join(pair) for pair in pairs)], np.concatenate([rows, made]))
    return vectors, pairs


@pytest.mark.parametrize("objective", ["squares", "ranking"])
def test_a_function_is_found_again(composed, objective):
    vectors, pairs = composed
    model = firth.TensorIndexing(rank=R, objective=objective, l2=1e-6, iterations=500).train(vectors, pairs[:600])
    held = pairs[600:]
    ours = reciprocal_ranks(model.compose(held), vectors, held, pairs).mean()
    swapped = reciprocal_ranks(model.compose([(b, a) for a, b in held]), vectors, held, pairs).mean()
    sums = reciprocal_ranks(additive(vectors, held), vectors, held, pairs).mean()
    products = reciprocal_ranks(multiplicative(vectors, held), vectors, held, pairs).mean()
    assert ours > 0.5 > 2 * max(swapped, sums, products)


def test_types_have_functions_of_their_own(composed):
    vectors, pairs = composed
    types = ["odd" if int(a[1:]) % 2 else "even" for a, _ in pairs]
    model = firth.TensorIndexing(rank=1, iterations=20).train(vectors, pairs, types)
    one, other = (model.compose(pairs[:3], [kind] * 3) for kind in ("odd", "even"))
    assert (one != other).all()
    with pytest.raises(OptionError, match="types=None: expected the type of each phrase, one of"):
        model.compose(pairs[:3])
    with pytest.raises(OptionError, match="type 'verb': expected one of"):
        model.compose(pairs[:1], ["verb"])


def test_without_data_it_is_the_best_sum(composed):
    vectors, pairs = composed
    model = firth.TensorIndexing(l2=1e6, iterations=50).train(vectors, pairs)
    (tensor,) = model.tensors.values()
    assert abs(tensor.m - tensor.m[0, 0] * np.eye(D)).max() < 1e-3
    assert abs(tensor.u).max() < 1e-2


def test_a_seed_gives_the_same_numbers(composed):
    vectors, pairs = composed
    one, two = (firth.TensorIndexing(iterations=10).train(vectors, pairs, seed=4).compose(pairs[:5]) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_wrong_input(composed):
    vectors, pairs = composed
    with pytest.raises(OptionError, match="0 phrases"):
        firth.TensorIndexing().train(vectors, [])
    with pytest.raises(OptionError, match="rank=7 for vectors of width 6"):
        firth.TensorIndexing(rank=7).train(vectors, pairs)
    with pytest.raises(UnknownWordError, match="nothing"):
        firth.TensorIndexing().train(vectors, [("w0", "nothing")])
    with pytest.raises(OptionError, match="rank=0"):
        firth.TensorIndexing(rank=0)


def test_what_was_saved_comes_back(composed, tmp_path):
    vectors, pairs = composed
    types = ["even" if i % 2 else "odd" for i in range(200)]
    model = firth.TensorIndexing(rank=R, iterations=5).train(vectors, pairs[:200], types)
    model.save(tmp_path / "model")
    again = firth.load(tmp_path / "model")
    np.testing.assert_array_equal(again.compose(pairs[:9], types[:9]), model.compose(pairs[:9], types[:9]))
    with pytest.raises(OptionError, match=r"holds a model of composition.*\)\.vectors"):
        load_vectors(tmp_path / "model")
    file = tmp_path / "model" / "types.json"
    file.write_text('["odd"]', encoding="utf-8")
    with pytest.raises(FormatError, match=r"types\.json: "):
        firth.load(tmp_path / "model")
    (tmp_path / "model" / "checksums.json").unlink()
    with pytest.raises(FormatError, match="damaged"):
        firth.load(tmp_path / "model")
