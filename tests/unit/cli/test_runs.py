"""`firth train --runs` and what other commands print of runs."""

import json
import shutil
import warnings

import numpy as np
import pytest

import firth
from firth.cli.runs import print_stability
from tests.robustness.command import sentences

TRAIN = ("train", "skipgram", "docs", "-o", "r", "--runs", "3", "--dim", "8", "--epochs", "1", "--min-count", "1", "-q")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with documents in docs and runs in r."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "docs").mkdir()
    for number in range(24):
        (folder / "docs" / f"{number:02}.txt").write_text(sentences(6), encoding="utf-8")
    corpus = firth.Corpus.build(folder / "docs", min_count=1, cache=folder / "cache" / "corpora")
    model = firth.Word2Vec(dim=8, epochs=1)
    firth.bootstrap(model, corpus, runs=3, checkpoint=folder / "r")
    return folder


@pytest.fixture
def here(trained, tmp_path, monkeypatch):
    shutil.copytree(trained, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "here"


def word(here):
    return firth.load(here / "r").words[0]


def test_training_writes_runs(run, here):
    shutil.rmtree("r")
    status, out, _ = run(*TRAIN, "--threads", "1")
    assert status == 0
    assert out.startswith("r: 3 runs x ")
    assert "24 documents drawn with replacement" in out
    assert "next: firth neighbours r " in out
    before = firth.load("r").most_similar(word(here))
    status, out, _ = run(*TRAIN, "--json", "--threads", "2")  # nothing is left to train
    assert (status, json.loads(out)["runs"]) == (0, 3)
    assert firth.load("r").most_similar(word(here)) == before


def test_another_seed_needs_overwrite(run, here):
    status, _, error = run(*TRAIN, "--seed", "2")
    assert status == 1
    assert "another seed" in error
    assert run(*TRAIN, "--seed", "2", "--overwrite")[0] == 0
    assert firth.load("r").metadata["training"]["seed"] == 2


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--start", "r"], "--start with --runs"),
        (["--deterministic", "--checkpoint", "c"], "--checkpoint and --deterministic with --runs"),
        (["--resample", "halves"], "expected 'documents' or 'none'"),
    ],
)
def test_flags_that_do_not_go_together(run, here, flags, said):
    status, _, error = run(*TRAIN, *flags)
    assert status == 1
    assert said in error


def test_runs_need_a_folder(run, here):
    status, _, error = run(*("r.vec" if part == "r" else part for part in TRAIN))
    assert status == 1
    assert "runs are saved as a folder" in error


def test_resample_without_runs(run, here):
    status, _, error = run("train", "skipgram", "docs", "-o", "x", "--resample", "none")
    assert status == 1
    assert "--resample none without --runs" in error


@pytest.mark.parametrize(
    ("model", "flags", "said"),
    [
        ("skipgram", ["--runs", "3", "--threads", "2"], "--threads with --cluster: each of --workers is one process"),
        ("glove", ["--runs", "3", "--threads", "2"], "--threads with --cluster: each of --workers is one process"),
        ("lsa", [], "--cluster auto without --runs: a single LatentSemanticAnalysis is not trained on a cluster"),
        ("skipgram", ["--runs", "3", "--merge-every", "64"], "--merge-every with --runs"),
    ],
)
def test_runs_on_a_cluster(run, here, model, flags, said):
    status, _, error = run("train", model, "docs", "-o", "x", "--cluster", "auto", *flags)
    assert status == 1
    assert said in error


def test_models_of_other_vectors_have_no_runs(run, here):
    assert "--runs" in run("train", "glove", "--help")[1]
    assert "--runs" not in run("train", "adagram", "--help")[1]


def test_neighbours_have_intervals(run, here):
    asked = word(here)
    best = firth.load("r").most_similar(asked, 2)
    status, out, error = run("neighbours", "r", asked, "-n", "2")
    assert status == 0
    assert out.splitlines()[0].split() == ["word", "mean", "low", "high", "in", "ten", "nearest"]
    assert out.splitlines()[1].split()[:4] == [best[0].word, *(f"{n:.4f}" for n in best[0][1:4])]
    assert "95 % interval of 3 runs" in error
    facts = json.loads(run("neighbours", "r", asked, "-n", "2", "--json")[1])
    assert facts["runs"] == 3
    assert facts["neighbours"][0] == {
        "word": best[0].word, "score": best[0].similarity, "low": best[0].low, "high": best[0].high,
        "share": best[0].share,
    }  # fmt: skip
    status, out, error = run("neighbours", "r", asked, "nonesuch")
    assert status == 1
    assert "nonesuch" in error
    assert out
    assert "--csls with runs" in run("neighbours", "r", asked, "--csls")[2]


def test_similarity_has_an_interval(run, here):
    runs = firth.load("r")
    a, b = runs.words[:2]
    assert run("similarity", "r", a, b)[1].strip() == str(runs.similarity(a, b))
    facts = json.loads(run("similarity", "r", a, b, "--json")[1])
    assert facts["low"] <= facts["similarity"] <= facts["high"]
    assert facts["runs"] == 3


