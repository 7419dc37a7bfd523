"""Add-k smoothing."""

import math

import pytest

from firth.errors import OptionError
from firth.language.ngram_lm import NgramLM
from tests.unit.language.naive_ngrams import SENTENCES, check_formula
from tests.unit.language.ngram_checks import check_sums, text_of


def formula(add):
    def probability(counted, context, word):
        after = counted.after(context)
        return (after.get(word, 0) + add) / (sum(after.values()) + add * counted.size)

    return probability


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize(("add", "eos"), [(1.0, True), (0.05, False)])
def test_the_formula(tmp_path, order, add, eos):
    check_formula(tmp_path, NgramLM(smoothing="add-k", order=order, add=add, eos=eos), formula(add), eos)


@pytest.mark.parametrize("order", [1, 3])
def test_sums(tmp_path, order):
    text = text_of(SENTENCES, tmp_path)
    check_sums(NgramLM(smoothing="add-k", order=order).train(text), text)


def test_laplace_by_hand(tmp_path):
    """a b / a b / a c: V = 5 with </s> and <unk>. After a stand b twice and c once: p(b | a) = (2 + 1) / (3 + 5) = 3/8,
    p(c | a) = 2/8, p(a | a) = 1/8. After <unk> nothing was seen: 1/5.
    """
    text = text_of(["a b", "a b", "a c"], tmp_path)
    model, ids = NgramLM(smoothing="add-k", order=2).train(text), text.vocabulary.ids
    (after_a, after_unknown), _ = model.start([[ids["a"]], [text.unk_id]])
    assert [math.exp(after_a[ids[word]]) for word in "bca"] == pytest.approx([3 / 8, 2 / 8, 1 / 8])
    assert [math.exp(after_unknown[ids[word]]) for word in "bca"] == pytest.approx([0.2] * 3)


def test_nothing_cannot_be_added():
    with pytest.raises(OptionError, match="add=0: expected a finite number above 0"):
        NgramLM(smoothing="add-k", add=0)


@pytest.mark.peer
@pytest.mark.parametrize("add", [1.0, 0.3])
def test_as_nltk_has_it(tmp_path, add):
    """NLTK counts its mark of beginnings among the words; its vocabulary is given without, and takes it for unknown."""
    nltk = pytest.importorskip("nltk.lm", reason="NLTK is not installed: pip install nltk")
    from nltk.lm.preprocessing import pad_both_ends
    from nltk.util import everygrams

    text = text_of(SENTENCES, tmp_path)
    words, order = list(text.vocabulary.words), 3
    padded = [list(pad_both_ends(sentence.split(), order)) for sentence in SENTENCES]
    vocabulary = nltk.Vocabulary([word for word in words if word != "<unk>"], unk_cutoff=1, unk_label="<unk>")
    theirs = nltk.Lidstone(add, order, vocabulary=vocabulary)
    theirs.fit([everygrams(sentence, max_len=order) for sentence in padded])
    model = NgramLM(smoothing="add-k", order=order, add=add).train(text)
    for context in (["a", "b"], ["b", "a"], ["<s>", "a"], ["d", "d"]):
        prompt = [text.vocabulary.ids[word] for word in context if word != "<s>"]
        (row,), _ = model.start([prompt])
        found = [theirs.score(word, context) for word in words]
        assert [math.exp(value) for value in row] == pytest.approx(found, rel=1e-6)
