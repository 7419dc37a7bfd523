"""Operations of semirings against plain loops."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.structs.semirings import KBest


@pytest.mark.parametrize("k", [1, 2, 3, 7, 40])
def test_the_k_largest_sums_of_two_lists(k):
    """Of all k^2, with equal ones, and where a list is shorter."""
    random = torch.Generator().manual_seed(k)
    first = torch.randint(9, (5, 1, k), generator=random).double().sort(-1, descending=True).values
    second = torch.randn((3, k), generator=random, dtype=torch.float64).sort(-1, descending=True).values
    first[0, 0, 1:] = second[1, k // 2 :] = -math.inf
    found = KBest(k).times(first, second)
    every = (first.unsqueeze(-1) + second.unsqueeze(-2)).flatten(-2)
    assert torch.equal(found, every.sort(-1, descending=True).values[..., :k])


def test_few_sums_are_made():
    """Some k log k, which decides the memory of the thousand best."""
    made = []

    class Counting(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            result = super().__torch_function__(function, types, args, kwargs or {})
            if isinstance(result, torch.Tensor):
                made.append(result.numel())
            return result

    scores = torch.zeros(1000).as_subclass(Counting)
    KBest(1000).times(scores, scores)
    assert max(made) <= 1000 * (1 + math.log(1000))
