import dataclasses
import tracemalloc

import numpy as np
import pytest

import firth
from firth.classify.text_classifier import sampled_texts
from firth.corpus.table_options import TableOptions
from firth.errors import ArgumentTypeError, CorpusError, DivergenceError, OptionError, ShapeError
from firth.progress import reporting
from firth.readers.labelled import read_labelled

TEXTS = ["red apple", "green pear", "red cherry", "green leaf", "red rose", "green grass"] * 10
LABELS = ["warm", "cold"] * 30


def small(**options):
    return firth.TextClassifier(**{"dim": 8, "lr": 0.5, "epochs": 10, **options})


def train(texts=TEXTS, labels=LABELS, seed=0, **options):
    return small(**options).train(texts, labels, threads=1, seed=seed, progress=False)


def same(one, other):
    return np.array_equal(one.inputs, other.inputs) and np.array_equal(one.outputs, other.outputs)


@pytest.mark.parametrize("loss", ["softmax", "hierarchical", "negative", "ova"])
def test_it_learns(loss):
    found = train(loss=loss, word_ngrams=2)
    assert found.test(TEXTS, LABELS).f1 == 1
    losses = found.metadata["training"]["loss"]
    assert losses[-1] < losses[0] / 2
    assert found.metadata["training"]["options"]["loss"] == loss


def test_one_thread_and_a_seed_decide_every_bit():
    assert same(train(), train())
    assert not same(train(), train(seed=1))


def test_two_threads_learn_too():
    found = small().train(TEXTS, LABELS, threads=2, progress=False)
    assert found.test(TEXTS, LABELS).f1 == 1


def test_more_threads_than_texts():
    found = small(epochs=30).train(TEXTS[:2], LABELS[:2], threads=5, progress=False)
    assert found.metadata["training"]["words"] == 30 * 6


def test_labels_in_the_texts_are_labels_beside_them():
    lines = [f"__label__{label} {text}" for text, label in zip(TEXTS, LABELS, strict=True)]
    found = small().train(lines, threads=1, progress=False)
    beside = train()
    assert (found.labels, found.words) == (beside.labels, beside.words)
    prefixed = small(label_prefix="#").train(
        [line.replace("__label__", "#") for line in lines], threads=1, progress=False
    )
    assert prefixed.labels == found.labels
    assert same(prefixed, found)


def test_the_order_of_sorted_texts_is_drawn():
    """Sorted by label, the last label wins without an order of its own; drawn, both are learned."""
    order = sorted(range(60), key=LABELS.__getitem__)
    texts, labels = [TEXTS[i] for i in order], [LABELS[i] for i in order]
    drawn = train(texts, labels, epochs=2, lr=1.0)
    as_they_come = train(texts, labels, epochs=2, lr=1.0, shuffle=False)
    assert drawn.metadata["training"]["loss"][1] < as_they_come.metadata["training"]["loss"][1]


def test_rare_words_and_labels_are_left_out():
    found = train([*TEXTS, "blue sky"], [*LABELS, "sky"], min_count=5, min_count_label=2)
    assert "blue" not in found.words
    assert found.labels == ["cold", "warm"]
    assert found.metadata["training"]["texts_left_out"] == 1


def test_only_buckets_in_use_have_rows():
    found = train(word_ngrams=2, buckets=1_000_000)
    words, pairs = {word for text in TEXTS for word in text.split()}, set(TEXTS)
    ends = {text.split()[1] for text in TEXTS}
    assert len(found.inputs) == len(words) + 1 + len(pairs) + len(ends)


def test_vectors_are_what_training_starts_from():
    words = sorted({word for text in TEXTS for word in text.split()})
    vectors = firth.WordVectors(words, np.ones((len(words), 8), np.float32))
    how = {"threads": 1, "progress": False}
    model = firth.TextClassifier(epochs=20)
    assert same(model.train(TEXTS, LABELS, vectors=vectors, **how), model.train(TEXTS, LABELS, start=vectors, **how))
    assert model.train(TEXTS, LABELS, vectors=vectors, **how).dim == 8
    with pytest.raises(OptionError, match="vectors and start: both are the word vectors to start from"):
        model.train(TEXTS, LABELS, vectors=vectors, start=vectors)
    with pytest.raises(ArgumentTypeError, match=r"vectors='v.vec' is .*expected vectors: firth.load"):
        model.train(TEXTS, LABELS, vectors="v.vec")


def test_a_sample_of_texts_has_their_words_and_labels():
    with reporting(False) as report:
        data = read_labelled(TEXTS, LABELS, None, "__label__", report, TableOptions())
    names, part = data.lines.names(), sampled_texts(data, 7)
    found = np.split(part.lines.tokens, part.lines.ends[:-1])
    rows = [0, 8, 17, 25, 34, 42, 51]
    assert [" ".join(names[i] for i in tokens if i) for tokens in found] == [TEXTS[row] for row in rows]
    assert part.labels == [data.labels[row] for row in rows]


