"""Train the fastText package's classifier on a file and count the texts of another whose label it finds."""

import json
import sys
import time

import fasttext

options = json.loads(sys.argv[1])
start = time.perf_counter()
model = fasttext.train_supervised(
    options["train"], seed=options["seed"], thread=options["threads"], verbose=0, **options["model"]
)
seconds = time.perf_counter() - start
texts, precision, _ = model.test(options["test"])
print(json.dumps({"seconds": seconds, "right": round(precision * texts), "total": texts}))
