"""Temporal blocks: against PyTorch's convolutions and norms, halving by hand, padding."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.temporal_blocks import TemporalBlock, TemporalStack, halved


def peer_of(convolution):
    filters = convolution.filters.weight
    steps, width = convolution.steps, filters.shape[0]
    peer = torch.nn.Conv1d(filters.shape[1] // steps, width, steps, padding=steps // 2, bias=False)
    peer.weight.data.copy_(filters.detach().view(width, steps, -1).transpose(1, 2))
    return torch.nn.Sequential(peer, torch.nn.BatchNorm1d(width))


@pytest.mark.parametrize("shortcut", [False, True])
def test_a_block_equals_torchs_layers(shortcut):
    torch.manual_seed(2)
    block, x = TemporalBlock(3, 5, shortcut=shortcut), torch.randn(4, 6, 3)
    first, second = peer_of(block.first), peer_of(block.second)
    expected = second(torch.relu(first(x.transpose(1, 2))))
    if shortcut:
        expected = expected + peer_of(block.project)(x.transpose(1, 2))
    lengths = torch.full((4,), 6)
    torch.testing.assert_close(block(x, lengths), torch.relu(expected).transpose(1, 2), atol=1e-5, rtol=0)


def test_each_level_doubles_the_filters():
    stack = TemporalStack(3, 4, (1, 2, 1))
    assert [blocks[-1].second.filters.out_features for blocks in stack.levels] == [4, 8, 16]
    assert stack.width == 16


def test_halving_by_hand():
    """Windows 0 1 2, 2 3 4 and so on, from one before the first; of five steps three are left, of four two."""
    x = torch.tensor([[1.0, 2, 3, 9, 5], [4, 1, 2, 7, 0]]).unsqueeze(2)
    y, lengths = halved(x, torch.tensor([5, 4]))
    assert y.squeeze(2).tolist() == [[2, 9, 9], [4, 7, 0]]
    assert lengths.tolist() == [3, 2]
    assert halved(x[1:, :4], torch.tensor([4]))[0].squeeze(2).tolist() == [[4, 7]]


def test_padding_changes_nothing_in_either_mode():
    torch.manual_seed(2)
    stack = TemporalStack(3, 4, (1, 1, 1), shortcuts=True)
    x, lengths = torch.randn(3, 9, 3), torch.tensor([9, 4, 1])
    more = torch.cat([x, torch.full((3, 5, 3), torch.nan)], 1)
    for mode in (True, False):
        stack.train(mode)
        y, left = stack(x, lengths)
        torch.testing.assert_close(stack(more, lengths)[0], y, atol=1e-5, rtol=0)
        assert left.tolist() == [3, 1, 1]
    alone, _ = stack(x[1:2, :4], lengths[1:2])
    torch.testing.assert_close(alone, y[1:2, :1], atol=1e-5, rtol=0)
