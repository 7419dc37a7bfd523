"""Count the words of a file with gensim; `seconds` is its scan alone, pruning and tables apart."""

import json
import sys
import time

from gensim.models import Word2Vec

options = json.loads(sys.argv[1])
model = Word2Vec(min_count=options["min_count"])
start = time.perf_counter()
words, _ = model.scan_vocab(corpus_file=options["text"])
print(json.dumps({"seconds": time.perf_counter() - start, "words": words}))
