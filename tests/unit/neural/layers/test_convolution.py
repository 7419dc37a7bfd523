"""Convolutions of several widths."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.convolution import Convolutions


def test_windows_by_hand():
    """One filter of width 2 with weights 10 and 1 over 1, 2 and over 3 with padding: 1, 12, 20 and 3, 30."""
    layer = Convolutions(1, 1, [2])
    layer.filters[0].weight.data = torch.tensor([[10.0, 1.0]])
    layer.filters[0].bias.data.zero_()
    x = torch.tensor([[[1.0], [2.0]], [[3.0], [99.0]]])
    ((y, windows),) = layer(x, torch.tensor([2, 1]))
    assert windows.tolist() == [3, 2]
    assert y.squeeze(2).tolist() == [[1, 12, 20], [3, 30, 0]]


def test_nothing_to_convolve_with():
    for filters, widths in ((0, [3]), (5, []), (5, [3, 0])):
        with pytest.raises(OptionError, match="expected at least one, each at least 1"):
            Convolutions(4, filters, widths)
