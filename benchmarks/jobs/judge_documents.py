"""Fit a logistic regression on the vectors of documents and count those of the test part whose label it finds."""

import json
import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

options = json.loads(sys.argv[1])
labels = {
    part: [line.split(maxsplit=1)[0] for line in Path(options[part]).read_text(encoding="utf-8").splitlines()]
    for part in ("train", "test")
}
vectors = np.load(options["vectors"])
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
model.fit(vectors["train"], labels["train"])
right = int((model.predict(vectors["test"]) == np.array(labels["test"])).sum())
print(json.dumps({"right": right, "total": len(labels["test"])}))
