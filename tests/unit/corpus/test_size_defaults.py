"""Options that are None are chosen from the size of the text; the choice is logged and kept."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.corpus import size_defaults

TEXT = [f"word{i % 7} word{i % 11} word{i % 13}".split() for i in range(200)]


@pytest.mark.parametrize(
    ("words", "min_count", "epochs", "sample"),
    [
        (0, 1, 40, 1.0),
        (999, 1, 40, 0.1),
        (1000, 2, 40, 0.1),
        (100_000, 2, 40, 1e-3),
        (199_999, 2, 40, 5e-4),
        (200_000, 5, 40, 5e-4),
        (300_000, 5, 37, 3.3e-4),
        (1_000_000, 5, 20, 1e-4),
        (3_000_000, 5, 20, 1e-4),
        (5_000_000, 5, 20, 1e-4),
        (20_000_000, 5, 10, 1e-4),
        (10**12, 5, 5, 1e-4),
    ],
)
def test_the_rule(words, min_count, epochs, sample):
    assert size_defaults.min_count(words) == min_count
    assert size_defaults.epochs(words) == epochs
    assert size_defaults.sample(words) == sample


def test_few_epochs_drop_less():
    """So that as many occurrences of a word count over all epochs; more of them drop more, down to the least."""
    assert size_defaults.sample(1_000_000, 5) == 4e-4
    assert size_defaults.sample(100_000, 160) == 2.5e-4
    assert size_defaults.sample(1_000_000, 40) == 1e-4
    assert size_defaults.chosen_options(firth.Word2Vec(epochs=5), 1_000_000) == {"sample": 4e-4}


@given(st.integers(0, 10**10), st.integers(0, 10**10))
def test_a_longer_text_is_read_no_more_often_and_keeps_no_rarer_words(one, other):
    short, long = sorted((one, other))
    assert size_defaults.epochs(short) >= size_defaults.epochs(long)
    assert size_defaults.sample(short) >= size_defaults.sample(long)
    assert size_defaults.min_count(short) <= size_defaults.min_count(long)


def test_the_choice_is_logged_and_in_the_metadata(caplog):
    with caplog.at_level(logging.INFO, logger="firth"):
        corpus = firth.Corpus.build(TEXT)
        vectors = firth.Word2Vec(dim=4).train(corpus, seed=1, threads=1)
    assert caplog.messages == [
        "min_count=1: chosen for 600 words",
        "600 words are few: most neighbours are chance; more text helps most",
        "epochs=40, sample=0.17: chosen for 600 words",
    ]
    training = vectors.metadata["training"]
    assert training["chosen"] == {"epochs": 40, "sample": 0.17}
    assert {name: training["options"][name] for name in training["chosen"]} == training["chosen"]
    assert len(training["loss"]) == 40


def test_what_is_given_is_kept(caplog):
    with caplog.at_level(logging.INFO, logger="firth"):
        corpus = firth.Corpus.build(TEXT, min_count=5)
        vectors = firth.Word2Vec(dim=4, epochs=2, sample=0).train(corpus, seed=1, threads=1)
        mixed = firth.FastText(dim=4, epochs=2, buckets=100).train(corpus, seed=1, threads=1)
    assert [each for each in caplog.messages if "chosen" in each] == ["sample=1: chosen for 600 words"]
    assert caplog.messages.count("epochs=2: few for 600 words; by default 40") == 2
    assert "chosen" not in vectors.metadata["training"]
    assert vectors.metadata["training"]["options"]["epochs"] == 2
    assert mixed.metadata["training"]["chosen"] == {"sample": 1.0}


def test_the_bits_are_those_of_the_options_that_were_chosen():
    corpus = firth.Corpus.build(TEXT)
    chosen = firth.Word2Vec(dim=4).train(corpus, seed=1, threads=1)
    given_options = firth.Word2Vec(dim=4, epochs=40, sample=0.17).train(corpus, seed=1, threads=1)
    assert (chosen.vectors == given_options.vectors).all()


def test_a_corpus_keeps_the_count_that_was_chosen():
    corpus = firth.Corpus.build(TEXT)
    assert corpus.options.min_count == firth.Corpus.open(corpus.path).options.min_count == 1
    assert corpus.fingerprint == firth.Corpus.build(TEXT, min_count=1).fingerprint


def test_a_file_is_not_read_again(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("\n".join(map(" ".join, TEXT)))
    first = firth.Corpus.build(text)
    assert first.path == firth.Corpus.build(text).path
    assert first.options.min_count == 1
    assert firth.Corpus.build(text, min_count=3).options.min_count == 3


def test_the_choice_is_logged_for_a_kept_corpus_too(tmp_path, caplog):
    text = tmp_path / "text.txt"
    text.write_text("\n".join(map(" ".join, TEXT)))
    with caplog.at_level(logging.INFO, logger="firth"):
        corpora = [firth.Corpus.build(text) for _ in range(2)]
    assert corpora[0].path == corpora[1].path
    assert caplog.messages == ["min_count=1: chosen for 600 words"] * 2
    vectors = firth.Word2Vec(dim=4, epochs=2, sample=0).train(corpora[1], seed=1, threads=1)
    assert vectors.metadata["training"]["min_count"] == 1


def test_an_unknown_word_is_learned_from_rare_ones():
    assert firth.Corpus.build(TEXT, unknown="<unk>").options.min_count == 2
    assert size_defaults.min_count(300_000, unknown=True) == 5


def test_a_file_is_read_again_by_another_rule(tmp_path, monkeypatch):
    text = tmp_path / "text.txt"
    text.write_text("\n".join(map(" ".join, TEXT)))
    assert firth.Corpus.build(text).options.min_count == 1
    monkeypatch.setattr(size_defaults, "SHORT", 100)
    assert firth.Corpus.build(text).options.min_count == 2


def test_phrases_choose_it_again():
    corpus = firth.Corpus.build(TEXT)
    table = firth.Phrases(min_count=1, threshold=1).learn(corpus, threads=1)
    assert table.apply(corpus).options.min_count == 1
    assert table.apply(corpus, min_count=4).options.min_count == 4


@pytest.mark.parametrize(
    ("model", "words", "messages"),
    [
        (firth.Word2Vec(epochs=5), 50_000, ["epochs=5: few for 50,000 words; by default 40"]),
        (firth.Word2Vec(epochs=5), 5_000_000, ["epochs=5: few for 5,000,000 words; by default 20"]),
        (firth.Word2Vec(epochs=10), 5_000_000, []),
        (firth.Word2Vec(epochs=20), 50_000, []),
        (firth.Word2Vec(), 50_000, []),
        (firth.Word2Vec(), 17, ["17 words are few: most neighbours are chance; more text helps most"]),
        (firth.Word2Vec(epochs=1), 0, []),
        (firth.GloVe(epochs=1), 50_000, []),
        (firth.AssociationVectors(), 50, []),
    ],
)
def test_what_a_short_text_needs_is_logged(caplog, model, words, messages):
    with caplog.at_level(logging.INFO, logger="firth"):
        size_defaults.log_advice(model, words)
    assert caplog.messages == messages
