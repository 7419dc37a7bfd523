"""Independent random streams from one seed.

All random numbers in firth come from the user's seed. A seed and a name (`"init"`, `"shard 3"`) determine a stream, so
a new stream never changes another. Names are hashed with BLAKE2; Python's `hash` differs between processes.
"""

import hashlib
import numbers

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError


def check_seed(seed: object) -> None:
    """Check that a seed is a whole number of at least 0, of any size.

    Raises:
        OptionError: it is not.
    """
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0:
        raise OptionError(f"seed={seed!r}: expected a whole number of at least 0")


def _entropy(seed: int, name: str) -> int:
    check_seed(seed)
    digest = hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=16).digest()
    return int.from_bytes(digest, "little")


def generator(seed: int, name: str) -> np.random.Generator:
    """Return a NumPy generator for the stream of a seed and a name."""
    return np.random.Generator(np.random.PCG64(_entropy(seed, name)))


def kernel_states(seed: int, name: str, streams: int) -> npt.NDArray[np.uint64]:
    """Return the initial states, (streams,) uint64, of the random generators in compiled kernels.

    No state is zero, which a xorshift generator could not leave. State i does not depend on the number of streams.
    """
    states = [_entropy(seed, f"{name} {i}") & (2**64 - 1) or 1 for i in range(streams)]
    return np.array(states, dtype=np.uint64)


def torch_seed(seed: int, name: str) -> int:
    """Return a seed for PyTorch, such as for `torch.manual_seed`, from a seed and a name."""
    return _entropy(seed, name) & (2**63 - 1)
