"""The page about a text."""

import re
from collections import Counter

import pytest

import firth
from firth.plots import corpus_report
from firth.plots.corpus_report import CorpusReport
from tests.unit.alignment.grouped import documents

pytestmark = [pytest.mark.filterwarnings("ignore:.* documents are few", "ignore:.* sentences are few")]
MODEL = firth.Word2Vec(dim=4, epochs=1, sample=0)


@pytest.fixture(autouse=True)
def plots(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'firth[plots]'")
    monkeypatch.setattr(corpus_report, "MAPPED", 10)  # more takes longer
    monkeypatch.setattr(corpus_report, "ON_PHONES", 10)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))


def report(source, **options):
    return CorpusReport(title="A <text>", source=source, model=MODEL, runs=2, **options)


def sections(page):
    parts = re.split(r"<h2>(.*?)</h2>", page)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_figures_are_those_of_the_text():
    texts = [f"{text}\nЖук zebra zebra" for text in documents(20, 1)]
    page = report(texts, words=["w3", "nothing"]).page()
    assert "<title>A &lt;text&gt;</title>" in page
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!#)', page)
    parts = sections(page)
    assert "<tr><td>words</td><td>1,500</td></tr>" in parts["Size"]
    assert "<tr><td>texts</td><td>20, half of them longer than 75 words</td></tr>" in parts["Size"]
    assert "<tr><td>scripts</td><td>Latin 98.7 %, Cyrillic 1.3 %</td></tr>" in parts["Size"]
    words = " ".join(texts).split()
    word, count = Counter(words).most_common(12)[-1]
    (cells,) = re.findall(rf"<tr><td>{word}</td><td>.*?</td>(.*?)</tr>", parts["Frequent words"])
    within = sum(word in text.split() for text in texts)
    assert re.findall(r"<td>(.*?)</td>", cells)[:3] == [f"{count}", f"{1e6 * count / 1500:,.0f}", f"{within}"]
    runs = firth.bootstrap(MODEL, texts, runs=2)
    for near in runs.most_similar("w3", 8):
        assert re.search(rf"<span[^>]*>{near.word}</span>.*?<td>{near.similarity:.2f}</td>", parts["Neighbours"])
    assert "&#x27;nothing&#x27; is not in the vocabulary" in parts["Neighbours"]
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    assert set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', page)) <= {(i, "") for i in identifiers} | {
        ("", i) for i in identifiers
    }
    assert "Keywords" not in parts


def test_frequent_words_of_one_file_alone_are_no_stop_words(tmp_path):
    texts = [" ".join(f"w{i}" for i in range(100)) + " the" * 50 for _ in range(12)]
    texts[0] += " alice" * 300
    folder = tmp_path / "texts"
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    part = sections(report(folder).page())["Frequent words"]
    assert "Left out: the" in part
    assert "<td>alice</td>" in part


def test_what_cannot_be_made_says_why():
    page = report(["one two three four five six seven eight nine ten"]).page()
    parts = sections(page)
    assert "<td>10</td>" in parts["Size"]
    assert page.count("<div") == page.count("</div>")  # a grid that stays open takes in the rest of the page
    said = "Not made: the text has 10 words, and what vectors of so few say is chance; expected 1,000 or more"
    assert said in parts["Map of words"]
    assert said in parts["Neighbours"]
    alone = sections(report([" ".join(documents(20, 1)).replace("\n", " ")]).page())
    assert "the text is a single document, so that they show the chance of training alone" in alone["Neighbours"]
    few = documents(4, 1, lines=60)
    with pytest.warns(UserWarning, match="4 documents are few"):
        parts = sections(report(few, groups={"a": few[:2], "b": few[2:]}).page())
    assert "4 documents are few" in parts["How it was made"]
    assert "<h3>a</h3>" in parts["Keywords"]
    assert (
        "Not made: permutations=20: 2 and 2 documents can be divided anew in 2 ways" in parts["What differs in meaning"]
    )


def test_after_ctrl_c_there_is_no_further_training(monkeypatch):
    def stopped(*arguments, **options):
        runs = firth.bootstrap(*arguments, **options)
        runs.metadata["interrupted"] = True
        return runs

    monkeypatch.setattr(corpus_report, "bootstrap", stopped)
    texts = documents(20, 1)
    page = report(texts, groups={"a": texts[:10], "b": texts[10:]})
    assert not page.interrupted
    assert "Not made: interrupted." in sections(page.page())["What differs in meaning"]
    assert page.interrupted
