"""Word vectors of text without labels, for models that learn from few labelled examples."""

from typing import Any

import firth
from firth.errors import OptionError
from firth.progress import Progress
from firth.training_facts import check_whole


def vectors_of_raw(raw: Any, vectors: Any, *, seed: int, threads: int | None, progress: Progress) -> Any:
    """Return word vectors that are learned from raw text: those of its words, by fastText at its defaults.

    Raises:
        OptionError: there are vectors as well.
    """
    if vectors is not None:
        raise OptionError("vectors and raw: word vectors are either given or learned from raw text; leave one out")
    return check_whole(firth.FastText().train(raw, seed=seed, threads=threads, progress=progress)).known
