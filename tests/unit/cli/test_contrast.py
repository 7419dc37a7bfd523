"""`firth contrast`, as a user runs it."""

import csv
import json

import pytest

from firth.errors import OptionError
from tests.unit.alignment.grouped import documents

QUICK = ("--model", "skipgram:epochs=1:sample=0", "--dim", "4", "--permutations", "4", "-q")


@pytest.fixture
def here(tmp_path, monkeypatch):
    for name, seed in (("men", 1), ("women", 2)):
        (tmp_path / name).mkdir()
        for number, text in enumerate(documents(5, seed)):
            (tmp_path / name / f"{number}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "women" / "new.txt").write_text("w0 new new new", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.filterwarnings("ignore:permutations=4")
def test_figures_of_words(run, here):
    status, out, error = run(
        "contrast", "men", "women", *QUICK, "--runs", "2", "-n", "2", "-o", "all.csv", "--plot", "p.html"
    )
    assert (status, error) == (0, "")
    with (here / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = out.splitlines()
    assert len(lines) == 6
    assert f'"word": "{rows[0]["word"]}"' in (here / "p.html").read_text(encoding="utf-8")
    assert lines[0].startswith(f"{rows[0]['word']}  distance {float(rows[0]['distance']):.3f} [")
    assert f"chance {float(rows[0]['chance']):.3f}  p " in lines[0]
    assert lines[1].split()[:3] == ["men", rows[0]["count in men"], "times"]
    assert len(lines[2].split()) == 8


@pytest.mark.filterwarnings("ignore:permutations=4")
def test_words_that_are_asked_for(run, here):
    status, out, error = run(
        "contrast", "men", "women", "new", "W1", "new", *QUICK, "--runs", "0", "--names", "a", "b", "--json"
    )  # fmt: skip
    facts = json.loads(out)
    assert (facts["word"], facts["low"], [*facts["counts"]], [*facts["neighbours"]]) == (
        "w1", None, ["a", "b"], ["a", "b"],
    )  # fmt: skip
    assert status == 1
    assert "'new' is too rare in both groups: 0 in a, 3 in b; expected at least 5 in each; lower --min-count 5" in error
    assert error.count("lower --min-count 5") == 2  # for each of the words


@pytest.mark.filterwarnings("ignore:permutations=4")
def test_a_word_that_cannot_be_compared_is_refused_before_the_training(run, here, monkeypatch):
    monkeypatch.setattr("firth.alignment.contrast.side_by_side", None)
    assert "'w1x' is not in the vocabulary; did you mean w1" in run("contrast", "men", "women", "w1x", *QUICK)[2]
    assert "'new' is too rare in both groups: 0 in men, 3 in women" in run("contrast", "men", "women", "new", *QUICK)[2]
    with pytest.raises(TypeError):  # one word of both can be compared
        run("contrast", "men", "women", "w1x", "W1", *QUICK)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--by", "far"], "--by far: expected chance or distance"),
        (["--plot", "a.csv"], "a.csv: expected a name that ends in .png"),
        (["-o", "a.png"], "a.png: expected a name that ends in .csv, .tsv or .jsonl"),
        (["--model", "adagram"], "AdaGram learns SenseVectors: expected a model that learns word"),
        (["--model", "skipgrams"], "model 'skipgrams': expected one of"),
        (["--permutations", "40000"], "permutations 40000: 5 and 6 documents can be divided anew in 461 ways only"),
        (["--min-count", "999"], "fewer than two words stand 999 times in men and as often in women; expected longer"),
        (["--min-count", "999"], "or lower --min-count 999"),
        (["--tokens", "subwords"], "would be learned from each group by itself"),
    ],
)
def test_what_is_wrong(run, here, flags, said):
    status, out, error = run("contrast", "men", "women", "-q", *flags)
    assert (status, out) == (1, "")
    assert said in error


def test_names_of_the_groups():
    from firth.cli.contrast import names_of

    assert names_of(["books/men", "books/women.txt"]) == ["men", "women"]
    assert names_of(["a/texts", "b/texts", "c"]) == ["a/texts", "b/texts", "c"]
    with pytest.raises(OptionError, match="a group is named twice"):
        names_of(["men", "men"])


@pytest.mark.filterwarnings("ignore:permutations=4")
def test_more_groups_than_two_are_a_series(run, here):
    (here / "girls").mkdir()
    for number, text in enumerate(documents(5, 3)):
        (here / "girls" / f"{number}.txt").write_text(text, encoding="utf-8")
    command = ("contrast", "men", "women", "girls", "w1", "new", *QUICK, "--runs", "0", "--min-count", "2")
    status, out, error = run(*command, "-o", "all.csv", "--plot", "p.html")
    lines = out.splitlines()
    assert status == 1  # for "new"
    assert "'new' is too rare in men: 0 there, 3 in women; expected at least 2 in each; lower --min-count 2" in error
    assert lines[0] == "w1"
    assert [line.split("  ")[1].strip() for line in lines[1:4]] == ["men → women", "women → girls", "men → girls"]
    assert all("  distance " in line for line in lines[1:4])
    assert [line.split()[0] for line in lines[4:]] == ["men", "women", "girls"]
    with (here / "all.csv").open(encoding="utf-8", newline="") as file:
        assert {(row["from"], row["to"]) for row in csv.DictReader(file)} == {
            ("men", "women"), ("women", "girls"), ("men", "girls"),
        }  # fmt: skip
    assert '"word": "w1"' in (here / "p.html").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore:permutations=4")
def test_periods_of_a_folder(run, here):
    (here / "novels").mkdir()
    for number, text in enumerate(documents(8, 4)):
        (here / "novels" / f"{1845 + number}_a.txt").write_text(text, encoding="utf-8")
    command = ("contrast", "novels", "w1", *QUICK, "--runs", "0", "--min-count", "2", "--json")
    two = json.loads(run(*command, "--years", "1849")[1])
    assert [*two["counts"]] == ["before 1849", "from 1849"]
    assert [*json.loads(run(*command, "--years", "1849", "--names", "a", "b")[1])["counts"]] == ["a", "b"]
    three = json.loads(run(*command, "--years", "1848,1850")[1])
    assert [*three["counts"]] == ["before 1848", "1848 to 1849", "from 1850"]
    assert "--years 1848,x: expected whole numbers" in run(*command, "--years", "1848,x")[2]
    assert "expected other years than --years 1900" in run(*command, "--years", "1900")[2]
    assert "'novels' is one group: expected another, or --years" in run("contrast", "novels", "-q")[2]


def test_groups_come_before_words(run, here):
    (here / "girls").mkdir()
    status, _, error = run("contrast", "men", "women", "boys", "girls")
    assert status == 1
    assert "'boys' is no file or folder, and 'girls' behind it is: expected all groups before the first word" in error
    assert "--names a b with 3 groups" in run("contrast", "men", "women", "girls", "--names", "a", "b")[2]
