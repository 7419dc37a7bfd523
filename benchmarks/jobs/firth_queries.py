"""Time one kind of question to firth's vectors: the best of several tries, for a try is too short to be fair alone."""

import json
import sys
import time

import numpy as np

import firth
from firth.vectors.word_vectors import WordVectors

options = json.loads(sys.argv[1])


def best(function, tries):
    times = []
    for _ in range(tries):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def open_folder():
    # Reading one number shows that the vectors are there to be used, not only promised.
    return firth.load(options["vectors"]).vectors[7, 0]


def open_and_look_up():
    # The first word asked for is what the table of words is made for.
    return firth.load(options["vectors"])["w7"]


def product():
    # What any exact search by BLAS must do: every query times every vector, the scores written where memory is warm.
    queries, scores = vectors[words], np.zeros((len(words), len(vectors)), dtype=np.float32)
    return best(lambda: np.matmul(queries, vectors.vectors.T, out=scores), 3)


vectors: WordVectors = firth.load(options["vectors"])
words = [f"w{i}" for i in range(0, 1000 * 97, 97)]
vectors.most_similar(words[0])  # norms are computed once and kept
JOBS = {
    "open": lambda: best(open_folder, 5),
    "open and look up": lambda: best(open_and_look_up, 5),
    "one": lambda: best(lambda: vectors.most_similar("w7"), 20),
    "batch": lambda: best(lambda: vectors.most_similar([[word] for word in words]), 3),
    "calls": lambda: 5 * best(lambda: [vectors.most_similar(word) for word in words[:200]], 1),
    "product": product,
}
print(json.dumps({"seconds": JOBS[options["job"]]()}))
