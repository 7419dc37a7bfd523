"""The loop on a line through four points and on a small LSTM."""

import dataclasses
import math
import signal
import threading

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import DivergenceError, OptionError
from firth.neural.training import loop
from firth.neural.training.loop import fit
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.neural.training.schedules import lr_factor
from firth.timing import running_clock
from tests.unit.neural.training.tiny import Cloud, Line, Stream

SGD = TrainingOptions(optimiser="sgd", lr=0.1, epochs=1)
THREE = dataclasses.replace(SGD, epochs=3)


def train(task, training, **how):
    return fit(task, RunConfig(training, **{"progress": False, **how}), identity={})


def parameters(task) -> list[float]:
    return [round(p.item(), 6) for p in task.module.parameters()]


def test_two_steps_of_gradient_descent_by_hand():
    """Points (0, 1), (1, 3), (2, 5), (3, 7), from w = b = 0, at a rate of 0.1.

    Step 1: errors -1, -3, -5, -7; gradients 2/4 * sum(e x) = (0 - 3 - 10 - 21) / 2 = -17 and 2/4 * sum(e) = -8; so
    w = 1.7, b = 0.8. The loss is (1 + 9 + 25 + 49) / 4 = 21.
    Step 2: errors -0.2, -0.5, -0.8, -1.1; gradients (0 - 0.5 - 1.6 - 3.3) / 2 = -2.7 and -1.3; so w = 1.97, b = 0.93.
    The loss is (0.04 + 0.25 + 0.64 + 1.21) / 4 = 0.535.
    """
    task = Line()
    history = train(task, TrainingOptions(optimiser="sgd", lr=0.1, epochs=2))
    assert parameters(task) == [1.97, 0.93]
    assert [row["loss"] for row in history.rows] == pytest.approx([21.0, 0.535])
    assert [(row["epoch"], row["step"], row["predictions"]) for row in history.rows] == [(1, 1, 4), (2, 2, 8)]
    assert (history.ended, history.steps, history.best) == ("epochs", 2, None)


def test_gradients_are_cut_down_to_a_norm():
    """The first gradient, (-17, -8), has norm sqrt(353); cut down to 1, at a rate of 0.1: w = 1.7 / sqrt(353)."""
    task = Line()
    train(task, TrainingOptions(optimiser="sgd", lr=0.1, epochs=1, clip_norm=1.0))
    assert parameters(task) == [round(x / math.sqrt(353), 6) for x in (1.7, 0.8)]


def test_every_step_knows_the_progress_of_the_run():
    """Four points in batches of two: two steps per epoch, four in all."""
    task = Line(size=2)
    usual, steps = task.step, []
    task.step = lambda batch, state, progress: (steps.append(progress), usual(batch, state, progress))[1]
    train(task, TrainingOptions(optimiser="sgd", lr=0.01, epochs=2))
    assert [(p.step, p.total_steps, p.epoch, p.fraction) for p in steps] == [
        (0, 4, 0.0, 0.0), (1, 4, 0.5, 0.25), (2, 4, 1.0, 0.5), (3, 4, 1.5, 0.75),
    ]  # fmt: skip


def test_the_rate_follows_the_schedule():
    """Linear over two updates: 0.1, then 0.05."""
    task = Line()
    rows = train(task, TrainingOptions(optimiser="sgd", lr=0.1, epochs=2, schedule="linear")).rows
    assert parameters(task) == [round(1.7 + 0.05 * 2.7, 6), round(0.8 + 0.05 * 1.3, 6)]
    assert rows[0]["lr"] == pytest.approx(0.05)


def test_the_best_model_is_kept():
    """Held-out losses 3, 1, 2: what the second epoch left is what remains."""
    task = Line(held_out=lambda n: [3.0, 1.0, 2.0][n - 1])
    history = train(task, TrainingOptions(optimiser="sgd", lr=0.1, epochs=3))
    assert parameters(task) == [1.97, 0.93]
    assert history.best is not None
    assert (history.best["step"], history.best["held_out_loss"]) == (2, 1.0)


def test_patience_ends_training():
    task = Line(held_out=lambda n: [3.0, 1.0, 2.0, 1.5, 0.1][n - 1])
    history = train(task, TrainingOptions(optimiser="sgd", lr=0.1, epochs=5, patience=2))
    assert (history.ended, history.steps) == ("patience", 4)
    assert history.best["step"] == 2


def test_a_plateau_slows_training_down():
    task = Line(held_out=lambda n: [3.0, 4.0, 2.0, 2.0, 1.0][n - 1])
    rows = train(task, TrainingOptions(optimiser="sgd", lr=0.1, epochs=5, plateau_factor=0.5)).rows
    # Each row tells the rate that led to it.
    assert [row["lr"] for row in rows] == pytest.approx([0.1, 0.1, 0.05, 0.05, 0.025])


