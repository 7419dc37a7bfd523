"""What can be chosen of each kind of index; the command line reads its flags from here, without loading any kind."""

from firth.options import check, option, options_class

MOST_BITS = 14  # a table where nobody chose; more than words need, buckets would be empty


@options_class
class ExactOptions:
    """Choices of exact search."""

    csls: int | None = option(
        None, "rank by CSLS, with hubness averaged over so many neighbours; by cosine if not given", minimum=1
    )

    def __post_init__(self) -> None:
        check(self)


@options_class
class LshOptions:
    """Choices of random hyperplanes."""

    tables: int = option(16, "hash tables; more find more, and take 4 bytes a word each", minimum=1, maximum=1024)
    bits: int | None = option(
        None,
        f"hyperplanes a table; more make its buckets smaller; if not given, {MOST_BITS}, or fewer for few words",
        minimum=1,
        maximum=20,
    )
    probes: int = option(50, "buckets looked into a table on average, the likeliest first", minimum=1, maximum=2**20)
    centre: bool = option(True, "subtract the mean vector before hashing, not from the cosines")
    seed: int = option(0, "number that decides the hyperplanes", minimum=0)

    def __post_init__(self) -> None:
        check(self)


@options_class
class HnswOptions:
    """Choices of the hierarchical small world."""

    connectivity: int = option(16, "edges a word, twice as many on the ground floor", minimum=2, maximum=512)
    expansion_add: int = option(128, "candidates kept while a word is added", minimum=1, maximum=2**20)
    expansion_search: int = option(64, "candidates kept while a query is answered", minimum=1, maximum=2**20)
    threads: int = option(1, "threads that build; with more than one the graph differs from run to run", minimum=1)

    def __post_init__(self) -> None:
        check(self)


EFFORT = frozenset({"probes", "expansion_search"})  # choices that a query makes, and not the building
IndexOptions = ExactOptions | LshOptions | HnswOptions
OPTIONS: dict[str, type[ExactOptions] | type[LshOptions] | type[HnswOptions]] = {
    "exact": ExactOptions,
    "lsh": LshOptions,
    "hnsw": HnswOptions,
}
