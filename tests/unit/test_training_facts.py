"""The facts of a training are an ordinary dictionary, and a table in a notebook."""

import json
import re

import firth
from firth.training_facts import ROWS, TrainingFacts, with_training_facts

WORDS = {
    "options": {"model": "word2vec", "dim": 5, "window": 2}, "seed": 3, "threads": 1, "loss": [2.5, 2.25],
    "sample_loss": [2.4, 2.2], "unit": "words", "words": 1200, "seconds": 0.5, "interrupted": False, "corpus": "ab",
}  # fmt: skip
NEURAL = {
    "options": {"model": "RecurrentLM", "dim": 5},
    "rows": [{"epoch": n, "step": 10 * n, "loss": 5 / n, "held_out_loss": None} for n in range(1, 31)],
    "ended": "interrupted", "interrupted": True, "seconds": 2.0, "epochs": 40,
}  # fmt: skip


def cells(html: str) -> list[str]:
    return re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", html)


def test_of_word_vectors():
    html = TrainingFacts(WORDS)._repr_html_()
    assert "Training of word2vec" in html
    assert "dim=5, window=2" in cells(html)
    assert "1,200 words in 0.5 s" in cells(html)
    assert cells(html)[-9:] == ["epoch", "loss", "loss on a fixed sample", "1", "2.5", "2.4", "2", "2.25", "2.2"]
    assert "loss on a fixed sample: from 2.4 to 2.2" in html
    assert "training loss: from 2.5 to 2.25" in TrainingFacts({**WORDS, "sample_loss": None})._repr_html_()
    rows = [{"loss": 3 / n, "held_out_loss": 4 / n} for n in (1, 2)]
    assert "loss on held-out data: from 4 to 2" in TrainingFacts({**NEURAL, "rows": rows})._repr_html_()
    assert "interrupted" not in html
    assert cells(TrainingFacts({**WORDS, "seed": 0})._repr_html_())[4:6] == ["seed", "0"]


def test_of_a_neural_model():
    html = TrainingFacts(NEURAL)._repr_html_()
    assert "held out loss" in html
    assert cells(html).count("interrupted") == 2  # why it ended, and that it was
    assert f"The first {30 - ROWS} rows are left out." in html
    assert TrainingFacts(NEURAL).losses[:2] == [5.0, 2.5]


def test_without_a_course():
    assert "<svg" not in TrainingFacts({"model": "arpa", "file": "x.arpa"})._repr_html_()
    assert TrainingFacts({"loss": [float("nan"), 1.0]}).losses == [1.0]


def test_a_model_keeps_the_dictionary(tmp_path):
    vectors = firth.Word2Vec(dim=4, epochs=2, sample=0).train(["a b c d"] * 50, min_count=1, threads=1, progress=False)
    vectors.save(tmp_path / "v")
    for model in (vectors, firth.load(tmp_path / "v"), vectors.first(2), vectors.quantise("int8")):
        training = model.metadata["training"]
        assert isinstance(training, TrainingFacts)
        assert training == json.loads(json.dumps(vectors.metadata["training"]))
        assert len(training.losses) == 2


def test_other_metadata_is_as_it_was():
    assert with_training_facts(None) == {}
    assert with_training_facts({"training": "long ago"}) == {"training": "long ago"}
