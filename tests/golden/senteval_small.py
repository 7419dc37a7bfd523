"""Writes senteval_small.json: logistic regressions of scikit-learn on small data, as SentEval's classes fit them.

    python -m tests.golden.senteval_small

For each C of SentEval, the accuracy on a development part and the predictions for a test part, by scikit-learn's
LogisticRegression at its minimum (tolerance 1e-10); then the prediction of the C with the highest accuracy, the
smallest of equals. SentEval itself stops at scikit-learn's default tolerance.
"""

import json
from pathlib import Path

import numpy as np

C = [2.0**power for power in range(-2, 4)]
FILE = Path(__file__).with_suffix(".json")


def data(seed: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 260 rows (260, 12) and labels; the first 160 are for training, the next 50 for development."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(260, 12)) * random.uniform(0.05, 1.5, size=12) + 0.3
    scores = rows @ random.normal(size=(12, classes)) + random.gumbel(size=(260, classes))
    return rows, scores.argmax(axis=1)


def main() -> None:
    """Write the file."""
    from sklearn.linear_model import LogisticRegression

    cases = []
    for seed, classes in ((0, 2), (1, 2), (2, 5)):
        rows, labels = data(seed, classes)
        models = [LogisticRegression(C=c, tol=1e-10, max_iter=20_000).fit(rows[:160], labels[:160]) for c in C]
        accuracies = [float(model.score(rows[160:210], labels[160:210])) for model in models]
        best = int(np.argmax(accuracies))
        cases.append(
            {
                "seed": seed,
                "classes": classes,
                "accuracies": accuracies,
                "best": C[best],
                "predicted": models[best].predict(rows[210:]).tolist(),
            }
        )
    FILE.write_text(json.dumps(cases, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
