"""`firth split-senses`: what it writes, prints and refuses."""

import json
import re
import sys

import numpy as np
import pytest

import firth
from firth.cli import app

ENTRIES = """\
w0:
  n:
    sense:
    - id: '1'
      synset: 1-n
    - id: '2'
      synset: 2-n
w1:
  n:
    sense:
    - id: '3'
      synset: 1-n
"""


@pytest.fixture
def ask(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).normal(size=(60, 8)).astype(np.float32)
    firth.WordVectors([f"w{i}" for i in range(60)], rows).save(tmp_path / "v.firth")
    (tmp_path / "wordnet").mkdir()
    (tmp_path / "wordnet" / "entries-w.yaml").write_text(ENTRIES, encoding="utf-8")
    (tmp_path / "wordnet" / "noun.w.yaml").write_text("1-n:\n  partOfSpeech: n\n2-n:\n", encoding="utf-8")

    def ask(*arguments):
        monkeypatch.setattr(sys, "argv", ["firth", "split-senses", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            app.main()
        return ended.value.code, *capsys.readouterr()

    return ask


def test_quiet_is_passed_on(ask, monkeypatch):
    asked = []
    fit = firth.DiscourseAtoms.fit

    def noted(self, *given, **how):
        asked.append(how["progress"])
        return fit(self, *given, **how)

    monkeypatch.setattr(firth.DiscourseAtoms, "fit", noted)
    for flags in ([], ["--quiet"]):
        flags = ["--atoms", 12, "--sparsity", 3, "--threads", 1, "-o", "s.firth", "--overwrite", *flags]
        assert ask("v.firth", *flags)[0] == 0
    assert asked == [None, False]


def test_by_atoms(ask, tmp_path):
    status, out, _ = ask("v.firth", "--atoms", 12, "--sparsity", 3, "--floor", 0.1, "--threads", 1, "-o", "s.firth")
    made = firth.load(tmp_path / "s.firth")
    several = int((made.num_senses > 1).sum())
    assert (status, out) == (0, f"s.firth: 60 words, {several} with several senses; {len(made.vectors)} senses x 8\n")
    facts = made.metadata["senses"]
    assert (facts["model"], facts["atoms"], facts["sparsity"], facts["floor"]) == ("atoms", 12, 3, 0.1)


def test_by_wordnet(ask, tmp_path):
    status, out, _ = ask("v.firth", "--by", "wordnet", "--wordnet", "wordnet", "--alpha", 2, "--json", "-o", "s.firth")
    told = json.loads(out)
    assert status == 0
    assert (told["words"], told["senses"], told["words_of_several_senses"]) == (60, 61, 1)
    assert (told["made"]["alpha"], told["made"]["ties"]) == (2, 1)
    assert [each.label for each in firth.load(tmp_path / "s.firth").senses("w0")] == ["1-n", "2-n"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--by", "wordnet"], "--by wordnet without --wordnet PATH: .*git clone https://"),
        (["--by", "wordnet", "--wordnet", "none"], "none: not readable as WordNet .*git clone https://"),
        (["--by", "luck"], "--by luck: expected atoms or wordnet"),
        (["--alpha", 2], "--alpha with --by atoms: it belongs to the other method"),
        (["--wordnet", "wordnet"], "--wordnet with --by atoms"),
        (["--by", "wordnet", "--wordnet", "wordnet", "--floor", 0.1], "--floor with --by wordnet"),
        (["--by", "wordnet", "--wordnet", "wordnet", "--atoms", 9], "--atoms with --by wordnet"),
        ([], "2,000 atoms from 60 words: expected at least one word per atom"),
        (["--atoms", 12, "--floor", 2], r"--floor 2\.0: expected a share from 0 to 1"),
    ],
)
def test_what_is_refused(ask, tmp_path, given, told):
    status, out, err = ask("v.firth", *given, "-o", "s.firth")
    assert (status, out) == (1, "")
    assert err.startswith("firth: ")
    assert re.search(told, " ".join(err.split()))
    assert not (tmp_path / "s.firth").exists()
