"""`firth report`: the page, the groups that it compares, and the commands that it names."""

import html
import json
import re
import shlex

import pytest

from firth.cli.report import _by_years, _folders
from firth.errors import OptionError
from firth.plots import corpus_report
from tests.unit.alignment.grouped import documents

pytestmark = [pytest.mark.filterwarnings("ignore:.* documents are few", "ignore:permutations=4")]
MODEL = ("--model", "skipgram:epochs=1:sample=0", "--dim", 4, "--runs", 2, "-q")


@pytest.fixture
def here(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'firth[plots]'")
    monkeypatch.setattr(corpus_report, "MAPPED", 10)  # more takes longer
    monkeypatch.setattr(corpus_report, "ON_PHONES", 10)
    for name, seed in (("men", 1), ("women", 2)):
        (tmp_path / "texts" / name).mkdir(parents=True)
        for number, text in enumerate(documents(15, seed)):
            (tmp_path / "texts" / name / f"{1800 + 10 * number}.txt").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_folders_of_a_folder_are_compared_and_the_commands_repeat_the_figures(run, here):
    status, out, _ = run("report", "texts", "-o", "p.html", *MODEL, "--permutations", 4, "--word", "w1", "--json")
    assert (status, json.loads(out)) == (0, {"page": "p.html", "groups": ["men", "women"]})
    page = (here / "p.html").read_text(encoding="utf-8")
    commands = [
        shlex.split(line) for line in html.unescape(re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)[0]).splitlines()
    ]
    assert commands[0][1:] == [
        "report",
        "texts",
        "-o",
        "p.html",
        *map(str, MODEL),
        "--permutations",
        "4",
        "--word",
        "w1",
        "--json",
    ]
    printed = {words[1]: [] for words in commands}
    for words in commands[1:]:
        status, out, _ = run(*words[1:])
        assert status == 0
        printed[words[1]].append(out)
    assert [*printed] == ["report", "train", "neighbours", "keywords", "contrast", "concordance"]
    (near,) = printed["neighbours"]
    for word, mean, *_ in map(str.split, near.splitlines()[1:9]):
        assert re.search(rf"<span[^>]*>{word}</span>.*?<td>{float(mean):.2f}</td>", page)
    for text in printed["keywords"]:
        word, score, ratio = text.splitlines()[1].split()[:3]
        assert f"<tr><td>{word}</td><td>{float(score):,.0f}</td><td>{float(ratio):.1f}</td>" in page
    (changed,) = printed["contrast"]
    assert f"<tr><td>{changed.split()[0]}</td><td>{float(changed.split()[2]):.2f}</td>" in page


def test_a_text_against_another(run, here):
    status, out, _ = run(
        "report", "texts/men", "--against", "texts/women", "-o", "p.html", *MODEL, "--permutations", 0, "-n", 1
    )
    assert (status, out) == (0, "p.html: Report on men, against women\n")
    page = (here / "p.html").read_text(encoding="utf-8")
    assert "<h1>Report on men, against women</h1>" in page
    assert "<h3>men</h3>" in page
    assert "What differs in meaning" not in page
    assert "<td>1,080</td>" in page


def test_groups_by_years_are_repeated_by_their_border(run, here):
    flags = (*MODEL, "--permutations", 4, "--word", "w1", "--years")
    assert run("report", "texts/men", "-o", "p.html", *flags)[0] == 0
    page = html.unescape((here / "p.html").read_text(encoding="utf-8"))
    (line,) = (line for line in page.splitlines() if line.startswith("firth contrast"))
    command = shlex.split(line)[1:]
    assert command[:4] == ["contrast", "texts/men", "--years", "1870"]
    changed = run(*command)[1].split()
    assert f"<tr><td>{changed[0]}</td><td>{float(changed[2]):.2f}</td>" in page


def test_groups_by_years_and_by_folders(here):
    paths = sorted((here / "texts" / "men").iterdir())
    groups = _by_years(paths)
    assert {name: len(part) for name, part in groups.items()} == {"1800 to 1860": 7, "1870 to 1940": 8}
    assert groups["1800 to 1860"] == paths[:7]
    assert {*_by_years([paths[0], paths[0], paths[1]])} == {"1800", "1810"}
    with pytest.raises(OptionError, match="--years: 1800 in the names of files; expected two or more"):
        _by_years(paths[:1])
    assert [path.rpartition("/")[2] for path in _folders([str(here / "texts")])] == ["men", "women"]
    (here / "texts" / "readme.txt").touch()
    assert _folders([str(here / "texts")]) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["texts"], "expected -o with a name that ends in .html"),
        (["texts", "-o", "p.pdf"], "p.pdf: expected -o with a name that ends in .html"),
        (["texts", "-o", "p.html", "--runs", 1], "--runs 1: expected a whole number of at least 2"),
        (
            ["texts", "-o", "p.html", "--permutations", 3],
            "--permutations 3: expected 0, or a whole number of at least 4",
        ),
        (["texts", "-o", "p.html", "--years", "--against", "texts"], "--years and --against: expected one of both"),
        (["texts", "texts", "-o", "p.html", "--against", "texts"], "--against with 2 texts; expected one text"),
        (["-", "-o", "p.html"], "- (standard input): expected a file or folder"),
        (["empty", "-o", "p.html"], "empty: holds nothing"),
        (["texts/men", "-o", "p.html", "--model", "adagram"], "expected a model that learns word vectors"),
    ],
)
def test_mistakes(run, here, arguments, said):
    (here / "empty").mkdir()
    status, out, error = run("report", *arguments, "-q")
    assert (status, out) == (1, "")
    assert said in error
    assert not (here / "p.html").exists()
