"""Training that does not depend on the number of threads: the schedule of merges, and every family's bits."""

import dataclasses
import itertools
import lzma

import numpy as np
import pytest

import firth
from firth.embeddings import replicas, training
from firth.embeddings.matrices import Matrices
from firth.embeddings.replicas import BOUND, SHARDS, STABLE, TIERS, Replicas, RowRates, RowRoom, Schedule
from firth.embeddings.shards import make_shards
from firth.errors import OptionError
from firth.kernels.rows import aligned_rows
from firth.storage.checkpoints import Checkpoint

FAMILIES = {
    "skip-gram": firth.Word2Vec(dim=16, epochs=2),
    "pair by pair": firth.Word2Vec(dim=16, epochs=2, update="pair"),
    "cbow": firth.Word2Vec(dim=16, epochs=2, architecture="cbow"),
    "hierarchical": firth.Word2Vec(dim=16, epochs=2, objective="hierarchical"),
    "learned tree": firth.Word2Vec(dim=16, epochs=1, objective="hierarchical", tree="learned"),
    "softmax": firth.Word2Vec(dim=16, epochs=1, objective="softmax"),
    "nce": firth.Word2Vec(dim=16, epochs=1, objective="nce"),
    "structured": firth.StructuredWord2Vec(dim=16, epochs=1),
    "structured, hierarchical": firth.StructuredWord2Vec(dim=16, epochs=1, objective="hierarchical"),
    "continuous window": firth.StructuredWord2Vec(dim=16, epochs=1, architecture="cwindow"),
    "subwords": firth.FastText(dim=16, epochs=1, buckets=1000),
    "subwords, cbow": firth.FastText(dim=16, epochs=1, buckets=1000, architecture="cbow"),
    "subwords, floret": firth.FastText(dim=16, epochs=1, buckets=1000, hashing="floret"),
    "dm": firth.ParagraphVectors(dim=16, epochs=1),
    "dm, concatenated": firth.ParagraphVectors(dim=16, epochs=1, combine="concatenate", window=2),
    "dm, hierarchical": firth.ParagraphVectors(dim=16, epochs=1, objective="hierarchical"),
    "dbow": firth.ParagraphVectors(dim=16, epochs=1, architecture="dbow"),
    "dbow with words": firth.ParagraphVectors(dim=16, epochs=1, architecture="dbow", words=True),
}


def bits(vectors):
    """All numbers that a training has learned."""
    outputs = getattr(vectors, "output_vectors", None)
    words = getattr(vectors, "vectors", None)
    more = [vectors.outputs] if isinstance(vectors, firth.DocumentVectors) else []
    facts = vectors.metadata["training"]
    return [each.tobytes() for each in (words, outputs, *more) if each is not None], facts["loss"], facts["words"]


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("name", FAMILIES)
def test_any_number_of_threads_gives_the_same_bits(name, small):
    model = FAMILIES[name]
    results = [bits(model.train(small, seed=3, threads=n, deterministic=True, progress=False)) for n in (1, 2, 4, 2)]
    assert results[1:] == results[:1] * 3


def test_another_seed_gives_other_bits(small):
    model = FAMILIES["skip-gram"]
    one, other = (model.train(small, seed=seed, deterministic=True, progress=False) for seed in (3, 4))
    assert bits(one) != bits(other)


@pytest.mark.usefixtures("small_steps")
def test_with_merges_in_many_parts(zipf, monkeypatch):
    monkeypatch.setattr(replicas, "PIECE", 100)
    model = firth.Word2Vec(dim=16, epochs=1)
    results = [bits(model.train(zipf, threads=n, deterministic=True, progress=False)) for n in (1, 3, 8)]
    assert results[1:] == results[:1] * 2


