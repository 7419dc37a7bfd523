"""Train the fastText package's classifier on a file, or predict a file of lines; reading counts in both."""

import json
import sys
import time
from pathlib import Path

import fasttext

options = json.loads(sys.argv[1])
start = time.perf_counter()
if options["phase"] == "training":
    model = fasttext.train_supervised(options["text"], thread=options["threads"], verbose=0, **options["model"])
    seconds = time.perf_counter() - start
    model.save_model(options["saved"])
else:
    model = fasttext.load_model(options["saved"])
    start = time.perf_counter()
    with Path(options["text"]).open(encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file]
    predicted = model.predict(lines)[0]
    seconds = time.perf_counter() - start
    assert len(predicted) == len(lines)
print(json.dumps({"seconds": seconds}))
