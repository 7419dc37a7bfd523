"""Entities and chunks as conlleval counts them."""

import importlib
import itertools
import random

import pytest

from firth.errors import ShapeError
from firth.evaluation.spans import Score, score_spans
from firth.readers.span_tags import spans_of


def test_scores_by_hand():
    gold = [["B-A", "I-A", "O", "B-B"], ["B-A", "O"]]
    found = [["B-A", "I-A", "O", "B-A"], ["O", "I-B"]]
    scores = score_spans(gold, found)
    assert (scores.gold, scores.found, scores.right, scores.broken) == (3, 3, 1, 1)
    assert scores.total == Score(1 / 3, 1 / 3, 1 / 3)
    assert scores.by_type == {"A": Score(0.5, 0.5, 0.5), "B": Score(0.0, 0.0, 0.0)}
    assert scores.accuracy == 3 / 6
    assert str(scores).splitlines()[-1].startswith("1 right of 3 found; 1 of them begin with I- or E-; 3 gold spans")


def test_numbers_that_differ_are_refused():
    with pytest.raises(ShapeError, match="1 sentence with gold tags and 0"):
        score_spans([["O"]], [])
    with pytest.raises(ShapeError, match="sentence 1: 1 gold tags and 2"):
        score_spans([["O"], ["O"]], [["O"], ["O", "O"]])


@pytest.mark.peer
@pytest.mark.filterwarnings("ignore")
def test_seqeval():
    """Every sequence of four tags, and random ones, broken ones included."""
    metrics = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed: pip install seqeval")
    entities = importlib.import_module("seqeval.metrics.sequence_labeling").get_entities
    tags = ["O", "B-A", "I-A", "E-A", "S-A", "B-B", "I-B"]
    for sequence in itertools.product(tags, repeat=4):
        assert spans_of(sequence) == [(start, end + 1, kind) for kind, start, end in entities(list(sequence))]
    draw = random.Random(0)
    gold, found = ([draw.choices(tags, k=length) for length in range(1, 40)] for _ in range(2))
    scores = score_spans(gold, found)
    assert scores.total.f1 == pytest.approx(metrics.f1_score(gold, found), abs=1e-12)
    assert scores.total.recall == pytest.approx(metrics.recall_score(gold, found), abs=1e-12)
    assert scores.total.precision == pytest.approx(metrics.precision_score(gold, found), abs=1e-12)
