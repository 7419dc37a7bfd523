"""Words that summaries take, by hand; masks of copying."""

import pytest

import firth
from firth.errors import OptionError, ShapeError
from firth.neural.models.summaries.selection import copied_words

TEXTS = [("send the report a1 please", "report a1"), ("send the parcel b2 now", "parcel b2")] * 8
TRAINING = firth.TrainingOptions(epochs=2, batch_size=4, lr=0.05)


@pytest.fixture(scope="module")
def model():
    options = firth.Summarizer(hidden=8, dim=6, coverage=False, lowercase=False)
    return options.train(TEXTS, held_out=TEXTS[:4], training=TRAINING, progress=False)


@pytest.fixture(scope="module")
def selector(model):
    tagger = firth.Tagger(targets="copying", head="softmax", hidden=8)
    examples = model.selection_examples(TEXTS)
    return tagger.train(examples, held_out=examples[:4], training=TRAINING, progress=False)


@pytest.mark.parametrize(
    ("source", "summary", "expected"),
    [
        ("a b c a b d", "b d", "010011"),  # "b" alone first, then "b d" is longer and new
        ("a b c a b", "x a b", "11000"),  # the second "a b" has an earlier one
        ("a b c", "c b a", "111"),
        ("a b", "x", "00"),
        ("", "x", ""),
    ],
)
def test_words_that_a_summary_takes(source, summary, expected):
    assert "".join(str(int(each)) for each in copied_words(source.split(), summary.split())) == expected


def test_threshold_0_is_the_model_without_selection(model, selector):
    texts = ["send the letter q7 now", "b2 a1"]
    free = model.summarize(texts, beam=3, n_best=3)
    assert model.summarize(texts, beam=3, n_best=3, selector=selector, threshold=0) == free
    alone = model.summarize(texts[0], beam=3, selector=selector, threshold=0)
    assert alone.tokens == free[0].tokens
    assert model.test(TEXTS[:2], selector=selector, resamples=10).rows


def test_words_that_are_not_selected_are_not_copied(model):
    text = "send q7 r8"
    bias = model.module.copy_gate.linear.bias
    before = bias.item()
    bias.data.fill_(-50.0)  # only copies
    try:
        how = {"unknown": "kept", "options": firth.GenerationOptions(min_length=2, max_length=4)}
        masked = model.translator.translate(text, copyable=[[False, True, False]], **how)
        free = model.translator.translate(text, copyable=[[True, True, True]], **how)
    finally:
        bias.data.fill_(before)
    assert set(masked.tokens) == {"q7"}
    assert set(free.tokens) - {"q7"}


def test_wrong_selections_are_named(model, selector):
    other = firth.Tagger(targets="x", head="softmax", hidden=4)
    tagger = other.train([(["a", "b"], {"x": ["1", "2"]})] * 4, training=TRAINING, progress=False)
    with pytest.raises(OptionError, match="expected a tagger that was trained on"):
        model.summarize("a", selector=tagger)
    with pytest.raises(OptionError, match="threshold=2"):
        model.summarize("a", selector=selector, threshold=2)
    with pytest.raises(ShapeError, match="booleans for 2 tokens"):
        model.translator.translate(["a b"], copyable=[[True]])
    plain = firth.Summarizer(hidden=8, dim=6, coverage=False, copying=False)
    with pytest.raises(OptionError, match="the model does not copy"):
        plain.train(TEXTS, held_out=TEXTS[:4], training=TRAINING, progress=False).summarize("a", selector=selector)
