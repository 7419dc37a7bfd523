"""torch's recurrent kernels where a processor lacks one of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers import torch_kernels
from firth.neural.layers.cells import RecurrentLayer
from tests import fork_server

ROOT = Path(__file__).parents[4]
AFFECTED = (
    "tests/unit/neural/layers/test_recurrent.py::test_half_precision_by_autocast_is_near_and_learns",
    "tests/unit/neural/training/test_checkpoints.py::test_going_on_with_everything_that_has_a_state",
    "tests/unit/neural/training/test_loop.py::test_bf16_learns_too",
    "tests/unit/neural/layers/test_torch_kernels.py::test_a_processor_without_it_computes_lstm_layers_in_float32",
)
SCRIPT = """
import firth
lines = [" ".join(f"w{(7 * i + j * j) % 12}" for j in range(8)) for i in range(60)]
corpus = firth.Corpus.build(lines, min_count=1)
training = firth.TrainingOptions(epochs=1, batch_size=4, precision="bf16")
options = firth.RecurrentLM(dim=8, hidden=8, dropout_kind="weights", bptt=5)
model = options.train(corpus, training=training, progress=False)
print(model.perplexity(lines).value < 14)
"""


def without_bf16(python, *arguments):
    """What Python prints where oneDNN takes the processor for one with AVX2 alone."""
    environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2"}
    return subprocess.run([python, *arguments], env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_processor_without_it_computes_lstm_layers_in_float32(monkeypatch):
    """The same bits as without autocast, forward and backward, whatever type comes in."""
    torch.manual_seed(0)
    layer, x = RecurrentLayer("lstm", 6, 8), torch.randn(2, 5, 6)
    monkeypatch.setattr(torch_kernels, "has_bf16_lstm", lambda: False)
    weights = [layer.weight_ih, layer.weight_hh, layer.bias_ih, layer.bias_hh]
    start = (torch.zeros(2, 8), torch.zeros(2, 8))

    expected, ends = torch_kernels.run_torch("lstm", x.bfloat16().float(), weights, start)
    with torch.autocast("cpu", torch.bfloat16):
        found, found_ends = torch_kernels.run_torch("lstm", x.bfloat16(), weights, start)
    pairs = [(found, expected), *zip(found_ends, ends, strict=True)]
    slopes = [torch.autograd.grad(y.square().sum(), weights) for y in (found, expected)]
    assert all(torch.equal(a, b) and a.dtype == torch.float32 for a, b in [*pairs, *zip(*slopes, strict=True)])


def test_training_in_bf16_works_where_there_is_no_bf16_lstm():
    done = without_bf16(fork_server.python(os.environ), "-c", SCRIPT)
    assert (done.returncode, done.stdout) == (0, "True\n")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_what_needs_bf16_passes_without_a_bf16_lstm():
    done = without_bf16(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *AFFECTED)
    assert done.returncode == 0, done.stdout
