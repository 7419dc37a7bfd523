"""Trees of constituents in brackets."""

import zipfile

import pytest

from firth.errors import FormatError
from firth.readers.brackets import bracketed, read_bracketed


def trees(folder, text):
    path = folder / "trees.txt"
    path.write_text(text, encoding="utf-8")
    return list(read_bracketed(path))


def test_nodes_are_numbered_as_their_brackets_open(tmp_path):
    """(3 (2 It) (4 (2 is) (4 good))): five nodes; the leaves hold the words."""
    (tree,) = trees(tmp_path, "(3 (2 It) (4 (2 is) (4 good)))")
    assert tree.parents == (-1, 0, 0, 2, 2)
    assert tree.labels == ("3", "2", "4", "2", "4")
    assert tree.words == ("", "It", "", "is", "good")


def test_the_penn_treebank_style(tmp_path):
    """Brackets without a label around a tree go; lines do not matter; escapes are undone."""
    text = "( (S\n   (NP-SBJ (-LRB- -LRB-) (NN 1\\/2) )\n  (VP (VBD fell) ) ))\n(X a)\n(X a (Y (Z b)) c)"
    first, word, mixed = trees(tmp_path, text)
    assert bracketed(first) == "(S (NP-SBJ (-LRB- -LRB-) (NN 1\\/2)) (VP (VBD fell)))"
    assert first.sentence == ("(", "1/2", "fell")
    assert (word.parents, word.labels, word.words) == ((-1,), ("X",), ("a",))
    assert (mixed.parents, mixed.labels, mixed.words) == (
        (-1, 0, 0, 2, 0),
        ("X", "", "Y", "Z", ""),
        ("", "a", "", "b", "c"),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(2 a)\n\n(3 (2 b)\n(2 c)\n", "line 3: 1 brackets are not closed at the end"),
        ("(2 a)\n(2 b))\n", "line 2: a bracket closes that was not opened"),
        ("(2 a)\n(3 (2 b) (4))\n", "line 2: brackets without a word"),
        ("(2 a) b\n", "line 1: 'b' outside of brackets"),
        ("\n\n", "no trees"),
    ],
)
def test_unsound_brackets(tmp_path, text, problem):
    with pytest.raises(FormatError, match=rf"trees\.txt.*{problem}.*expected trees in brackets"):
        trees(tmp_path, text)


def test_deep_trees_need_no_recursion(tmp_path):
    (tree,) = trees(tmp_path, "(1 a " * 5_000 + "(1 b)" + ")" * 5_000)
    assert len(tree) == 10_001
    assert bracketed(tree).endswith("(1 b" + ")" * 5_001)


def test_archives_and_folders(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as file:
        file.writestr("x/b.mrg", "(B b)")
        file.writestr("x/a.mrg", "(A a)")
        file.writestr("x/README", "(C c)")
    (tmp_path / "a.mrg").write_text("(A a)", encoding="utf-8")
    assert [bracketed(tree) for tree in read_bracketed(tmp_path / "t.zip")] == ["(A a)", "(B b)"]
    assert [bracketed(tree) for tree in read_bracketed(tmp_path)] == ["(A a)"]


@pytest.mark.slow
def test_the_real_ones(shared_data):
    """Stanford Sentiment Treebank: 2,210 test trees, written as they were read; Penn's sample: 3,914 trees."""
    path = shared_data / "sentence" / "sst-trees" / "dev.txt"
    found = list(read_bracketed(path))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [bracketed(tree) for tree in found] == lines
    assert len(list(read_bracketed(shared_data / "constituency" / "treebank" / "treebank.zip"))) == 3_914


@pytest.mark.peer
def test_nltk_reads_the_same(shared_data):
    nltk = pytest.importorskip("nltk", reason="nltk is not installed: pip install 'firth[peers]'")
    path = shared_data / "sentence" / "sst-trees" / "dev.txt"
    theirs = [nltk.Tree.fromstring(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for tree, other in zip(read_bracketed(path), theirs, strict=True):
        assert list(tree.sentence) == [
            word.replace("\\/", "/").replace("-LRB-", "(").replace("-RRB-", ")") for word in other.leaves()
        ]
        assert list(tree.labels) == [each.label() for each in other.subtrees()]
