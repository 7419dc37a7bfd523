"""Summarizers: the options reach the encoder-decoder, folders, scores."""

import random

import pytest

import firth
from firth.errors import OptionError

TEXTS = [("send the report a1 please", "report a1"), ("send the parcel b2 now", "parcel b2")] * 8
TRAINING = firth.TrainingOptions(epochs=1, batch_size=8, lr=0.01)
LONG = "sources have more than 4 tokens: the rest of them is not read"


@pytest.fixture(scope="module")
def model():
    options = firth.Summarizer(hidden=8, dim=6, max_length=4, coverage_from=0.5)
    with pytest.warns(UserWarning, match=LONG):
        return options.train(TEXTS, held_out=TEXTS[:4], training=TRAINING, progress=False)


def test_long_texts_are_truncated_and_read(model):
    assert model.metadata["training"]["pairs"] == 16
    with pytest.warns(UserWarning, match="2 of 2 texts have more than 4 tokens"):
        found = model.summarize([text for text, _ in TEXTS[:2]])
    assert found[0].source_tokens == ("send", "the", "report", "a1")


def test_folders_keep_everything(model, tmp_path):
    model.save(tmp_path / "s.firth")
    other = firth.load(tmp_path / "s.firth")
    assert other.options == model.options
    assert repr(other) == repr(model) == "<SummaryModel: 11 words, copying>"
    assert other.score([("send a1", "a1")]) == pytest.approx(model.score([("send a1", "a1")]))
    assert other.summarize("q1 q2", beam=2, n_best=2) == model.summarize("q1 q2", beam=2, n_best=2)


def test_intra_attention_is_trained_saved_searched_and_rewarded(tmp_path):
    how = {"intra_temporal": True, "intra_decoder": True, "coverage": False}
    options = firth.Summarizer(hidden=8, dim=6, max_length=4, **how)
    with pytest.warns(UserWarning, match=LONG):
        model = options.train(TEXTS, held_out=TEXTS[:4], training=TRAINING, progress=False)
    with pytest.warns(UserWarning, match=LONG):
        model = model.reinforce(TEXTS[:4], lambda text, _: len(text), held_out=TEXTS[:2], training=TRAINING)
    decoder = model.module.decoder.decoder
    assert decoder.intra_temporal
    assert decoder.intra_decoder is not None
    model.save(tmp_path / "s.firth")
    other = firth.load(tmp_path / "s.firth")
    assert other.summarize("q1 q2", beam=3, n_best=3) == model.summarize("q1 q2", beam=3, n_best=3)


def test_scores_have_a_row_per_metric_and_the_baseline(model):
    pairs = [("a1 b2", "a1"), ("b2", "b2")]
    report = model.test(pairs, baseline=["a1", "b2"], resamples=10)
    assert [row.metric for row in report.rows] == ["rouge-1", "rouge-2", "rouge-l"]
    assert report.rows[0].baseline == 100


def test_options_of_a_summarizer():
    plain = firth.Summarizer(copying=False, coverage=False).translator
    assert (plain.copying, plain.coverage, plain.coverage_loss) == (False, False, 0.0)
    assert firth.Summarizer(coverage_from=0.5).translator.coverage_from == 0.5
    with pytest.raises(OptionError, match="hidden=7"):
        firth.Summarizer(hidden=7)


def sent_and_received(count, draw, taken):
    """Pairs of a sentence with two words that no other pair has, and these words in one order."""

    def word():
        found = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=7))
        taken.add(found)
        return found

    forms = ("please send {} to {} today", "today {} was sent to {}", "for {} has asked {} again")
    pairs = [(word(), word(), draw.choice(forms)) for _ in range(count)]
    return [(form.format(thing, person), f"{thing} for {person}") for thing, person, form in pairs]


@pytest.mark.slow
def test_words_that_training_lacks_are_copied():
    draw, taken = random.Random(0), set()
    train, held_out, test = (sent_and_received(count, draw, taken) for count in (2000, 200, 200))
    assert len(taken) == 4800  # no word is in two pairs
    training = firth.TrainingOptions(epochs=6, batch_size=32, lr=0.01, clip_norm=2.0, schedule="linear")
    exact = {}
    for copying in (True, False):
        options = firth.Summarizer(hidden=48, dim=32, copying=copying, coverage=False, dropout=0.0)
        model = options.train(train, held_out=held_out, training=training, seed=1, progress=False)
        found = model.summarize([text for text, _ in test], beam=1)
        exact[copying] = sum(each.text == right for each, (_, right) in zip(found, test, strict=True)) / len(test)
    assert exact[True] >= 0.95
    assert exact[False] == 0
