"""Where training runs: what is changed of torch for a while is put back."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.training.devices import no_subnormals


def flushed():
    return bool(torch.tensor(1e-39) * 1 == 0)


def test_subnormal_numbers_are_nothing_inside_and_numbers_again_outside():
    assert not flushed()
    with no_subnormals():
        assert flushed()
        with no_subnormals():
            assert flushed()
        assert flushed()
    assert not flushed()


def test_they_come_back_after_an_error():
    with pytest.raises(KeyError), no_subnormals():
        raise KeyError
    assert not flushed()
