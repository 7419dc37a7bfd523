"""Train with gensim from a file; `seconds` is the training alone, the vocabulary's scan apart."""

import json
import sys
import time

import gensim.models

options = json.loads(sys.argv[1])
family = getattr(gensim.models, options.get("family", "Word2Vec"))
model = family(seed=options["seed"], workers=options["threads"], min_count=options["min_count"], **options["model"])
model.build_vocab(corpus_file=options["text"])
start = time.perf_counter()
model.train(
    corpus_file=options["text"],
    total_words=model.corpus_total_words,
    total_examples=model.corpus_count,
    epochs=model.epochs,
)
seconds = time.perf_counter() - start
if options.get("output"):
    model.wv.save_word2vec_format(options["output"], binary=True)
print(json.dumps({"seconds": seconds, "words": model.corpus_total_words, "vocabulary": len(model.wv)}))
