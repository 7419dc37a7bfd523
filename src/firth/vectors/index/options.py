"""Options of each kind of index; the command line reads its flags from here without importing the kinds."""

from typing import TypedDict

from firth.arguments import describe
from firth.options import option, options_class

MOST_BITS = 14  # default hyperplanes per table; with more, buckets would be empty


@options_class
class ExactOptions:
    """Options of exact search."""

    csls: int | None = option(None, "rank by CSLS over this many neighbours; default: by cosine", minimum=1)


@options_class
class LshOptions:
    """Options of locality-sensitive hashing (LSH) with random hyperplanes."""

    tables: int = option(16, "hash tables; more find more, at 4 bytes per word and table", minimum=1, maximum=1024)
    bits: int | None = option(
        None,
        f"hyperplanes per hash table; more make smaller buckets; default: {MOST_BITS}, or fewer for few words",
        minimum=1,
        maximum=20,
    )
    probes: int = option(
        50, "probes: buckets searched per table, on average, most likely first", minimum=1, maximum=2**20
    )
    centre: bool = option(True, "subtract the mean vector before hashing, not from the cosines")
    seed: int = option(0, "random seed of the hyperplanes", minimum=0)


@options_class
class HnswOptions:
    """Options of the hierarchical navigable small world graph (HNSW)."""

    connectivity: int = option(
        16, "graph edges per word (M), twice as many on the lowest level", minimum=2, maximum=512
    )
    expansion_add: int = option(
        128, "candidates examined while adding a word (efConstruction)", minimum=1, maximum=2**20
    )
    expansion_search: int = option(64, "candidates examined per query (efSearch)", minimum=1, maximum=2**20)
    threads: int = option(1, "threads that build the graph; with more than one it differs from run to run", minimum=1)


class EffortArguments(TypedDict, total=False):
    """Options of a query, which need no rebuilding, as keyword arguments."""

    probes: int
    expansion_search: int


class IndexArguments(EffortArguments, total=False):
    """The options of every kind of index as keyword arguments."""

    csls: int | None
    tables: int
    bits: int | None
    centre: bool
    seed: int
    connectivity: int
    expansion_add: int
    threads: int


describe(IndexArguments, ExactOptions, LshOptions, HnswOptions)
EFFORT = frozenset(EffortArguments.__annotations__)
IndexOptions = ExactOptions | LshOptions | HnswOptions
OPTIONS: dict[str, type[ExactOptions] | type[LshOptions] | type[HnswOptions]] = {
    "exact": ExactOptions,
    "lsh": LshOptions,
    "hnsw": HnswOptions,
}
