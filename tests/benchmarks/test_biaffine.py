"""The table of biaffine parsers, at toy size."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from benchmarks import biaffine
from benchmarks.biaffine import main, supar_batch, task_of
from benchmarks.records import read
from firth.readers.conllu import read_conllu

ROW = "{}\t{}\t_\t{}\t_\t_\t{}\t{}\t_\t_\n".format
TREES = (
    ROW(1, "birds", "NOUN", 2, "nsubj")
    + ROW(2, "sing", "VERB", 0, "root")
    + "\n"
    + ROW(1, "yes", "INTJ", 0, "root")
    + "\n"
)


@pytest.fixture
def treebank(tmp_path, monkeypatch):
    monkeypatch.setitem(biaffine.SIZES, "200", (4, 5))
    path = tmp_path / "a.conllu"
    path.write_text(TREES * 2, encoding="utf-8")
    return path


def test_every_contender_has_a_row(treebank, tmp_path):
    main([str(treebank), "--rounds", "1", "--sizes", "200", "--out", str(tmp_path)])
    rows = read(tmp_path / "biaffine.jsonl")[1:]
    assert [(row["job"], row["contender"]) for row in rows] == [
        (job, name) for job in ("training", "parsing") for name in ("firth, float32", "firth, bfloat16")
    ]


def test_the_peer_reads_the_same_sentences(treebank):
    """With a word for the root before each sentence, which is no word to score."""
    module, task = task_of("200", list(read_conllu(treebank)))
    batch = next(task.batches.epoch(0))
    words, (characters, tags), heads, relations, mask = supar_batch(batch, module.vocabulary)
    assert mask[:, 1:].sum(1).tolist() == batch.inputs.lengths.tolist()
    assert not mask[:, 0].any()
    assert (words != 0).sum(1).tolist() == [n + 1 for n in batch.inputs.lengths.tolist()]
    assert torch.equal(heads[:, 1:], batch.heads)
    assert torch.equal(relations[mask], batch.relations[batch.relations >= 0])
    assert characters.shape[:2] == tags.shape == words.shape
