"""What taggers learn: windows, characters."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from tests.unit.neural.models.tagging.tiny import SIZES, sentences, training


@pytest.mark.parametrize("head", ["crf", "softmax", "margin"])
def test_a_window_learns_what_its_words_decide(head):
    """The word before a name decides: a window of one word on each side sees it."""
    options = firth.Tagger(
        targets="ner", encoder="window", window=2, characters="none", spelling=True, head=head, dim=16, hidden=24
    )
    model = options.train(sentences(80), held_out=sentences(20, 1), training=training(), progress=False)
    assert model.test(sentences(30, 2), seed=0)["ner"].score > 0.95
    best = model.metadata["training"]["best"]
    assert ("held_out_ranking" in best) == (head == "margin")
    if head == "margin":
        assert best["held_out_ranking"] > 0.85  # a name in the place of another one fits as well


def test_characters_know_unknown_words_by_their_ends():
    """Words in -s are verbs: a tagger that reads characters tags new ones, one that looks words up does not."""
    new = [
        (["mr", "Kara", word, "in", "Loto"], {"pos": ["NOUN", "PROPN", "VERB", "ADP", "PROPN"]})
        for word in ("wangs", "sleels", "reaks")
    ]
    accuracy = {}
    for characters in ("lstm", "none"):
        options = firth.Tagger(
            targets="pos",
            encoder="window",
            window=0,
            head="softmax",
            characters=characters,
            spelling=False,
            min_count=1000,
            **SIZES,
        )
        model = options.train(sentences(60), training=training(), progress=False)
        accuracy[characters] = model.test(new)["pos"].unknown_accuracy
    assert accuracy["lstm"] == 1.0
    assert accuracy["none"] < 0.5
