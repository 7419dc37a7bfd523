"""Workers are lent to what runs inside, and to nothing else; their pieces give the bits of this process."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import firth
from firth.workers import lending, lent
from tests.here_workers import HereWorkers, zipf_files

FILES = 5


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return zipf_files(tmp_path_factory.mktemp("text"), files=FILES, lines=80, words=300)


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
    ("model", "counts"),
    [
        (firth.GloVe(dim=8, epochs=2), True),
        (firth.AssociationVectors(dim=8), True),
        (firth.NgramLM(order=4), True),
        (firth.NgramLM(order=1), False),  # words are counted when the text is read
    ],
    ids=["glove", "ppmi", "4-grams", "unigrams"],
)
def test_models_of_counts_have_the_same_bits(model, counts, text, tmp_path, monkeypatch):
    """Each file is a piece of the reading, and the counting has pieces, too."""

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
    assert (workers.pieces > FILES) == counts
    assert workers.pieces >= FILES
