"""Packed sequences: where each token stands, and recurrences that compute no padding."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.packed import Packing, run_packed
from firth.neural.layers.recurrence import CELL_STEPS, run

LENGTHS = torch.tensor([2, 1, 4, 2])


def test_tokens_stand_step_by_step_longest_sequence_first():
    """Sequences ab, c, defg and hi: the first step is d a h c, the second e b i, then f and g."""
    letters = torch.tensor([list(b"ab.."), list(b"c..."), list(b"defg"), list(b"hi..")])
    packing = Packing(LENGTHS)
    packed = packing.pack(letters)
    assert bytes(packed.tolist()) == b"dahcebifg"
    assert packing.sizes == [4, 3, 1, 1]
    assert bytes(packed[packing.ends].tolist()) == b"bcgi"
    assert bytes(packed[packing.backward].tolist()) == b"gbicfahed"
    assert packing.rows.tolist() == [2, 0, 3, 1, 2, 0, 3, 2, 2]


@pytest.mark.parametrize("kind", sorted(CELL_STEPS))
def test_each_sequence_is_read_as_if_it_were_alone(kind):
    torch.manual_seed(3)
    gates = CELL_STEPS[kind].gates
    x, weight = torch.randn(4, 4, gates * 5), torch.randn(gates * 5, 5)
    bias = torch.randn(gates * 5) if CELL_STEPS[kind].separate_input else None
    packing = Packing(LENGTHS)
    y = run_packed(kind, packing.pack(x), weight, bias, packing.sizes)
    for row, length in enumerate(LENGTHS.tolist()):
        start = tuple(torch.zeros(1, 5) for _ in range(CELL_STEPS[kind].tensors))
        alone, _ = run(kind, x[row, :length, None], weight, bias, start)
        torch.testing.assert_close(y[packing.rows == row], alone[:, 0], rtol=1e-6, atol=1e-6)


def test_gates_keep_single_precision_under_half_precision_products():
    x, weight = torch.randn(9, 15).bfloat16(), torch.randn(15, 5)
    assert run_packed("gru", x, weight, torch.zeros(15), [4, 3, 1, 1]).dtype == torch.float32
