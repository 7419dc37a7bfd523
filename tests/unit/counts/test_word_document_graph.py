"""Graphs of words and documents: the paper's formulas by enumeration, and bad input."""

import math
from itertools import pairwise

import numpy as np
import pytest

import firth
from firth.corpus.encoded import Corpus
from firth.counts import word_document_graph as graphs
from firth.counts.word_document_graph import document_counts, inverse_document_frequencies
from firth.errors import ArgumentTypeError, CorpusError, OptionError, ShapeError

TEXTS = ["a b a c", "b c d e f b a", "", "f", "d e d e d e"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))


def enumerated(texts, words, window):
    """The (N, N) weights of equations 3 to 6, window by window."""
    documents = [text.split() for text in texts]
    windows = [
        set(document[start : start + window])
        for document in documents
        if document
        for start in range(max(1, len(document) - window + 1))
    ]
    J, weights = len(documents), np.zeros((len(documents) + len(words),) * 2)
    for column, word in enumerate(words, J):
        within = sum(word in document for document in documents)
        for row, document in enumerate(documents):
            weights[row, column] = weights[column, row] = document.count(word) * math.log(J / within)
        for other, second in enumerate(words, J):
            both = sum(word in each and second in each for each in windows)
            if word != second and both:
                alone = [sum(one in each for each in windows) for one in (word, second)]
                weights[column, other] = max(0, math.log(both * len(windows) / (alone[0] * alone[1])))
    return weights


@pytest.mark.parametrize("window", [2, 3, 20])
@pytest.mark.parametrize("together", [2, graphs.WINDOWS])
def test_weights_are_those_of_the_paper(window, together, monkeypatch):
    monkeypatch.setattr(graphs, "WINDOWS", together)
    graph = firth.word_document_graph(TEXTS, window=window, min_count=1)
    expected = enumerated(TEXTS, graph.words, window)
    assert expected[5:, 5:].max() > 0
    np.testing.assert_allclose(graph.edges.toarray(), expected, atol=1e-6)
    assert graph.documents == 5
    assert graph.names[:5] == [0, 1, 2, 3, 4]
    assert graph.names[5:] == list(graph.words)
    assert len(graph) == 11
    assert not graph.edges[[2]].nnz  # the empty document is alone


def test_lists_of_tokens_and_a_corpus_give_the_same():
    graph = firth.word_document_graph(TEXTS, min_count=1)
    corpus = firth.Corpus.build(TEXTS, min_count=1, sentences="text", keep_empty=True)
    for source, how in ((corpus, {}), ([text.split() for text in TEXTS], {"min_count": 1})):
        other = firth.word_document_graph(source, **how)
        assert (other.edges != graph.edges).nnz == 0
    some = firth.word_document_graph(TEXTS, min_count=1, stop_words=("a", "b"))
    assert set(some.words) == {"c", "d", "e", "f"}


def test_one_word_has_no_neighbours():
    graph = firth.word_document_graph(["a a", "a"], min_count=1)
    assert graph.edges.nnz == 0  # it is in all documents: log 1
    assert all(first <= second for first, second in pairwise(graph.edges.indptr))


def test_labels_of_nodes():
    graph = firth.word_document_graph(TEXTS, min_count=1)
    assert graph.node_labels(["x", None, "y"]) == ["x", None, "y", *[None] * 8]
    with pytest.raises(ShapeError, match="6 labels of 5 documents"):
        graph.node_labels(["x", "y", "x", "y", "x", "y"])
    with pytest.raises(ArgumentTypeError, match="expected a list with the label of each document"):
        graph.node_labels("xy")


def test_bad_input():
    with pytest.raises(OptionError, match="window=1"):
        firth.word_document_graph(TEXTS, window=1)
    with pytest.raises(CorpusError):
        firth.word_document_graph(["", ""])
    corpus = firth.Corpus.build(TEXTS, min_count=1)
    with pytest.raises(OptionError, match="min_count given with a corpus"):
        firth.word_document_graph(corpus, min_count=2)


def test_counts_and_frequencies(tmp_path):
    """Three documents, one empty: "a" is in two of three, "b" in one."""
    corpus = Corpus.build(
        [["a", "b", "a"], [], ["a"]], min_count=1, sentences="text", keep_empty=True, cache=tmp_path
    )  # fmt: skip
    counts = document_counts(corpus)
    assert corpus.vocabulary.words == ["a", "b"]
    assert counts.toarray().tolist() == [[2, 1], [0, 0], [1, 0]]
    np.testing.assert_allclose(inverse_document_frequencies(counts), [np.log(3 / 2), np.log(3)])
