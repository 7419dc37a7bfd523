import csv
import json
import os
import pickle
import signal
import warnings

import numpy as np
import pytest

import firth
from firth.alignment.contrast import _seed
from firth.alignment.groups import Groups
from firth.errors import (
    ArgumentTypeError,
    CorpusError,
    OptionError,
    RareWordError,
    UnknownOptionError,
    UnknownWordError,
)
from firth.runs.samples import drawn
from firth.storage.files import cache_folder
from tests.unit.alignment.grouped import auc, documents

SWAPPED = [(10, 11), (20, 23), (32, 35), (44, 49), (60, 63)]
MODEL = firth.Word2Vec(dim=8, window=8, epochs=3, sample=0, lr=0.05)
QUICK = firth.Word2Vec(dim=4, epochs=1, sample=0)
SIDES = documents(20, 1), [*documents(12, 2), "w0 new new new"]
FEW = {"permutations": 4, "runs": 3, "progress": False}

pytestmark = pytest.mark.filterwarnings("ignore:permutations=4")


def changed(found):
    """Whether each word is one of those that were swapped."""
    names = {f"w{i}" for pair in SWAPPED for i in pair}
    return np.array([word in names for word in found.words])


@pytest.fixture(scope="module")
def planted():
    return firth.contrast(
        MODEL, documents(60, 1), documents(60, 2, SWAPPED), names=("then", "now"), runs=0, seed=1, progress=False
    )


@pytest.fixture(scope="module")
def small():
    return firth.contrast(QUICK, *SIDES, min_count=2, **FEW)


def test_words_that_were_swapped_in_half_of_the_documents_are_found(planted):
    found, scores = changed(planted), planted.z
    assert auc(scores, found) >= 0.95
    assert planted.significant()
    assert all(found[planted.words.index(word)] for word in planted.significant())
    assert planted.most_changed(1)[0] in planted.significant()
    assert set(planted.significant()) <= set(planted.significant(by="q"))
    with pytest.raises(OptionError, match="by='p': expected adjusted or q"):
        planted.significant(by="p")


def test_a_random_division_of_the_same_documents_has_no_significant_word(planted):
    texts = [*documents(60, 1), *documents(60, 2, SWAPPED)]
    order = np.random.default_rng(3).permutation(120)
    found = firth.contrast(
        MODEL, *([texts[i] for i in half] for half in np.split(order, 2)), runs=0, seed=1, progress=False
    )
    assert found.significant() == []
    assert np.mean(found.p <= 0.05) < 0.1
    assert np.mean(found.distance > found.chance) < 0.1


def test_the_distance_is_that_of_semantic_change(small, tmp_path):
    groups = Groups.read(SIDES, ("a", "b"), {"min_count": 2}, tmp_path, defaults=None, threads=1, progress=False)
    spaces = []
    for side, chosen in enumerate(groups.given()):
        (tmp_path / str(side)).mkdir()
        corpus = drawn(groups.corpus, chosen, tmp_path / str(side))
        vectors = QUICK.train(corpus, seed=_seed(0, f"pair 0 side {side}"), threads=1)
        there = [word for word, count in zip(vectors.words, corpus.vocabulary.counts, strict=True) if count]
        spaces.append(firth.WordVectors(there, vectors.get_vector(there)))
    changes = firth.SemanticChange().measure(*spaces)
    theirs = dict(zip(changes.words, changes.distance, strict=True))
    assert small.distance == pytest.approx([theirs[word] for word in small.words], abs=1e-5)


def test_the_same_bits_with_any_number_of_threads(small):
    again = firth.contrast(
        QUICK, *SIDES, min_count=2, threads=3, **FEW
    )  # fmt: skip
    for name in ("distance", "low", "high", "chance", "z", "p", "q", "adjusted", "counts"):
        assert np.array_equal(getattr(small, name), getattr(again, name), equal_nan=True)
    assert np.array_equal(small.first.vectors, again.first.vectors)


@pytest.mark.parametrize(
    "model", [firth.FastText(dim=4, epochs=1, sample=0, buckets=100), firth.AssociationVectors(dim=4)]
)
def test_any_model_of_word_vectors(model):
    corpora = [firth.Corpus.build(side, min_count=1) for side in SIDES]
    found = firth.contrast(model, *corpora, **{**FEW, "runs": 0})
    assert found.tally.min_count == 5
    assert np.isfinite(found.distance).all()
    assert (found.counts >= 5).all()


def test_groups_of_unequal_size(small):
    assert small.metadata["training"]["documents"] == [20, 13]
    assert small.counts.min() >= 2
    assert (small.low <= small.distance).all()
    assert (small.distance <= small.high).all()


def test_facts_of_a_word(planted):
    facts = planted.facts("w10", near=3)
    row = planted.words.index("w10")
    assert facts["distance"] == planted.distance[row]
    assert facts["low"] is None
    assert facts["counts"] == {"then": planted.counts[0, row], "now": planted.counts[1, row]}
    assert facts["neighbours"]["then"] == [word for word, _ in planted.first.most_similar("w10", topn=3)]
    assert facts["neighbours"].keys() == {"then", "now"}
    assert facts["chance"] > 0
    assert planted.facts("W10") == planted.facts("w10")
    json.dumps(facts)


