import logging

import numpy as np
import pytest

import firth
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.runs import samples
from firth.runs.estimates import interval
from firth.runs.samples import check_units, draw, sampled


def of_documents(corpus):
    sentences = list(corpus)
    pairs = zip(corpus.documents[:-1], corpus.documents[1:], strict=True)
    return [tuple(tuple(sentence) for sentence in sentences[a:b]) for a, b in pairs]


@pytest.mark.parametrize("block", [samples.BLOCK, 50, 1])
def test_documents_are_drawn_whole_and_in_order(corpus, tmp_path, monkeypatch, block):
    monkeypatch.setattr(samples, "BLOCK", block)
    sample, all_of_them = sampled(corpus, 1, tmp_path), of_documents(corpus)
    drawn = of_documents(sample)
    places = [all_of_them.index(document) for document in drawn]
    assert len(drawn) == len(all_of_them)
    assert places == sorted(places)
    assert 0.5 < len(set(places)) / len(places) < 0.75  # 1 - 1/e of them on average
    assert sample.num_tokens == sum(len(sentence) for document in drawn for sentence in document)
    assert sample.fingerprint != corpus.fingerprint


def test_words_keep_their_ids_and_are_counted_anew(corpus, tmp_path):
    sample = sampled(corpus, 1, tmp_path)
    assert sample.vocabulary.words == corpus.vocabulary.words
    assert np.array_equal(sample.vocabulary.counts, np.bincount(sample.ids, minlength=len(corpus.vocabulary)))
    assert (sample.vocabulary.counts == 0).any()


def test_the_seed_decides(corpus, tmp_path):
    for name in "abc":
        (tmp_path / name).mkdir()
    a, b, c = sampled(corpus, 1, tmp_path / "a"), sampled(corpus, 1, tmp_path / "b"), sampled(corpus, 2, tmp_path / "c")
    assert np.array_equal(a.ids, b.ids)
    assert a.fingerprint == b.fingerprint != c.fingerprint


def test_intervals_over_documents_cover_and_intervals_over_sentences_do_not():
    """500 cases: the share of each of 20 words in the text, in 25 corpora whose documents differ in their words.

    The share is known. Lines of a document are alike, so that intervals that take each line for a document are too
    narrow.
    """
    words, topics, documents, lines = 20, 4, 60, 12
    shares = np.random.default_rng(0).dirichlet(np.full(words, 0.5), topics)
    true, covered = shares.mean(axis=0), {documents: 0, documents * lines: 0}
    for seed in range(25):
        random = np.random.default_rng(seed)
        counts = np.repeat(shares[random.integers(topics, size=documents)], lines, axis=0)
        counts = random.multinomial(8, counts)  # of the words in each line
        for units in covered:
            parts = counts.reshape(units, -1, words).sum(axis=1)
            totals = np.stack([parts[draw(units, 40 * seed + run)].sum(axis=0) for run in range(40)])
            low, high = interval(totals / totals.sum(axis=1, keepdims=True))
            covered[units] += int(((low <= true) & (true <= high)).sum())
    by_documents, by_lines = (number / 500 for number in covered.values())
    assert 0.90 <= by_documents <= 0.98
    assert by_lines < 0.8


def test_of_a_single_file_sentences_are_drawn_and_that_is_said(tmp_path, caplog):
    (tmp_path / "t.txt").write_text("a b c\n" * 30, encoding="utf-8")
    corpus = Corpus.build(tmp_path / "t.txt", min_count=1, cache=tmp_path)
    with caplog.at_level(logging.INFO, "firth"):
        check_units(corpus, 20)
    assert "each of its 30 sentences" in caplog.text
    assert len(sampled(corpus, 0, tmp_path)) == 30


def test_a_single_document_cannot_be_drawn(tmp_path):
    corpus = Corpus.build(["a b c d a b"], min_count=1, cache=tmp_path)
    with pytest.raises(OptionError, match=r"single document.*a file for each document.*resample='none'"):
        firth.bootstrap(firth.Word2Vec(dim=4, sample=0), corpus, runs=3)


@pytest.mark.parametrize(
    ("count", "runs", "said"), [(5, 20, "fewer than the 20 runs"), (19, 10, "few"), (25, 30, "fewer")]
)
def test_few_documents_are_said(tmp_path, count, runs, said):
    corpus = Corpus.build(["a b c"] * count, min_count=1, cache=tmp_path)
    with pytest.warns(UserWarning, match=f"{count} documents are {said}.*shorter documents"):
        check_units(corpus, runs)
