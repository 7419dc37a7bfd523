"""Resampling of BLEU and ROUGE against their libraries, one thread, seconds of processor time.

    python -m benchmarks.text_scores --segments 10000 --resamples 1000

The counts of segments are computed by the libraries on both sides and are not part of the time: sacrebleu's own
bootstrap of BLEU, and rouge-score's `BootstrapAggregator` of three scores, against `firth.resampling`.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable

import numpy as np
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.scoring import BootstrapAggregator
from sacrebleu.metrics import BLEU
from sacrebleu.metrics.base import Score
from sacrebleu.significance import _bootstrap_resample

from firth.evaluation.generated_metrics import Bleu
from firth.kernels.threads import one_blas_thread
from firth.resampling import Mean, bootstrap_interval

KINDS = ("rouge1", "rouge2", "rougeL")


def texts(n: int) -> tuple[list[str], list[str]]:
    """Segments of 5 to 30 words that share most words with their references."""
    random = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(5_000)])
    references = [words[random.zipf(1.5, random.integers(5, 30)) % 5_000].tolist() for _ in range(n)]
    found = [[w if random.random() < 0.7 else str(random.choice(words)) for w in each] for each in references]
    return [" ".join(each) for each in found], [" ".join(each) for each in references]


def seconds(run: Callable[[], object]) -> float:
    """Seconds of processor time."""
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=10_000)
    parser.add_argument("--resamples", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    found, references = texts(args.segments)
    metric = BLEU()
    counts = metric._extract_corpus_statistics(found, [references])
    scorer = RougeScorer(list(KINDS))
    rouge = [scorer.score(one, other) for one, other in zip(references, found, strict=True)]

    def their_bleu() -> tuple[Score, list[Score]]:
        return _bootstrap_resample(counts, metric, args.resamples)

    def their_rouge() -> object:
        aggregator = BootstrapAggregator(n_samples=args.resamples)
        for one in rouge:
            aggregator.add_scores(one)
        return aggregator.aggregate()

    def our_bleu(seed: int) -> object:
        return bootstrap_interval(Bleu(np.array(counts, dtype=float)), len(counts), resamples=args.resamples, seed=seed)

    def our_rouge(seed: int) -> object:
        return [
            bootstrap_interval(
                Mean(np.array([one[kind].fmeasure for one in rouge])), len(rouge), resamples=args.resamples, seed=seed
            )
            for kind in KINDS
        ]

    rows = []
    with one_blas_thread():
        for number in range(args.rounds):
            bleu = seconds(their_bleu), seconds(lambda n=number: our_bleu(2 * n))
            rouge_scores = seconds(their_rouge), seconds(lambda n=number: our_rouge(2 * n + 1))
            rows.append({"bleu": bleu, "rouge": rouge_scores})
    for name in ("bleu", "rouge"):
        theirs, ours = (statistics.median(row[name][side] for row in rows) for side in range(2))
        facts = {"score": name, "segments": args.segments, "resamples": args.resamples, "rounds": args.rounds}
        print(json.dumps(facts | {"library": theirs, "firth": ours, "ratio": theirs / ours}))


if __name__ == "__main__":
    main()
