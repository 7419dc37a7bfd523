"""Save random vectors in firth's own format: V words w0, w1, ... of D numbers."""

import json
import sys

import numpy as np

from firth.vectors.word_vectors import WordVectors

options = json.loads(sys.argv[1])
numbers = np.random.default_rng(0).standard_normal((options["words"], options["dim"])).astype(np.float32)
WordVectors([f"w{i}" for i in range(options["words"])], numbers).save(options["output"])
print("{}")
