"""Average the word vectors of sentences in a loop with gensim, from the file of text to the array on disk."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

options = json.loads(sys.argv[1])
vectors = KeyedVectors.load_word2vec_format(options["binary"], binary=True)
start, processor = time.perf_counter(), time.process_time()
rows = np.zeros((options["count"], options["dim"]), dtype=np.float32)
with Path(options["sentences"]).open(encoding="utf-8") as file:
    for i, line in enumerate(file):
        words = [word for word in line.split() if word in vectors]
        if words:
            rows[i] = vectors[words].mean(axis=0)
np.save(options["output"], rows)
figures = {"seconds": time.perf_counter() - start, "processor_seconds": time.process_time() - processor}
Path(options["output"]).unlink()
print(json.dumps({**figures, "texts": len(rows)}))
