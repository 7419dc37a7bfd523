"""`firth plot KIND`: each kind through the program, in this process; `tests/robustness` has its bad input."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from firth.cli import app, plot
from firth.vectors.word_vectors import WordVectors

WORDS = ["man", "woman", "king", "queen", "boy", "girl"]
ROWS = [[1, 0], [-1, 0], [1, 1], [-1, 1], [1, -1], [-1, -1]]
FIGURES = [
    {"vectors": name, "set": "men", "metric": "spearman", "value": value, "low": value - 0.1, "high": value + 0.1}
    for name, value in (("a", 0.5), ("b", 0.6))
]
EFFECTS = [{"name": "flowers", "effect": 1.5, "low": 1.0, "high": 2.0, "p": 0.001}]
LINES = {
    "map": ["map", "v.firth", *WORDS],
    "analogy": ["analogy", "v.firth", "man", "king", "woman", "queen"],
    "neighbours": ["neighbours", "v.firth", "man", "-n", "2", "--hops", "2"],
    "similarity": ["similarity", "v.firth", "--words", "words.txt"],
    "axis": ["axis", "v.firth", *WORDS, "--poles", "woman,girl:man,boy"],
    "plane": ["axis", "v.firth", *WORDS, "--poles", "woman:man", "--poles", "boy:king"],
    "curve": ["curve", "v.firth"],
    "models": ["models", "figures.jsonl"],
    "time": ["models", "comparison"],
    "set": ["models", "comparison", "--by", "set"],
    "bias": ["bias", "effects.jsonl"],
}
TITLES = {
    "map": "Map of 6 words (tiny)",
    "analogy": "2 pairs of words (tiny)",
    "neighbours": "2 nearest neighbours of man and of these (tiny)",
    "similarity": "Cosines of 3 words (tiny)",
    "axis": "6 words between woman and man (tiny)",
    "plane": "6 words between woman and man, between boy and king (tiny)",
    "curve": "Loss of 1 model, per epoch",
    "models": "2 models on 1 set, with 95 % intervals",
    "time": "1 model, 1.0 M words, 2 threads",
    "set": "1 model on 1 set, with 95 % intervals",
    "bias": "1 test of bias: effect sizes",
}


def jsonl(rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the program: its status, what it printed, and what it said on standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["firth", "plot", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            app.main()
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


@pytest.fixture(autouse=True)
def files(tmp_path):
    """What the lines above draw."""
    metadata = {"name": "tiny", "training": {"loss": [3.0, 2.5], "unit": "words"}}
    WordVectors(WORDS, np.array(ROWS, dtype=np.float32), metadata=metadata).save(tmp_path / "v.firth")
    (tmp_path / "words.txt").write_text("man\nking\tof a group\n\nqueen\n", encoding="utf-8")
    (tmp_path / "figures.jsonl").write_text(jsonl(FIGURES), encoding="utf-8")
    (tmp_path / "effects.jsonl").write_text(jsonl(EFFECTS), encoding="utf-8")
    (tmp_path / "comparison").mkdir()
    run = {"format": "firth comparison", "version": 1, "tokens": 1_000_000, "threads": 2}
    (tmp_path / "comparison" / "run.json").write_text(json.dumps(run), encoding="utf-8")
    figures = [{"covered": 9, "total": 10, **figure} for figure in FIGURES[:1]]
    measured = {
        "model": "cbow", "seconds": 10.0, "counting_seconds": 0.0, "words_per_second": 1000, "peak_bytes": None,
        "file_bytes": 1000, "loss": [2.0, 1.0], "figures": figures,
    }  # fmt: skip
    (tmp_path / "comparison" / "metrics.jsonl").write_text(jsonl([measured]), encoding="utf-8")


@pytest.mark.parametrize("kind", LINES)
def test_each_kind_draws_and_says_what(run, kind):
    module = "matplotlib"
    pytest.importorskip(module, reason=f"{module} is not installed: pip install 'firth[plots]'")
    status, out, err = run(*LINES[kind], "-o", "picture.png")
    assert (status, err) == (0, "")
    assert out == f"picture.png: {TITLES[kind]}\n"
    assert Path("picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", LINES)
def test_each_kind_prints_its_numbers_and_draws_nothing_unasked(run, kind, tmp_path):
    before = sorted(path.name for path in tmp_path.iterdir())
    status, out, err = run(*LINES[kind], "--json")
    assert (status, err) == (0, "")
    assert [json.loads(line) for line in out.splitlines()]
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_numbers_and_a_page_together(run, embedded_rows):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'firth[plots]'")
    status, out, _ = run(*LINES["axis"], "-o", "axis.html", "--title", "Who leans where", "--json")
    assert status == 0
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == embedded_rows(Path("axis.html").read_text(encoding="utf-8"))
    assert {row["word"]: row["x"] for row in rows} == pytest.approx(
        {"man": 1, "king": 0.70710678, "boy": 0.70710678, "queen": -0.70710678, "girl": -0.70710678, "woman": -1},
        abs=1e-6,
    )
    assert "Who leans where" in Path("axis.html").read_text(encoding="utf-8")


def test_a_map_says_which_stop_words_it_leaves_out(run, tmp_path):
    words = ["the", *(f"w{i}" for i in range(40))]
    vectors = WordVectors(words, np.random.default_rng(1).normal(size=(41, 5)), counts=[10_000, *[9] * 40])
    vectors.save(tmp_path / "text.firth")
    status, out, err = run("map", "text.firth", "-n", 41, "--json")
    assert (status, err) == (0, "1 stop word left out (the); --stop-words draws them\n")
    assert [json.loads(line)["word"] for line in out.splitlines()] == words[1:]
    status, out, err = run("map", "text.firth", "-n", 41, "--json", "--stop-words")
    assert (status, err, len(out.splitlines())) == (0, "", 41)


@pytest.fixture
def embedded_rows():
    def read(page: str):
        return json.loads(page.partition('id="rows">')[2].partition("</script>")[0])

    return read


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("groups.tsv", "man\tmale\nking\tmale\nwoman\tfemale\n"),
        ("groups.json", '{"male": ["man", "king"],\n "female": ["woman"]}'),
        ("by-word.json", '{"man": "male", "king": "male", "woman": "female"}'),
    ],
)
def test_groups_colour_words_from_lines_or_json(run, tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8")
    status, out, _ = run("map", "v.firth", "--groups", name, "--json")
    found = {row["word"]: row["group"] for row in map(json.loads, out.splitlines())}
    assert (status, found) == (0, {"man": "male", "king": "male", "woman": "female"})
    status, out, _ = run("map", "v.firth", "man", "girl", "--groups", name, "--json")
    found = {row["word"]: row["group"] for row in map(json.loads, out.splitlines())}
    assert (status, found) == (0, {"man": "male", "girl": None})


def test_the_most_frequent_words_are_drawn_where_none_are_named(run):
    status, out, err = run("map", "v.firth", "--json")
    assert (status, err) == (0, "")
    assert [json.loads(line)["word"] for line in out.splitlines()] == WORDS
    status, out, err = run("map", "v.firth", "-n", 3, "--json")
    assert status == 0
    assert [json.loads(line)["word"] for line in out.splitlines()] == WORDS[:3]
    assert err == "the 3 most frequent of 6 words are drawn\n"


def test_pairs_and_words_from_standard_input(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"man king\nwoman\tqueen\n")))
    status, out, _ = run("analogy", "v.firth", "--words", "-", "--json")
    assert status == 0
    assert [json.loads(line)["b"] for line in out.splitlines()] == ["king", "queen"]


def test_curves_of_a_comparison_are_those_of_its_models(run):
    status, out, _ = run("curve", "v.firth", "comparison", "--relative", "--json")
    assert status == 0
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(row["model"], row["epoch"]) for row in rows] == [("v", 1), ("v", 2), ("cbow", 1), ("cbow", 2)]
    assert [row["loss"] for row in rows] == pytest.approx([1, 2.5 / 3, 1, 0.5])


def test_legends_show_names_of_models_not_paths():
    names = plot._model_names(["old/wiki.firth", "new/wiki.firth", "/data/news.vec", "old/wiki.firth"])
    assert names == {"old/wiki.firth": "old/wiki", "new/wiki.firth": "new/wiki", "/data/news.vec": "news"}
    assert plot._model_names(["a.firth", "a.vec"]) == {"a.firth": "a.firth", "a.vec": "a.vec"}
