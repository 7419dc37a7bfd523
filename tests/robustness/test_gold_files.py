"""Gold files of every suite that hold no known word, or are not in their format, judged by the installed command.

Each suite has a small file of words that no vectors know, and a text with a mistake on its second line.
"""

import json

import numpy as np
import pytest

from firth import WordVectors
from firth.errors import FormatError
from firth.evaluation.suites import SUITES
from tests.robustness.command import Command

GROUPS = "category,words,outliers\n"

# The file that is judged comes first; the others are read from beside it.
UNKNOWN = {
    "similarity": {"pairs.txt": "xa xb 5\nxa xc 1\nxb xc 3\n"},
    "analogies": {"questions.txt": ": section\nxa xb xc xd\nxa xc xb xd\n"},
    "categorisation": {"categories.csv": "word,category\nxa,p\nxb,p\nxc,q\nxd,q\n"},
    "outliers": {"groups.csv": GROUPS + """x,"['xa', 'xb', 'xc']","['xd', 'xe']"\n"""},
    "qvec": {"features.txt": 'xa\t{"p": 1}\nxb\t{"p": 0.5, "q": 0.5}\nxc\t{"q": 1}\n'},
    "probing": {"property.txt": "".join(f"x{i}\t{'pq'[i % 2]}\n" for i in range(20))},
    "sentences": {"labelled.txt": "".join(f"{i % 2} x{i} y{i}\n" for i in range(20))},
    "sentence-pairs": {"couples.tsv": "".join(f"{1 + i % 4}.5\tx{i} y{i}\tx{i} z{i}\n" for i in range(20))},
    "sts": {"likeness.tsv": "".join(f"{i % 5}.5\tx{i} y{i}\tx{i} z{i}\n" for i in range(20))},
    "context": {
        "dev.data.txt": "xa\tN\t0-0\txa xb .\txa xc .\nxb\tN\t0-1\txb xc .\txd xb .\n",
        "dev.gold.txt": "T\nF\n",
        "train.data.txt": "xa\tN\t0-0\txa xb .\txa xc .\nxb\tN\t0-1\txb xc .\txd xb .\n",
        "train.gold.txt": "T\nF\n",
    },
    "substitution": {
        "words.gold": "xa.n 1 :: xb 3;xc 1;\nxa.n 2 :: xc 2;\n",
        "words.preprocessed": "xa.n\t1\t0\txa xd .\nxa.n\t2\t1\txd xa .\n",
    },
}

MISTAKEN = {
    "similarity": ("xa xb 5\nxa xc\n", "line 2: 2 columns, expected 3"),
    "analogies": ("xa xb xc xd\nxa xb\n", "line 2: 2 words, expected 4"),
    "categorisation": ("word,category\nxa\n", "line 2: 1 cell, expected 2"),
    "outliers": (GROUPS + "x,xa,xb\n", "line 2: 'xa', expected a list of words"),
    "qvec": ('xa\t{"p": 1}\nxb\t{"p": "1"}\n', "line 2: feature 'p' is '1', expected a finite number"),
    "probing": ("xa\tp\nxb\n", "line 2"),
    "sentences": ("1 xa\n1 xb\n", "every sentence has the label '1'"),
    "sentence-pairs": ("1.5\txa\txb\n1.5\n", "line 2"),
    "sts": ("1.5\txa\txb\n1.5\n", "line 2"),
    "context": ("xa\tN\t0-0\txa xb .\txa xc .\nxb\n", "line 2"),
    "substitution": ("xa.n 1 :: xb 3;\nxa.n\n", "line 2"),
}

each_suite = pytest.mark.parametrize("suite", SUITES)


@pytest.fixture(autouse=True)
def saved(tmp_path):
    rows = np.random.default_rng(0).normal(size=(20, 4))
    for name in ("one", "other"):
        WordVectors([f"w{i}" for i in range(20)], rows).save(tmp_path / f"{name}.firth")


def written(folder, files):
    """Write files, and return the name of the first."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return next(iter(files))


def test_every_suite_has_its_files_here():
    assert set(SUITES) <= set(UNKNOWN)
    assert set(SUITES) <= set(MISTAKEN)


@pytest.fixture
def wanted(tmp_path):
    """`--suite NAME:FILE` for every suite."""
    return [part for suite in SUITES for part in ("--suite", f"{suite}:{written(tmp_path, UNKNOWN[suite])}")]


def test_no_known_word_is_no_figure(firth: Command, wanted):
    ended = firth("evaluate", "one.firth", *wanted, "--json")
    assert (ended.status, bool(ended.err)) == (0, True)
    assert all("no item has all its words in" in line for line in ended.err.splitlines())
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert {row["suite"] for row in rows} == set(SUITES)
    for row in rows:
        assert (row["value"], row["low"], row["high"], row["covered"]) == (None, None, None, 0), row
        assert row["total"] > 0


def test_no_known_word_side_by_side(firth: Command, wanted):
    ended = firth("evaluate", "one.firth", "other.firth", *wanted)
    assert (ended.status, bool(ended.err)) == (0, True)
    assert all("no item has all its words in" in line for line in ended.err.splitlines())
    lines = [line.split() for line in ended.out.split("\n\n")[0].splitlines()[1:]]
    assert len(lines) >= len(SUITES)
    for *_, covered in lines:
        assert covered.startswith("0/")
    assert "*" not in ended.out.split("\n\n")[0]


@pytest.mark.parametrize("policy", ["count", "infer"])
def test_no_known_word_under_the_other_policies(firth: Command, wanted, policy):
    """Figures of a model that knows nothing, or none; words are still not covered."""
    ended = firth("evaluate", "one.firth", *wanted, "--unknown", policy, "--json")
    if policy == "infer" and ended.status == 1:
        assert "subword" in ended.complaint  # these vectors have none to infer from
        return
    assert (ended.status, bool(ended.err)) == (0, True)
    assert all("no item has all its words in" in line for line in ended.err.splitlines())
    assert {json.loads(line)["covered"] for line in ended.out.splitlines()} == {0}


@each_suite
def test_a_mistake_is_told_with_its_line(firth: Command, tmp_path, suite):
    text, said = MISTAKEN[suite]
    name, *_ = UNKNOWN[suite]
    written(tmp_path, {**UNKNOWN[suite], name: text})
    complaint = firth("evaluate", "one.firth", "--suite", f"{suite}:{name}").complaint
    assert name in complaint
    assert said in complaint


@each_suite
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n \n",
        b"hello world\n",
        b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe",
        b"\x00" * 99,
        b'{"a": [1, 2]}\n',
        b"a" * 70_000,
    ],
    ids=["empty", "blank", "prose", "picture", "zeros", "json", "long"],
)
def test_other_files_are_refused(tmp_path, suite, content):
    name = written(tmp_path, UNKNOWN[suite])
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=name):
        SUITES[suite].read(tmp_path / name)
