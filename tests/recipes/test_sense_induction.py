"""Word sense induction: contexts of a file become clusters, which are set against gold senses."""

import gzip

import numpy as np
import pytest

import firth
from firth.vectors.sense_readers import Centroids

TEXT = """bank.n 4
money in the	and a loan
a loan of the	stone
by the river	stone
the	is at the river
run.v 2
they 	home
he may	fast
"""
KEY = "\n".join(
    [f"bank.n bank.n.{i} {sense}" for i, sense in ((1, "a"), (2, "a"), (3, "b"), (4, "b"))]
    + [f"run.v run.v.{i} run.v.1" for i in (1, 2)]
)


@pytest.fixture
def files(tmp_path):
    with gzip.open(tmp_path / "dataset.txt.gz", "wt", encoding="utf-8") as file:
        file.write(TEXT)
    (tmp_path / "key.txt").write_text(KEY)
    words = ["bank", "money", "loan", "river"]
    rows = np.array([[1, 0], [0, 1], [1, 0], [1, 0], [0, 1]], dtype=np.float32)
    contexts = np.array([[0, 0], [1, 0], [1, 0], [0, 1]], dtype=np.float32)
    reader = Centroids(contexts, np.ones(4, np.float32), rows)
    senses = firth.SenseVectors(words, [0, 2, 3, 4, 5], rows, priors=[0.5, 0.5, 1, 1, 1], reader=reader)
    senses.save(tmp_path / "mine.firth")
    return tmp_path


def test_contexts_are_read(recipe, files):
    found = recipe["read_contexts"](files / "dataset.txt.gz")
    assert list(found) == ["bank.n", "run.v"]
    assert found["bank.n"]["bank.n.2"] == (["a", "loan", "of", "the"], ["stone"])
    assert list(found["run.v"]) == ["run.v.1", "run.v.2"]


def test_figures_by_hand(recipe, files, capsys):
    """All four occurrences of the bank are right, and of run, which the model does not know, two are left out, as one
    cluster: V-measure 1, or 1 for one sense in one cluster; 2 and 1 clusters have the mean 1.5."""
    told = [str(files / name) for name in ("dataset.txt.gz", "key.txt", "mine.firth")]
    figures = recipe["main"](told)
    assert figures["mine"]["v-measure"] == figures["mine"]["paired-f"] == figures["mine"]["ari"] == 1
    assert figures["mine"]["clusters"] == 1.5
    assert figures["one cluster"]["clusters"] == 1
    assert "mine" in capsys.readouterr().out


def test_a_window_of_one_word(recipe, files):
    """Only the third context has a known word right beside the gap, "river": the others get the first among equals."""
    contexts = recipe["read_contexts"](files / "dataset.txt.gz")
    found = recipe["induced"](firth.load(files / "mine.firth"), contexts, 1)
    assert found == {"bank.n": dict(zip(contexts["bank.n"], "0010", strict=True))}


def test_semeval(shared_data, recipe):
    """All 8,915 contexts of 100 words have a gold sense."""
    folder = shared_data / "wsi-semeval2010" / "semeval-2010"
    contexts = recipe["read_contexts"](folder / "dataset.txt.gz")
    assert len(contexts) == 100
    gold = {tuple(line.split()[:2]) for line in (folder / "key.txt").read_text().splitlines()}
    assert gold == {(word, one) for word, occurrences in contexts.items() for one in occurrences}
