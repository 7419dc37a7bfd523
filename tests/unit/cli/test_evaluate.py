import json

import numpy as np
import pytest

import firth

PAIRS = "5\tred green\tgreen red\n1\tred\tblue\n3\tred blue\tblue\n4\tred red\tred\n2\tgreen\tblue blue\n"


def test_an_encoder_beside_word_vectors(run, tmp_path):
    words = firth.WordVectors(["red", "green", "blue"], np.eye(3))
    words.save(tmp_path / "words.firth")
    texts = ["red green", "blue", "green green", "blue red"] * 5
    classifier = firth.TextClassifier(dim=4, epochs=1, word_ngrams=1).train(texts, ["x", "y"] * 10, threads=1, seed=1)
    classifier.save(tmp_path / "classifier.firth")
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    status, out, _ = run("evaluate", "words.firth", "classifier.firth", "--suite", "sts:pairs.tsv", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [(row["vectors"], row["metric"], row["covered"]) for row in rows if "vectors" in row] == [
        (name, metric, 5) for name in ("words.firth", "classifier.firth") for metric in ("spearman", "pearson")
    ]
    assert [row["baseline_name"] for row in rows if "vectors" in row] == ["TF-IDF"] * 4


def test_a_model_that_encodes_nothing(run, tmp_path):
    firth.NgramLM(order=2, discount_fallback=True).train(firth.Corpus.build(["a b c"] * 3, min_count=1)).save(
        tmp_path / "lm.firth"
    )
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    status, _, err = run("evaluate", "lm.firth", "--suite", "sts:pairs.tsv")
    assert status != 0
    assert "expected word vectors or a model that encodes texts" in err


def test_a_protocol_that_does_not_exist(run, tmp_path):
    firth.WordVectors(["a"], [[1.0]]).save(tmp_path / "v.firth")
    status, _, err = run("evaluate", "v.firth", "--protocol", "other")
    assert status != 0
    assert "expected one of firth, senteval" in err


def test_generated_texts(run, tmp_path):
    (tmp_path / "ref.txt").write_text("the cat sat on the mat\nno\n", encoding="utf-8")
    (tmp_path / "same.txt").write_text("the cat sat on the mat\nno\n", encoding="utf-8")
    (tmp_path / "other.txt").write_text("a cat sat on a mat\nyes\n", encoding="utf-8")
    status, out, _ = run(
        *("evaluate", "same.txt", "other.txt", "--references", "ref.txt"),
        *("--metric", "bleu", "--metric", "exact", "--baseline", "other.txt", "--json"),
    )
    rows = [json.loads(line) for line in out.splitlines()]
    values = {(row["vectors"], row["metric"]): row["value"] for row in rows if "vectors" in row}
    assert status == 0
    assert values["same.txt", "bleu"] == 100
    assert values["other.txt", "bleu"] < 50
    assert values["same.txt", "exact"] == 1
    assert values["other.txt", "exact"] == 0
    assert [row["note"].split("|")[0] for row in rows if "note" in row] == ["bleu: nrefs:1"]


def test_scores_of_texts_without_references(run, tmp_path):
    (tmp_path / "out.txt").write_text("a\n", encoding="utf-8")
    status, _, err = run("evaluate", "out.txt", "--metric", "bleu")
    assert status != 0
    assert "needs references" in err
    assert "--references FILE" in err
    status, _, err = run("evaluate", "out.txt", "--baseline", "out.txt")
    assert status != 0
    assert "--metric NAME" in err


def test_the_diversity_of_texts(run, tmp_path):
    (tmp_path / "out.txt").write_text("i do not know\ni do not know\nno no no no\n", encoding="utf-8")
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    tagger = firth.Tagger(dim=2, char_dim=2, hidden=2, layers=1)
    examples = [(["i", "do", "not", "know"], ["P", "V", "A", "V"])] * 4
    tagger.train(examples, training=firth.TrainingOptions(epochs=1)).save(tmp_path / "tags.firth")
    status, out, _ = run(
        *("evaluate", "out.txt", "--metric", "diversity", "--metric", "distinct-3", "--tagger", "tags.firth", "--json")
    )
    rows = [json.loads(line) for line in out.splitlines()]
    values = {row["metric"]: row["value"] for row in rows if "vectors" in row}
    assert status == 0
    expected = {"distinct-1": 5 / 12, "distinct-3": 3 / 6, "repeated-3": 1 / 3, "top-5": 1}
    assert {name: values[name] for name in expected} == pytest.approx(expected)
    assert "tag-entropy-3" in values
