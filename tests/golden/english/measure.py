"""How far two programs' cosines are apart."""

import numpy as np

GROUP = 4  # seeds whose mean is compared


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """The root mean square of the differences of cosines, (P,) each."""
    return float(np.sqrt(np.mean((np.asarray(one) - other) ** 2)))
