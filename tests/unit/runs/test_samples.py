import logging

import numpy as np
import pytest

import firth
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.runs import samples
from firth.runs.samples import check_units, sampled


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


def test_a_document_is_drawn_with_the_frequency_of_the_bootstrap(corpus, tmp_path):
    """Each of M documents is drawn once on average, with a variance of 1 - 1/M, over all samples and documents."""
    counts = []
    for seed in range(40):
        drawn = sampled(corpus, seed, tmp_path).documents
        sizes = np.diff(drawn)
        counts.append(len(sizes))
    assert set(counts) == {len(corpus.documents) - 1}
    numbers = np.stack([sampled(corpus, seed, tmp_path).vocabulary.counts for seed in range(40)])
    assert np.allclose(numbers.sum(axis=1).mean(), corpus.num_tokens, rtol=0.05)


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
