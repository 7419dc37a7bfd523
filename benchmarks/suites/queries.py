"""Questions to vectors that are there already, and opening them."""

import os

from benchmarks.comparison import Comparison, Contender, Limit, Target
from benchmarks.running import run_child
from benchmarks.setting import FIRTH, GENSIM, Setting

WORDS, DIM = 200_000, 300
LOOK_UP = "firth, then looking up a word"
AT_ONCE, CALLS = "firth, 1,000 words at once", "firth, 1,000 calls"
PRODUCT, GENSIM_CALLS = "the BLAS product alone", "gensim, 1,000 calls"


def comparisons(setting: Setting) -> list[Comparison]:
    """One word, a thousand words, and the opening of the file."""
    path = setting.cache / f"random-{WORDS}x{DIM}.firth"
    size = {"words": WORDS, "dim": DIM}
    if not path.exists():
        run_child(setting.firth_job("make_vectors.py", {**size, "output": str(path)}), os.environ)

    def ask(name: str, job: str) -> Contender:
        command = setting.firth_job("firth_queries.py", {"vectors": str(path), "job": job})
        return Contender(name=name, command=command, environment=setting.firth_cache)

    neighbours = []
    for threads in setting.threads:
        options = {**size, "threads": threads, "numbers": "standard normal, float32"}
        neighbours += [
            Comparison(
                key=f"most-similar-one-{threads}t",
                title=f"most_similar of one word, {WORDS:,} x {DIM}, BLAS threads: {threads}",
                contenders=(
                    ask(FIRTH, "one"),
                    Contender(name=GENSIM, command=setting.peer_job("gensim_queries.py", size)),
                ),
                options=options,
                targets=(Target(FIRTH, GENSIM, 1),),
            ),
            Comparison(
                key=f"most-similar-1000-{threads}t",
                title=f"most_similar of 1,000 words, {WORDS:,} x {DIM}, BLAS threads: {threads}",
                contenders=(
                    ask(AT_ONCE, "batch"),
                    ask(CALLS, "calls"),
                    ask(PRODUCT, "product"),
                    Contender(
                        name=GENSIM_CALLS, command=setting.peer_job("gensim_queries.py", {**size, "job": "calls"})
                    ),
                ),
                options=options,
                targets=(
                    Target(AT_ONCE, GENSIM_CALLS, 20),
                    Target(AT_ONCE, CALLS, 20),
                    Target(AT_ONCE, PRODUCT, 2 / 3),
                ),
            ),
        ]
    opening = Comparison(
        key="open",
        title=f"opening {WORDS:,} x {DIM} vectors",
        contenders=(ask(FIRTH, "open"), ask(LOOK_UP, "open and look up")),
        options=size,
        limits=(Limit(FIRTH, "seconds", 0.05, "s"),),
    )
    return [*neighbours, opening]
