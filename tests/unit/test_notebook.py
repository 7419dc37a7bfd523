"""Tables for notebooks are escaped and set no colours; a progress bar is made once and then changed."""

import re
import sys
import types

import pytest

import firth
from firth import notebook
from firth.classify.scores import LabelScore, LabelScores
from firth.comparison.results import Comparison
from firth.evaluation.report import EvaluationReport, ScoreRow
from firth.language.comparison import compare_models
from firth.notebook import Markup, curve, facts, in_notebook, note, table

BAD = "<script>alert(1)</script>"


def test_a_table_by_hand():
    assert table(("word", "n"), [("a & b", 3)]) == (
        '<div><table><thead><tr><th style="text-align:left">word</th><th style="text-align:right">n</th></tr></thead>'
        '<tbody><tr><td style="text-align:left">a &amp; b</td><td style="text-align:right">3</td></tr></tbody></table>'
        "</div>"
    )


def test_everything_but_markup_is_escaped():
    for html in (table((BAD,), [(BAD,)], caption=BAD), facts(BAD, [(BAD, BAD)]), note(BAD), curve([1.0, 2.0], BAD)):
        assert BAD not in html
        assert "&lt;script&gt;" in html
    assert "<b>x</b>" in table(("a",), [(Markup("<b>x</b>"),)])


def test_a_curve_goes_down_as_the_values_do():
    """Three values, 2, 1 and 0, on a picture of 240 x 60 with a margin of 4."""
    (points,) = re.findall(r'points="([^"]*)"', curve([2.0, 1.0, 0.0], "loss"))
    assert points == "4.0,4.0 120.0,30.0 236.0,56.0"
    assert "loss: from 2 to 0" in curve([2.0, 1.0, 0.0], "loss")
    assert curve([2.0], "loss") == ""
    assert "nan" not in curve([1.0, 1.0], "loss")


class Kernel:
    """Stands in for IPython in a notebook: keeps what is displayed."""

    def __init__(self):
        self.displayed, self.kernel = [], object()

    def display(self, content, *, raw, display_id):
        assert raw
        assert display_id
        self.displayed.append(content)
        return types.SimpleNamespace(update=lambda content, raw: self.displayed.append(content))


@pytest.fixture
def kernel(monkeypatch):
    kernel = Kernel()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: kernel))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=kernel.display))
    return kernel


def test_a_terminal_is_no_notebook(kernel, monkeypatch):
    assert in_notebook()
    kernel.kernel = None
    assert not in_notebook()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not in_notebook()


def test_a_bar_is_made_once_and_then_changed(kernel):
    bar = notebook.ProgressBar()
    bar.show("training <1>", "25 %", 0.25)
    bar.show("training <1>", "50 %", 0.5)
    bar.show("evaluating", "3 sets", None)
    html = [content["text/html"] for content in kernel.displayed]
    assert html[0] == '<div><progress value="0.2500" max="1"></progress> <b>training &lt;1&gt;</b> 25 %</div>'
    assert html[2] == "<div><b>evaluating</b> 3 sets</div>"
    assert kernel.displayed[1]["text/plain"] == "training <1>  50 %"
    bar.clear()
    assert kernel.displayed[3] == {"text/html": "", "text/plain": ""}


def results():
    """What a user gets and looks at, with a name that is markup wherever users give names."""
    row = ScoreRow(
        vectors=BAD, suite="similarity", set=BAD, metric="spearman", value=0.5, low=0.4, high=0.6, covered=5, total=9
    )
    texts = ["the cat sat on the mat", f"the dog sat on {BAD}"] * 5
    how: dict = {"min_count": 1, "tokens": "whitespace", "progress": False}
    trainers = {BAD: firth.NgramLM(order=2, smoothing="add-k"), "three": firth.NgramLM(order=3, smoothing="add-k")}
    models = {name: trainer.train(texts, **how) for name, trainer in trainers.items()}
    vectors = firth.WordVectors([BAD], [[1.0]], metadata={"name": BAD, "training": {"options": {"model": BAD}}})
    run = {
        "model": BAD, "seconds": 1.0, "counting_seconds": 0.0, "words_per_second": 5, "peak_bytes": None,
        "file_bytes": 1, "figures": [],
    }  # fmt: skip
    score = LabelScore(1, 2, 2)
    corpus = firth.Corpus.build(texts, min_count=1, tokens="whitespace")
    return [
        vectors, vectors.metadata["training"], EvaluationReport([row]), EvaluationReport([row, row]),
        Comparison([run], {}), LabelScores(2, 1, score, {BAD: score}), corpus, models[BAD].perplexity(texts),
        compare_models(models, texts, progress=False), firth.Cooccurrence().count(corpus, progress=False),
    ]  # fmt: skip


def test_every_result_is_shown_without_markup_of_others_and_without_colours():
    for result in results():
        html = result._repr_html_()
        assert "<script" not in html, type(result)
        assert "color" not in html.replace("currentColor", ""), type(result)
        assert html.count("<table>") == html.count("</table>"), type(result)


def test_scores_are_the_figures():
    scores = LabelScores(4, 1, LabelScore(3, 4, 4), {"a": LabelScore(1, 2, 1), "b": LabelScore(2, 2, 3)})
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", scores._repr_html_())
    assert cells[:5] == ["all labels", "0.7500", "0.7500", "0.7500", "4"]
    assert cells[5:10] == ["a", "0.5000", "1.0000", "0.6667", "1"]


def test_perplexity_is_the_figure():
    model = firth.NgramLM(order=2, smoothing="add-k").train(["a b c", "a b d"] * 5, min_count=1, progress=False)
    perplexity = model.perplexity(["a b c"], progress=False)
    html = perplexity._repr_html_()
    assert f">{perplexity.value:,.2f}<" in html
    assert f">{perplexity.bits_per_token:.3f}<" in html
