"""The class-based softmax."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.classes import ClassSoftmax, frequency_classes


def test_by_hand():
    """h = 1, classes {0, 2} and {1} with rows 0 and log 3; words 0 and 2 with rows log 4 and 0.

    p(class 0) = 1/4, p(0) = 1/4 * 4/5 = 1/5, p(1) = 3/4, p(2) = 1/20.
    """
    layer = ClassSoftmax(OutputConfig(1, 3), classes=[0, 1, 0])
    with torch.no_grad():
        layer.class_weight.copy_(torch.tensor([[0.0], [math.log(3)]]))
        layer.weight.copy_(torch.tensor([[math.log(4)], [0.0], [9.0]]))  # words 0 and 2, then word 1
    hidden = torch.ones(3, 1)
    expected = torch.tensor([1 / 5, 3 / 4, 1 / 20])
    torch.testing.assert_close(layer.log_prob(hidden)[0].exp(), expected)
    torch.testing.assert_close(layer.loss(hidden, torch.arange(3)), -expected.log())


def test_biases_begin_as_a_unigram_model():
    counts = np.array([8, 1, 4, 2, 1])
    layer = ClassSoftmax(OutputConfig(4, 5, counts=counts), classes=[1, 0, 0, 1, 2])
    shares = layer.log_prob(torch.zeros(1, 4))[0].exp()
    torch.testing.assert_close(shares, torch.from_numpy(counts / 16).float())


def test_classes_by_frequency_by_hand():
    """Square roots 3, 2, 2, 1, 1, 1 of shares that stand in any order; halves of 10: {3, 2} and the rest."""
    share = np.array([4, 1, 9, 1, 4, 1]) / 20
    assert frequency_classes(share, 2).tolist() == [0, 1, 0, 1, 1, 1]


@pytest.mark.parametrize("power", [0.0, 1.0, 6.0])
@pytest.mark.parametrize("classes", [1, 2, 7, 39, 40])
def test_no_class_is_empty(power, classes):
    share = np.arange(1, 41.0) ** -power
    class_of = frequency_classes(share / share.sum(), classes)
    assert np.array_equal(np.unique(class_of), np.arange(classes))
    assert (np.diff(class_of) >= 0).all()


@pytest.mark.parametrize("classes", [0, 6, [0, 0, 2, 2, 2], [-1, 0, 0, 1, 2], [0, 1], [0.0] * 5])
def test_wrong_classes_are_refused(classes):
    with pytest.raises(OptionError, match="expected"):
        ClassSoftmax(OutputConfig(4, 5), classes=classes)
