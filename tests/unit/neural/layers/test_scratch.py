"""Arrays lent again: only while they are kept, only what fits, never to two at once, and never unnoticed."""

from concurrent.futures import ThreadPoolExecutor

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from torch.nn.functional import cross_entropy, linear

from firth.neural.layers.output.cross_entropy import linear_cross_entropy
from firth.neural.layers.scratch import borrow, release, reuse_arrays

LIKE = torch.zeros(1)


def shared(left, right):
    return left.untyped_storage().data_ptr() == right.untyped_storage().data_ptr()


def test_a_returned_array_is_reused_while_arrays_are_kept():
    with reuse_arrays():
        first = borrow((4, 6), LIKE)
        assert not shared(first, borrow((4, 6), LIKE))
        release(first)
        smaller = borrow((3, 5), LIKE)
        assert shared(first, smaller)
        assert smaller.shape == (3, 5)
        release(smaller)
        assert shared(first, borrow((4, 6), LIKE))


@pytest.mark.parametrize(("shape", "like"), [((5, 6), LIKE), ((2, 2), LIKE.double()), ((2, 2), LIKE.bfloat16())])
def test_a_larger_array_and_one_of_another_type_are_new(shape, like):
    with reuse_arrays():
        first = borrow((4, 6), LIKE)
        release(first)
        other = borrow(shape, like)
        assert not shared(first, other)
        assert (tuple(other.shape), other.dtype) == (shape, like.dtype)


def test_none_is_kept_outside_nor_from_one_training_to_the_next():
    first = borrow((4, 6), LIKE)
    release(first)
    with reuse_arrays():
        second = borrow((4, 6), LIKE)
        release(second)
        with reuse_arrays():
            assert not shared(second, borrow((4, 6), LIKE))
    third = borrow((4, 6), LIKE)
    assert not shared(first, second)
    assert not shared(second, third)


def test_trainings_inside_one_another_have_their_own():
    with reuse_arrays():
        outer = borrow((4, 6), LIKE)
        release(outer)
        with reuse_arrays():
            inner = borrow((4, 6), LIKE)
            release(inner)
        assert shared(outer, borrow((4, 6), LIKE))
    assert not shared(outer, inner)


def test_threads_lend_one_another_nothing():
    with reuse_arrays():
        first = borrow((4, 6), LIKE)
        release(first)
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(borrow, (4, 6), LIKE).result()
        assert not shared(first, other)
        assert shared(first, borrow((4, 6), LIKE))


def example(words, count, seed):
    generator = torch.Generator().manual_seed(seed)
    hidden = torch.randn(count, 5, generator=generator, requires_grad=True)
    weight = torch.randn(words, 5, generator=generator, requires_grad=True)
    bias = torch.randn(words, generator=generator, requires_grad=True)
    return hidden, weight, bias, torch.randint(words, (count,), generator=generator)


def test_gradients_over_reused_arrays_equal_those_of_torch():
    with reuse_arrays():
        for seed, (words, count) in enumerate([(30, 200), (30, 200), (40, 300), (7, 3), (30, 129)]):
            *parts, targets = example(words, count, seed)
            scale = torch.linspace(0, 2, count)
            ours = torch.autograd.grad((linear_cross_entropy(*parts, targets) * scale).sum(), parts)
            theirs = cross_entropy(linear(*parts), targets, reduction="none")
            for one, other in zip(ours, torch.autograd.grad((theirs * scale).sum(), parts), strict=True):
                assert torch.allclose(one, other, rtol=1e-5, atol=1e-5)


def test_two_losses_at_once_have_an_array_each():
    with reuse_arrays():
        one, other = example(30, 20, 1), example(30, 20, 2)
        losses = [linear_cross_entropy(*parts).sum() for parts in (one, other)]
        together = [torch.autograd.grad(loss, parts[:3]) for loss, parts in zip(losses, (one, other), strict=True)]
    alone = [torch.autograd.grad(linear_cross_entropy(*parts).sum(), parts[:3]) for parts in (one, other)]
    for lent, own in zip(together, alone, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(lent, own, strict=True))


def test_torch_refuses_a_second_backward_pass_after_reuse():
    with reuse_arrays():
        loss = linear_cross_entropy(*example(30, 20, 1)).sum()
        loss.backward(retain_graph=True)
        loss.backward(retain_graph=True)  # nobody has borrowed it yet
        linear_cross_entropy(*example(30, 20, 2))
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