def test_a_merge_has_a_part_for_each_thread_if_it_is_large(monkeypatch):
    """Four rows in each matrix, all changed: together, the parts merge every one."""
    words = ["a", "b", "c", "d"]
    common = Matrices(words, np.ones(4, np.int64), aligned_rows(4, 16), aligned_rows(4, 16), 16)
    own = Replicas(common, RowRates(np.full(4, 1e-4), np.full(4, 1e-4)), 0.025, 2)
    own.begin(lambda matrices: None, [])
    own.matrices[1].inputs[:], own.matrices[1].outputs[:] = 1, 2
    parts = []

    def run_all(calls):
        parts.append(len(calls))
        for call in reversed(calls):
            call()

    for piece, expected in ((1000, 1), (4, 3), (1, 4)):
        monkeypatch.setattr(replicas, "PIECE", piece)
        own.plan(0.025)
        own.advance(make_shards(0, 2, seed=0), lambda shards: None, run_all, 4)
        assert parts[-1] == expected
    own.matrices[0].outputs[2] += 1
    own.advance(make_shards(0, 2, seed=0), lambda shards: None, run_all, 4)
    assert (common.inputs == own.matrices[0].inputs).all()
    assert common.inputs.tolist() == [[1] * 16] * 4
    assert common.outputs.tolist() == [[2] * 16] * 2 + [[3] * 16] + [[2] * 16]


def test_facts(zipf):
    vectors = firth.Word2Vec(dim=8, epochs=1).train(zipf, threads=2, deterministic=True, progress=False)
    facts = vectors.metadata["training"]
    assert facts["deterministic"] is True
    assert (facts["threads"], facts["words"]) == (2, zipf.num_tokens)
    assert "deterministic" not in firth.Word2Vec(dim=8, epochs=1).train(zipf, progress=False).metadata["training"]


SHAPES = {
    "sentences of two": [["a", "b"], ["b", "a"]],
    "fewer words than shards": [["a", "b"]],
    "one giant sentence": [list("abcdefgh") * 1000],
    "one word": [["a", "a", "a"]],
}


@pytest.mark.filterwarnings("ignore:training made no prediction")
@pytest.mark.parametrize("objective", ["negative", "hierarchical"])
@pytest.mark.parametrize("shape", SHAPES)
def test_any_shape_of_corpus(shape, objective, built):
    corpus = built(SHAPES[shape])
    model = firth.Word2Vec(objective=objective, dim=5, sample=0, epochs=2)
    vectors = model.train(corpus, threads=2, deterministic=True, progress=False)
    assert np.isfinite(vectors.vectors).all()
    assert vectors.metadata["training"]["words"] == 2 * corpus.num_tokens


def test_words_that_only_the_start_has_are_kept(zipf, built):
    model = firth.Word2Vec(dim=8, epochs=1)
    start = model.train(built([["only", "here"]] * 20), progress=False, seed=1)
    vectors = model.train(zipf, start=start, deterministic=True, progress=False)
    assert (vectors["only"] == start["only"]).all()


@pytest.mark.parametrize("name", ["skip-gram", "hierarchical", "structured"])
def test_vectors_that_begin_with_zeros_learn(name, small):
    """A merge once looked at the first 16 numbers of a row alone, and saw no change in these."""
    matrix = np.random.default_rng(0).normal(size=(len(small.vocabulary), 32)).astype(np.float32) / 10
    matrix[:, :16] = 0
    start = firth.WordVectors(small.vocabulary.words, matrix)
    model = dataclasses.replace(FAMILIES[name], dim=32)
    found = model.train(small, start=start, threads=2, deterministic=True, progress=False)
    assert np.abs(found.vectors - matrix).max() > 0.05
    assert np.abs(found.output_vectors).max() > 0.05


class StoppedError(Exception):
    pass