# The best model is that of step 1 (w = 1.7, b = 0.8, velocity (-17, -8)); step 2, with momentum 0.5 and gradients
# (-2.7, -1.3), has velocity (-11.2, -5.3). Back at the best, the gradient of the third step is (-2.7, -1.3) again.
@pytest.mark.parametrize(
    ("rollback", "velocity"),
    [
        ("best", (-0.5 * 17 - 2.7, -0.5 * 8 - 1.3)),
        ("reset", (-2.7, -1.3)),
        ("current", (-0.5 * 11.2 - 2.7, -0.5 * 5.3 - 1.3)),
    ],
)
def test_three_ways_of_rolling_back(rollback, velocity):
    task = Line(held_out=lambda n: [2.0, 3.0, 1.0][n - 1])
    training = TrainingOptions(optimiser="sgd", lr=0.1, momentum=0.5, epochs=3, rollback=rollback, plateau_factor=0.1)
    train(task, training)
    assert parameters(task) == pytest.approx([1.7 - 0.01 * velocity[0], 0.8 - 0.01 * velocity[1]], abs=2e-6)


def test_evaluation_between_the_ends_of_epochs():
    task = Line(size=1, held_out=lambda n: 1.0 / n)
    rows = train(task, TrainingOptions(optimiser="sgd", lr=0.01, epochs=2, evaluate_every=3)).rows
    assert [row["step"] for row in rows] == [3, 4, 6, 8]
    assert [row["epoch"] for row in rows] == [0.75, 1, 1.5, 2]


def test_time_is_a_limit(clock):
    task = Line()
    history = train(
        task, TrainingOptions(optimiser="sgd", lr=1e-4, epochs=100_000, minutes=0.1 / 60, schedule="linear")
    )
    assert history.ended == "minutes"
    assert 0 < history.seconds < 0.5
    assert history.rows[-1]["lr"] == 0


def test_a_limit_on_time_counts_evaluations_and_what_came_before(clock):
    """Evaluations of 0.2 s after every epoch, and one that the caller makes afterwards, stay within a limit of 1 s."""

    def slow(number: int) -> float:
        clock.sleep(0.2)
        return 1.0 / number

    limits = TrainingOptions(optimiser="sgd", lr=1e-4, epochs=10**6, minutes=1 / 60, schedule="linear")
    began = clock.now
    with running_clock() as limit:
        limit.evaluations = 1
        clock.sleep(0.2)
        first = train(Line(held_out=slow), limits)
        second = train(Line(held_out=slow), limits)
    assert clock.now - began < 2
    assert first.ended == second.ended == "minutes"
    assert 1 <= len(first.rows) <= 2
    assert 1 <= len(second.rows) <= 3
    assert second.rows[-1]["lr"] == 0


def timed(task, clock, seconds):
    """Make steps take some seconds each; the list of the positions that they are told fills."""
    usual, steps = task.step, []

    def step(batch, state, progress):
        clock.sleep(seconds(len(steps)))
        steps.append(progress)
        return usual(batch, state, progress)

    task.step = step
    return steps


@pytest.mark.parametrize("first", [0.1, 1.0])
def test_the_warm_up_ends_by_half_of_the_updates_that_the_limit_leaves_time_for(clock, first):
    """200 updates of warm-up out of 10,000; at 0.1 s each there is time for some 50. Slow first ones change nothing."""
    task = Line()
    steps = timed(task, clock, lambda n: first if n < 2 else 0.1)
    limits = TrainingOptions(optimiser="sgd", lr=1e-4, epochs=10_000, warmup=200, schedule="linear", minutes=5 / 60)
    assert train(task, limits).ended == "minutes"
    rates = [lr_factor("linear", progress, warmup=200) for progress in steps]
    assert len(rates) < 60
    assert max(rates) > 0.9
    assert rates.index(max(rates)) == pytest.approx(len(rates) / 2, abs=3)
    assert rates[-1] < 0.15


def test_time_for_an_evaluation_is_kept_back_by_the_mean_speed(clock):
    """Short sentences train ten times as fast as long ones; held-out data has both, and is read twice."""
    task = Line(size=1, held_out=lambda n: (clock.sleep(40 * 0.055), 1.0 / n)[1])
    task.batches, task.eval_predictions = Cloud(torch.zeros(400, 1), torch.ones(400, 1), 1), 40
    timed(task, clock, lambda n: 0.1 if n % 2 else 0.01)
    history = train(task, TrainingOptions(optimiser="sgd", lr=1e-4, minutes=10 / 60))
    assert history.ended == "minutes"
    assert 9 < clock.now < 10.2


