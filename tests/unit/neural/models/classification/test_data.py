"""Targets, batches and the development part of texts with labels."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.classify.examples import Examples
from firth.classify.labels import LabelSet
from firth.errors import CorpusError
from firth.neural.models.classification.data import Item, batches_of, development_split, label_targets
from firth.neural.models.classification.reader import TextReader


def test_targets_by_hand():
    known = LabelSet(["a", "b", "c"], np.array([3, 2, 1]))
    targets = label_targets([["b"], ["c", "a"], ["z"], ["a", "a"]], known)
    assert targets.tolist() == [[0, 1, 0], [0.5, 0, 0.5], [0, 0, 0], [1, 0, 0]]


def test_second_texts_of_pairs_follow_the_first_ones():
    target = np.ones(2, np.float32) / 2
    items = [Item((np.array([2, 3]), np.array([4])), target), Item((np.array([5]), np.array([6, 7])), target)]
    (batch,) = batches_of(items, TextReader([], "unicode", 9).collate, batch_size=4, shuffle=False).epoch(0)
    assert batch.inputs.ids.tolist() == [[2, 3], [5, 0], [4, 0], [6, 7]]
    assert batch.inputs.lengths.tolist() == [2, 1, 1, 2]
    assert batch.targets.shape == (2, 2)


def test_the_development_part_has_the_labels_in_proportion():
    examples = Examples([(str(i),) for i in range(100)], [["rare" if i < 20 else "common"] for i in range(100)], "x")
    rest, chosen = development_split(examples, seed=0)
    assert len(chosen) == 10
    assert sum(labels == ["rare"] for labels in chosen.labels) == 2
    assert sorted([*rest.texts, *chosen.texts]) == sorted(examples.texts)
    assert development_split(examples, seed=1)[1].texts != chosen.texts
    once = Examples([(str(i),) for i in range(20)], [[str(max(i - 10, 0))] for i in range(20)], "x")
    assert all(labels == ["0"] for seed in range(5) for labels in development_split(once, seed)[1].labels)
    with pytest.raises(CorpusError, match="expected at least two"):
        development_split(examples.rows(np.array([0])), seed=0)
