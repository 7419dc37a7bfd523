"""Sentences with the one before and the one after, within documents."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError
from firth.neural.models.sentences.data import SentenceText, triples

HOW = {"sentences": "punctuation", "keep_empty": True, "min_count": 1}


def read(source, tmp_path, **options):
    return SentenceText.of(source, {"cache": tmp_path, **options}, defaults=HOW)


def words(text, padded):
    names = text.vocabulary.words
    return [
        " ".join(names[i] for i in ids[:length])
        for ids, length in zip(padded.ids.tolist(), padded.lengths.tolist(), strict=True)
    ]


def of_batches(text, **how):
    found = []
    for batch in triples(text, **{"limit": 9, "batch_size": 2, **how}).epoch(0):
        found += zip(*(words(text, part) for part in (batch.previous, batch.current, batch.following)), strict=True)
    return sorted(found)


def test_triples_stay_within_documents(tmp_path):
    (tmp_path / "a.txt").write_text("One. Two\nand a half. Three.\n\nFour.", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Five. Six. Seven. ", encoding="utf-8")
    text = read([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path)
    assert text.lengths.tolist() == [1, 4, 1, 1, 0, 1, 1, 1, 0]
    assert of_batches(text) == [
        ("</s> five </s>", "six", "</s> seven </s>"),
        ("</s> one </s>", "two and a half", "</s> three </s>"),
        ("</s> two and a half </s>", "three", "</s> four </s>"),
    ]


def test_an_empty_line_ends_a_document_of_one_sentence_per_line(tmp_path):
    (tmp_path / "a.txt").write_text("a\nb\nc\n\nd\ne\n", encoding="utf-8")
    assert len(read(tmp_path / "a.txt", tmp_path, sentences="line").middles()) == 1


def test_long_sentences_are_cut_and_rare_words_are_unknown(tmp_path):
    text = read(["A b b c c. B c a a b. C b d."], tmp_path, min_count=2)
    (triple,) = of_batches(text, limit=3)
    assert triple == ("</s> a b b </s>", "b c a", "</s> c b <unk> </s>")


def test_the_order_depends_on_seed_and_epoch_and_can_start_anywhere(tmp_path):
    text = read([" ".join(f"W{i} x." for i in range(40))], tmp_path)
    batches = triples(text, limit=9, batch_size=4, seed=5)
    whole = [words(text, batch.current) for batch in batches.epoch(3)]
    assert [words(text, batch.current) for batch in triples(text, limit=9, batch_size=4, seed=5).epoch(3, 6)] == whole[
        6:
    ]
    assert [words(text, batch.current) for batch in batches.epoch(4)] != whole
    assert sum(map(len, whole)) == 38


def test_held_out_text_has_the_vocabulary_of_the_training_text(tmp_path):
    text = read(["A b. B c. C a."], tmp_path)
    held_out = SentenceText.of(["A z. B c. C b."], {"cache": tmp_path}, defaults={}, like=text)
    assert held_out.vocabulary is text.vocabulary
    assert [words(text, b.previous) for b in triples(held_out, limit=9, batch_size=1).epoch(0)] == [
        ["</s> a <unk> </s>"]
    ]
    with pytest.raises(CorpusError, match=r"none of the 2 words of the held-out text, such as 'x'"):
        SentenceText.of(["X y. Y y. X x."], {"cache": tmp_path}, defaults={}, like=text)


def test_ids_stay_on_disk(tmp_path):
    text = read(["A b. B c. C a."], tmp_path)
    assert isinstance(text.corpus.ids, np.memmap) or isinstance(text.corpus.ids.base, np.memmap)


def test_a_text_without_neighbours_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="none of 3 sentences has a neighbour on both sides"):
        triples(read(["One. Two.", "Three."], tmp_path), limit=9, batch_size=2).count(0)


def test_a_corpus_that_left_words_out_is_refused(tmp_path):
    corpus = firth.Corpus.build(["a b. b c. c a a."], cache=tmp_path, min_count=3, sentences="punctuation")
    with pytest.raises(CorpusError, match="left out"):
        SentenceText.of(corpus, {}, defaults=HOW)
