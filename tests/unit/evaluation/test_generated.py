"""BLEU, chrF and ROUGE against their libraries; edits, copies, unknown words and diversity by hand."""

import json
import random

import numpy as np
import pytest

import firth
from firth.errors import ArgumentTypeError, CorpusError, MissingExtraError, MissingFileError, OptionError
from firth.evaluation.generated_metrics import METRICS, Bleu, Chrf
from firth.resampling import draws

MISSING = "{} is not installed: pip install 'firth[generation]'"
sacrebleu = pytest.importorskip("sacrebleu", reason=MISSING.format("sacrebleu"))
rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer", reason=MISSING.format("rouge-score"))
pytest.importorskip("rapidfuzz", reason=MISSING.format("rapidfuzz"))


def pairs(n, seed, *, words=12):
    """Texts and references that share some n-grams; some are empty or short."""
    random_numbers = random.Random(seed)
    vocabulary = ["the", "The", "cat", "sat", "on", "a", "mat", "mat.", "don't", "42", "naïve", "über,", "猫"]
    references = [" ".join(random_numbers.choices(vocabulary, k=random_numbers.randrange(words))) for _ in range(n)]
    texts = [
        " ".join(word if random_numbers.random() < 0.7 else random_numbers.choice(vocabulary) for word in text.split())
        for text in references
    ]
    return texts, references


def values(report):
    return {row.metric: row.value for row in report.rows}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lowercase", [False, True])
def test_scores_equal_those_of_the_libraries(seed, lowercase):
    texts, references = pairs(200, seed)
    _, others = pairs(200, seed + 100)
    found = values(
        firth.evaluate_generated(
            texts, [references, others], metrics=["BLEU", "chrf", "chrf++", "rouge"], lowercase=lowercase
        )
    )
    both = [references, others]
    assert found["bleu"] == pytest.approx(sacrebleu.corpus_bleu(texts, both, lowercase=lowercase).score, abs=1e-9)
    assert found["chrf"] == pytest.approx(
        sacrebleu.metrics.CHRF(lowercase=lowercase).corpus_score(texts, both).score, abs=1e-9
    )
    plus = sacrebleu.metrics.CHRF(lowercase=lowercase, word_order=2)
    assert found["chrf++"] == pytest.approx(plus.corpus_score(texts, both).score, abs=1e-9)
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"])
    for name, theirs in [("rouge-1", "rouge1"), ("rouge-2", "rouge2"), ("rouge-l", "rougeL")]:
        each = [
            scorer.score_multi(list(several), text)[theirs].fmeasure
            for several, text in zip(zip(*both, strict=True), texts, strict=True)
        ]
        assert found[name] == pytest.approx(100 * np.mean(each), abs=1e-9)


@pytest.mark.parametrize("size", [1, 2, 5, 40])
def test_each_resample_has_the_score_of_the_library(size):
    for seed in range(2):
        texts, references = pairs(size, seed, words=6)
        for metric, ours in [
            (sacrebleu.metrics.BLEU(), Bleu),
            (sacrebleu.metrics.CHRF(), Chrf),
            (sacrebleu.metrics.CHRF(word_order=2), Chrf),
        ]:
            counts = np.array(metric._extract_corpus_statistics(texts, [references]), dtype=np.float64)
            weights = next(draws(size, resamples=8, seed=seed))
            for row, found in zip(weights, ours(counts)(weights), strict=True):
                rows = np.repeat(np.arange(size), row)
                expected = metric.corpus_score([texts[i] for i in rows], [[references[i] for i in rows]])
                assert found == pytest.approx(expected.score, abs=1e-9)


def test_counts_by_hand():
    """Edits: 1 substitution of 3 words, 1 insertion of 1; copied: a and c of a b, c d; unknown: 1 of 4 words."""
    report = firth.evaluate_generated(
        ["a <unk>", "c d"],
        [["a b e", "c"], ["x y z", "c D"]],
        sources=["a", "c"],
        metrics=["exact", "edit-distance", "copied", "unknown"],
        lowercase=True,
    )
    assert values(report) == pytest.approx({"exact": 0.5, "edit-distance": 2 / 5, "copied": 0.5, "unknown": 0.25})


def test_a_system_equal_to_the_references_is_best_in_everything():
    texts, references = pairs(60, 1, words=9)
    references = [text or "word" for text in references]
    report = firth.evaluate_generated({"bad": texts, "good": references}, references, metrics="all", baseline=texts)
    good = {row.metric: row for row in report.rows if row.vectors == "good"}
    assert set(good) == set(METRICS) - {"copied", "tag-entropy-3"}
    assert good["edit-distance"].value == 0
    assert good["exact"].value == 1
    for metric in ("bleu", "chrf", "chrf++"):
        assert good[metric].value == pytest.approx(100)
        assert good[metric].low == pytest.approx(100)
        assert good[metric].high == pytest.approx(100)
    best = {one.metric: one.best for one in report.contrasts}
    compared = ("bleu", "chrf", "chrf++", "rouge-1", "rouge-2", "rouge-l", "exact", "edit-distance")
    assert {best[metric] for metric in compared} == {"good"}
    assert not {"unknown", "words"} & set(best)
    assert all(one.p < 0.05 for one in report.contrasts if one.metric in compared)
    assert good["bleu"].baseline == pytest.approx(sacrebleu.corpus_bleu(texts, [references]).score)
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in str(report)
    assert any("note" in json.loads(line) for line in report.to_json().splitlines())


