"""Counts of words in documents."""

import numpy as np

from firth.corpus.encoded import Corpus
from firth.counts.documents import document_counts, inverse_document_frequencies


def test_counts_and_frequencies(tmp_path):
    """Three documents, one empty: "a" is in two of three, "b" in one."""
    corpus = Corpus.build(
        [["a", "b", "a"], [], ["a"]], min_count=1, sentences="text", keep_empty=True, cache=tmp_path
    )  # fmt: skip
    counts = document_counts(corpus)
    assert corpus.vocabulary.words == ["a", "b"]
    assert counts.toarray().tolist() == [[2, 1], [0, 0], [1, 0]]
    np.testing.assert_allclose(inverse_document_frequencies(counts), [np.log(3 / 2), np.log(3)])
