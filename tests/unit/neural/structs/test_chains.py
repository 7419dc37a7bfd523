"""Tag sequences against all of them, one by one: T = 5 tokens, K = 4 tags, three texts of several lengths."""

import math
from collections import Counter

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError, ShapeError
from firth.neural.structs.chains import (
    Chain,
    best_tags,
    chain_score,
    chain_total,
    k_best_tags,
    log_partition,
    marginals,
    sample_tags,
)
from firth.neural.structs.semirings import ENTROPY, LOG, MAX
from tests.unit.neural.structs.brute_force import log_sum, probabilities, sequences

T, K, LENGTHS = 5, 4, (5, 1, 3)
FORBIDDEN = [(0, 1), (2, 2), (3, 0)]


def random_chain(seed=0, forbidden=(), dtype=torch.float64):
    random = torch.Generator().manual_seed(seed)
    tags, transitions, first, last = (
        2 * torch.randn(shape, generator=random, dtype=dtype) for shape in ((3, T, K), (K, K), (K,), (K,))
    )
    for i, j in forbidden:
        transitions[i, j] = -math.inf
    return Chain(tags, transitions, first, last, torch.tensor(LENGTHS))


@pytest.fixture(params=["all", "forbidden", "independent"])
def chain(request):
    chain = random_chain(1, FORBIDDEN if request.param == "forbidden" else ())
    if request.param == "independent":
        chain = Chain(chain.tags, *(torch.zeros_like(part) for part in chain[1:4]), chain.lengths)
        assert chain.independent
    return chain


def every(chain):
    """The sequences of each text with their scores."""
    rest = [each.tolist() for each in chain[1:4]]
    return [
        list(sequences(tags[:length].tolist(), *rest))
        for tags, length in zip(chain.tags, chain.lengths.tolist(), strict=True)
    ]


def test_partition_is_the_sum_over_all(chain):
    expected = [log_sum(score for _, score in found) for found in every(chain)]
    np.testing.assert_allclose(log_partition(chain).numpy(), expected, atol=1e-12)
    np.testing.assert_allclose(chain_total(chain, LOG).numpy(), expected, atol=1e-12)


def test_best_is_the_best_of_all(chain):
    best = [max(found, key=lambda each: each[1]) for found in every(chain)]
    assert best_tags(chain) == [list(path) for path, _ in best]
    np.testing.assert_allclose(chain_total(chain, MAX).numpy(), [score for _, score in best], atol=1e-12)


def test_score_is_that_of_the_sequence(chain):
    for number, found in enumerate(every(chain)):
        for path, score in found[:: max(1, len(found) // 7)]:
            tags = torch.full((3, T), 3)
            tags[number, : len(path)] = torch.tensor(path)
            np.testing.assert_allclose(chain_score(chain, tags)[number].item(), score, atol=1e-12)


def test_marginals_are_shares_of_all(chain):
    found = marginals(chain)
    for number, structures in enumerate(every(chain)):
        expected = np.zeros((T, K))
        for path, p in probabilities(structures).items():
            expected[range(len(path)), path] += p
        np.testing.assert_allclose(found[number].numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["tags", "transitions", "first", "last"])
def test_all_gradients_are_those_of_the_recurrence(chain, name):
    found = []
    for total in (log_partition, lambda chain: chain_total(chain, LOG)):
        part = getattr(chain, name).clone().requires_grad_()
        weights = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
        (total(chain._replace(**{name: part})) * weights).sum().backward()
        found.append(part.grad.numpy())
    assert np.abs(found[0]).sum() > 0
    np.testing.assert_allclose(*found, atol=1e-12)


def test_gradients_are_finite_differences():
    chain = random_chain(2)
    chain = Chain(chain.tags[1:, :3, :3], chain.transitions[:3, :3], chain.first[:3], chain.last[:3], chain.lengths[1:])
    parts = [each.clone().requires_grad_() for each in chain[:4]]
    assert torch.autograd.gradcheck(lambda *parts: log_partition(Chain(*parts, chain.lengths)), parts)
    assert torch.autograd.gradgradcheck(lambda *parts: chain_total(Chain(*parts, chain.lengths), LOG), parts)


def test_entropy_is_that_of_all(chain):
    expected = [-sum(p * math.log(p) for p in probabilities(found).values() if p > 0) for found in every(chain)]
    np.testing.assert_allclose(chain_total(chain, ENTROPY)[:, 1].numpy(), expected, atol=1e-12)


def test_the_gradient_of_the_entropy_is_finite(chain):
    tags = chain.tags.clone().requires_grad_()
    chain_total(chain._replace(tags=tags), ENTROPY)[:, 1].sum().backward()
    assert torch.isfinite(tags.grad).all()
    assert torch.autograd.gradcheck(lambda tags: chain_total(chain._replace(tags=tags), ENTROPY)[:, 1], tags)


def test_the_k_best_in_their_order(chain):
    for found, structures in zip(k_best_tags(chain, 6), every(chain), strict=True):
        possible = [each for each in structures if each[1] > -math.inf]
        expected = sorted(possible, key=lambda each: -each[1])[:6]
        assert [path for path, _ in found] == [list(path) for path, _ in expected]
        np.testing.assert_allclose([score for _, score in found], [score for _, score in expected], atol=1e-12)


def test_samples_have_the_probabilities():
    chain = random_chain(3, FORBIDDEN)
    expected = probabilities(every(chain)[2])
    many = Chain(chain.tags[2:].expand(4000, T, K), *chain[1:4], chain.lengths[2:].expand(4000))
    counts = Counter(map(tuple, sample_tags(many, torch.Generator().manual_seed(0))))
    assert all(expected[path] > 0 for path in counts)
    statistic = sum((counts[path] - 4000 * p) ** 2 / (4000 * p) for path, p in expected.items() if p > 0.002)
    free = sum(p > 0.002 for p in expected.values())
    assert statistic < free + 5 * (2 * free) ** 0.5


def test_nothing_possible_is_minus_infinity_without_nan():
    chain = random_chain(4)
    tags = chain.tags.clone()
    tags[0, 2] = -math.inf
    for total in (log_partition, lambda chain: chain_total(chain, LOG)):
        part = tags.clone().requires_grad_()
        result = total(chain._replace(tags=part))
        assert result[0] == -math.inf
        assert torch.isfinite(result[1:]).all()
        result[1:].sum().backward()
        assert torch.isfinite(part.grad).all()


def test_large_scores_and_single_precision():
    chain = random_chain(5)
    large = Chain(*(300 * each for each in chain[:4]), chain.lengths)
    np.testing.assert_allclose(log_partition(large).numpy(), chain_total(large, LOG).numpy(), rtol=1e-12)
    single = Chain(*(each.float() for each in chain[:4]), chain.lengths)
    np.testing.assert_allclose(log_partition(single).numpy(), log_partition(chain).numpy(), rtol=1e-6)
    assert marginals(single).dtype == torch.float32


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"lengths": torch.tensor([5, 0, 3])}, "expected 1 to 5"), ({"first": torch.zeros(3)}, "expected")],
)
def test_shapes_that_differ_are_refused(changes, message):
    with pytest.raises(ShapeError, match=message):
        log_partition(random_chain()._replace(**changes))


def test_no_best_is_refused():
    with pytest.raises(OptionError, match="k=0"):
        k_best_tags(random_chain(), 0)