def check_going_on(model, corpus, folder):
    """Broken off in the second of three epochs, and gone on with another number of threads."""

    def report(status):
        if status.stage == "training, epoch 2/3":
            raise StoppedError

    with pytest.raises(StoppedError):
        model.train(corpus, threads=1, deterministic=True, checkpoint=folder, progress=report)
    ended = model.train(corpus, threads=2, deterministic=True, checkpoint=folder, progress=False)
    whole = model.train(corpus, threads=4, deterministic=True, progress=False)
    assert bits(ended) == bits(whole)


class TestGoingOn:
    """An interrupted training ends in the bits of one that was never stopped."""

    @pytest.mark.parametrize("name", ["skip-gram", "hierarchical", "subwords", "structured", "dm"])
    def test_after_an_epoch(self, name, small, tmp_path):
        model = dataclasses.replace(FAMILIES[name], epochs=3)
        check_going_on(model, small, tmp_path)

    @pytest.mark.parametrize("lr", [1e-5, 1e-6])
    def test_with_steps_that_change_a_part_of_a_row(self, lr, zipf, tmp_path):
        """By rounding. What a replica keeps to itself is lost by an interruption."""
        model = firth.Word2Vec(dim=100, epochs=3, lr=lr)
        check_going_on(model, zipf, tmp_path)

    @pytest.mark.usefixtures("small_steps")
    def test_inside_an_epoch(self, zipf, tmp_path, monkeypatch):
        monkeypatch.setattr(training, "POLL", 0.0005)
        monkeypatch.setattr(Checkpoint, "interval", 0.0)
        kept = []
        save = training.save_checkpoint

        def saving(run, folder):
            save(run, folder)
            kept.append([int(shard.position[0] - shard.first) for shard in run.shards])
            if len(kept) == 3:
                raise StoppedError

        monkeypatch.setattr(training, "save_checkpoint", saving)
        model = firth.Word2Vec(dim=16, epochs=2, sample=0)
        with pytest.raises(StoppedError):
            model.train(zipf, threads=2, deterministic=True, checkpoint=tmp_path, progress=False)
        inside = [place for place in kept if any(read % 512 == 0 and read > 0 for read in place)]
        assert inside
        monkeypatch.setattr(training, "save_checkpoint", save)
        ended = model.train(zipf, threads=1, deterministic=True, checkpoint=tmp_path, progress=False)
        monkeypatch.setattr(Checkpoint, "interval", 300.0)
        whole = model.train(zipf, threads=1, deterministic=True, progress=False)
        assert bits(ended) == bits(whole)

    @pytest.mark.parametrize(("before", "after"), [(True, False), (False, True)])
    def test_the_other_way_of_training_is_refused(self, before, after, zipf, tmp_path):
        model = firth.Word2Vec(dim=8, epochs=1)
        model.train(zipf, threads=2, deterministic=before, checkpoint=tmp_path, progress=False)
        with pytest.raises(OptionError, match=r"its threads is .*any number \(deterministic\)|2, this run's is any"):
            model.train(zipf, threads=2, deterministic=after, checkpoint=tmp_path, progress=False)

    def test_an_interruption_keeps_what_was_learned(self, zipf, monkeypatch):
        monkeypatch.setattr(training, "POLL", 0.0005)

        def report(status):
            if status.stage == "training, epoch 2/3" and status.done > zipf.num_tokens:
                raise KeyboardInterrupt

        with pytest.warns(UserWarning, match="interrupted in epoch 2 of 3"):
            vectors = firth.Word2Vec(dim=16, epochs=3).train(zipf, threads=2, deterministic=True, progress=report)
        assert np.abs(vectors.output_vectors).max() > 0.01


@pytest.mark.parametrize("value", [1, "yes", None])
@pytest.mark.parametrize("model", [firth.Word2Vec(dim=4), firth.ParagraphVectors(dim=4)])
def test_it_is_true_or_false(model, value):
    with pytest.raises(OptionError, match=f"deterministic={value!r}: expected True or False"):
        model.train([["a", "b"]], deterministic=value)


