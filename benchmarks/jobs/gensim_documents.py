"""Train gensim's Doc2Vec on the texts of a file, and infer vectors for these and for those of another."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from gensim.models.doc2vec import Doc2Vec, TaggedDocument

options = json.loads(sys.argv[1])


def texts(path):
    return [line.split()[1:] for line in Path(path).read_text(encoding="utf-8").splitlines()]


train, test = texts(options["train"]), texts(options["test"])
documents = [TaggedDocument(words, [i]) for i, words in enumerate(train)]
model = Doc2Vec(seed=options["seed"], workers=options["threads"], min_count=options["min_count"], **options["model"])
model.build_vocab(documents)
start = time.perf_counter()
model.train(documents, total_examples=model.corpus_count, epochs=model.epochs)
seconds = time.perf_counter() - start
train_vectors, test_vectors = (np.array([model.infer_vector(words) for words in some]) for some in (train, test))
np.savez(options["vectors"], train=train_vectors, test=test_vectors)
print(json.dumps({"seconds": seconds}))
