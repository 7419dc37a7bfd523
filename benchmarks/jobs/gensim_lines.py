"""Train paragraph vectors with gensim on documents handed to it one by one: its learning rate falls as it says."""

import json
import sys
import time
from pathlib import Path

from gensim.models.doc2vec import Doc2Vec, TaggedDocument

options = json.loads(sys.argv[1])


class Documents:
    def __iter__(self):
        with Path(options["text"]).open(encoding="utf-8") as file:
            for number, line in enumerate(file):
                yield TaggedDocument(line.split(), [number])


model = Doc2Vec(seed=options["seed"], workers=options["threads"], min_count=options["min_count"], **options["model"])
model.build_vocab(Documents())
start = time.perf_counter()
model.train(Documents(), total_examples=model.corpus_count, epochs=model.epochs)
seconds = time.perf_counter() - start
model.wv.save_word2vec_format(options["output"], binary=True)
print(json.dumps({"seconds": seconds, "vocabulary": len(model.wv)}))
