"""Attachment scores by hand."""

import pytest

from firth.errors import ShapeError
from firth.evaluation.dependencies import score_dependencies
from firth.evaluation.spans import Score
from firth.readers.conllu import read_conllu

GOLD = [((2, 0, 2, 3), ("det", "root", "nsubj:pass", "punct")), ((0,), ("root",))]
FOUND = [((2, 0, 2, 2), ("case", "root", "nsubj", "punct")), ((0,), ("root",))]


def test_by_hand():
    scores = score_dependencies(GOLD, FOUND)
    assert (scores.words, scores.sentences) == (5, 2)
    assert scores.uas == 4 / 5
    assert scores.las == 3 / 5
    assert scores.las_subtypes == 2 / 5
    assert scores.exact == 1 / 2
    assert scores.clas == Score.of(3, 3, 3)  # det, case and punct are not counted
    assert scores.by_relation["nsubj"] == Score(1.0, 1.0, 1.0)
    assert (
        scores.by_relation["det"] == scores.by_relation["case"] == scores.by_relation["punct"] == Score(0.0, 0.0, 0.0)
    )
    assert str(scores) == "UAS 80.00  LAS 60.00  CLAS 100.00  whole trees 50.00  (5 words in 2 sentences)"


def test_words_of_content_by_either_side():
    """CLAS: a word whose found relation is one of function words is missing among the found ones."""
    scores = score_dependencies([((2, 0), ("obj", "root"))], [((2, 0), ("case", "root"))])
    assert scores.clas == Score.of(1, 2, 1)


def worse(sentence):
    """Every sixth word below the root's word, every fifth relation another; still a tree."""
    root = sentence.heads.index(0) + 1
    heads = [root if head and i % 6 == 0 else head for i, head in enumerate(sentence.heads)]
    pairs = enumerate(zip(sentence.heads, sentence.relations, strict=True))
    return heads, ["case" if head and i % 5 == 0 else relation for i, (head, relation) in pairs]


def test_figures_of_the_program_of_conll_2018(shared_data):
    """What conll18_ud_eval.py gives for EWT's development set and the trees that `worse` makes of it."""
    gold = list(read_conllu(shared_data / "dependencies" / "UD_English-EWT" / "en_ewt-ud-dev.conllu.gz"))
    scores = score_dependencies([(each.heads, each.relations) for each in gold], map(worse, gold))
    assert scores.uas == pytest.approx(0.8928699248419295, abs=1e-15)
    assert scores.las == pytest.approx(0.7175010935698095, abs=1e-15)
    assert scores.clas.recall == pytest.approx(0.7112373653960494, abs=1e-15)
    assert scores.clas.precision == pytest.approx(0.8977651767845231, abs=1e-15)
    assert scores.clas.f1 == pytest.approx(0.793689409856611, abs=1e-15)


def test_nothing_is_zero():
    assert score_dependencies([], []).las == 0


@pytest.mark.parametrize(
    ("gold", "found", "message"),
    [
        (GOLD, FOUND[:1], "2 gold trees and 1 predicted"),
        (GOLD, [FOUND[0], ((0, 1), ("root", "dep"))], "sentence 1: 1 gold heads, 1 gold relations, 2 heads"),
    ],
)
def test_numbers_that_differ_are_refused(gold, found, message):
    with pytest.raises(ShapeError, match=message):
        score_dependencies(gold, found)
