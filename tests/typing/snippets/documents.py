"""Vectors of documents, sentences and senses."""

from typing import Any, assert_type

import numpy.typing as npt

import firth

documents = firth.ParagraphVectors(dim=50).train(["a text", "another"], names=["one", "two"], min_count=1)
assert_type(documents, firth.DocumentVectors)
assert_type(documents.names, list[str])
documents.most_similar("one", topn=1)
new: npt.NDArray[Any] = documents.infer("a new text", epochs=20)
senses = firth.SenseClusters(senses="fixed", max_senses=3).train(firth.Corpus.build("novels/"))
assert_type(senses.single(), firth.WordVectors)

documents.infer("a new text", steps=20)  # type: ignore[call-arg]
documents.most_similar("one", top=1)  # type: ignore[call-arg]
