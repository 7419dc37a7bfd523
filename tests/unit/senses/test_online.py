"""Multi-sense skip-gram: what it finds in a text whose senses are known, and how a run begins, goes on and ends."""

import random

import numpy as np
import pytest

import firth
from firth.embeddings import training
from firth.errors import OptionError, ShapeError
from firth.storage.checkpoints import Checkpoint

MONEY = ["loan", "credit", "debt", "cash", "fund", "account", "interest"]
WATER = ["river", "shore", "stream", "boat", "fish", "flood", "bridge"]
MODEL = firth.MultiSenseSkipGram(dim=20, epochs=3, sample=0, window=4)
GROWING = firth.MultiSenseSkipGram(
    nonparametric=True, new_sense_below=0.4, merge_above=0.4, dim=20, epochs=3, sample=0, window=4
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Sentences about ten subjects; "bank" is of two of them, every other word of one."""
    draw = random.Random(0)
    subjects = [[*MONEY, "bank"], [*WATER, "bank"], *([f"word{i}{c}" for c in "abcdefgh"] for i in range(8))]
    lines = [draw.choices(draw.choice(subjects), k=9) for _ in range(4000)]
    return firth.Corpus.build(lines, cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def two(corpus):
    return MODEL.train(corpus, seed=1, threads=1, progress=False)


@pytest.fixture(scope="module")
def grown(corpus):
    return GROWING.train(corpus, seed=1, threads=1, progress=False)


def same(one, other):
    return all(
        np.array_equal(a, b)
        for a, b in (
            (one.vectors, other.vectors),
            (one.global_vectors, other.global_vectors),
            (one.reader.centres, other.reader.centres),
            (one.reader.context_vectors, other.reader.context_vectors),
            (one.priors, other.priors),
            (one.offsets, other.offsets),
        )
    )


@pytest.mark.parametrize("name", ["two", "grown"])
def test_the_senses_of_a_word_of_two_subjects_are_found(name, request):
    senses = request.getfixturevalue(name)
    assert len(senses.senses("bank")) == 2
    near = [{word for (word, _), _ in senses.sense_neighbours("bank", k, 5)} for k in range(2)]
    assert {frozenset(words & {*MONEY}) == frozenset(words) for words in near} == {True, False}
    assert any(words <= {*WATER} for words in near)
    on_water, on_money = senses.disambiguate("bank", [["boat", "river", "fish"], ["loan", "debt", "cash"]])
    assert on_water.argmax() != on_money.argmax()
    assert min(on_water.max(), on_money.max()) > 0.9
    assert all(abs(sense.prior - 0.5) < 0.05 for sense in senses.senses("bank"))


def test_senses_grow_where_there_are_some(corpus, two, grown):
    assert (two.num_senses == 2).all()
    assert [word for word in grown.words if len(grown.senses(word)) > 1] == ["bank"]


def test_senses_come_by_how_often_they_are_meant(two):
    for word in two.words:
        priors = [sense.prior for sense in two.senses(word)]
        assert priors == sorted(priors, reverse=True)


def test_with_one_sense_it_is_skip_gram_to_the_bit(corpus):
    one = firth.MultiSenseSkipGram(senses=1, dim=20, epochs=2).train(corpus, seed=2, threads=1, progress=False)
    plain = firth.Word2Vec(dim=20, epochs=2).train(corpus, seed=2, threads=1, progress=False)
    assert np.array_equal(one.vectors, plain.vectors)
    assert np.array_equal(one.global_vectors, plain.output_vectors)
    assert one.metadata["training"]["loss"] == plain.metadata["training"]["loss"]


def test_senses_are_for_the_most_frequent_words(corpus):
    senses = firth.MultiSenseSkipGram(sense_words=5, dim=8, epochs=2, sample=0).train(corpus, threads=1, progress=False)
    assert senses.num_senses.tolist() == [2] * 5 + [1] * (len(senses) - 5)


def test_a_seed_gives_the_same_bits(corpus, two):
    assert same(MODEL.train(corpus, seed=1, threads=1, progress=False), two)
    assert not np.array_equal(MODEL.train(corpus, seed=2, threads=1, progress=False).vectors, two.vectors)


def test_two_threads_find_the_senses_too(corpus):
    senses = MODEL.train(corpus, seed=1, threads=2, progress=False)
    found = senses.disambiguate("bank", [["boat", "river", "fish"], ["loan", "debt", "cash"]])
    assert sorted(found.argmax(axis=1).tolist()) == [0, 1]


def test_a_saved_model_reads_contexts_as_before(two, tmp_path):
    two.save(tmp_path / "two")
    assert same(firth.load(tmp_path / "two"), two)


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("model", [MODEL, GROWING], ids=["mssg", "np-mssg"])
@pytest.mark.parametrize("epoch", [2, 3])
def test_a_run_that_goes_on_from_its_checkpoint_has_the_same_bits(corpus, tmp_path, monkeypatch, model, epoch):
    monkeypatch.setattr(training, "CHECKPOINT_SHARE", 0)  # after each epoch, however short

    def report(status):
        if status.stage == f"training, epoch {epoch}/3":
            raise StoppedError

    with pytest.raises(StoppedError):
        model.train(corpus, seed=1, threads=1, checkpoint=tmp_path, progress=report)
    ended = model.train(corpus, seed=1, threads=1, checkpoint=tmp_path, progress=False)
    assert same(ended, model.train(corpus, seed=1, threads=1, progress=False))


def test_stops_inside_an_epoch_change_no_bit(corpus, tmp_path, monkeypatch, two):
    monkeypatch.setattr(training, "POLL", 0.001)
    monkeypatch.setattr(Checkpoint, "interval", 0.0)
    ended = MODEL.train(corpus, seed=1, threads=1, checkpoint=tmp_path, progress=False)
    assert same(ended, two)


def test_going_on_from_senses_keeps_them(corpus, two):
    """A step of almost no size changes next to nothing: every sense stays where it was."""
    still = firth.MultiSenseSkipGram(dim=20, epochs=1, sample=0, window=4, lr=1e-8)
    on = still.train(corpus, start=two, threads=1, progress=False)
    assert on.num_senses.tolist() == two.num_senses.tolist()
    assert np.abs(on.reader.context_vectors - two.reader.context_vectors).max() < 1e-3
    for word in ("bank", "boat"):
        old = two.vectors[two.rows(word)]
        assert min(np.abs(on.vectors[on.rows(word)] - order).max() for order in (old, old[::-1])) < 1e-3
    found = on.disambiguate("bank", [["boat", "river", "fish"], ["loan", "debt", "cash"]])
    assert sorted(found.argmax(axis=1).tolist()) == [0, 1]
    assert on.counts.tolist() == (2 * two.counts).tolist()


def test_going_on_with_other_words(two, tmp_path):
    other = firth.Corpus.build([["bank", "boat", "raft", "oar"] * 3] * 50, cache=tmp_path)
    on = MODEL.train(other, start=two, threads=1, progress=False)
    assert len(on) == len(two) + 2
    assert np.array_equal(on.vectors[on.rows("loan")], two.vectors[two.rows("loan")])
    assert not np.array_equal(on.vectors[on.rows("boat")], two.vectors[two.rows("boat")])


def test_ordinary_vectors_become_first_senses(corpus):
    plain = firth.Word2Vec(dim=20, epochs=2, sample=0).train(corpus, threads=1, progress=False)
    senses = firth.MultiSenseSkipGram(dim=20, epochs=1, sample=0, warm_up=0).train(
        corpus, start=plain, threads=1, progress=False
    )
    found = senses.disambiguate("bank", [["boat", "river", "fish"], ["loan", "debt", "cash"]])
    assert sorted(found.argmax(axis=1).tolist()) == [0, 1]


def test_a_start_that_does_not_fit_is_refused(corpus, two):
    with pytest.raises(OptionError, match=r"start has 2 senses of '.*', the options allow 1: use senses=2"):
        firth.MultiSenseSkipGram(senses=1, dim=20).train(corpus, start=two, progress=False)
    with pytest.raises(ShapeError, match="start holds vectors of width 20, the options ask for dim=30: use dim=20"):
        firth.MultiSenseSkipGram(dim=30).train(corpus, start=two, progress=False)


def test_a_run_of_warm_up_alone_has_one_sense_a_word(corpus):
    senses = firth.MultiSenseSkipGram(warm_up=1, dim=8, epochs=1).train(corpus, threads=1, progress=False)
    assert (senses.num_senses == 1).all()
    assert senses.disambiguate("bank", ["boat"]).tolist() == [1.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"senses": 0}, "senses=0"), ({"warm_up": 1.5}, "warm_up=1.5"), ({"new_sense_below": -2.0}, "new_sense_below=-2")],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        firth.MultiSenseSkipGram(**options)