def test_a_limit_that_is_passed_is_warned_of(clock):
    task = Line(held_out=lambda n: (clock.sleep(90), 1.0 / n)[1])
    timed(task, clock, lambda n: 1.0)
    with (
        pytest.warns(UserWarning, match=r"took 90 s of the 60 s"),
        pytest.warns(
            UserWarning, match=r"took 1\.5 minutes, the limit was 1: 0\.0 for updates and 1\.5 for reading and ev"
        ),
    ):
        train(task, TrainingOptions(optimiser="sgd", lr=1e-4, epochs=500, minutes=1))


def test_evaluations_that_would_take_all_the_time_are_warned_of(clock):
    """Half of the time is for training, once; then it ends, and says why so little was learned."""

    def slow(number: int) -> float:
        clock.sleep(0.5)
        return 1.0 / number

    task = Line(held_out=slow, size=1)
    task.batches, task.eval_predictions = Cloud(torch.zeros(10**6, 1), torch.ones(10**6, 1), 1), 10**6
    with pytest.warns(UserWarning, match=r"the evaluation on held-out data took \d s of the 1 s for training"):
        history = train(task, TrainingOptions(optimiser="sgd", lr=1e-4, minutes=0.6 / 60))
    assert len(history.rows) == 1
    assert history.seconds == pytest.approx(0.3, abs=0.05)


def test_time_for_an_evaluation_is_kept_back_before_there_was_one(clock):
    """As much held-out data as can be learned in time would take half of it; as the look is quick, training goes on."""

    def large() -> Line:
        task = Line(held_out=float, size=1)
        task.batches = Cloud(torch.zeros(10**6, 1), torch.ones(10**6, 1), 1)
        return task

    limits = TrainingOptions(optimiser="sgd", lr=1e-4, minutes=0.4 / 60)
    alone, task = train(large(), limits), large()
    task.eval_predictions = alone.predictions
    history = train(task, limits)
    assert alone.rows[0]["seconds"] == pytest.approx(0.4, abs=0.05)
    assert 0.1 < history.rows[0]["seconds"] < 0.35
    assert history.seconds == pytest.approx(0.4, abs=0.05)


def test_a_rate_that_is_too_high_is_named_with_its_step():
    with pytest.raises(DivergenceError, match=r"diverged by step [\d,]+, in epoch \d+, with lr=50"):
        train(Line(), TrainingOptions(optimiser="sgd", lr=50.0, epochs=50))


def train_on_targets(targets):
    """Losses of 100 points a step, at a rate of almost 0: the squares of the targets."""
    task = Line()
    task.batches = Cloud(torch.zeros(100 * len(targets), 1), torch.tensor(targets).repeat_interleave(100)[:, None], 100)
    return train(task, TrainingOptions(optimiser="sgd", lr=1e-9, epochs=1))


def test_a_spike_of_the_loss_is_no_divergence_and_a_plateau_above_is(monkeypatch):
    monkeypatch.setattr(loop, "CHECK_EVERY", 0.0)
    assert train_on_targets([1.0, 1.0, 3.0, 3.0, 1.0]).steps == 5
    with pytest.raises(DivergenceError, match="diverged by step 5"):
        train_on_targets([1.0, 1.0, 3.0, 3.0, 3.0, 1.0, 1.0])
    with pytest.raises(DivergenceError, match="diverged by step 3"):  # where the epoch ends
        train_on_targets([1.0, 1.0, 3.0])


def test_the_best_model_outlives_a_divergence():
    task = Line(held_out=float)
    with pytest.warns(UserWarning, match=r"diverged by step.*best model, of step 1, is kept"):
        history = train(task, TrainingOptions(optimiser="sgd", lr=0.5, epochs=80))
    assert history.ended == "diverged"
    assert parameters(task) == [8.5, 4.0]


def test_a_rollback_outlives_a_divergence():
    """At a rate of 0.5 the line explodes; back at its start and slower, it learns."""
    task = Line()
    task.evaluate = lambda: {"loss": abs(task.module.weight.item() - 2.0)}
    history = train(task, TrainingOptions(optimiser="sgd", lr=0.5, epochs=60, plateau_factor=0.5, rollback="reset"))
    assert history.best["held_out_loss"] < 0.05


