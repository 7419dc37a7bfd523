"""Kneser-Ney models are lmplz's, and KenLM reads our ARPA files as we read its: a small text, and English, live."""

import gzip
import json
import math
import shutil

import numpy as np
import pytest

import firth
from tests.golden.kenlm_small import FILE, lmplz, sentences
from tests.unit.language.ngram_checks import text_of

FROZEN = json.loads(FILE.read_text(encoding="utf-8"))
LINES = 10_000


def entries(model):
    """(log10 p, log10 backoff) by the words of each n-gram."""
    names, trie, found = [*model.vocabulary.words, "<s>"], model.trie, {}
    for k in range(1, model.order + 1):
        rows = np.arange(trie.rows(k).start, trie.rows(k).stop)
        weights = trie.log_backoff[rows].tolist() if k < model.order else [0.0] * len(rows)
        for ngram, p, b in zip(trie.ngrams(rows, k).tolist(), trie.log_prob[rows].tolist(), weights, strict=True):
            found[" ".join(names[i] for i in ngram)] = (p / math.log(10), b / math.log(10))
    return found


def entries_of_arpa(lines):
    rows = [line.split("\t") for line in lines if "\t" in line]
    return {row[1]: (float(row[0]), float(row[2]) if len(row) > 2 else 0.0) for row in rows}


def check(model, lines, tolerance):
    found, expected = entries(model), entries_of_arpa(lines)
    assert found.keys() == expected.keys()
    pairs = np.array([(found[ngram], expected[ngram]) for ngram in expected])
    begin = [ngram == "<s>" for ngram in expected]
    pairs[begin, :, 0] = 0  # what is never predicted has no probability: -99 here, 0 there
    assert np.abs(pairs[:, 0] - pairs[:, 1]).max() < tolerance


@pytest.mark.parametrize("order", [2, 3])
def test_frozen_models(tmp_path, order):
    model = firth.NgramLM(order=order, discount_fallback=True).train(text_of(sentences(), tmp_path))
    check(model, FROZEN[str(order)], 1e-6)


@pytest.mark.parametrize("order", [2, 3])
def test_frozen_files_are_read(tmp_path, order):
    (tmp_path / "m.arpa").write_text("\n".join(FROZEN[str(order)]) + "\n", encoding="utf-8")
    model = firth.NgramModel.from_arpa(tmp_path / "m.arpa", tokens="whitespace")
    check(model, FROZEN[str(order)], 1e-6)
    own = firth.NgramLM(order=order, discount_fallback=True).train(text_of(sentences(), tmp_path))
    unseen = ["hal sees no ada", "zoe sees a cat", "cat cat cat"]
    for line in [*sentences()[:40], *unseen]:
        assert model.log_probs(model.token_ids([line])).sum() == pytest.approx(
            own.log_probs(own.token_ids([line])).sum(), rel=1e-6
        )


@pytest.fixture(scope="module")
def english(shared_data):
    with gzip.open(shared_data / "language" / "wikitext2-valid-test" / "test.txt.gz", "rt", encoding="utf-8") as file:
        text = [line.replace("<unk>", "rare").split() for line in file if line.strip()]
    with gzip.open(shared_data / "language" / "wikitext2-valid-test" / "valid.txt.gz", "rt", encoding="utf-8") as file:
        text += [line.replace("<unk>", "rare").split() for line in file if line.strip()]
    lines = [" ".join(line[i : i + 40]) for line in text for i in range(0, len(line), 40)]
    return lines[:LINES]


@pytest.fixture(scope="module")
def program():
    if shutil.which("lmplz") is None:
        pytest.skip("KenLM's lmplz is not on the PATH: build it from github.com/kpu/kenlm")


@pytest.mark.peer
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_english_is_lmplz(english, program, tmp_path, order):
    check(firth.NgramLM(order=order).train(text_of(english, tmp_path)), lmplz(order, english).splitlines(), 1e-4)


@pytest.mark.peer
@pytest.mark.parametrize("order", [2, 5])
def test_kenlm_gives_the_same_scores(english, program, tmp_path, order):
    """KenLM on our file, KenLM on lmplz's, and firth on both; known and unknown words, seen and unseen n-grams."""
    kenlm = pytest.importorskip("kenlm", reason="kenlm is not installed: pip install kenlm")
    ours, theirs = tmp_path / "ours.arpa", tmp_path / "theirs.arpa"
    model = firth.NgramLM(order=order).train(text_of(english[1000:], tmp_path))
    model.to_arpa(ours)
    theirs.write_text(lmplz(order, english[1000:]), encoding="utf-8")
    read = firth.NgramModel.from_arpa(theirs, tokens="whitespace")
    peers = [kenlm.Model(str(path)) for path in (ours, theirs)]
    lines = [*english[:500], *(" ".join(reversed(line.split())) for line in english[:100])]
    for line in lines:
        expected = peers[1].score(line)
        for each in (model, read):
            assert each.log_probs(each.token_ids([line])).sum() / math.log(10) == pytest.approx(
                expected, abs=1e-5, rel=2e-6
            )
        assert peers[0].score(line) == pytest.approx(expected, abs=1e-5, rel=2e-6)
