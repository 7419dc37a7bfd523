"""Train with the fastText package; `seconds` is the training alone.

Its one call reads the text for the vocabulary, makes the matrices and trains. A second call with no epoch does all but
the training, and its time is taken off.
"""

import json
import sys
import time

import fasttext

options = json.loads(sys.argv[1])


def run(epochs):
    start = time.perf_counter()
    model = fasttext.train_unsupervised(
        options["text"], thread=options["threads"], minCount=options["min_count"], epoch=epochs, verbose=0,
        **options["model"],
    )  # fmt: skip
    return time.perf_counter() - start, model


whole, model = run(options["epochs"])
if options.get("output"):
    model.save_model(options["output"])
words = len(model.words)
del model
besides, _ = run(0)
print(json.dumps({"seconds": whole - besides, "besides_seconds": besides, "vocabulary": words}))
