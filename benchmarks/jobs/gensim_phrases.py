"""Find phrases with gensim and join them; what reading the text takes by itself is taken off, twice."""

import json
import sys
import time

from gensim.models.phrases import Phrases
from gensim.models.word2vec import LineSentence

options = json.loads(sys.argv[1])
lines = LineSentence(options["text"])


def gone_through(sentences):
    start = time.perf_counter()
    for _ in sentences:
        pass
    return time.perf_counter() - start


reading = gone_through(lines)
start = time.perf_counter()
how = {"min_count": options["min_count"], "threshold": options["threshold"], "scoring": "npmi"}
model = Phrases(lines, **how, max_vocab_size=10**9)
finding = time.perf_counter() - start - reading
frozen = model.freeze()
joining = gone_through(frozen[lines]) - reading
print(json.dumps({"seconds": finding + joining, "finding_seconds": finding, "phrases": len(frozen.phrasegrams)}))
