"""Join phrases, count co-occurrences, learn subwords."""

from typing import assert_type

import firth

phrases = firth.Phrases(threshold=10.0).learn("novels/", min_count=1, column="body")
assert_type(phrases, firth.PhraseTable)
assert_type(phrases.apply("novels/", min_count=5, tokens="whitespace"), firth.Corpus)
assert_type(firth.Cooccurrence(window=4).count("novels/", min_count=5), firth.CooccurrenceMatrix)
subwords = firth.Subwords.train(["a text"], 8000, kind="bpe")
assert_type(subwords, firth.Subwords)
firth.Corpus.build("novels/", tokens=subwords)

firth.Phrases(phrase_threshold=10.0)  # type: ignore[call-arg]
phrases.apply("novels/", threshold=10.0)  # type: ignore[call-arg]
firth.Subwords.train(["a text"], vocab_size=8000)  # type: ignore[call-arg]
