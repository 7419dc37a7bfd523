"""Time one question to gensim's vectors, the best of several tries; the same numbers as `make_vectors.py` makes."""

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
times = []
for _ in range(20):
    start = time.perf_counter()
    vectors.most_similar("w7")
    times.append(time.perf_counter() - start)
print(json.dumps({"seconds": min(times)}))
