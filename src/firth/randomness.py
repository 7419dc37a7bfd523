"""One seed, many independent streams.

Every random draw of firth comes from a seed that the caller gives. A seed and a name (`"init"`, `"shard 3"`) give a
stream of their own, so that adding a stream never shifts another: the names are spread by BLAKE2, not by Python's
`hash`, which differs from process to process.
"""

import hashlib
import numbers

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError


def check_seed(seed: object) -> None:
    """Check that a seed is a whole number of at least 0; it may be as large as one likes.

    Raises:
        OptionError: it is none.
    """
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0:
        raise OptionError(f"seed={seed!r}: expected a whole number of at least 0")


def _entropy(seed: int, name: str) -> int:
    check_seed(seed)
    digest = hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=16).digest()
    return int.from_bytes(digest, "little")


def generator(seed: int, name: str) -> np.random.Generator:
    """Return the NumPy generator of one named stream.

    Args:
        seed: the caller's seed.
        name: what the stream is for.
    """
    return np.random.Generator(np.random.PCG64(_entropy(seed, name)))


def kernel_states(seed: int, name: str, streams: int) -> npt.NDArray[np.uint64]:
    """Return one non-zero 64-bit state a stream, for the generators inside compiled kernels.

    Args:
        seed: the caller's seed.
        name: what the streams are for.
        streams: how many; stream i does not depend on this number.

    Returns:
        (streams,) uint64; no state is zero, which a xorshift generator could never leave.
    """
    states = [_entropy(seed, f"{name} {i}") & (2**64 - 1) or 1 for i in range(streams)]
    return np.array(states, dtype=np.uint64)


def torch_seed(seed: int, name: str) -> int:
    """Return a seed for one of PyTorch's generators, such as `torch.manual_seed` takes.

    Args:
        seed: the caller's seed.
        name: what the stream is for.
    """
    return _entropy(seed, name) & (2**63 - 1)
