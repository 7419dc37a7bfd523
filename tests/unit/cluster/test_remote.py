"""Replicas that others own: the bits of a training in one process, whoever owns which shard, and whoever is lost."""

import copy
import dataclasses

import pytest

import firth
from firth.cluster.remote import LOSSES, RemoteReplicas
from firth.cluster.worker import Job, ShardWorker
from firth.embeddings import replicas
from firth.embeddings.replicas import Replicas
from firth.embeddings.trainer import TrainingArguments
from firth.errors import ClusterError, CorpusError, LostWorkersError, OptionError
from firth.storage.checkpoints import Checkpoint

FAMILIES = {
    "skip-gram": firth.Word2Vec(dim=16, epochs=2),
    "cbow": firth.Word2Vec(dim=16, epochs=2, architecture="cbow"),
    "hierarchical": firth.Word2Vec(dim=16, epochs=1, objective="hierarchical"),
    "structured": firth.StructuredWord2Vec(dim=16, epochs=1),
    "subwords": firth.FastText(dim=16, epochs=1, buckets=1000),
}


pytestmark = pytest.mark.usefixtures("small_steps")


class HereCrew:
    """Workers in this process; `lost_at` numbers requests at which the last are lost, before or after they worked.

    What they are told and what they answer is copied, as if it travelled.
    """

    def __init__(self, job, count, lost_at=(), spare=0, machine=1):
        self.job, self.spare, self.lost_at, self.asked = job, spare, dict(lost_at), 0
        self.machine = machine  # workers that are lost at a time
        self.workers = [ShardWorker(job) for _ in range(count)]

    def ask(self, calls):
        self.asked += 1
        how = self.lost_at.get(self.asked)
        answers = []
        for number, (worker, method, arguments) in enumerate(calls):
            if how != "before" or number < len(calls) - self.machine:
                answers.append(copy.deepcopy(getattr(worker, method)(*copy.deepcopy(arguments))))
        if how is not None:
            raise LostWorkersError([call[0] for call in calls[-self.machine :]], "the machine is gone")
        return answers

    def share(self, value):
        return value

    def replace(self, lost):
        self.workers = [worker for worker in self.workers if worker not in lost]
        for _ in range(min(self.spare, len(lost))):
            self.spare -= 1
            self.workers.append(ShardWorker(self.job))
        if not self.workers:
            raise ClusterError("all workers are lost")


def trained(model, corpus, count, *, seed=3, parts=4, checkpoint=None, longest=256, start=None, freeze=False, **crew):
    """What workers in this process learn, and their crew."""
    arguments = TrainingArguments(
        seed=seed, threads=1, start=start, freeze=freeze, progress=False, deterministic=True, parts=parts
    )
    model, corpus, arguments = model.prepare(corpus, {}, arguments)
    made = HereCrew(Job(model, corpus.path, corpus.fingerprint, arguments, longest), count, **crew)

    def runner(run):
        run.arguments = dataclasses.replace(arguments, checkpoint=checkpoint)
        return run.train_with(RemoteReplicas(run, made, longest))

    return model.train_on(corpus, dataclasses.replace(arguments, runner=runner)), made


def in_one_process(model, corpus, *, start=None, longest=256):
    """What replicas in this process learn with merges as rare."""
    arguments = TrainingArguments(seed=3, threads=1, start=start, progress=False, deterministic=True)
    model, corpus, arguments = model.prepare(corpus, {}, arguments)

    def runner(run):
        return run.train_with(Replicas(run.matrices, run.rates(), run.rate.lr, 4, longest=longest))

    return model.train_on(corpus, dataclasses.replace(arguments, runner=runner))


def bits(vectors):
    """All numbers that a training has learned."""
    facts = vectors.metadata["training"]
    return vectors.vectors.tobytes(), vectors.output_vectors.tobytes(), facts["loss"], facts["words"]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_as_in_one_process(name, count, small):
    assert bits(trained(FAMILIES[name], small, count)[0]) == bits(in_one_process(FAMILIES[name], small))


def test_merges_are_rarer_where_they_cost_more(small, monkeypatch):
    monkeypatch.setattr(replicas, "SHORTEST", 64)
    model = dataclasses.replace(FAMILIES["skip-gram"], lr=0.0005)
    often, rarely = (trained(model, small, 2, longest=longest)[1].asked for longest in (64, 512))
    assert often > 4 * rarely


@pytest.mark.parametrize("how", ["before", "after"])
@pytest.mark.parametrize("spare", [0, 1])
@pytest.mark.parametrize("at", [1, 2, 3, 4, 9, 14])  # the first parameters, the first epoch, merges of each tier ...
def test_a_lost_worker_changes_no_bit(how, spare, at, small):
    model = FAMILIES["skip-gram"]
    expected, undisturbed = trained(model, small, 2)
    assert undisturbed.asked > 14
    with pytest.warns(UserWarning, match=r"lost 1 of 2 workers \(the machine is gone\)"):
        vectors, crew = trained(model, small, 2, lost_at={at: how}, spare=spare)
    assert bits(vectors) == bits(expected)
    assert len(crew.workers) == 1 + spare


