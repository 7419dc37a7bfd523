import math

import numpy as np
import pytest

from firth.language.perplexity import MAX_RUNS, perplexity, runs
from tests.unit.language.toys import TableModel, random_model, random_text


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))


def test_by_hand():
    """Sentences "a b" and "x": a .6, b .5, end .4; <unk> .1, end .2. The product is .12 x .02 = .0024.

    Five tokens: .0024^(-1/5). Without the unknown word four tokens and .024. Bits: -log2 .0024 over 5 tokens, and over
    the 3 words. Characters are not known, for x is not.
    """
    found = TableModel().perplexity(["a b", "x"])
    assert (found.tokens, found.words, found.unknown, found.eos) == (5, 3, 1, 2)
    assert found.value == pytest.approx(0.0024 ** (-1 / 5), rel=1e-12)
    assert found.without_unknown == pytest.approx(0.024 ** (-1 / 4), rel=1e-12)
    assert found.bits_per_token == pytest.approx(-math.log2(0.0024) / 5, rel=1e-12)
    assert found.bits_per_word == pytest.approx(-math.log2(0.0024) / 3, rel=1e-12)
    assert found.bits_per_character is None
    assert found.sentence_tokens.tolist() == [3, 2]
    assert np.exp(-found.sentence_nats) == pytest.approx([0.12, 0.02])


def test_characters_by_hand():
    """ "a b" and "b": three letters, and a space or line end after each word: 6. Probabilities .12 and .2 x .4."""
    found = TableModel().perplexity(["a b", "b"])
    assert found.characters == 6
    assert found.bits_per_character == pytest.approx(-math.log2(0.12 * 0.08) / 6, rel=1e-12)


def test_it_is_no_mean_of_means():
    """The classic error takes exp of the mean of batches' means: batches of 9 and 1 tokens would count alike."""
    text = TableModel().token_ids(["a a a a a a a a", ""])
    found = perplexity(text, np.log(np.array([0.5] * 9 + [0.01])))
    assert found.value == pytest.approx(math.exp((9 * math.log(2) + math.log(100)) / 10), rel=1e-12)
    assert found.value != pytest.approx(math.exp((math.log(2) + math.log(100)) / 2), rel=0.5)


def test_single_precision_sums_do_not_drift():
    """Ten million times log .1 in float32 added up one by one would be off in the third digit; here nothing is."""
    text = TableModel().token_ids(["a " * 500_000])
    found = perplexity(text, np.full(len(text), np.log(0.1), dtype=np.float32).astype(np.float64))
    assert found.value == pytest.approx(10, rel=1e-7)


def test_sentences_make_up_the_text_whatever_ends_they_have():
    for model in (random_model(1), random_model(1, ["a", "b", "<unk>"])):
        lines = [*random_text(40, 0), "", "a"]
        text = model.token_ids(lines)
        found = perplexity(text, model.log_probs(text))
        assert found.sentence_tokens.tolist() == [len(line.split()) + (text.eos_id is not None) for line in lines]
        for nats, one in zip(found.sentence_nats, model.score(lines), strict=True):
            assert nats == pytest.approx(-one.total, abs=1e-12)
        assert found.sentence_nats.sum() == pytest.approx(found.nats, rel=1e-12)
        assert found.eos == (len(lines) if text.eos_id is not None else 0)


def test_the_interval_holds_the_figure_and_shrinks_with_the_text():
    """A hundred times the sentences: an interval a tenth as wide, give or take what chance does to its ends."""
    few, many = (random_model(2).perplexity(random_text(lines, 3)) for lines in (100, 10_000))
    for found in (few, many):
        low, high = found.interval()
        assert low < found.value < high
        assert (low, high) == found.interval()
    narrow, wide = np.subtract(*many.interval()), np.subtract(*few.interval())
    assert narrow / wide == pytest.approx(0.1, rel=0.3)


def test_the_interval_is_that_of_theory():
    """Sentences of four tokens that cost 0 or 4 nats at even odds: the mean nats have a deviation of .5 / sqrt(S)."""
    text = TableModel().token_ids(["a a a"] * 1000)
    nats = np.repeat(np.arange(1000) % 2, 4).astype(np.float64)
    low, high = perplexity(text, -nats).interval()
    assert math.log(high / low) == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(1000), rel=0.1)


def test_one_sentence_has_no_interval_and_what_is_impossible_is_infinite():
    assert math.isnan(TableModel().perplexity(["a b"]).interval()[0])
    impossible = TableModel([[0.5, 0.0, 0.4, 0.1]] * 5).perplexity(["a b", "b a"])
    assert impossible.value == math.inf
    assert impossible.described()["perplexity"] is None
    assert "perplexity inf" in str(impossible)


def test_runs_of_sentences_lose_none():
    parts, sizes = np.arange(5 * MAX_RUNS + 3, dtype=np.float64), np.ones(5 * MAX_RUNS + 3, dtype=np.int64)
    summed, tokens = runs(parts, sizes)
    assert len(summed) == MAX_RUNS
    assert summed.sum() == parts.sum()
    assert set(tokens) == {5.0, 6.0}
    np.testing.assert_array_equal(runs(parts[:7], sizes[:7])[0], parts[:7])


def test_says_what_was_counted():
    told = str(TableModel().perplexity(["a b", "x"])).splitlines()
    assert told[0].endswith("over 5 tokens: 3 words and 2 sentence ends")
    assert told[1] == "1 unknown words (33.3 %) count as <unk>; perplexity without them 2.54"
    assert told[2].startswith("bits: 1.741 per token, 2.901 per word")
    found = TableModel().perplexity(["a b", "x"]).described()
    assert {name: found[name] for name in ("tokens", "words", "unknown", "eos", "sentences")} == {
        "tokens": 5,
        "words": 3,
        "unknown": 1,
        "eos": 2,
        "sentences": 2,
    }
    assert found["bits_per_character"] is None
    without_ends = random_model(0, ["a", "b", "<unk>"]).perplexity(["a b"])
    assert "sentence ends are not predicted" in str(without_ends)
