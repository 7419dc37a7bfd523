"""Find phrases with firth and join them; a small text before it loads what is compiled."""

import json
import sys
import tempfile
import time

import firth

options = json.loads(sys.argv[1])
corpus = firth.Corpus.build(options["text"], tokens="whitespace", min_count=1, progress=False)
how = firth.Phrases(min_count=options["min_count"], threshold=options["threshold"], scoring="npmi")
small = firth.Corpus.build([["a", "b", "c"]] * 9, min_count=1, progress=False)
with tempfile.TemporaryDirectory() as folder:
    how.learn(small).apply(small, min_count=1, cache=folder)
    start = time.perf_counter()
    table = how.learn(corpus, threads=options["threads"])
    middle = time.perf_counter()
    table.apply(corpus, min_count=1, cache=folder)
    end = time.perf_counter()
print(json.dumps({"seconds": end - start, "finding_seconds": middle - start, "phrases": len(table)}))
