"""Vector quantisation: nearest rows, straight-through gradients, both losses, and restarts of unused codes."""

import torch

from firth.neural.layers.vector_quantisation import VectorQuantiser


def quantiser(slots=2, codes=5, width=3):
    torch.manual_seed(0)
    return VectorQuantiser(slots, codes, width, commitment=0.25)


def test_nearest_rows_are_those_of_all_distances():
    layer, z = quantiser(), torch.randn(7, 2, 3)
    distances = (z[:, :, None] - layer.rows[None]).square().sum(3)
    assert torch.equal(layer.nearest(z), distances.argmin(2))
    assert torch.equal(layer.vectors(layer.nearest(z))[3, 1], layer.rows[1, distances[3, 1].argmin()])


def test_gradients_pass_to_the_vectors_unchanged():
    layer, z = quantiser().eval(), torch.randn(7, 2, 3, requires_grad=True)
    weights = torch.randn(7, 2, 3)
    read, _ = layer(z)
    (read * weights).sum().backward()
    torch.testing.assert_close(read, layer.vectors(layer.nearest(z)))
    torch.testing.assert_close(z.grad, weights)
    assert layer.rows.grad is None or not layer.rows.grad.any()


def test_losses_by_hand():
    """Rows 0 and 2 of width 1, vector 1.5: the nearest is 2, at .25; the codebook moves to z, z to the codebook."""
    layer = VectorQuantiser(1, 2, 1, commitment=0.25).eval()
    with torch.no_grad():
        layer.rows.copy_(torch.tensor([[[0.0], [2.0]]]))
    z = torch.tensor([[[1.5]]], requires_grad=True)
    _, loss = layer(z)
    assert loss.tolist() == [0.25 * 1.25]
    loss.sum().backward()
    assert layer.rows.grad.flatten().tolist() == [0.0, 1.0]  # 2 (2 - 1.5)
    assert z.grad.flatten().tolist() == [-0.25]  # .25 times 2 (1.5 - 2)


def test_all_rows_start_as_vectors_of_the_first_batch():
    """Row 0 is the nearest of all vectors, and is replaced as well."""
    layer, z = quantiser(2, 4, 2), torch.randn(16, 2, 2)
    with torch.no_grad():
        layer.rows[:, 0], layer.rows[:, 1:] = 0.0, 100.0
    layer(z)
    for slot in range(2):
        assert {tuple(row) for row in layer.rows[slot].tolist()} <= {tuple(row) for row in z[:, slot].tolist()}
    rows = layer.rows.detach().clone()
    layer(z)
    assert torch.equal(layer.rows, rows)


def test_unused_codes_become_vectors_of_the_batch():
    layer = quantiser(1, 4, 2)
    with torch.no_grad():
        layer.rows[0, 1:] = 100.0
    z = torch.randn(16, 1, 2)
    for _ in range(300):
        layer(z)
    used = layer.nearest(z).unique()
    assert len(used) == 4
    assert layer.rows.abs().max() < 10
    assert not layer.eval().use.isnan().any()
