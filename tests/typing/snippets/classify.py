"""Classify texts."""

from typing import assert_type

import firth

trainer = firth.TextClassifier(dim=20, epochs=5, word_ngrams=2)
classifier = trainer.train(["good film", "bad film"], ["pos", "neg"])
assert_type(classifier, firth.Classifier)
assert_type(classifier.predict("a good film"), list[tuple[str, float]])
assert_type(classifier.predict(["a good film"], k=2), list[list[tuple[str, float]]])
assert_type(classifier.test("test.csv", labels="topic").f1, float)
assert_type(classifier.labels, list[str])
classifier.quantise(keep=10_000).save("small.ftz")

firth.TextClassifier(wordNgrams=2)  # type: ignore[call-arg]
trainer.train(["good film"], ["pos"], epochs=3)  # type: ignore[call-arg]
classifier.predict("a good film", top=3)  # type: ignore[call-overload]
classifier.predict_proba(["a good film"])  # type: ignore[attr-defined]
