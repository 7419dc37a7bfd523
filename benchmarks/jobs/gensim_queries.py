"""Time questions to gensim's vectors: one, the best of several tries, or 1,000; the numbers are `make_vectors.py`'s."""

import json
import sys
import time

import numpy as np
from gensim.models import KeyedVectors

options = json.loads(sys.argv[1])
numbers = np.random.default_rng(0).standard_normal((options["words"], options["dim"])).astype(np.float32)
vectors = KeyedVectors(options["dim"])
vectors.add_vectors([f"w{i}" for i in range(options["words"])], numbers)
vectors.most_similar("w7")  # norms are computed once and kept


def seconds(words):
    start = time.perf_counter()
    for word in words:
        vectors.most_similar(word)
    return time.perf_counter() - start


if options.get("job") == "calls":
    # A fifth of them, five times: each call reads the whole matrix, and takes as long as any other.
    print(json.dumps({"seconds": 5 * seconds([f"w{i}" for i in range(0, 200 * 97, 97)])}))
else:
    print(json.dumps({"seconds": min(seconds(["w7"]) for _ in range(20))}))
