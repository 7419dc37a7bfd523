"""Bad input to `firth plot`: one sentence, exit status 1, and no picture."""

import json
import sys

import numpy as np
import pytest

resource = pytest.importorskip("resource", reason="this system has no limits on memory")

from firth.cli import app
from firth.comparison.saved import read_comparison
from firth.errors import FormatError, install_command
from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command, Ended

BLOCKER = "import sys; sys.modules[{!r}] = None; sys.argv = ['firth', *{!r}]; from firth.cli.app import main; main()"


@pytest.fixture
def vectors(firth: Command):
    rows = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)
    WordVectors(list("abcdefgh"), rows).save(firth.folder / "v.firth")
    return "v.firth"


@pytest.fixture
def plot(firth: Command, monkeypatch, capsys):
    """Run `firth plot` in this process, which is quicker; what needs a process of its own runs the program."""
    monkeypatch.chdir(firth.folder)

    def run(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["firth", "plot", *arguments])
        with pytest.raises(SystemExit) as ended:
            app.main()
        return Ended(int(ended.value.code or 0), *capsys.readouterr())

    return run


def write(firth: Command, name: str, content: str | bytes) -> str:
    (firth.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


CASES = {
    "no words": (
        ["similarity", "v.firth", "-o", "x.png"],
        "no words to draw: name some, or give --words FILE or --groups",
    ),
    "nowhere": (["map", "v.firth", "a"], "nowhere to draw: expected -o NAME.png, .svg, .pdf or .html, or --json"),
    "a suffix": (["map", "v.firth", "a", "-o", "x.eps"], "expected a name that ends in .png, .svg, .pdf, .html"),
    "an unknown word": (["map", "v.firth", "zebra", "-o", "x.png"], "'zebra' is not in the vocabulary"),
    "an odd word": (["analogy", "v.firth", "a", "b", "c", "-o", "x.png"], "3 words: expected pairs"),
    "no poles": (["axis", "v.firth", "a", "-o", "x.png"], "0 axes: expected --poles A:B once"),
    "half a pole": (["axis", "v.firth", "a", "--poles", "b:", "-o", "x.png"], "--poles b:: expected two poles"),
    "a method": (["map", "v.firth", "a", "b", "--method", "mds", "-o", "x.png"], "--method mds: expected stress, pca"),
    "few for t-SNE": (["map", "v.firth", "a", "b", "--method", "tsne", "-o", "x.png"], "2 words: expected at least 5"),
    "a lone word": (["similarity", "v.firth", "a", "-o", "x.png"], "of 1 word: expected at least two"),
    "no file": (["map", "v.firth", "--words", "none.txt", "-o", "x.png"], "none.txt: No such file"),
    "no vectors": (["map", "none.firth", "a", "-o", "x.png"], "none.firth"),
    "no losses": (["curve", "v.firth", "-o", "x.png"], "no losses in v:"),
    "no comparison": (["models", "v.firth", "-o", "x.png"], "not a comparison"),
    "by colour": (["models", "v.firth", "--by", "colour", "-o", "x.png"], "--by colour: expected time or set"),
    "no folder": (["map", "v.firth", "a", "-o", "v.firth"], "expected a name that ends in .png"),
    "number 0": (["map", "v.firth", "-n", "0", "-o", "x.png"], "-n 0: expected a whole number of at least 1"),
}


@pytest.mark.parametrize("case", CASES)
def test_wrong_lines(firth: Command, plot, vectors, case):
    arguments, told = CASES[case]
    assert told in plot(*arguments).complaint
    assert not (firth.folder / "x.png").exists()


@pytest.mark.parametrize(
    ("kind", "content", "told"),
    [
        ("words", bytes(range(128, 256)) + b"\n", "not UTF-8 text at byte 0"),
        ("words", "\n\n", "holds no words"),
        ("groups", "a b c\n", "line 1: 'a b c'; expected a word, a tab and its group"),
        ("groups", "{broken", "no JSON object"),
        ("groups", '{"x": 3}', "'x' has 3; expected a list of words"),
        ("groups", "", "holds no words"),
    ],
)
def test_wrong_lists(firth: Command, plot, vectors, kind, content, told):
    name = write(firth, "list.txt", content)
    assert told in plot("map", vectors, f"--{kind}", name, "-o", "x.png").complaint
    assert not (firth.folder / "x.png").exists()


@pytest.mark.parametrize(
    ("kind", "content", "told"),
    [
        ("models", "no json\n", "line 1: 'no json'; expected one JSON object per line"),
        ("models", "[1]\n", "line 1: '[1]'"),
        ("models", '{"set": "men"}\n', "a figure without vectors, metric, value, low, high"),
        ("models", "", "no figures to draw"),
        ("bias", '{"effect": 1}\n', "an effect without a name"),
        ("bias", '{"name": "x", "effect": "much"}\n', "x: effect is 'much'; expected a number"),
        ("bias", "", "no effects to draw"),
    ],
)
def test_wrong_figures(firth: Command, plot, kind, content, told):
    name = write(firth, "figures.jsonl", content)
    assert told in plot(kind, name, "-o", "x.png").complaint


def test_a_damaged_comparison(firth: Command, plot):
    (firth.folder / "cmp").mkdir()
    write(firth, "cmp/run.json", json.dumps({"format": "firth comparison", "version": 1, "tokens": 1, "threads": 1}))
    write(firth, "cmp/metrics.jsonl", "{broken\n")
    assert "line 1: damaged, or not a JSON object" in plot("models", "cmp", "-o", "x.png").complaint


@pytest.mark.parametrize(
    ("module", "arguments", "told"),
    [
        ("matplotlib", ["-o", "x.png"], "matplotlib is needed to draw a picture: {plots}"),
        ("openTSNE", ["--method", "tsne", "--json"], "openTSNE is needed to draw a map by t-SNE: {maps}"),
        ("umap", ["--method", "umap", "--json"], "umap is needed to draw a map by UMAP: {maps}"),
    ],
)
def test_a_missing_extra(firth: Command, vectors, module, arguments, told):
    line = ["plot", "map", vectors, *"abcdef", *arguments]
    ended = firth.python(BLOCKER.format(module, line), real=True)
    installs = {extra: install_command(extra) for extra in ("plots", "maps")}
    assert ended.complaint == told.format(**installs)


def test_unknown_words_are_left_out_and_said(firth: Command, vectors):
    ended = firth("plot", "map", vectors, "a", "zebra", "b", "--json")
    assert ended.status == 0
    assert [json.loads(line)["word"] for line in ended.out.splitlines()] == ["a", "b"]
    assert ended.err == "1 of 3 words have no vector: zebra\n"


def test_a_hundred_thousand_words_are_sampled_and_said(firth: Command):
    words = [f"w{i}" for i in range(100_000)]
    WordVectors(words, np.random.default_rng(0).normal(size=(100_000, 3)).astype(np.float32)).save(
        firth.folder / "large.firth"
    )
    name = write(firth, "words.txt", "\n".join(reversed(words)))
    ended = firth("plot", "map", "large.firth", "--words", name, "-o", "x.png")
    assert ended.status == 0, ended.err
    assert ended.err == "the 1,000 most frequent of 100,000 words are drawn\n"
    assert ended.out == "x.png: Map of 1,000 words\n"


def test_a_full_disk_leaves_the_old_picture(firth: Command, vectors):
    old = write(firth, "x.png", b"old")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    ended = firth("plot", "map", vectors, "a", "b", "c", "-o", old, before=limit)
    assert "x.png" in ended.complaint or "File too large" in ended.complaint
    assert (firth.folder / old).read_bytes() == b"old"
    assert not list(firth.folder.glob("*.part"))


ROW = {
    "model": "cbow", "seconds": 10.0, "counting_seconds": 0.0, "words_per_second": 1000, "peak_bytes": None,
    "file_bytes": 1000,
    "figures": [{"set": "s", "metric": "spearman", "value": 0.5, "low": 0.4, "high": 0.6, "covered": 9, "total": 10}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("run", "row", "complaint"),
    [
        ({"tokens": "many", "threads": 1}, {}, r"run\.json: no numbers of tokens and threads"),
        ({"threads": 1}, {}, r"run\.json: no numbers of tokens and threads"),
        ({}, {"model": None}, r"metrics\.jsonl line 1: model None, no name"),
        ({}, {"peak_bytes": "x"}, "peak_bytes 'x', no number"),
        ({}, {"seconds": "x"}, r"metrics\.jsonl line 1: seconds 'x', no number"),
        ({}, {"seconds": float("nan")}, "seconds nan, no number"),
        ({}, {"figures": {}}, "figures that are not a list"),
        ({}, {"figures": [ROW["figures"][0] | {"total": 0}]}, "a figure of s of 9 of 0 items"),
        ({}, {"figures": [ROW["figures"][0] | {"low": None}]}, "a figure of s that is not a number"),
    ],
)
def test_a_comparison_of_other_contents(tmp_path, run, row, complaint):
    head = {"format": "firth comparison", "version": 1}
    facts = run or {"tokens": 10, "threads": 1}
    (tmp_path / "run.json").write_text(json.dumps(head | facts), encoding="utf-8")
    (tmp_path / "metrics.jsonl").write_text(json.dumps(ROW | row) + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=complaint):
        read_comparison(tmp_path)
