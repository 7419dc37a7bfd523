"""Word vectors as a module of PyTorch: `WordVectors.to_torch`."""

import numpy as np
import numpy.typing as npt
import torch
from torch import nn


def embedding(vectors: npt.NDArray[np.floating], freeze: bool = False) -> nn.Embedding:
    """Return a module with a row per vector.

    Args:
        vectors: (V, D); copied, because they may be mapped from a file that nothing may write.
        freeze: whether training leaves the rows unchanged.

    Returns:
        The module, in single precision.
    """
    rows = np.array(vectors, dtype=np.float32)
    module = nn.Embedding(len(rows), rows.shape[1], _weight=torch.from_numpy(rows))
    module.weight.requires_grad_(not freeze)
    return module
