"""Count co-occurrences with firth and lay them out for GloVe; a small count before it loads what is compiled."""

import json
import sys
import tempfile
import time

import firth
from firth.embeddings.glove import Tiles

options = json.loads(sys.argv[1])
corpus = firth.Corpus.build(options["text"], tokens="whitespace", min_count=options["min_count"], progress=False)
how, model = firth.Cooccurrence(window=options["window"]), firth.GloVe(dim=100)
small = firth.Corpus.build([["a", "b", "c"]] * 9, min_count=1, progress=False)
with tempfile.TemporaryDirectory() as folder:
    Tiles.cut(how.count(small, cache=folder, threads=options["threads"]), model, 0, options["threads"])
    start = time.perf_counter()
    counts = how.count(corpus, cache=folder, threads=options["threads"], progress=False)
    middle = time.perf_counter()
    tiles = Tiles.cut(counts, model, 0, options["threads"])
    end = time.perf_counter()
    print(json.dumps({"seconds": end - start, "counting_seconds": middle - start, "cells": tiles.num_tokens}))
