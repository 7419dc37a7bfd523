"""Train firth's classifier on a file and count the texts of another whose label it finds."""

import json
import sys
import time

import firth

options = json.loads(sys.argv[1])
start = time.perf_counter()
model = firth.TextClassifier(**options["model"])
classifier = model.train(options["train"], seed=options["seed"], threads=options["threads"], progress=False)
seconds = time.perf_counter() - start
score = classifier.test(options["test"])
print(json.dumps({"seconds": seconds, "right": round(score.precision * score.texts), "total": score.texts}))
