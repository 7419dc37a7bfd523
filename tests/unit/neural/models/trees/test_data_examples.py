"""Trees with labels, from files, strings and pairs."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import CorpusError, FormatError, OptionError
from firth.neural.models.trees.data import read_examples
from tests.unit.neural.models.trees.tiny import related, tree_of


def read(source, labels=None, pairs=False, merged=None):
    return read_examples(source, labels, pairs=pairs, merged=merged or {})


def test_labels_are_those_of_the_nodes_or_of_the_roots(tmp_path):
    (tmp_path / "a.txt").write_text("(3 (2 so) (4 good))\n(1 (0 bad) (2 one))", encoding="utf-8")
    (tmp_path / "a.conllu").write_text(
        "1\tgo\t_\t_\t_\t_\t0\troot\t_\t_\n2\ton\t_\t_\t_\t_\t1\tadv\t_\t_\n", encoding="utf-8"
    )
    assert read(tmp_path / "a.txt").labels == [("3", "2", "4"), ("1", "0", "2")]
    assert read([tmp_path / "a.txt", "(5 so)"]).labels[2] == ("5",)
    assert read(tmp_path / "a.txt", ["x", "y"]).labels == [("x", "", ""), ("y", "", "")]
    assert read(tmp_path / "a.conllu", ["x"]).labels == [("x", "")]
    merged = read(tmp_path / "a.txt", merged={"0": "bad", "1": "bad", "3": "good", "4": "good"})
    assert merged.labels == [("good", "", "good"), ("bad", "bad", "")]


def test_pairs_come_with_their_labels_or_beside_them():
    pairs = related(3)
    beside = read([pair for pair, _ in pairs], [score for _, score in pairs], pairs=True)
    assert read(pairs, pairs=True).labels == beside.labels == [(str(score),) for _, score in pairs]


@pytest.mark.parametrize(
    ("source", "labels", "pairs", "error", "problem"),
    [
        ("nowhere.txt", None, False, CorpusError, "no such file"),
        ([], None, False, CorpusError, "no trees"),
        (["(2 a) (2 b)"], None, False, FormatError, "item 0: 2 trees"),
        (["(2 a"], None, False, FormatError, "item 0 line 1: 1 brackets are not closed"),
        ([3], None, False, CorpusError, "item 0 is 3; expected a tree"),
        (3, None, False, CorpusError, "found 3; expected a file of trees"),
        (["(2 a)"], ["x", "y"], False, OptionError, "2 labels for 1 trees"),
        (["( (a) )"], None, False, FormatError, "without a word"),
        ("a.txt", None, True, CorpusError, "pairs of trees: found 'a.txt'"),
        ([("(2 a)", 3)], None, True, CorpusError, r"item 0 is '\(2 a\)'; expected a pair of trees"),
        ([("(2 a)", "(2 b)")], [1, 2], True, OptionError, "2 labels for 1 pairs"),
        (["(2 a)"], [""], False, CorpusError, "none with a label"),
    ],
)
def test_what_is_refused(source, labels, pairs, error, problem):
    with pytest.raises(error, match=problem):
        read(source, labels, pairs)


def test_dependencies_need_labels(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\tgo\t_\t_\t_\t_\t0\troot\t_\t_\n", encoding="utf-8")
    with pytest.raises(OptionError, match="relations for labels; expected a line '# label = NAME' before"):
        read([path])
    sentence = path.read_text(encoding="utf-8").strip()
    path.write_text(f"# label = good\n{sentence}\n\n# text = label\n{sentence}\n", encoding="utf-8")
    for source in (path, [path]):
        first, second = read(source).labels
        assert (first, second) == (("good",), ("",))
    with pytest.raises(OptionError, match="CoNLL-U with other trees"):
        read([path, "(1 a)"])


def test_a_subset_keeps_its_labels():
    examples = read([tree_of("(1 a)"), tree_of("(2 b)")])
    assert examples.rows([1]).labels == [("2",)]
