"""Watch a training, save it, and read how it went."""

from pathlib import Path
from typing import Any, assert_type

import firth
from firth.progress import Status


def show(status: Status) -> None:
    print(status.stage, status.done, status.figures.get("loss"))


vectors = firth.Word2Vec().train("novels/", progress=show, checkpoint=Path("state"))
vectors.save("my.firth")
vectors.save(Path("my.vec"), format="word2vec")
training: dict[str, Any] = vectors.metadata["training"]
more = firth.Word2Vec().train("more/", start=vectors)
assert_type(more, firth.WordVectors)

firth.Word2Vec().train("novels/", progress="bar")  # type: ignore[arg-type]
vectors.save("my.vec", binary=True)  # type: ignore[call-arg]
