"""Ask word vectors."""

from typing import assert_type

import numpy as np
import numpy.typing as npt

import firth

vectors = firth.Word2Vec().train("novels/")
assert_type(vectors.most_similar("paris"), list[tuple[str, float]])
assert_type(vectors.most_similar(["king", "woman"], negative=["man"], topn=3), list[tuple[str, float]])
assert_type(vectors.similar_by_word("paris", topn=3), list[tuple[str, float]])
assert_type(vectors.analogy("france", "paris", "italy", n=3), list[tuple[str, float]])
assert_type(vectors.similarity("paris", "rome"), float)
assert_type(vectors.dim, int)
assert_type(vectors.words, list[str])
assert_type("paris" in vectors, bool)
matrix: npt.NDArray[np.float32] = vectors["paris"]
batch: list[list[tuple[str, float]]] = vectors.most_similar([["paris"], ["rome"]])
index = vectors.index("hnsw", connectivity=16)
assert_type(index.query("paris", k=3).words, list[list[str]])
index.tuned(expansion_search=100)
firth.plots.word_map(vectors, ["paris", "rome"]).save("map.html")

vectors.most_similar("paris", n=3)  # type: ignore[call-overload]
vectors.analogy("france", "paris", "italy", topn=3)  # type: ignore[call-overload]
vectors.index("hnsw", efConstruction=100)  # type: ignore[call-arg]
index.tuned(tables=3)  # type: ignore[call-arg]
_ = vectors.wv  # type: ignore[attr-defined]
