"""Read a text."""

from collections.abc import Iterator, Sequence
from typing import assert_type

import firth

corpus = firth.Corpus.build("novels/", min_count=2, stop_words=["the"], tokens="whitespace", column="body")
assert_type(corpus, firth.Corpus)
assert_type(list(corpus), list[list[str]])
assert_type(len(corpus), int)
assert_type(corpus.vocabulary.words, Sequence[str])


def sentences() -> Iterator[list[str]]:
    yield ["a", "cat"]


firth.Corpus.build(sentences(), tokens=str.split, sentences="text")
firth.Corpus.build("novels/", min_count="2")  # type: ignore[arg-type]
firth.Corpus.build("novels/", tokenizer=str.split)  # type: ignore[call-arg]
firth.Corpus("novels/")  # type: ignore[call-arg, arg-type]
