import numpy as np
import pytest

import firth
from firth.classify.labels import count_labels, label_children, warn_joined
from firth.errors import CorpusError
from firth.kernels.trees import from_children
from firth.readers.labelled import read_labelled


def test_ties_go_as_fasttext_has_them():
    """Counts 4 2 1 1: 3 and 2 (the later first) make node 4 of count 2; node 4 goes before label 1, which also has 2.

    The second of two joined stands on the left: node 4 = (2, 3), node 5 = (1, node 4); of label 0 and node 5, both 4,
    the node goes first: node 6 = (0, node 5).
    """
    assert label_children(np.array([4, 2, 1, 1])).tolist() == [[2, 3], [1, 4], [0, 5]]


def test_paths_are_the_shortest_on_average():
    """Huffman 1952: 8 4 2 1 1 has paths of 1 2 3 4 4 nodes."""
    assert from_children(label_children(np.array([8, 4, 2, 1, 1]))).lengths.tolist() == [1, 2, 3, 4, 4]


def test_equal_counts_make_a_balanced_tree():
    assert from_children(label_children(np.ones(8, np.int64))).lengths.tolist() == [3] * 8


def test_two_labels_share_one_node():
    assert label_children(np.array([7, 3])).tolist() == [[0, 1]]


def test_a_label_without_a_name_is_no_class():
    lines = ["__label__a red apple", "__label__ ripe plum", "__label__b green pear"]
    data = read_labelled(lines, None, None, "__label__", lambda status: None)
    with pytest.raises(CorpusError, match=r"'__label__' without a name, 1 time, .*such as '__label__sport'"):
        count_labels(data, prefix="__label__")


def test_labels_that_are_joined_in_a_cell_are_warned_of():
    with pytest.warns(UserWarning, match=r"texts: 2 of 5 labels, such as 'law\|money', look like several .* '\|'"):
        warn_joined(["law", "law|money", "money", "sport", "money|sport"], "texts")
    with pytest.warns(UserWarning, match="';'"):
        warn_joined(["a; b", "b; c", "a; c"], "texts")


@pytest.mark.filterwarnings("error")
def test_labels_with_marks_of_their_own_are_left_alone():
    warn_joined(["rock|pop", "jazz", "AC/DC", "B,C", "a|"], "texts")


def test_labels_that_differ_by_a_space_are_said():
    texts, labels = ["red rose", "green leaf", "red sun", "green sea"] * 5, ["warm", "cold", "warm ", "cold"] * 5
    for model in (firth.TextClassifier(dim=4, epochs=20, lr=0.5), firth.LinearClassifier()):
        with pytest.warns(UserWarning, match="1 label with several spellings, such as 'warm' and 'warm '"):
            trained = model.train(texts, labels, progress=False)
        assert len(trained.labels) == 3
