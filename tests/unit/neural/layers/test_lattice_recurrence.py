"""The backward pass of lattices against central differences."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.lattice_recurrence import Edges, run_lattice
from tests.gradients.neural.directions import check_inputs

T, B, L, K, H, R = 3, 2, 2, 2, 2, 5


def parts(seed=0):
    random = torch.Generator().manual_seed(seed)
    shapes = ((T, B, L, K, 4 * H), (L, B, H), (L, B, H), (4 * H, H), (R, H), (R,))
    return [torch.randn(shape, generator=random, dtype=torch.float64).requires_grad_() for shape in shapes]


def edges_of(x, mask=None, noise=None, temperature=0.0):
    random = torch.Generator().manual_seed(5)
    rows = torch.randint(R, (L + T, B, L, K), generator=random)
    absent = torch.rand(L + T, B, L, K, generator=random) < 0.3
    absent[:, :, 0] = False  # of one token
    return Edges(x, rows, absent, mask, noise, temperature)


def totals0():
    totals = torch.full((L, B), -torch.inf, dtype=torch.float64)
    totals[:, 0] = torch.tensor([-0.4, 0.0])
    totals[1, 1] = 0.0
    return totals


@pytest.mark.parametrize("how", ["expected", "masked", "gumbel"])
def test_gradients(how):
    random = torch.Generator().manual_seed(9)
    mask = (torch.rand(L + T, B, H, generator=random) > 0.3).double() * 1.4 if how == "masked" else None
    noise = torch.randn(T, B, L * K, generator=random, dtype=torch.float64) if how == "gumbel" else None
    weights = torch.randn(L + T, B, generator=random, dtype=torch.float64)
    weights[:L] = 0

    def loss(x, h0, c0, recurrent, output, bias):
        edges = edges_of(x, mask, noise, 0.8)
        totals = run_lattice(edges, (h0, c0, totals0()), recurrent, (output, bias)).totals
        return (totals[L:] * weights[L:]).sum()

    check_inputs(loss, *parts())


def test_one_edge_drawn_passes_its_state_on():
    noise = torch.zeros(T, B, L * K, dtype=torch.float64)
    noise[..., 1] = 100  # the second sense of one token
    x, h0, c0, recurrent, output, bias = (each.detach() for each in parts())
    nodes = run_lattice(edges_of(x, noise=noise), (h0, c0, totals0()), recurrent, (output, bias))
    h, c = h0[-1], c0[-1]
    for t in range(T):
        i, f, g, o = (x[t, :, 0, 1] + h @ recurrent.t()).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        torch.testing.assert_close(nodes.hidden[L + t], h)

    def loss(x, recurrent, output):
        return run_lattice(edges_of(x, noise=noise), (h0, c0, totals0()), recurrent, (output, bias)).totals[-1].sum()

    check_inputs(loss, x, recurrent, output)
