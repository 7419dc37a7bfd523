import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.torch_embedding import embedding


def test_rows_are_copied_in_single_precision():
    rows = np.array([[1, 2], [3, 4]], dtype=np.float16)
    rows.setflags(write=False)
    module = embedding(rows)
    with torch.no_grad():
        module.weight += 1
    assert module.weight.dtype == torch.float32
    assert rows.tolist() == [[1, 2], [3, 4]]
    assert module.weight.requires_grad
    assert not embedding(rows, freeze=True).weight.requires_grad
