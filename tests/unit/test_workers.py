"""Workers are lent to what runs inside, and to nothing else; their pieces give the bits of this process."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import firth
from firth.workers import lending, lent
from tests.here_workers import HereWorkers


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """400 sentences by Zipf's law over 300 words, in five files."""
    folder, draw = tmp_path_factory.mktemp("text"), np.random.default_rng(1)
    law = 1 / np.arange(1, 301)
    for number in range(5):
        rows = draw.choice(300, (80, 15), p=law / law.sum())
        (folder / f"{number}.txt").write_text("\n".join(" ".join(f"w{i}" for i in row) for row in rows), "utf-8")
    return folder


def test_they_are_lent_inside_only():
    workers = HereWorkers()
    assert lent() is None

    def borrow():
        assert lent() is workers
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(lent).result() is None  # threads do not hand on what they have borrowed
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), lending(workers):
        borrow()
    assert lent() is None


@pytest.mark.parametrize(
    ("model", "counted"),
    [
        (firth.GloVe(dim=8, epochs=2), 5),
        (firth.AssociationVectors(dim=8), 5),
        (firth.NgramLM(order=4), 5),
        (firth.NgramLM(order=1), 5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_models_of_counts_have_the_same_bits(model, counted, text, tmp_path, monkeypatch):
    """The text is read, and the counts are made, in pieces: more than there are files."""

    def trained(cache):
        monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / cache))
        model.train(text, min_count=1, progress=False, threads=1).save(tmp_path / f"{cache}.model")
        return {
            path.name: path.read_bytes()
            for path in sorted((tmp_path / f"{cache}.model").iterdir())
            if path.suffix == ".safetensors"
        }

    expected, workers = trained("here"), HereWorkers(3)
    assert workers.pieces == 0
    with lending(workers):
        assert trained("there") == expected
    assert len(expected) >= 1
    assert workers.pieces > counted if model != firth.NgramLM(order=1) else workers.pieces == counted