@pytest.mark.filterwarnings("ignore:lost")
def test_a_machine_with_many_workers_is_one_loss(small):
    model = FAMILIES["skip-gram"]
    vectors, crew = trained(model, small, 8, parts=8, lost_at={6: "before", 9: "after"}, machine=3)
    assert len(crew.workers) == 2
    assert bits(vectors) == bits(trained(model, small, 2, parts=8)[0])


def test_an_interrupt_while_workers_train_hands_them_no_row_twice(small):
    """They have what was merged before, and have learned more since."""
    model, sent = FAMILIES["skip-gram"], []

    class Interrupted(HereCrew):
        def ask(self, calls):
            answers = super().ask(calls)
            sent.append([arguments[0] for _, method, arguments in calls if method == "advance"])
            if self.asked == 12:
                raise KeyboardInterrupt
            return answers

    arguments = TrainingArguments(seed=3, threads=1, progress=False, deterministic=True)
    prepared, corpus, arguments = model.prepare(small, {}, arguments)
    crew = Interrupted(Job(prepared, corpus.path, corpus.fingerprint, arguments, 256), 2)

    def runner(run):
        return run.train_with(RemoteReplicas(run, crew, 256))

    with pytest.warns(UserWarning, match="interrupted"):
        prepared.train_on(corpus, dataclasses.replace(arguments, runner=runner))
    assert sent[-2][0] is not None
    assert sent[-1] == [None, None]


@pytest.mark.filterwarnings("ignore:lost")
def test_losses_while_a_loss_is_mended(small):
    model = FAMILIES["cbow"]
    vectors, _ = trained(model, small, 3, lost_at={7: "before", 8: "after"})
    assert bits(vectors) == bits(trained(model, small, 1)[0])


@pytest.mark.filterwarnings("ignore:lost")
def test_too_many_losses_end_the_training(small):
    with pytest.raises(ClusterError, match="all workers are lost"):
        trained(FAMILIES["cbow"], small, 1, lost_at={4: "before"})
    with pytest.raises(ClusterError, match=f"workers were lost {LOSSES} times in a row"):
        trained(FAMILIES["cbow"], small, 2, lost_at=dict.fromkeys(range(4, 40), "before"), spare=30)


def test_more_shards_than_four(small):
    model = FAMILIES["skip-gram"]
    one, other = (bits(trained(model, small, count, parts=6)[0]) for count in (2, 6))
    assert one == other
    assert one != bits(trained(model, small, 2)[0])


def test_it_goes_on_from_a_checkpoint(small, tmp_path, monkeypatch):
    """Stopped at a merge of all rows by a checkpoint, then with another number of workers."""
    from firth.embeddings import training

    model = dataclasses.replace(FAMILIES["skip-gram"], epochs=3)
    expected = bits(trained(model, small, 2)[0])
    monkeypatch.setattr(training, "POLL", 0.0)
    monkeypatch.setattr(Checkpoint, "interval", 0.0)
    save, saved = training.save_checkpoint, []

    def saving(run, folder):
        save(run, folder)
        saved.append(run.epoch)
        if len(saved) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(training, "save_checkpoint", saving)
    with pytest.warns(UserWarning, match="interrupted"):
        trained(model, small, 2, checkpoint=tmp_path)
    assert len(saved) == 4
    assert saved[-1] < 3
    monkeypatch.setattr(training, "save_checkpoint", save)
    assert bits(trained(model, small, 3, checkpoint=tmp_path)[0]) == expected


def test_a_checkpoint_of_other_merges_is_refused(small, tmp_path):
    model = FAMILIES["skip-gram"]
    trained(model, small, 2, checkpoint=tmp_path)
    with pytest.raises(OptionError, match=r"4 shards, merge_every=256"):
        trained(model, small, 2, checkpoint=tmp_path, longest=128)
    with pytest.raises(OptionError, match=r"4 shards, merge_every=256"):
        trained(model, small, 2, checkpoint=tmp_path, parts=6)
    with pytest.raises(OptionError, match=r"4 shards, merge_every=256"):
        model.train(small, seed=3, deterministic=True, progress=False, checkpoint=tmp_path)


def test_start_vectors(small):
    model = FAMILIES["skip-gram"]
    start = model.train(small, threads=1, progress=False)
    vectors, _ = trained(model, small, 2, start=start)
    assert bits(vectors) == bits(in_one_process(model, small, start=start))


@pytest.mark.parametrize("name", ["skip-gram", "subwords"])
def test_frozen_words(name, growing, learned):
    model = FAMILIES[name]
    start = model.train(growing[0], threads=1, progress=False)
    one, other = (trained(model, growing[1], count, start=start, freeze=True)[0] for count in (1, 3))
    assert bits(one) == bits(other)
    assert all(one[word].tobytes() == start[word].tobytes() for word in start.words)
    assert learned(one, start.words) > 0.6


def test_a_corpus_that_is_not_there(small, tmp_path):
    arguments = TrainingArguments(seed=3, threads=1, progress=False, deterministic=True)
    with pytest.raises(CorpusError, match="no such folder on a machine of the cluster; let FIRTH_CACHE"):
        ShardWorker(Job(FAMILIES["cbow"], tmp_path / "none", small.fingerprint, arguments, 256))
    with pytest.raises(CorpusError, match="another corpus on a machine of the cluster"):
        ShardWorker(Job(FAMILIES["cbow"], small.path, "other", arguments, 256))
