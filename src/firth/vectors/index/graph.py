"""Validation of usearch graphs before usearch reads them.

usearch parses its files in C++ and trusts every number: a neighbour that does not exist would be read from foreign
memory. So every number of a graph is checked here first. Only the layout of usearch's version 2 is accepted, all
numbers little-endian:

    rows, bytes per row   2 x uint32; the vectors, V D float32
    head                  64 bytes: "usearch", version 3 x uint16, kinds of metric, numbers, keys and slots (one byte
                          each), present vectors, deleted vectors, D, and whether keys may repeat
    sizes                 5 x uint64: V, connectivity, connectivity of level 0, highest level, entry slot
    levels                V x int16
    nodes                 key uint64, level int16; for each level from 0: number of neighbours uint32, and as many
                          uint32 slots as the connectivity of the level

Source: https://github.com/unum-cloud/usearch, include/usearch/index.hpp and index_dense.hpp.

Cost: some milliseconds for 10,000 vectors.
"""

import struct
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.vectors.cosine import Matrix, unit

HEAD = struct.Struct("<7s3H4B3QB")
HEAD_SIZE = 64
SIZES = struct.Struct("<5Q")
KINDS = (ord("c"), 11, 14, 15)  # cosines of float32, keys uint64, slots uint32
NODE = 10  # bytes of key and level
CLOSE = 1e-3  # tolerance of the copied vectors: processors round differently
BLOCK = 2**13  # vectors compared at once

Bytes = npt.NDArray[np.uint8]


def damage_of(graph: Bytes, vectors: Matrix, connectivity: int) -> str:
    """Return the damage of a graph as a message, or "" for a valid one.

    Args:
        graph: graph in usearch's format.
        vectors: (V, D) the vectors of its points.
        connectivity: edges per vector above level 0; twice as many on level 0.
    """
    size, dim = vectors.shape
    expected = 8 + 4 * size * dim + HEAD_SIZE + SIZES.size + 2 * size
    if graph.ndim != 1 or graph.dtype != np.uint8 or len(graph) < expected:
        return f"a graph of {graph.size:,} bytes, expected {expected:,} and its edges"
    if tuple(graph[:8].view("<u4").tolist()) != (size, 4 * dim):
        return f"a graph of {graph[:8].view('<u4').tolist()} vectors and bytes each, expected {size:,} and {4 * dim}"
    copies, rest = graph[8 : 8 + 4 * size * dim].view("<f4").reshape(size, dim), graph[8 + 4 * size * dim :]
    name, major, _, _, *kinds, present, deleted, width, repeats = HEAD.unpack_from(rest.data)
    if (name, major, *kinds) != (b"usearch", 2, *KINDS):
        return f"a graph of kinds {kinds} and version {major}, expected {list(KINDS)} and 2"
    if (present, deleted, width, repeats) != (size, 0, dim, 0):
        return f"a graph of {present:,} vectors of width {width}, expected {size:,} of {dim}"
    sizes = SIZES.unpack_from(rest.data, HEAD_SIZE)
    levels = rest[HEAD_SIZE + SIZES.size :][: 2 * size].view("<i2").astype(np.int64)
    if sizes[:3] != (size, connectivity, 2 * connectivity) or (size and levels.min() < 0):
        return f"a graph of {sizes[:3]} vectors and edges each, expected {(size, connectivity, 2 * connectivity)}"
    if size and (sizes[4] >= size or sizes[3] != levels.max() or levels[sizes[4]] != sizes[3]):
        return f"a graph whose searches begin at vector {sizes[4]:,} on level {sizes[3]:,}"
    nodes = rest[HEAD_SIZE + SIZES.size + 2 * size :]
    lengths = NODE + 4 + 8 * connectivity + levels * (4 + 4 * connectivity)
    if lengths.sum() != len(nodes):
        return f"edges of {len(nodes):,} bytes, expected {lengths.sum():,}"
    wrong = check_nodes(np.ascontiguousarray(nodes), np.cumsum(lengths) - lengths, levels, connectivity)
    if wrong >= 0:
        return f"edges of vector {wrong:,} that lead nowhere"
    for low in range(0, size, BLOCK):
        rows = unit(vectors[low : low + BLOCK])
        if not (np.abs(copies[low : low + BLOCK] - rows) <= CLOSE).all():
            return f"a graph of other vectors from {low:,} on"
    return ""


@compiled
def check_nodes(
    nodes: Bytes,
    starts: npt.NDArray[np.int64],  # (V,) start of each node
    levels: npt.NDArray[np.int64],  # (V,)
    connectivity: int,  # edges above level 0
) -> int:
    """Return the first node with a key, level or neighbour out of range, or -1."""
    size = len(starts)
    has_key = np.zeros(size, np.bool_)
    for slot in range(size):
        at, key = starts[slot], np.uint64(0)
        for i in range(8):
            key |= np.uint64(nodes[at + i]) << np.uint64(8 * i)
        level = np.int64(nodes[at + 8]) | np.int64(nodes[at + 9]) << 8
        if key >= np.uint64(size) or has_key[np.int64(key)] or level != levels[slot]:
            return slot
        has_key[np.int64(key)] = True
        at += NODE
        for layer in range(level + 1):
            room = 2 * connectivity if layer == 0 else connectivity
            count = _uint32(nodes, at)
            if count > room:
                return slot
            for i in range(count):
                other = _uint32(nodes, at + 4 + 4 * i)
                if other >= size or levels[other] < layer:
                    return slot
            at += 4 + 4 * room
    return -1


@njit(nogil=True, inline="always")
def _uint32(data: Bytes, at: int) -> Any:
    number = np.int64(0)
    for i in range(4):
        number |= np.int64(data[at + i]) << (8 * i)
    return number
