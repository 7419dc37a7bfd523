"""A million sentences to an array on disk: averages of the same word vectors."""

import os
from pathlib import Path

from benchmarks.comparison import Comparison, Contender, Target
from benchmarks.running import run_child
from benchmarks.setting import FIRTH, GENSIM, Setting

SENTENCES = 1_000_000
MODEL2VEC = "model2vec"


def comparisons(setting: Setting) -> list[Comparison]:
    """Vectors of 100 and of 300 dimensions, one thread."""
    found = []
    for dim in (100, 300):
        files = {
            "sentences": str(setting.cache / f"sentences-{SENTENCES}.txt"),
            "vectors": str(setting.cache / f"sentences-{SENTENCES}-{dim}.firth"),
            "binary": str(setting.cache / f"sentences-{SENTENCES}-{dim}.bin"),
            "output": str(setting.cache / "encoded.npy"),
        }
        size = {"count": SENTENCES, "dim": dim}
        if not Path(files["binary"]).exists():
            job = setting.firth_job("make_sentences.py", {**size, **files, "text": str(setting.written.path)})
            run_child(job, os.environ)
        one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        found.append(
            Comparison(
                key=f"encode-{dim}",
                title=f"averages of word vectors of {SENTENCES:,} sentences, {dim} dimensions, from file to .npy",
                contenders=(
                    Contender(
                        name=FIRTH,
                        command=setting.firth_job("firth_encode.py", files),
                        environment={**setting.firth_cache, **one},
                        warm_up=True,
                    ),
                    Contender(
                        name=GENSIM, command=setting.peer_job("gensim_encode.py", {**size, **files}), environment=one
                    ),
                    Contender(
                        name=MODEL2VEC,
                        command=setting.peer_job("model2vec_encode.py", {**size, **files}),
                        environment=one,
                    ),
                ),
                options={**size, "threads": 1, "text": "Wikipedia, 3 to 30 words a sentence, repeated"},
                targets=(Target(FIRTH, GENSIM, 10), Target(FIRTH, MODEL2VEC, 10)),
            )
        )
    return found
