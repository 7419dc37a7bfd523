"""Shards, progress, interruption: what happens around a model's arithmetic."""

import numpy as np
import pytest

import firth
from firth.embeddings import training
from firth.embeddings.shards import make_shards
from firth.kernels.threads import usable_threads
from firth.progress import Status

MODEL = firth.Word2Vec(dim=16, epochs=3)


@pytest.fixture
def quick_poll(monkeypatch):
    """Look at the threads all the time, so that a short run has many moments between two looks."""
    monkeypatch.setattr(training, "POLL", 0.001)


@pytest.mark.parametrize("tokens", [0, 1, 5, 1000])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_shards_cover_every_token_once(tokens, count):
    shards = make_shards(tokens, count, seed=0)
    assert [shard.first for shard in shards] == [0, *[shard.last for shard in shards[:-1]]]
    assert shards[-1].last == tokens
    sizes = [shard.last - shard.first for shard in shards]
    assert max(sizes) - min(sizes) <= 1
    assert len({int(shard.random[0]) for shard in shards}) == count
    assert [int(shard.position[0]) for shard in shards] == [shard.first for shard in shards]


def test_a_shard_of_one_seed_does_not_hang_on_the_others():
    assert make_shards(10, 2, seed=3)[0].random[0] == make_shards(10, 5, seed=3)[0].random[0]


def test_threads_by_default_are_the_processors():
    assert usable_threads(None) >= 1
    assert usable_threads(3) == 3


class TestProgress:
    @pytest.fixture
    def statuses(self, zipf, quick_poll):
        seen: list[Status] = []
        self.vectors = MODEL.train(zipf, threads=1, progress=seen.append)
        return [status for status in seen if status.stage.startswith("training")]

    def test_every_epoch_is_named(self, statuses):
        stages = [status.stage for status in statuses]
        assert list(dict.fromkeys(stages)) == [f"training, epoch {k}/3" for k in (1, 2, 3)]

    def test_words_are_counted_to_the_end(self, statuses, zipf):
        done = [status.done for status in statuses]
        assert done == sorted(done)
        assert {status.total for status in statuses} == {3 * zipf.num_tokens}
        assert done[-1] == 3 * zipf.num_tokens

    def test_inside_an_epoch(self, zipf, quick_poll):
        seen: list[Status] = []
        firth.Word2Vec(dim=200, epochs=1, sample=0, negative=20).train(zipf, threads=1, progress=seen.append)
        assert len({status.done for status in seen}) > 3
        assert any(0 < status.done < zipf.num_tokens and "loss" in status.figures for status in seen)

    def test_rate_and_time_left(self, statuses):
        for status in statuses[:-1]:
            if status.done:
                assert status.rate == pytest.approx(status.done / status.seconds)
                assert status.remaining == pytest.approx((status.total - status.done) / status.rate)
        assert statuses[-1].remaining == 0

    def test_learning_rate_and_loss(self, statuses):
        rates = [status.figures["lr"] for status in statuses]
        assert rates == sorted(rates, reverse=True)
        assert rates[0] <= 0.025
        assert rates[-1] == pytest.approx(0.025 * 1e-4)
        losses = [status.figures["loss"] for status in statuses if "loss" in status.figures]
        assert losses[-1] == self.vectors.metadata["training"]["loss"][-1]

    def test_looking_changes_nothing(self, statuses, zipf):
        silent = MODEL.train(zipf, threads=1, progress=False)
        assert silent.vectors.tobytes() == self.vectors.vectors.tobytes()
        assert silent.metadata["training"]["loss"] == self.vectors.metadata["training"]["loss"]


def interrupting(epoch):
    def report(status):
        if status.stage == f"training, epoch {epoch}/3" and status.done:
            raise KeyboardInterrupt

    return report


class TestInterruption:
    @pytest.mark.usefixtures("quick_poll")
    @pytest.mark.parametrize("threads", [1, 2])
    def test_what_was_learned_is_kept(self, threads, zipf):
        with pytest.warns(UserWarning, match=r"training was interrupted in epoch 2 of 3: .*what was learned so far"):
            vectors = MODEL.train(zipf, threads=threads, progress=interrupting(2))
        facts = vectors.metadata["training"]
        assert facts["interrupted"]
        assert len(facts["loss"]) == 1
        assert zipf.num_tokens <= facts["words"] < 3 * zipf.num_tokens
        assert np.abs(vectors.output_vectors).max() > 0.01

    @pytest.mark.parametrize("epoch", [2, 3])
    def test_between_two_epochs(self, epoch, zipf):
        """Long looks: the only moments are those at the end of an epoch, outside the threads' care."""
        with pytest.warns(UserWarning, match=f"interrupted in epoch {epoch} of 3"):
            vectors = MODEL.train(zipf, threads=1, progress=interrupting(epoch))
        assert len(vectors.metadata["training"]["loss"]) == epoch - 1
        assert vectors.metadata["training"]["words"] == (epoch - 1) * zipf.num_tokens

    def test_at_the_very_end_there_is_nothing_left_to_stop(self, zipf):
        def report(status):
            if status.done == 3 * zipf.num_tokens:
                raise KeyboardInterrupt

        vectors = MODEL.train(zipf, threads=1, progress=report)
        assert not vectors.metadata["training"]["interrupted"]
        assert vectors.vectors.tobytes() == MODEL.train(zipf, threads=1, progress=False).vectors.tobytes()

    @pytest.mark.usefixtures("quick_poll")
    def test_with_a_checkpoint_a_later_call_ends_it(self, zipf, tmp_path):
        with pytest.warns(UserWarning, match="interrupted"):
            MODEL.train(zipf, threads=1, progress=interrupting(2), checkpoint=tmp_path)
        ended = MODEL.train(zipf, threads=1, progress=False, checkpoint=tmp_path)
        whole = MODEL.train(zipf, threads=1, progress=False)
        assert ended.vectors.tobytes() == whole.vectors.tobytes()
        assert ended.metadata["training"]["words"] == whole.metadata["training"]["words"]
        assert not ended.metadata["training"]["interrupted"]

    @pytest.mark.usefixtures("quick_poll")
    def test_an_error_in_the_callers_function_ends_the_threads(self, zipf):
        def report(status):
            if status.stage.startswith("training"):
                raise RuntimeError("the caller's own")

        with pytest.raises(RuntimeError, match="the caller's own"):
            MODEL.train(zipf, threads=2, progress=report)


def test_the_loss_is_summed_in_float64(built):
    """Vectors that never move from output rows of zeros lose ln 2 a row: (K + 1) ln 2 a pair, however many pairs.

    A float32 sum over some 600,000 pairs would be wrong in the fourth figure. Noise that is the centre itself leaves
    its row out: 1 in 3,000 of 500,000 draws, 167 with a standard deviation of 13, which is 2e-5 of the loss.
    """
    random = np.random.default_rng(0)
    corpus = built(np.array([f"w{i}" for i in range(3000)])[random.integers(0, 3000, (1000, 100))].tolist())
    model = firth.Word2Vec(dim=1, sample=0, epochs=1, lr=1e-30, lr_end_factor=1, noise_exponent=0, shared_windows=1)
    (loss,) = model.train(corpus, threads=1, progress=False).metadata["training"]["loss"]
    assert loss == pytest.approx((1 + 5 * 2999 / 3000) * np.log(2), rel=6e-5)
