"""`firth contrast`, as a user runs it."""

import csv
import json

import pytest

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

    assert names_of("books/men", "books/women.txt") == ("men", "women")
    assert names_of("a/texts", "b/texts") == ("a/texts", "b/texts")
