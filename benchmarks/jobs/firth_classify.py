"""Train firth's classifier on a file, or predict a file of lines; reading counts in both, compilation does not."""

import json
import sys
import time
from pathlib import Path

import firth

options = json.loads(sys.argv[1])
if options["phase"] == "training":
    model = firth.TextClassifier(**options["model"])
    # The first call compiles, or loads what is compiled; a few lines are enough for it.
    with Path(options["text"]).open(encoding="utf-8") as file:
        first = [file.readline() for _ in range(200)]
    few = Path(options["saved"] + ".few.txt")
    few.write_text("".join(first), encoding="utf-8")
    model.train(few, threads=options["threads"], progress=False)
    start = time.perf_counter()
    classifier = model.train(options["text"], threads=options["threads"], progress=False)
    seconds = time.perf_counter() - start
    classifier.save(options["saved"])
else:
    classifier = firth.load(options["saved"])
    classifier.predict(["one line"])
    start = time.perf_counter()
    with Path(options["text"]).open(encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file]
    predicted = classifier.predict(lines)
    seconds = time.perf_counter() - start
    assert len(predicted) == len(lines)
print(json.dumps({"seconds": seconds}))
