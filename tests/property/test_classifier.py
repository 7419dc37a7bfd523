"""What holds of every text and of every classifier."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.classify.features import FeatureMap
from firth.corpus.line_scanner import LineScanner, scan_texts
from firth.kernels import labelled_text as kernels
from tests.golden.classifier_twin import file_lines, fnv, piece_buckets, text_tokens, word_buckets

ALPHABET = [b"a", b"bc", b" ", b"\n", b"\t", b"\r", b"\v", b"\f", b"\0", b"\x01", b"\x1f", b"</s>", b"<", b"\xc3\xa9",
            b"\xff", b"__label__", b"eight888", b"nine99999", b"seventeen-letters"]  # fmt: skip
DATA = st.lists(st.sampled_from(ALPHABET), max_size=60).map(b"".join)
LOSSES = ["softmax", "hierarchical", "negative", "ova"]
WORDS = ["red", "green", "blue", "sun", "moon", "star", "naïve"]


def read_back(lines):
    """The tokens of every line, and whether they are labels."""
    names = [name.encode("utf-8", "surrogateescape") for name in lines.names()]
    starts = [0, *lines.ends][: len(lines.ends)]
    return [[names[t] for t in lines.tokens[a:b]] for a, b in zip(starts, lines.ends, strict=True)]


@given(DATA)
@settings(max_examples=200, deadline=None)
def test_files_are_split_as_the_twin_splits_them(data):
    scanner = LineScanner("__label__", one_text_per_line=False)
    scanner.feed(data)
    lines = scanner.finish()
    assert read_back(lines) == file_lines(data)
    names = [name.encode("utf-8", "surrogateescape") for name in lines.names()]
    assert lines.hashes.tolist() == [fnv(name) for name in names]
    assert lines.is_label.tolist() == [name.startswith(b"__label__") for name in names]
    assert lines.counts.tolist() == [sum(line.count(name) for line in file_lines(data)) for name in names]


@given(st.lists(DATA.map(lambda data: data.decode("utf-8", "replace")), max_size=6))
@settings(max_examples=100, deadline=None)
def test_texts_are_a_line_each(texts):
    assert read_back(scan_texts(texts, "")) == [text_tokens(text) for text in texts]


@given(st.lists(st.lists(st.sampled_from([*WORDS, "東京", "😀", "x"]), max_size=8), max_size=5), st.data())
@settings(max_examples=60, deadline=None)
def test_features_are_the_twins(texts, data):
    longest, max_n = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 4))
    min_n = data.draw(st.integers(0, max_n))
    buckets = 97
    rows = np.arange(buckets, dtype=np.int32) + len(WORDS)
    map = FeatureMap(words=WORDS, word_ngrams=longest, min_n=min_n, max_n=max_n, buckets=buckets, bucket_rows=rows)
    found = map.features(scan_texts([" ".join(text) for text in texts], ""))
    starts = [0, *found.ends.tolist()][: len(texts)]
    for text, a, b in zip(texts, starts, found.ends.tolist(), strict=True):
        words = [*(word.encode() for word in text), b"</s>"]
        expected = [WORDS.index(word) for word in text if word in WORDS]
        for word in text:
            expected += [len(WORDS) + bucket for bucket in piece_buckets(word.encode(), min_n, max_n, buckets)]
        expected += [len(WORDS) + bucket for bucket in word_buckets(words, longest, buckets)]
        assert sorted(found.rows[a:b].tolist()) == sorted(expected)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_best_labels_are_the_first_of_a_stable_sort(labels, k, seed):
    p = np.random.default_rng(seed).integers(0, 5, (7, labels)) / 5
    best = np.zeros((7, min(k, labels)), dtype=np.int32)
    kernels.best_labels(p, best)
    assert best.tolist() == np.argsort(-p, axis=1, kind="stable")[:, :k].tolist()


@pytest.fixture(scope="module")
def classifiers():
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(WORDS, 5)) for _ in range(80)]
    labels = [text.split()[0] for text in texts]
    return {
        loss: firth.TextClassifier(dim=10, lr=1.0, epochs=8, loss=loss, word_ngrams=2, buckets=500, max_n=2).train(
            texts, labels, threads=1, progress=False
        )
        for loss in LOSSES
    }


@pytest.mark.parametrize("loss", LOSSES)
@given(texts=st.lists(st.text(max_size=20) | st.lists(st.sampled_from(WORDS)).map(" ".join), min_size=1, max_size=8))
@settings(max_examples=20, deadline=None)
def test_an_answer_depends_on_the_text_alone(loss, texts, classifiers):
    classifier = classifiers[loss]
    together = classifier.predict(texts, k=3)
    assert together == [classifier.predict(text, k=3) for text in texts]
    assert together == classifier.predict(texts[::-1], k=3)[::-1]
    assert together == classifier.predict(iter(texts), k=3, threads=2)
    p = classifier.probabilities(texts)
    if loss in ("softmax", "hierarchical"):
        assert p.sum(1) == pytest.approx(np.ones(len(texts)), abs=1e-12)
    assert ((p >= 0) & (p <= 1)).all()
    assert together == [
        [(classifier.labels[i], row[i]) for i in np.argsort(-row, kind="stable")[:3].tolist()] for row in p
    ]