def test_a_word_of_one_group_is_too_rare_in_the_other(small):
    with pytest.raises(RareWordError, match=r"^'new' is too rare in first: 0 there, 3 in second; expected at") as error:
        small.facts("new")
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    assert "too rare" in str(small.unknown("New"))
    with pytest.raises(UnknownWordError, match="'zebra' is not in the vocabulary"):
        small.facts("zebra")
    assert "new" not in small
    assert "w0" in small


def test_a_table_of_all_words(small, tmp_path):
    small.save(tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["word"] for row in rows] == small.most_changed(len(small))
    assert float(rows[0]["distance"]) == small.facts(rows[0]["word"])["distance"]
    assert int(rows[0]["count in second"]) == small.facts(rows[0]["word"])["counts"]["second"]
    small.save(tmp_path / "a.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["word"] for line in lines] == [row["word"] for row in rows]
    with pytest.raises(OptionError, match=r"a.xlsx: expected a name that ends in .csv, .tsv or .jsonl"):
        small.save(tmp_path / "a.xlsx")


def test_how_it_is_shown(planted):
    assert planted.summary().startswith("then (60 documents, 4,320 words) and now (60 documents, 4,320 words): ")
    assert f"<Contrast: then and now, {len(planted):,} words, " in repr(planted)
    assert planted.most_changed(1)[0] in planted._repr_html_()
    assert planted.most_changed(3, "distance") == [planted.words[i] for i in np.argsort(-planted.distance)[:3]]


def test_ctrl_c_keeps_what_is_finished(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))
    sent = []

    def interrupt(status):
        if "6/8 finished" in status.stage and not sent:
            sent.append(os.kill(os.getpid(), signal.SIGINT))

    slow = firth.Word2Vec(dim=4, epochs=20, sample=0)
    with pytest.warns(UserWarning, match="^interrupted: 4 of 4 permutations and [12] of 3 runs are finished, and used"):
        found = firth.contrast(
            slow, documents(4, 1), documents(4, 2), threads=1, **{**FEW, "progress": interrupt}
        )  # fmt: skip
    assert found.metadata["training"]["interrupted"]
    assert np.isfinite(found.p).any()
    assert list(cache_folder("samples").iterdir()) == []


def test_ctrl_c_before_there_is_a_result():
    sent = []

    def interrupt(status):
        if not sent and "pairs" in status.stage:
            sent.append(os.kill(os.getpid(), signal.SIGINT))

    with pytest.raises(KeyboardInterrupt):
        firth.contrast(
            firth.Word2Vec(dim=8, epochs=10_000), documents(4, 1), documents(4, 2), threads=1,
            **{**FEW, "progress": interrupt},
        )  # fmt: skip


def test_a_warning_for_few_permutations():
    with pytest.warns(UserWarning, match="^permutations=4: no word can be significant"):
        firth.contrast(QUICK, documents(4, 1), documents(4, 2), **{**FEW, "runs": 0})


def test_lines_in_place_of_documents_are_said(tmp_path, caplog):
    for name, seed in (("a", 1), ("b", 2)):
        (tmp_path / f"{name}.txt").write_text("\n".join(documents(4, seed)), encoding="utf-8")
    with caplog.at_level("INFO", "firth"):
        found = firth.contrast(
            QUICK, tmp_path / "a.txt", tmp_path / "b.txt", cache=tmp_path, **{**FEW, "runs": 0}
        )  # fmt: skip
    assert "each of its 48 sentences (by default: lines) is drawn by itself" in caplog.text
    assert "24 sentences" in found.summary()


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"permutations": 3}, OptionError, "permutations=3: expected a whole number of at least 4"),
        ({"runs": 1}, OptionError, "runs=1: expected at least 2 samples"),
        ({"names": ("a", "a")}, OptionError, "expected two different names"),
        ({"names": ("a", "b", "c")}, OptionError, "expected two different names"),
        ({"names": "ab"}, ArgumentTypeError, "expected two names"),
        ({"seed": -1}, OptionError, "seed=-1"),
        ({"model": firth.AdaGram(dim=4)}, OptionError, "expected a model that learns word"),
        ({"min_count": 5000}, CorpusError, "fewer than two words stand 5,000 times in first and as often in second"),
        ({"second": ["x y", "y x", "x x y"]}, CorpusError, "fewer than two words stand 5 times in first and as often"),
        ({"window": 3}, UnknownOptionError, "window"),
    ],
)
def test_wrong_arguments(arguments, error, said):
    with warnings.catch_warnings(), pytest.raises(error, match=said):
        firth.contrast(
            **{"model": QUICK, "first": documents(3, 1), "second": documents(4, 2), **FEW, "runs": 0, **arguments}
        )


@pytest.mark.filterwarnings("ignore:permutations=4")
def test_words_that_too_few_random_divisions_have_on_both_sides_are_said():
    """Each group has its words in one document, and some of the four divisions have both documents on one side."""
    texts = ["one two " * 6, *(f"other{n} more{n}" for n in range(5))]
    with pytest.warns(UserWarning, match="no word has a p-value: .* 4 random divisions; .* use more documents"):
        found = firth.contrast(QUICK, texts, texts, permutations=4, runs=0, progress=False)
    assert found.words == ["one", "two"]
    assert np.isnan([found.z, found.p, found.adjusted, found.chance]).all()
    assert np.isfinite(found.distance).all()
