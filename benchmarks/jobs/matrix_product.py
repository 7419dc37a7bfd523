"""Time a large matrix product, the best of ten: close to the most that a processor's multiply-adds can do."""

import json
import time

import numpy as np

size = 2048
a, b = np.random.default_rng(0).random((2, size, size), dtype=np.float32)
times = []
for _ in range(10):
    start = time.perf_counter()
    a @ b
    times.append(time.perf_counter() - start)
print(json.dumps({"seconds": min(times), "gflops": 2 * size**3 / min(times) / 1e9}))
