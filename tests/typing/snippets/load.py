"""Open what was saved, by this program or another."""

from typing import Any, assert_type

import firth

vectors = firth.load("my.firth")
assert_type(vectors, firth.WordVectors | Any)
vectors.most_similar("paris")
also: firth.WordVectors = firth.load("glove.txt", format="glove", limit=100_000)
assert_type(firth.load("my.firth", firth.WordVectors), firth.WordVectors)
assert_type(firth.load("cc.en.300.bin", firth.SubwordVectors), firth.SubwordVectors)
assert_type(firth.load("topics.firth", firth.Classifier).labels, list[str])
assert_type(firth.load("documents.firth", firth.DocumentVectors), firth.DocumentVectors)
assert_type(firth.load("senses.firth", firth.SenseVectors), firth.SenseVectors)
assert_type(firth.load("en-de.firth", kind=firth.Alignment), firth.Alignment)
assert_type(firth.load("trigrams.firth", firth.NgramModel), firth.NgramModel)
assert_type(firth.WordVectors.load("my.firth", limit=5), firth.WordVectors)
assert_type(firth.SubwordVectors.load("cc.en.300.bin"), firth.SubwordVectors)

firth.load("my.firth").predict("a text")  # type: ignore[union-attr]
firth.load("my.firth", "glove")  # type: ignore[call-overload]
firth.load("my.firth", binary=True)  # type: ignore[call-overload]
firth.WordVectors.load("my.firth", binary=True)  # type: ignore[call-arg]
