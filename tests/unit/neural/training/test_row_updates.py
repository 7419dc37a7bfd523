"""Updates by row against dense ones."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.embedding import WordEmbedding
from firth.neural.training.optimisers import make_optimiser
from firth.neural.training.options import TrainingOptions
from firth.neural.training.row_updates import RowOptimiser, clip_norm, sparse_gradients

BATCHES = [[0, 2, 2], [1, 4], [2, 5, 0], [3], [2, 4, 4, 1]]


class Net(torch.nn.Module):
    """A table and a layer."""

    def __init__(self):
        super().__init__()
        self.table, self.layer = WordEmbedding(6, 4), torch.nn.Linear(4, 1)

    def forward(self, ids):
        return self.layer(torch.tanh(self.table(torch.tensor(ids)))).square().sum()


def after(net, name, sparse, peer=None):
    net = copy.deepcopy(net)
    net.table.sparse = sparse
    optimiser = make_optimiser(net, name, lr=0.1) if peer is None else peer(net)
    assert isinstance(optimiser, RowOptimiser) == (sparse and peer is None)
    for ids in BATCHES:
        optimiser.zero_grad()
        net(ids).backward()
        optimiser.step()
    return net


@pytest.mark.parametrize("name", ["adadelta", "adagrad", "sgd"])
def test_rows_equal_a_dense_update(name):
    """Rows that a batch lacks would not move in a dense update, but Adadelta's averages would decay."""
    torch.manual_seed(1)
    net = Net()
    dense, rows = after(net, name, sparse=False), after(net, name, sparse=True)
    for one, other in zip(dense.parameters(), rows.parameters(), strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=0)
    assert not torch.equal(rows.table.weight, net.table.weight)


def test_adam_of_rows_equals_torchs_sparse_adam():
    torch.manual_seed(1)
    net = Net()

    def peer(own):
        both = torch.optim.SparseAdam([own.table.weight], lr=0.1), torch.optim.Adam(own.layer.parameters(), lr=0.1)

        class Both:
            def zero_grad(self):
                own.zero_grad()

            def step(self):
                for each in both:
                    each.step()

        return Both()

    for one, other in zip(
        after(net, "adam", True, peer).parameters(), after(net, "adam", True).parameters(), strict=True
    ):
        torch.testing.assert_close(one, other, atol=4e-6, rtol=0)  # the fused kernel rounds otherwise


def test_statistics_survive_a_copy():
    torch.manual_seed(1)
    net = Net()
    net.table.sparse = True
    again = copy.deepcopy(net)
    one, other = make_optimiser(net, "adadelta", lr=0.1), make_optimiser(again, "adadelta", lr=0.1)
    for number, ids in enumerate([*BATCHES, *BATCHES]):
        for each, optimiser in ((net, one), (again, other)):
            optimiser.zero_grad()
            each(ids).backward()
            optimiser.step()
        if number == 3:
            other = make_optimiser(again, "adadelta", lr=0.1)
            other.load_state_dict(copy.deepcopy(one.state_dict()))
    for a, b in zip(net.parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)


def test_clipping_counts_sparse_gradients():
    torch.manual_seed(1)
    net = Net()
    gradients = []
    for sparse in (False, True):
        net.table.sparse = sparse
        net.zero_grad()
        net([0, 2, 2]).backward()
        clip_norm(net.parameters(), 0.01)
        gradients.append([p.grad.to_dense() if p.grad.is_sparse else p.grad.clone() for p in net.parameters()])
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, atol=1e-8, rtol=1e-5)


@pytest.mark.parametrize(
    ("changes", "sparse"),
    [({}, True), ({"weight_decay": 0.1}, False), ({"momentum": 0.8}, False), ({"optimiser": "nadam"}, False)],
)
def test_who_has_sparse_gradients(changes, sparse):
    net = Net()
    with sparse_gradients(net, TrainingOptions(**changes)):
        assert net.table.sparse is sparse
    assert net.table.sparse is False
