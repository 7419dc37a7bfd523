"""`firth align`, as a user runs it."""

import json

import numpy as np
import pytest

from firth.loading import load
from tests.robustness.command import Command
from tests.unit.alignment.spaces import translations, twins


def write_pairs(path, pairs):
    path.write_text("\n".join(map(" ".join, pairs)), encoding="utf-8")


@pytest.fixture
def firth(tmp_path):
    for side, name in zip(twins(noise=0.1), ("a.firth", "b.firth"), strict=True):
        side.save(tmp_path / name)
    write_pairs(tmp_path / "pivots.txt", [*translations(0, 60), ("a1", "nowhere")])
    write_pairs(tmp_path / "test.txt", [*translations(60, 160), ("nowhere", "b1")])
    return Command(tmp_path)


def done(ended):
    assert ended.status == 0, ended.err
    return json.loads(ended.out)


def test_by_a_dictionary(firth, tmp_path):
    told = done(firth("align", "a.firth", "b.firth", "--dictionary", "pivots.txt", "--test", "test.txt",
                      "--refine", "1", "-o", "ab", "--spaces", "placed", "--json"))  # fmt: skip
    assert (told["source_words"], told["method"], told["refine"]) == (300, "orthogonal", 1)
    assert (told["pairs"]["given"], told["pairs"]["used"]) == (61, 60)
    cosine, csls = told["test"]
    assert (cosine["metric"], csls["metric"]) == ("cosine", "csls")
    assert csls["p@1"] > 0.95
    assert (csls["asked"], csls["given"]) == (100, 101)
    found = load(tmp_path / "ab")
    assert np.array_equal(load(tmp_path / "placed" / "source").vectors, found.source.vectors)
    assert np.array_equal(load(tmp_path / "placed" / "target").vectors, found.target.vectors)
    assert "kind" in firth("info", "ab").out


def test_without(firth):
    ended = firth("align", "a.firth", "b.firth", "--unsupervised", "--test", "test.txt", "-o", "ab")
    assert ended.status == 0, ended.err
    assert "ab: 300 and 300 words x 20, " in ended.out
    assert "converged in " in ended.out
    assert "best of 2 runs, another run finds 100 % of its pairs" in ended.out
    assert "translations stand out by a CSLS margin of 0." in ended.out
    assert "100 of 101 test words, among 300" in ended.out
    assert "self-learning" in ended.err
    quiet = firth("align", "a.firth", "b.firth", "--unsupervised", "-o", "ba", "--rounds", "2", "--quiet")
    assert quiet.status == 1
    assert quiet.out.splitlines()[1].startswith("did not converge in 2 rounds")
    warning, last = quiet.err.splitlines()
    assert warning == "firth: warning: self-learning did not converge: still improving after 2 rounds; raise rounds"
    assert last == "firth: ba: saved, but not reliable: self-learning did not converge"


def test_either_or(firth):
    for flags in ([], ["--unsupervised", "--dictionary", "pivots.txt"]):
        assert (
            "either --dictionary FILE or --unsup" in firth("align", "a.firth", "b.firth", *flags, "-o", "ab").complaint
        )
    wrong = firth("align", "a.firth", "b.firth", "--dictionary", "pivots.txt", "--keep", "0.5", "-o", "ab")
    assert wrong.complaint == "--keep without --unsupervised: it does nothing"