def test_the_interval_covers_the_value():
    texts, references = pairs(100, 2)
    for row in firth.evaluate_generated(texts, references, metrics=["bleu", "chrf", "rouge", "edit-distance"]).rows:
        assert row.low < row.value < row.high


def test_diversity_by_hand():
    """Three answers of four words, two of them equal; words i do not know, i i i i.

    Of 12 words 5 are different, of 9 pairs 4; pairs of tags are all the same.
    """
    texts = ["I do not know", "i do not know", "I i I i"]
    report = firth.evaluate_generated(
        texts,
        metrics=["distinct-1", "distinct_2", "text-entropy", "tag-entropy-2", "repeated-2", "top-1", "words"],
        lowercase=True,
        tags=lambda texts: [["X"] * len(text.split()) for text in texts],
    )
    entropy = -(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3))
    expected = {"distinct-1": 4 / 12, "distinct-2": 4 / 9, "text-entropy": entropy, "tag-entropy-2": 0}
    expected |= {"repeated-2": 1 / 3, "top-1": 2 / 3, "words": 4}
    assert values(report) == pytest.approx(expected)
    assert values(firth.evaluate_generated(texts, metrics="distinct-1"))["distinct-1"] == pytest.approx(5 / 12)
    assert {row.set for row in report.rows} == {"texts"}


def test_generic_answers_are_found():
    """The people's answers are a list of several systems' like any other."""
    words = np.random.default_rng(0).integers(0, 300, (200, 6)).astype(str)
    varied = [" ".join(row) for row in words]
    generic = ["I don't know ."] * 150 + varied[:50]
    report = firth.evaluate_generated({"generic": generic, "people": varied})
    assert {row.metric for row in report.rows} == {
        *("distinct-1", "distinct-2", "entropy-2", "text-entropy", "repeated-3", "top-5", "words")
    }
    best = {one.metric: (one.best, one.p < 0.05) for one in report.contrasts}
    assert best["distinct-2"] == best["text-entropy"] == best["top-5"] == ("people", True)


def test_files(tmp_path):
    (tmp_path / "out.txt").write_text("a b c d\r\n\nx\u2028y\n", encoding="utf-8")
    (tmp_path / "ref.txt").write_text("a b c d\nq\nx\u2028y", encoding="utf-8")
    report = firth.evaluate_generated(str(tmp_path / "out.txt"), str(tmp_path / "ref.txt"), metrics="exact")
    assert values(report)["exact"] == pytest.approx(2 / 3)
    assert report.rows[0].set == "ref.txt"
    several = firth.evaluate_generated(
        tmp_path / "out.txt", [tmp_path / "ref.txt", tmp_path / "out.txt"], metrics="exact"
    )
    assert values(several)["exact"] == 1


@pytest.mark.parametrize(
    ("texts", "references", "options", "error", "message"),
    [
        (["a"], ["a", "b"], {}, CorpusError, "texts: 1 texts, references 1: 2"),
        (["a"], [["a", "b"]], {}, CorpusError, "of several lists of references, each has one for every text"),
        ("missing.txt", ["a"], {}, MissingFileError, "missing.txt.*one text per line"),
        ([], [], {}, CorpusError, "no texts"),
        (["a", 3], ["a", "b"], {}, ArgumentTypeError, "texts, text 2"),
        (["a"], ["a"], {"metrics": "blue"}, OptionError, "'blue'.*bleu, chrf"),
        (["a"], ["a"], {"metrics": []}, OptionError, "none given"),
        (["a"], ["a"], {"metrics": "copied"}, OptionError, "pass sources"),
        (["a"], None, {"metrics": "rouge"}, OptionError, "'rouge-1' needs references"),
        (["a"], None, {"metrics": "tag-entropy-2"}, OptionError, "pass tags"),
        (["a"], None, {"metrics": "distinct-0"}, OptionError, "'distinct-0'"),
        (["a"], None, {"metrics": "tag-entropy-1", "tags": lambda texts: []}, OptionError, "0 sequences of 1"),
        ({"a": ["a"], "b": ["a", "b"]}, None, {}, CorpusError, "b: 2 texts, the first system: 1"),
        (["a"], None, {"baseline": ["a", "b"]}, CorpusError, "baseline: 2 texts"),
        ({}, None, {}, CorpusError, "no system"),
        (["a"], ["a"], {"tokenizer": "14a"}, OptionError, "expected one of.*13a"),
        (["a"], ["a"], {"resamples": 0}, OptionError, "at least 1"),
        (["a"], ["a"], {"sources": ["a", "b"]}, CorpusError, "sources: 2"),
    ],
)
def test_bad_input(texts, references, options, error, message):
    with pytest.raises(error, match=message):
        firth.evaluate_generated(texts, references, **options)


def test_translations_are_their_texts():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    from firth.neural.models.translation.scorer import Translation

    found = firth.evaluate_generated([Translation("a b c d")], ["a b c d"], metrics="exact")
    assert found.rows[0].value == 1


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sacrebleu.metrics", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[generation\]"):
        firth.evaluate_generated(["a"], ["a"])
