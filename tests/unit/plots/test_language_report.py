"""The page about language models."""

import re

import pytest

import firth
from firth.errors import OptionError
from firth.plots.language_report import language_report

TEXT = ["the cat sat on the mat", "the dog sat on the cat", "a dog saw the <b> cat"] * 20
HELD_OUT = ["the dog sat on the mat", "a cat saw the dog", "the owl sat"]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    corpus = firth.Corpus.build(
        TEXT, cache=tmp_path_factory.mktemp("corpora"), min_count=1, unknown="<unk>", tokens="whitespace"
    )
    return {
        f"order {n}": firth.NgramLM(order=n, smoothing="kneser-ney", discount_fallback=True).train(corpus)
        for n in (1, 2)
    }


def cells(page):
    return [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in re.findall(r"<tr>.*?</tr>", page)]


def test_perplexities_are_sorted_best_first(models):
    page = language_report(models, HELD_OUT, samples=0)
    first, second = [row for row in cells(page) if row and row[0] in models][:2]
    assert (first[0], second[0]) == ("order 2", "order 1")
    assert float(first[1]) == pytest.approx(models["order 2"].perplexity(HELD_OUT).value, abs=0.005)
    ratio = models["order 1"].perplexity(HELD_OUT).value / models["order 2"].perplexity(HELD_OUT).value
    (pair,) = [row for row in cells(page) if row and row[0] == "order 1 / order 2"]
    assert float(pair[1]) == pytest.approx(ratio, abs=0.0005)
    assert "17 tokens are predicted: 14 words, 1 of them unknown, read as &lt;unk&gt;, and 3 sentence ends" in page


def test_what_models_write_is_the_same_for_a_seed_and_is_no_markup(models):
    page = language_report(models, HELD_OUT, samples=30, words=8, prompt="the", seed=3)
    assert page == language_report(models, HELD_OUT, samples=30, words=8, prompt="the", seed=3)
    texts = re.findall(r"<blockquote>(.*?)</blockquote>", page)
    assert len(texts) == 60
    assert all(text.startswith("the") for text in texts)
    assert any("&lt;b&gt;" in text for text in texts)
    assert "<b>" not in page


def test_neural_models_have_curves_and_ngrams_are_baselines(models):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'firth[plots]'")
    learned = models["order 2"]
    rows = [{"seconds": 60.0 * i, "loss": 3.0 / i, "held_out_loss": 3.2 / i} for i in (1, 2)]
    learned.metadata["training"] |= {"rows": rows, "seconds": 120.0, "predictions": 24_000}
    try:
        page = language_report(models, HELD_OUT, samples=0)
    finally:
        for name in ("rows", "seconds", "predictions"):
            del learned.metadata["training"][name]
    drawing = page[page.index("<svg") : page.index("</svg>")]
    assert "order 1" in drawing
    assert "held-out text" in drawing
    (row,) = [row for row in cells(page) if row and row[0] == "order 2" and len(row) == 7]
    assert row[-2:] == ["2.0", "200"]


def test_one_model_has_a_page_of_its_own(models):
    page = language_report({"alone": models["order 1"]}, HELD_OUT, samples=1)
    assert "Two at a time" not in page
    assert "<title>Language models: alone</title>" in page


def test_no_model_is_refused():
    with pytest.raises(OptionError, match="no models"):
        language_report({}, HELD_OUT)
