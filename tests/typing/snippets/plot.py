"""Draw, and change vectors."""

from typing import assert_type

import firth

vectors = firth.load("my.firth", firth.WordVectors)
picture = firth.plots.neighbour_network(vectors, ["paris"])
assert_type(picture, firth.plots.Picture)
picture.save("network.svg")
small = firth.postprocess.reduce(vectors, 50)
assert_type(small, firth.WordVectors)
assert_type(small.quantise("int8"), firth.WordVectors)
assert_type(firth.sentence_vectors(vectors, ["a text"]).ndim, int)

picture.save("network.svg", dpi=300)  # type: ignore[call-arg]
firth.postprocess.reduce(vectors, n_components=50)  # type: ignore[call-arg]
firth.plots.no_such_plot(vectors)  # type: ignore[attr-defined]
_ = firth.NoSuchName  # type: ignore[attr-defined]
