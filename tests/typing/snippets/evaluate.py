"""Judge vectors, and compare models."""

from typing import assert_type

import firth
from firth.evaluation.report import EvaluationReport

vectors = firth.load("my.firth")
report = firth.evaluate(vectors, similarity="wordsim353", unknown="count")
assert_type(report, EvaluationReport)
assert_type([row.value for row in report.rows], list[float])
firth.evaluate({"a": firth.load("a.firth", firth.WordVectors), "b": firth.load("b.firth", firth.WordVectors)})
comparison = firth.compare("novels/", ["skipgram", "glove:epochs=50"], "runs/", common={"dim": 100})
assert_type(comparison, firth.Comparison)
print(comparison.to_markdown())

firth.evaluate(vectors, unknown="ignore")  # type: ignore[arg-type]
firth.evaluate(vectors, test_sets=["men"])  # type: ignore[call-arg]
firth.compare("novels/", ["skipgram"])  # type: ignore[call-arg]