@pytest.mark.parametrize("model", [firth.SenseClusters(dim=4), firth.MultiSenseSkipGram(dim=4)])
def test_models_of_senses_refuse_it(model):
    message = f"{type(model).__name__} has no training that is the same with any number of threads.*use threads=1"
    with pytest.raises(OptionError, match=message):
        model.train("no such file", deterministic=True)


def test_glove_works_so_anyway(zipf):
    model = firth.GloVe(dim=8, epochs=1)
    one, other = model.train(zipf, threads=1, progress=False), model.train(zipf, deterministic=True, progress=False)
    assert one.vectors.tobytes() == other.vectors.tobytes()


class TestSchedule:
    RATES = np.array([0.5, 0.02, 1e-4, 1e-6, 0.0])

    @pytest.fixture
    def schedule(self):
        return Schedule.of([self.RATES], lr=0.025, shards=4, dim=100)

    def test_rows_are_merged_before_they_have_moved_far(self, schedule):
        (plan,) = schedule.plans
        for row, rate in enumerate(self.RATES):
            tier = next(k for k in range(schedule.tiers) if row in plan.due[k])
            moved = 4 * 0.025 * rate * schedule.interval * 2**tier
            assert moved <= BOUND or tier == 0
            assert 2 * moved > BOUND or tier == TIERS - 1

    def test_each_tier_merges_the_rows_of_those_before_it(self, schedule):
        (plan,) = schedule.plans
        assert all(set(one) <= set(other) for one, other in itertools.pairwise(plan.due))
        assert plan.due[-1].tolist() == [0, 1, 2, 3, 4]

    def test_weights_go_from_the_sum_to_the_mean(self):
        """x = S lr n p: far above the bound a row gets the mean, 1/S; in between STABLE / x; below it the sum."""
        for rate, expected in ((50.0, 1 / 4), (0.5, None), (1e-3, 1.0)):
            schedule = Schedule.of([np.array([rate])], lr=0.025, shards=4, dim=100)
            x = 4 * 0.025 * schedule.interval * rate
            weight = schedule.plans[0].weights[0]
            assert weight == pytest.approx(STABLE / x if expected is None else expected)

    def test_over_long_intervals_and_many_shards_no_sum_overshoots(self):
        """Both diverged on Wikipedia when changes were added in full as far as with four shards and 1,024 tokens."""
        law = 1 / (2.7 + np.arange(1, 30_001))
        law /= law.sum()
        rates = 6 * law * np.minimum(1, np.sqrt(1e-4 / law) + 1e-4 / law)  # of a subsampled text
        for shards, longest in ((4, 65_536), (16, 4096), (64, 4096)):
            schedule = Schedule.of([rates], 0.025, shards, 100, longest)
            moved = shards * 0.025 * rates * schedule.interval
            assert schedule.interval > 1024
            weights = schedule.plans[0].weights
            assert ((weights * moved <= STABLE * 1.001) | (weights * shards <= 1.001)).all()
        assert Schedule.of([rates], 0.025, 4, 100).plans[0].weights.min() == 1  # as before

    def test_shards_stop_together(self, schedule):
        shards, read = make_shards(10 * schedule.interval * SHARDS + 3, SHARDS, seed=0), []
        tiers = []
        while any(shard.position[0] < shard.last for shard in shards):
            for part, shard in zip(schedule.next_parts(shards), shards, strict=True):
                shard.position[0] = part.last
            read.append([int(shard.position[0] - shard.first) for shard in shards])
            tiers.append(schedule.tier(shards))
        assert read[:10] == [[schedule.interval * n] * SHARDS for n in range(1, 11)]
        assert tiers == [0, 1, 0, 2, 0, 1, 0, 3, 0, 1, schedule.tiers - 1]
        assert sum(read[-1]) == 10 * schedule.interval * SHARDS + 3

    def test_a_lower_learning_rate_needs_fewer_merges(self, schedule):
        later = Schedule.of([self.RATES], lr=0.0025, shards=4, dim=100)
        assert later.interval >= schedule.interval
        assert len(later.plans[0].due[2]) <= len(schedule.plans[0].due[2])