def test_a_sample_of_many_texts_looks_at_no_other():
    with reporting(False) as report:
        data = read_labelled(TEXTS, LABELS, None, "__label__", report, TableOptions())
    ends = np.arange(1, 50_001)
    many = dataclasses.replace(data, lines=dataclasses.replace(data.lines, tokens=np.zeros(50_000, int), ends=ends))
    many = dataclasses.replace(many, labels=None)
    tracemalloc.start()
    sampled_texts(many, 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000  # bytes; a view of each text takes a hundred


def test_fasttexts_name_of_the_vectors_is_answered():
    with pytest.raises(OptionError, match=r"pretrainedVectors=.v.vec.: not an argument of train; use vectors"):
        small().train(TEXTS, LABELS, pretrainedVectors="v.vec")
    with pytest.raises(OptionError, match=r"an argument of train: TextClassifier\(...\).train\(text, vectors=...\)"):
        firth.TextClassifier(pretrainedVectors="v.vec")


def test_vectors_of_another_language_are_said():
    foreign = firth.WordVectors(["rouge", "vert"], np.ones((2, 8), np.float32))
    with pytest.warns(UserWarning, match=r"the vectors know 0.0 % of \d+ words \(0.0 % of the distinct"):
        small().train(TEXTS, LABELS, vectors=foreign, threads=1, progress=False)


def test_class_weights_lift_the_rare_label():
    texts, labels = ["same word"] * 30 + ["same other"] * 2, ["often"] * 30 + ["rare"] * 2
    how = {"epochs": 5, "lr": 0.1, "dim": 4}
    with pytest.warns(UserWarning, match="ended no better than the most frequent label, 'often': accuracy 93.8 on 32"):
        plain = firth.TextClassifier(**how).train(texts, labels, threads=1, progress=False)
    balanced = firth.TextClassifier(**how, class_weights="balanced").train(texts, labels, threads=1, progress=False)
    assert balanced.probabilities("same")[1] > 2 * plain.probabilities("same")[1]


def test_words_start_from_vectors():
    start = firth.WordVectors(["red", "unused"], np.full((2, 8), 3.0, np.float32))
    with pytest.warns(UserWarning, match="the vectors know 16.7 % of"):
        found = small(epochs=1, lr=1e-9).train(TEXTS, LABELS, start=start, threads=1, progress=False)
    assert found.inputs[found.map.ids["red"]] == pytest.approx(np.full(8, 3.0))
    with pytest.raises(ShapeError, match="use dim=5"):
        small().train(TEXTS, LABELS, start=firth.WordVectors(["red"], np.ones((1, 5), np.float32)))


def test_a_checkpoint_is_gone_on_from(tmp_path):
    class StopError(Exception):
        pass

    def stop_in_the_third_epoch(status):
        if "epoch 3/" in status.stage:
            raise StopError

    model = small(epochs=6)
    with pytest.raises(StopError):
        model.train(TEXTS, LABELS, threads=1, checkpoint=tmp_path / "kept", progress=stop_in_the_third_epoch)
    resumed = model.train(TEXTS, LABELS, threads=1, checkpoint=tmp_path / "kept", progress=False)
    assert same(resumed, model.train(TEXTS, LABELS, threads=1, progress=False))
    with pytest.raises(OptionError, match="seed"):
        model.train(TEXTS, LABELS, threads=1, seed=9, checkpoint=tmp_path / "kept", progress=False)


def test_a_rate_that_diverges_stops_the_training():
    with pytest.raises(
        DivergenceError, match=r"diverged in epoch \d+ after [\d,]+ words with lr=1000.0.*use a smaller"
    ):
        train(lr=1000.0, epochs=50)


@pytest.mark.parametrize(
    ("texts", "labels", "told"),
    [
        (["a", "b"], [None, None], "2 texts have no label"),
        (["a", "b"], None, "no label in 2 texts; expected words that begin with '__label__'"),
        (["a", "b"], ["x", "x"], "2 texts have one label only, 'x'; expected two"),
        (["a", "b"], ["x", "y"], "lower min_count=5"),
    ],
)
def test_texts_that_teach_nothing(texts, labels, told):
    with pytest.raises(CorpusError, match=told):
        small(min_count=5 if "min_count" in told else 1).train(texts, labels, progress=False)


def test_labels_that_are_all_too_rare():
    with pytest.raises(CorpusError, match="min_count_label=9 leaves fewer than two of 2 labels"):
        train(["a", "b"], ["x", "y"], min_count_label=9)


@pytest.mark.parametrize(
    "options",
    [{"dim": 0}, {"lr": 0}, {"loss": "hinge"}, {"word_ngrams": 0}, {"buckets": 0}, {"min_n": 4, "max_n": 3},
     {"label_prefix": "a b"}, {"epochs": 1.5}],
)  # fmt: skip
def test_options_out_of_range(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        firth.TextClassifier(**options)


SEVERAL = [["warm", "fruit"] if "apple" in text else ["cold"] for text in TEXTS]


def test_texts_with_several_labels_are_learned_by_the_loss_for_them():
    with pytest.warns(UserWarning, match="10 of 60 texts have several labels, and loss='ova' was chosen"):
        found = train(labels=SEVERAL)
    assert found.loss == "ova"
    assert same(found, train(labels=SEVERAL, loss="ova"))
    assert train().loss == "softmax"


def test_a_loss_for_one_label_is_warned_of_where_texts_have_several():
    with pytest.warns(UserWarning, match="10 of 60 texts .* loss='softmax' learns one .* set loss='ova'"):
        assert train(labels=SEVERAL, loss="softmax").loss == "softmax"


def test_several_labels_in_a_cell_are_warned_of():
    joined = ["|".join(labels) for labels in SEVERAL[:-1]] + ["fruit|cold"]
    with pytest.warns(UserWarning, match=r"'fruit\|cold', look like several labels"):
        train(labels=joined)
