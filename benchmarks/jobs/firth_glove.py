"""Train GloVe with firth on counts that are there; `seconds` is of the training alone."""

import json
import sys

import firth

options = json.loads(sys.argv[1])
corpus = firth.Corpus.build(options["text"], tokens="whitespace", min_count=options["min_count"], progress=False)
model = firth.GloVe(window=options["window"], **options["model"])
vectors = model.train(corpus, threads=options["threads"], seed=options.get("seed", 1), progress=False)
if options.get("output"):
    vectors.save(options["output"], format="word2vec-binary")
facts = vectors.metadata["training"]
print(json.dumps({"seconds": facts["seconds"], "cells": facts["cells"], "loss": facts["loss"]}))