def test_output_rows_of_several_parts_are_merged_by_part():
    """A position's part may change alone: all parts have the rate of their word."""
    common = Matrices(["a", "b"], np.ones(2, np.int64), aligned_rows(2, 16), aligned_rows(6, 16).reshape(2, 48), 16)
    own = Replicas(common, RowRates(np.array([1.0, 0.0]), np.array([1.0, 0.0])), 0.025, 2)
    own.begin(lambda matrices: None, [])
    own.matrices[0].outputs[1, 16:32] = 1
    own.matrices[1].outputs[1, 32:] = 2
    own.merge()
    assert common.outputs[1].tolist() == [0] * 16 + [1] * 16 + [2] * 16
    assert all((each.outputs == common.outputs).all() for each in own.matrices)
    assert [len(plan.due[0]) for plan in own.schedule.plans] == [1, 3]


def test_room_for_rows_is_used_again(monkeypatch):
    """But not what a merge of all rows needs, which would be kept for nothing."""
    monkeypatch.setattr(replicas, "KEPT", 100)
    room = RowRoom(16)
    rows, values = room.of(100)
    assert (rows.shape, values.shape) == ((100,), (100, 16))
    assert values.ctypes.data % 64 == 0
    assert room.of(40)[1] is values
    assert [len(each) for each in room.of(101)] == [101, 101]
    assert room.of(100)[0] is rows


@pytest.mark.parametrize("name", ["skip-gram", "cbow", "hierarchical", "subwords", "structured", "continuous window"])
def test_it_learns_what_one_thread_learns(name, pairs):
    """Words of a topic move together, and the loss on the sample is that of one thread."""
    model = dataclasses.replace(FAMILIES[name], epochs=10, sample=0)
    alone = model.train(pairs, threads=1, progress=False)
    vectors = model.train(pairs, threads=2, deterministic=True, progress=False)
    groups = [[word for word in vectors.words if word[0] == topic] for topic in "ab"]
    same, other = (np.mean(vectors.similarity(groups[0][:10], groups[n][10:])) for n in (0, 1))
    assert same - other > 0.5
    losses = [each.metadata["training"]["sample_loss"][-1] for each in (alone, vectors)]
    assert losses[1] == pytest.approx(losses[0], rel=0.03)


@pytest.mark.slow
def test_quality_on_real_text(shared_data, tmp_path):
    """Two million words of Wikipedia, three seeds: as good as one thread without replicas.

    Seeds differ by up to two points on WordSim-353 and one on MEN and on the analogies; the means of three by less.
    """
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz", "rt", encoding="utf-8") as file:
        text, words = [], 0
        for line in file:
            text.append(line)
            words += len(line.split())
            if words > 2_000_000:
                break
    corpus = firth.Corpus.build(text, min_count=5, cache=tmp_path, progress=False)
    model = firth.Word2Vec(dim=100, epochs=5, sample=1e-4)

    def scores(**how):
        reports = [
            firth.evaluate(
                model.train(corpus, seed=seed, progress=False, **how),
                similarity=["wordsim-353", "men"], analogies=["google-analogies"], resamples=10, progress=False,
            )
            for seed in (1, 2, 3)
        ]  # fmt: skip
        return {
            name: [100 * row.value for report in reports for row in report.rows if row.set == name]
            for name in ("wordsim-353", "men", "google-analogies")
        }

    alone, together = scores(threads=1), scores(threads=2, deterministic=True)
    for name, margin in (("wordsim-353", 2.0), ("men", 1.0), ("google-analogies", 1.0)):
        assert len(alone[name]) == len(together[name]) >= 3
        assert np.mean(together[name]) > np.mean(alone[name]) - margin, (name, alone, together)
