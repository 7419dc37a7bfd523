"""Build a corpus with firth, from the file to the folder on disk; a small build before it loads what is compiled."""

import json
import sys
import tempfile
import time
from pathlib import Path

import firth

options = json.loads(sys.argv[1])
settings = {"tokens": options["tokens"], "min_count": options["min_count"], "progress": False}
with tempfile.TemporaryDirectory() as folder:
    small = Path(folder) / "few-lines.txt"
    with Path(options["text"]).open("rb") as file, small.open("wb") as few:
        few.writelines(line for _, line in zip(range(200), file, strict=False))
    firth.Corpus.build(small, cache=Path(folder) / "warm", **{**settings, "min_count": 1})
    start = time.perf_counter()
    corpus = firth.Corpus.build(options["text"], cache=Path(folder) / "timed", **settings)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "tokens": corpus.vocabulary.total, "vocabulary": len(corpus.vocabulary)}))