def test_info_says_how_stable_they_are(run, here):
    out = run("info", "r")[1]
    assert "how many of a word's ten nearest two runs share" in out
    assert " of 10" in out
    facts = json.loads(run("info", "r", "--json")[1])
    assert (facts["kind"], facts["runs"], "missing" in facts) == ("runs", 3, False)
    assert facts["stability"][0].keys() == {"least", "most", "words", "overlap", "stable"}
    bands = [(band["words"], band["stable"]) for band in facts["stability"]]
    assert facts["stable"] == round(sum(words * share for words, share in bands))
    shutil.rmtree("r/run-02")
    assert json.loads(run("info", "r", "--json")[1])["missing"] == [2]


def test_a_damaged_run_is_named(run, here):
    content = bytearray((here / "r/run-02/model.safetensors").read_bytes())
    content[-1] ^= 1
    (here / "r/run-02/model.safetensors").write_bytes(content)
    words = firth.load("r/run-01").words[:2]
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # the command prints them
        status, _, error = run("similarity", "r", *words)
        assert status == 0
        assert "run 2 is left out" in error
        status, out, error = run("info", "r", "--verify")
    assert status == 1
    assert "run-02" in error
    assert [line.split()[0] for line in out.splitlines() if "altered" in line] == ["run-02/model.safetensors"]


def test_a_whole_folder_is_verified_with_its_runs(run, here):
    status, out, _ = run("info", "r", "--verify")
    assert status == 0
    assert "run-03/model.safetensors" in out


def test_pictures_of_runs(run, here):
    words = firth.load(here / "r").words[:4]
    status, out, _ = run("plot", "axis", "r", "--poles", f"{words[0]}:{words[1]}", *words[2:], "--json")
    assert status == 0
    assert json.loads(out.splitlines()[0]).keys() == {"word", "x", "x_low", "x_high"}
    assert '"overlap"' in run("plot", "map", "r", *words, "--json")[1]
    assert json.loads(run("plot", "stability", "r", "--json")[1].splitlines()[0])["words"] > 0
    status, _, error = run("plot", "stability", "r/run-01", "--json")
    assert status == 1
    assert "r/run-01 holds one training; expected several, from firth train with --runs" in error


def test_bias_of_runs_has_an_interval(run, here):
    words = firth.load(here / "r").words[:8]
    sets = {name: words[2 * i : 2 * i + 2] for i, name in enumerate("xyab")}
    (here / "sets.json").write_text(json.dumps(sets), encoding="utf-8")
    status, out, _ = run("bias", "r", "--sets", "sets.json", "--query", "x,y:a,b", "--json")
    row = json.loads(out)
    assert status == 0
    assert row["low"] <= row["effect"] <= row["high"]
    assert row["notes"][-1].startswith("mean and interval of 3 runs")


def test_convert_writes_the_consensus(run, here):
    assert run("convert", "r", "c.vec", "-q")[0] == 0
    found, expected = (space.most_similar(word(here))[0] for space in (firth.load("c.vec"), firth.load("r").consensus))
    assert found == (expected[0], pytest.approx(expected[1], abs=1e-5))


def test_other_commands_say_what_to_do(run, here):
    status, _, error = run("analogy", "r", "a", "b", "c")
    assert status == 1
    assert "holds runs, expected word vectors; `firth convert` writes their consensus" in error


def test_a_band_that_no_two_runs_have_has_no_overlap(capsys):
    print_stability([{"least": 1, "most": 9, "words": 3, "overlap": float("nan"), "stable": float("nan")}])
    assert capsys.readouterr().out.splitlines()[2].split() == ["1", "to", "9", "3", "-", "-"]


def test_places_on_an_axis_have_the_mean_and_the_interval_of_the_axes_of_all_runs(run, here):
    runs = firth.load("r")
    cold, hot, *words = runs.words[:5]
    status, out, err = run("axis", "r", *words, "--poles", f"{cold}:{hot}", "--json")
    rows = {row["word"]: row for row in map(json.loads, out.splitlines())}
    assert (status, err) == (0, "")
    assert rows.keys() == {*words}
    for name in words:
        by_hand = []
        for vectors in runs:
            one, two, place = (v / np.linalg.norm(v) for v in map(vectors.get_vector, (cold, hot, name)))
            by_hand.append(place @ (two - one) / np.linalg.norm(two - one))
        row = rows[name]
        assert row["cosine"] == pytest.approx(np.mean(by_hand), abs=1e-5)
        assert (row["low"], row["high"]) == pytest.approx((min(by_hand), max(by_hand)), abs=1e-5)  # of 3 runs
    status, out, err = run("axis", "r", words[0], "--poles", f"{cold}:{hot}")
    assert out.count("[") == 1
    assert err == "mean cosine and 95 % interval of 3 runs\n"
