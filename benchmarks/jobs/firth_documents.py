"""Train firth's paragraph vectors on the texts of a file, and infer vectors for these and for those of another."""

import json
import sys
from pathlib import Path

import numpy as np

import firth

options = json.loads(sys.argv[1])


def texts(path):
    return [line.split()[1:] for line in Path(path).read_text(encoding="utf-8").splitlines()]


train, test = texts(options["train"]), texts(options["test"])
corpus = firth.Corpus.build(train, min_count=options["min_count"], keep_empty=True, progress=False)
model = firth.ParagraphVectors(**options["model"])
documents = model.train(corpus, seed=options["seed"], threads=options["threads"], progress=False)
np.savez(options["vectors"], train=documents.infer(train), test=documents.infer(test))
print(json.dumps({"seconds": documents.metadata["training"]["seconds"]}))
