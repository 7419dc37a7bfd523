"""Bad input to `firth postprocess` and `firth quantise`: one sentence, exit status 1, and nothing half-written."""

from pathlib import Path

import numpy as np
import pytest

from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command, sentences

WORDS = ["hot", "cold", "warm", "cool", "mild"]


@pytest.fixture
def vectors(firth: Command) -> Path:
    """Good vectors, and every kind of bad ones beside them."""
    rows = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    save(firth, "good", rows)
    save(firth, "flat", np.stack([rows[:, 0], rows[:, 1], rows[:, 0] - rows[:, 1]], axis=1))
    save(firth, "alike", np.ones((5, 3), dtype=np.float32))
    save(firth, "one", rows[:1])
    save(firth, "narrow", rows[:, :2])
    save(firth, "german", rows, ["heiss", "kalt", "warmes", "lau", "mildes"])
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(WORDS, rows, strict=True)]
    lines[2] = "warm 0.5 nan 0.1"
    (firth.folder / "nan.txt").write_text("5 3\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (firth.folder / "alike.txt").write_text("warm hot\ncool cold\n", encoding="utf-8")
    (firth.folder / "foreign.txt").write_text("heiss warmes\nkalt lau\n", encoding="utf-8")
    (firth.folder / "words.txt").write_text("heiss\nkalt\n", encoding="utf-8")
    (firth.folder / "bytes.txt").write_bytes(b"hot warm\n\xff\xfe cold\n")
    return firth.folder


def save(firth: Command, name: str, rows, words=tuple(WORDS)) -> None:
    WordVectors(list(words[: len(rows)]), rows).save(firth.folder / f"{name}.firth")


STEPS = {
    ("good", "polish"): "step 'polish': expected one of centre, remove-components, whiten",
    ("good", "reduce"): "step 'reduce' without dim: expected reduce:DIM",
    ("good", "reduce:many"): "dim='many': expected a number",
    ("good", "reduce:9"): "dim=9 for vectors of dimension 3: expected 1 to 3",
    ("good", "remove-components:3"): "count=3 components of vectors of dimension 3: expected 1 to 2",
    ("good", "whiten:size=3"): "whiten has no such option; expected one of frequency, method, ridge",
    ("good", "whiten:pca:zca"): "'zca' in 'whiten:pca:zca': expected OPTION=VALUE",
    ("good", "whiten:ridge="): "expected OPTION=VALUE",
    ("good", "centre:frequency=yes"): "the words have no counts",
    ("good", "average"): "step average without --with: give it a file",
    ("good", "retrofit"): "step retrofit without --synonyms: give it a file",
    ("good", "counter-fit"): "step counter-fit without --synonyms or --antonyms: give it a file",
    ("flat", "whiten"): "singular, of rank 2: reduce to 2 dimensions first, or pass ridge=0.01",
    ("flat", "reduce:3"): "the covariance of 5 vectors has rank 2; expected at most 2",
    ("alike", "whiten:ridge=0.1"): "of rank 0: all vectors are equal",
    ("alike", "reduce:1"): "has rank 0",
    ("one", "centre"): "1 word: expected at least 2",
    ("one", "whiten"): "1 word: expected at least 2",
    ("nan.txt", "centre"): "nan.txt line 4: number 2 is nan",
    ("missing", "centre"): "missing.firth: No such file or directory",
}  # fmt: skip


@pytest.mark.parametrize(("name", "step"), STEPS)
def test_a_step_that_cannot_be_taken(name: str, step: str, firth: Command, vectors: Path):
    path = name if "." in name else f"{name}.firth"
    assert STEPS[name, step] in firth("postprocess", path, step, "-o", "out").complaint
    assert not (vectors / "out").exists()


FLAGS = {
    ("average", "--with", "german.firth"): "the 2 models have no word in common",
    ("average:both", "--with", "narrow.firth"): "words='both': expected common or union",
    ("concatenate:6", "--with", "narrow.firth"): "dim=6: expected 1 to 5, the sum of the models",
    ("concatenate:weights=1,x", "--with", "narrow.firth"): "weights='1,x': expected numbers separated by commas",
    ("concatenate:weights=1", "--with", "narrow.firth"): "weights=[1.0] for 2 models",
    ("centre", "--with", "narrow.firth"): "--with with no step that uses it",
    ("centre", "--synonyms", "alike.txt"): "--synonyms with no step that uses it",
    ("retrofit", "--synonyms", "foreign.txt"): "none of 2 pairs of similar words has two words with vectors ('heiss'",
    ("retrofit", "--synonyms", "words.txt"): "words.txt: no line of two words",
    ("retrofit", "--synonyms", "bytes.txt"): "bytes.txt line 2: not UTF-8 text",
    ("retrofit:0", "--synonyms", "alike.txt"): "alpha=0.0: expected a number above 0",
    ("counter-fit:rho=5", "--synonyms", "alike.txt"): "rho=5.0: expected a finite number from 0 to 2",
    ("counter-fit", "--antonyms", "nowhere.txt"): "nowhere.txt: No such file or directory",
}  # fmt: skip


@pytest.mark.parametrize("arguments", FLAGS, ids=" ".join)
def test_files_that_do_not_fit(arguments: tuple[str, ...], firth: Command, vectors: Path):
    step, *flags = arguments
    assert FLAGS[arguments] in firth("postprocess", "good.firth", step, *flags, "-o", "out").complaint
    assert not (vectors / "out").exists()


def test_a_target_that_is_something_else(firth: Command, vectors: Path):
    (vectors / "photos").mkdir()
    (vectors / "photos" / "cat.jpg").write_bytes(b"\xff")
    for command in (["postprocess", "good.firth", "centre"], ["quantise", "good.firth"]):
        assert "photos is a folder of something else" in firth(*command, "-o", "photos").complaint


def test_widths_that_differ_are_padded(firth: Command, vectors: Path):
    ended = firth("postprocess", "good.firth", "average", "--with", "narrow.firth", "-o", "out")
    assert ended.status == 0, ended.err
    assert "dims 3, 2" in ended.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["good.firth", "--kind", "int4"], "--kind int4: expected one of int8, product"),
        (["good.firth", "--kind", "product", "--width", "4"], "--width 4: expected from 1 to 3"),
        (["good.firth", "--keep", "0"], "the first 0 words: expected at least 1"),
        (["one.firth"], "of 1 words: expected at least"),
        (["nan.txt"], "nan.txt line 4: number 2 is nan"),
    ],
)
def test_what_cannot_be_quantised(arguments: list[str], told: str, firth: Command, vectors: Path):
    assert told in firth("quantise", *arguments, "-o", "out").complaint
    assert not (vectors / "out").exists()


def test_a_corpus_is_no_vectors(firth: Command):
    (firth.folder / "text.txt").write_text(sentences(20), encoding="utf-8")
    assert "text.txt" in firth("postprocess", "text.txt", "centre", "-o", "out").complaint
