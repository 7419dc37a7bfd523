"""Trained taggers: predictions, probabilities, n best, tests."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, CorpusError, OptionError
from firth.readers.conllu import DependencySentence
from tests.unit.neural.models.tagging.tiny import SIZES, sentences, training


def test_both_targets_are_learned(tagger):
    scores = tagger.test(sentences(40, 2))
    assert scores["pos"].accuracy > 0.98
    assert scores["pos"].spans is None
    assert scores["ner"].spans.total.f1 > 0.95
    assert scores["ner"].interval[0] <= scores["ner"].score <= scores["ner"].interval[1]
    assert str(scores).startswith("pos: accuracy ")
    assert "\nner:\n" in str(scores)
    assert tagger.targets == ("pos", "ner")
    assert set(tagger.tags["ner"]) == {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"}


def test_sentences_of_every_form(tagger):
    words = ["in", "Loto", "mr", "Kara", "sings"]
    rows = tuple((str(i), word, *["_"] * 8) for i, word in enumerate(words, 1))
    alone, text, annotated, none = tagger.predict([words, " ".join(words), DependencySentence(rows), ""])
    assert alone.tags == text.tags == annotated.tags == tagger.predict(" ".join(words)).tags
    assert (alone.words, len(alone), alone.probabilities) == (tuple(words), 5, {})
    assert none.tags == {"pos": (), "ner": ()}
    assert tagger.predict([]) == []


def test_other_sentences_of_the_batch_do_not_matter(tagger):
    texts = [words for words, _ in sentences(30, 5)]
    together = tagger.predict(texts, probabilities=True)
    for text, sentence in list(zip(texts, together, strict=True))[:5]:
        alone = tagger.predict([text], probabilities=True)[0]
        assert alone.tags == sentence.tags
        assert alone.probabilities["ner"] == pytest.approx(sentence.probabilities["ner"], abs=1e-5)


def test_marginals_and_the_n_best_agree(tagger):
    """All sequences of a sentence of two words: their probabilities sum to 1, and to the marginals of the tags."""
    (table,) = tagger.marginals(["in Loto"])
    assert table["ner"].shape == (2, 5)
    assert table["ner"].sum(1) == pytest.approx([1, 1])
    assert tagger.marginals([""])[0]["ner"].shape == (0, 5)
    (best,) = tagger.n_best(["in Loto"], 100, target="ner")
    assert sum(p for _, p in best) == pytest.approx(1, abs=1e-6)
    assert best == sorted(best, key=lambda each: -each[1])
    assert len({tags for tags, _ in best}) == len(best)
    names = tagger.tags["ner"]
    summed = np.zeros((2, 5))
    for tags, p in best:
        for t, tag in enumerate(tags):
            summed[t, names.index(tag)] += p
    assert summed == pytest.approx(table["ner"], abs=1e-6)
    found = tagger.predict("in Loto", probabilities=True)
    assert found.tags["ner"] == best[0][0]
    assert found.probabilities["ner"] == pytest.approx(
        [table["ner"][t, names.index(tag)] for t, tag in enumerate(best[0][0])]
    )


def test_softmax_decides_between_tags_as_they_are_shown():
    """B and S of BIOES show alike: n_best has each shown sequence once, and predict takes the best of these."""
    options = firth.Tagger(targets="ner", encoder="window", head="softmax", **SIZES)
    model = options.train(sentences(10), training=firth.TrainingOptions(epochs=1), progress=False)
    texts = ["in Loto", "Kara"]
    for text, best, table, found in zip(
        texts, model.n_best(texts, 30), model.marginals(texts), model.predict(texts, probabilities=True), strict=True
    ):
        assert len(best) == 5 ** len(text.split())  # O, and B and I of two types
        assert len({tags for tags, _ in best}) == len(best)
        assert sum(p for _, p in best) == pytest.approx(1, abs=1e-5)
        assert found.tags["ner"] == best[0][0]
        assert found.tags["ner"] == tuple(model.tags["ner"][i] for i in table["ner"].argmax(1))
        assert np.prod(found.probabilities["ner"]) == pytest.approx(best[0][1], abs=1e-6)


def test_predicted_spans_never_break_the_rules(tagger):
    """Whatever the words: tags of a CRF are tags of spans."""
    random = np.random.default_rng(0)
    texts = [[str(word) for word in random.choice(["in", "mr", "Kara", "x", "Zzz"], 12)] for _ in range(40)]
    for sentence in tagger.predict(texts):
        for before, tag in itertools.pairwise(("O", *sentence.tags["ner"])):
            assert not tag.startswith("I") or before[1:] == tag[1:]


def test_what_is_refused(tagger):
    with pytest.raises(OptionError, match="name one, target='pos'"):
        tagger.n_best(["a"])
    with pytest.raises(OptionError, match="expected one of pos, ner"):
        tagger.n_best(["a"], target="x")
    for n in (0, 1.5, "2"):
        with pytest.raises(OptionError, match=f"n={n!r}: expected a whole number of at least 1"):
            tagger.n_best(["a"], n, target="pos")
    with pytest.raises(ArgumentTypeError):
        tagger.predict([3])
    with pytest.raises(ArgumentTypeError, match="found the path of a file; expected a sentence or a list of them"):
        tagger.predict(__file__)
    with pytest.raises(KeyError, match="no target 'xpos' here; expected one of pos, ner"):
        tagger.predict("a").tags["xpos"]
    with pytest.raises(AttributeError, match="use predict"):
        tagger.tag("a")


def test_a_margin_gives_no_probabilities():
    options = firth.Tagger(targets="ner", encoder="window", head="margin", **SIZES)
    model = options.train(sentences(10), training=firth.TrainingOptions(epochs=1), progress=False)
    assert len(model.predict("in Loto").tags["ner"]) == 2
    for call in (
        lambda: model.marginals(["a"]),
        lambda: model.n_best(["a"]),
        lambda: model.predict(["a"], probabilities=True),
    ):
        with pytest.raises(OptionError, match="no probabilities"):
            call()


def test_unknown_words_are_counted_apart(tagger):
    scores = tagger.test([(["in", "Zork"], {"pos": ["ADP", "PROPN"], "ner": ["O", "B-LOC"]})])
    assert scores["pos"].unknown_words == 1
    assert scores["pos"].unknown_accuracy in (0.0, 1.0)
    assert training().epochs == 6


def test_sentences_of_one_word_and_of_two_thousand(tagger):
    one, long = tagger.predict(["Kara", " ".join(["in", "Loto"] * 1000)])
    assert (len(one), len(long)) == (1, 2000)
    assert all(len(tags) == 2000 for tags in long.tags.values())
    assert sum(tag == "B-LOC" for tag in long.tags["ner"]) > 900


def test_gold_tags_that_the_tagger_lacks_count_as_missed(tagger):
    with pytest.warns(UserWarning, match="1 word with tags of '(pos|ner)' that the tagger does not know: (B-)?NEW"):
        scores = tagger.test([(["in", "Loto"], {"pos": ["ADP", "NEW"], "ner": ["O", "B-NEW"]})])
    assert scores["pos"].accuracy <= 0.5
    assert scores["ner"].score == 0.0
    assert "NEW" in scores["ner"].spans.by_type
    with pytest.raises(CorpusError, match=r"sentences: none of its tags \(V, U\) is a tag of 'pos' here; expected"):
        tagger.test([(["in", "Loto", "in"], {"pos": ["V", "U", "V"], "ner": ["O", "O", "O"]})])


def test_uncertainty_is_that_of_the_best_tags(tagger):
    """-log of the probability of the best sequence of each target, summed; by words, unless the total is asked for."""
    texts = ["in Loto", "sings mr Kara in Loto", ""]
    totals = [
        -sum(np.log(tagger.n_best([text], 1, target=target)[0][0][1]) for target in tagger.targets) for text in texts
    ]
    assert tagger.uncertainty(texts, measure="total") == pytest.approx(totals, abs=1e-5)
    assert tagger.uncertainty(texts) == pytest.approx([totals[0] / 2, totals[1] / 5, 0], abs=1e-5)
    with pytest.raises(OptionError, match="measure='entropy': expected one of mnlp, total"):
        tagger.uncertainty(texts, measure="entropy")
