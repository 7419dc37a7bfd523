"""Scores of coreference against scorch, one thread, seconds of processor time.

    python -m benchmarks.coreference_scores litbank_coref_conll.tar.gz --rounds 5

Each document of a file in the columns of CoNLL-2012 is scored with its gold chains against those of the rule of equal
strings: MUC, B-cubed, CEAF-e, CEAF-m and BLANC on both sides; firth's time has LEA as well, which scorch lacks. Both
sides take turns and get the chains as they want them. The results are compared, too.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable

import scorch.scores

from firth.coreference.rules import link_by_string
from firth.documents.coreference_files import read_coreference
from firth.evaluation.coreference import score_coreference
from firth.kernels.threads import one_blas_thread

MEASURES = ("muc", "b_cubed", "ceaf_e", "ceaf_m", "blanc")
Clusters = list[list[set[tuple[int, int]]]]


def seconds(run: Callable[[], object]) -> float:
    """Seconds of processor time."""
    start = time.process_time()
    run()
    return time.process_time() - start


def theirs(gold: Clusters, found: Clusters) -> list[list[float]]:
    """F1 of each document and measure by scorch."""
    return [
        [float(getattr(scorch.scores, name)(one, other)[2]) for name in MEASURES]
        for one, other in zip(gold, found, strict=True)
    ]


def ours(gold: Clusters, found: Clusters) -> list[list[float]]:
    """F1 of each document and measure by firth."""
    scores = [score_coreference([one], [other]) for one, other in zip(gold, found, strict=True)]
    return [[getattr(each, name).f1 for name in MEASURES] for each in scores]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=None)
    args = parser.parse_args()
    documents = list(read_coreference(args.path))[: args.documents]
    gold = [[set(chain) for chain in document.clusters] for document in documents]
    found = [[set(chain) for chain in link_by_string(document).clusters] for document in documents]
    pairs = zip(theirs(gold, found), ours(gold, found), strict=True)
    difference = max(abs(one - other) for rows in pairs for one, other in zip(*rows, strict=True))
    with one_blas_thread():
        rows = [(seconds(lambda: theirs(gold, found)), seconds(lambda: ours(gold, found))) for _ in range(args.rounds)]
    their, our = (statistics.median(row[side] for row in rows) for side in range(2))
    facts = {"documents": len(documents), "mentions": sum(len(document.mentions) for document in documents)}
    facts |= {"rounds": args.rounds, "largest_difference": difference}
    print(json.dumps(facts | {"scorch": their, "firth": our, "ratio": their / our}))


if __name__ == "__main__":
    main()