def test_a_state_is_carried_and_no_gradient_goes_back_through_it():
    seen = []

    class Watched(Stream):
        def step(self, batch, state, progress):
            seen.append((batch.fresh, state is None, state is not None and state[0].requires_grad))
            return super().step(batch, state, progress)

        def evaluate(self):
            return {}

    train(Watched(), TrainingOptions(epochs=2))
    n = len(seen) // 2
    assert seen == ([(True, True, False)] + [(False, False, False)] * (n - 1)) * 2


def test_a_small_lstm_learns_and_a_seed_gives_the_same_bits():
    def run(seed):
        task = Stream()
        history = train(task, TrainingOptions(epochs=8, lr=0.02, clip_norm=1.0), seed=seed)
        return history, b"".join(p.detach().numpy().tobytes() for p in task.module.parameters())

    history, bits = run(0)
    assert history.best["held_out_perplexity"] < 4  # of 11 words; what made them has 1.7
    assert run(0)[1] == bits
    assert run(1)[1] != bits


def test_evaluation_leaves_the_random_state_of_training_alone():
    def run(extra):
        task = Stream(tokens=400)
        usual = task.evaluate
        task.evaluate = lambda: (torch.rand(extra), usual())[1]
        train(task, TrainingOptions(epochs=2))
        return b"".join(p.detach().numpy().tobytes() for p in task.module.parameters())

    assert run(1) == run(100)


def test_nothing_global_is_changed():
    task = Line()
    torch.manual_seed(5)
    expected = torch.rand(3).tolist()
    torch.manual_seed(5)
    threads, handlers = torch.get_num_threads(), [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)]
    train(task, SGD, threads=2)
    assert torch.get_num_threads() == threads
    assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert torch.rand(3).tolist() == expected


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_training_after_the_step(number):
    task = Line(size=1)
    usual = task.step

    def step(batch, state, progress):
        if batch.x.item() == 2:  # the third point
            signal.raise_signal(number)
        return usual(batch, state, progress)

    task.step = step
    with pytest.warns(UserWarning, match="interrupted in epoch 1 of 9"):
        history = train(task, TrainingOptions(optimiser="sgd", lr=0.01, epochs=9))
    assert history.interrupted
    assert history.steps == 3


def test_a_second_signal_does_not_wait_for_an_evaluation():
    task = Line()

    def evaluate():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the evaluation went on")

    task.evaluate = evaluate
    with pytest.warns(UserWarning, match="interrupted in epoch"):
        history = train(task, THREE)
    assert (history.interrupted, history.steps, history.rows) == (True, 1, [])
    assert task.module.weight.item() == pytest.approx(1.7)


def test_training_in_a_thread_hears_none_and_learns():
    ended = []
    task = Line()
    thread = threading.Thread(target=lambda: ended.append(train(task, THREE)))
    thread.start()
    thread.join(60)
    assert [history.steps for history in ended] == [3]


def test_callbacks_get_plain_rows():
    rows = []
    history = train(Line(held_out=float), SGD, callbacks=[rows.append])
    assert rows == history.rows
    assert type(rows[0]) is dict


def test_progress_shows_speed_loss_and_rate(monkeypatch):
    monkeypatch.setattr(loop, "CHECK_EVERY", 0.0)  # else a quick machine is done before the first look
    seen = []
    train(Stream(tokens=6000), TrainingOptions(epochs=1), progress=seen.append)
    training = [status for status in seen if status.stage == "training, epoch 1/1"]
    assert seen[-1].stage == "evaluating"
    assert training
    assert training[-1].figures["loss"] > 0
    assert training[-1].rate > 0
    assert training[-1].figures["lr"] == 0.001
    assert training[-1].total == pytest.approx(4800, rel=0.02)


def test_progress_shows_what_held_out_data_said(monkeypatch):
    monkeypatch.setattr(loop, "CHECK_EVERY", 0.0)
    seen = []
    history = train(Stream(tokens=300), TrainingOptions(epochs=2), progress=seen.append)
    second = next(status for status in seen if status.stage == "training, epoch 2/2")
    assert second.figures["held-out perplexity"] == history.rows[0]["held_out_perplexity"]


def test_no_gpu_is_one_sentence():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU: the test needs a machine without one")
    with pytest.raises(OptionError, match="finds no GPU"):
        train(Line(), TrainingOptions(device="cuda"))
    with pytest.raises(OptionError, match=r"fp16.*needs a GPU"):
        train(Line(), TrainingOptions(precision="fp16"))


def test_bf16_learns_too():
    task = Stream()
    history = train(task, TrainingOptions(epochs=8, lr=0.02, clip_norm=1.0, precision="bf16"))
    assert history.best["held_out_perplexity"] < 4
    assert {p.dtype for p in task.module.parameters()} == {torch.float32}
