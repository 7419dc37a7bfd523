"""What the training of context2vec gives to the loop."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.context2vec import context2vec
from firth.text.batches import TextsWarning

TEXT = ["the dog eats the bone", "the cat likes the fish that swims", "a", "the cow"]


@pytest.fixture
def given(monkeypatch):
    """Arguments of the loop, by call, without training."""
    calls = []

    def fit_model(task, options, config, data, *, facts):
        calls.append((task, data, facts))
        return {}

    monkeypatch.setattr(context2vec, "fit_model", fit_model)
    return calls


def start(text=TEXT, seed=3, **arguments):
    training = firth.TrainingOptions(epochs=1, batch_size=2)
    options = firth.Context2Vec(dim=2, hidden=2, max_length=5)
    with pytest.warns(TextsWarning, match="1 of 4 texts have more than 5 words"):
        options.train(text, training=training, seed=seed, min_count=1, sentences="line", progress=False, **arguments)


def test_sentences_to_train_on_and_to_judge_by(given):
    start(held_out=["the dog likes the fish that swims", "cat cow"])
    task, data, facts = given[0]
    assert (task.batches.batch_size, task.batches.seed, task.batches.shuffle) == (2, 3, True)
    assert sorted(task.batches.lengths.tolist()) == [2, 5, 5]
    assert task.eval_predictions == 5 + 2
    assert data["sentences"] == 3
    assert facts == {"long_sentences": 1}


def test_held_out_text_is_read_from_the_same_column(given, tmp_path):
    table = tmp_path / "text.csv"
    table.write_text("\n".join(["words,number", *(f"{text},{row}" for row, text in enumerate(TEXT))]))
    start(table, held_out=table, column="words")
    task = given[0][0]
    assert sorted(task.batches.lengths.tolist()) == [2, 5, 5]
    assert task.eval_predictions == 2 + 5 + 5


def test_a_checkpoint_knows_its_text(given):
    start()
    start()
    start([*TEXT[:3], "the pig"])
    start([*TEXT[:3], "cow the"])
    digests = [data["text"] for _, data, _ in given]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
