"""A run that goes on from its checkpoint ends as if it had never stopped; anything else is refused."""

import dataclasses
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import DivergenceError, FormatError, OptionError
from firth.neural.training import checkpoints, loop
from firth.neural.training import run as training_run
from firth.neural.training.loop import fit
from firth.neural.training.monitor import METRICS
from firth.neural.training.optimisers import OPTIMISERS
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.storage.checkpoints import FILE, FORMER, Checkpoint
from tests.unit.neural.training.tiny import Line, Stream

TRAINING = TrainingOptions(epochs=3, lr=0.02, clip_norm=1.0, schedule="cosine", warmup=5)
IDENTITY = {"model": {"width": 24}, "text": "abc"}


class StoppedError(Exception):
    pass


@pytest.fixture
def always_kept(monkeypatch):
    """After every step, not once in five minutes."""
    monkeypatch.setattr(loop, "CHECK_EVERY", 0.0)
    monkeypatch.setattr(Checkpoint, "interval", 0.0)
    monkeypatch.setattr(checkpoints, "COST_RATIO", 0)


def run(task, training, folder=None, **how):
    identity = how.pop("identity", IDENTITY)
    return fit(task, RunConfig(training, progress=False, checkpoint=folder, **how), identity=identity)


def break_off(task, training, folder, after: int) -> None:
    """Train until a number of steps have been begun in this go."""
    usual, begun = task.step, []

    def step(batch, state, progress):
        if task.module.training:
            begun.append(1)
            if len(begun) > after:
                raise StoppedError
        return usual(batch, state, progress)

    task.step = step
    with pytest.raises(StoppedError):
        run(task, training, folder)


def bits(task) -> bytes:
    return b"".join(p.detach().numpy().tobytes() for p in task.module.parameters())


def timeless(history) -> list[dict]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in history.rows]


def check_going_on(training, folder, stops, **task):
    whole = Stream(tokens=300, **task)
    expected = run(whole, training)
    for after in stops:
        break_off(Stream(tokens=300, **task), training, folder, after)
    ended = Stream(tokens=300, **task)
    history = run(ended, training, folder)
    assert bits(ended) == bits(whole)
    assert timeless(history) == timeless(expected)
    assert history.steps == expected.steps


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_going_on_gives_the_same_bits(optimiser, tmp_path, always_kept):
    check_going_on(dataclasses.replace(TRAINING, optimiser=optimiser), tmp_path, [1, 5])


@pytest.mark.parametrize(
    "options",
    [
        {"rollback": "best", "plateau_factor": 0.5, "lr": 0.3, "schedule": "constant"},
        {"rollback": "reset", "plateau_factor": 0.5, "lr": 0.3, "schedule": "constant"},
        {"evaluate_every": 3, "patience": 2, "lr": 0.3},
        {"precision": "bf16"},
        {"schedule": "one-cycle", "warmup": 0},
    ],
    ids=lambda options: next(iter(options)),
)
def test_going_on_with_everything_that_has_a_state(options, tmp_path, always_kept):
    check_going_on(dataclasses.replace(TRAINING, **options), tmp_path, [2, 7, 4])


def test_going_on_with_steps_drawn_at_random(tmp_path, always_kept):
    check_going_on(TRAINING, tmp_path, [2, 3], vary_bptt=True)


def test_stopped_at_random_places_until_it_is_done(tmp_path, always_kept):
    where = random.Random(3)
    check_going_on(TRAINING, tmp_path, [where.randint(1, 4) for _ in range(6)])


def test_a_run_that_is_done_is_only_read(tmp_path):
    first = run(Stream(tokens=300), TRAINING, tmp_path)
    task = Stream(tokens=300)
    task.step = None
    again = run(task, TRAINING, tmp_path)
    assert again == first
    expected = Stream(tokens=300)
    run(expected, TRAINING)
    assert bits(task) == bits(expected)


def test_tied_weights_are_kept_once(tmp_path):
    run(Stream(tokens=300), TRAINING, tmp_path)
    names = {name for name in load_file(tmp_path / FILE) if name.startswith("weights/")}
    assert len([name for name in names if name in ("weights/embedding.weight", "weights/output.weight")]) == 1


def test_rows_are_written_beside(tmp_path):
    history = run(Stream(tokens=300), TRAINING, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / METRICS).read_text().splitlines()]
    assert rows == history.rows
    assert [row["epoch"] for row in rows] == [1, 2, 3]
    assert {"loss", "held_out_loss", "held_out_perplexity", "lr", "seconds"} <= rows[0].keys()


def test_keeping_the_state_takes_a_small_part_of_the_time(tmp_path, monkeypatch):
    """Epochs that are shorter than twenty times what keeping takes are not kept each; the last is."""
    kept, keep = [], checkpoints.Checkpointer.save
    monkeypatch.setattr(checkpoints.Checkpointer, "save", lambda self: (kept.append(self._run.epoch), keep(self)))
    monkeypatch.setattr(checkpoints, "COST_RATIO", 10**9)
    run(Line(), TrainingOptions(optimiser="sgd", lr=0.01, epochs=30), tmp_path)
    assert kept == [1, 30]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"identity": {**IDENTITY, "text": "other"}}, "its text is abc, this run's is other"),
        ({"identity": {**IDENTITY, "model": {"width": 32}}}, r"its model has width=24, this run's has width=32"),
        (
            {"training": dataclasses.replace(TRAINING, minutes=3)},
            r"its training has no minutes, this run's has minutes=3",
        ),
        ({"seed": 4}, "its seed is 0, this run's is 4"),
        ({"threads": 2}, "its threads is 1, this run's is 2"),
        ({"training": dataclasses.replace(TRAINING, lr=0.5)}, r"its training has lr=0.02, this run's has lr=0.5"),
    ],
    ids=["text", "model", "minutes", "seed", "threads", "training"],
)
def test_another_run_is_refused(change, message, tmp_path):
    run(Stream(tokens=300), TRAINING, tmp_path)
    with pytest.raises(OptionError, match=message):
        run(Stream(tokens=300), change.pop("training", TRAINING), tmp_path, **change)


def kept(folder: Path) -> Path:
    run(Stream(tokens=300), TRAINING, folder)
    (folder / FORMER).unlink(missing_ok=True)
    return folder / FILE


def changed_number(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-100] ^= 1
    path.write_bytes(data)


def without_tensor(path: Path) -> None:
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    arrays = load_file(path)
    del arrays["process/0/random"]
    save_file(arrays, path, metadata)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-7]),
        lambda path: path.write_bytes(path.read_bytes()[:20]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\x80\x04\x95cposix\nsystem\n"),
        lambda path: path.write_text('{"not": "tensors"}'),
        changed_number,
        without_tensor,
    ],
    ids=["cut", "short", "empty", "pickle", "json", "bit", "tensor"],
)
def test_a_damaged_file_is_refused(damage, tmp_path):
    damage(kept(tmp_path))
    with pytest.raises(FormatError, match=r"not a whole checkpoint.*: to start anew, name another folder, or remove "):
        run(Stream(tokens=300), TRAINING, tmp_path)


def test_a_damaged_file_costs_what_came_after_the_one_before_it(tmp_path, always_kept):
    whole = Stream(tokens=300)
    expected = run(whole, TRAINING)
    break_off(Stream(tokens=300), TRAINING, tmp_path, 5)
    changed_number(tmp_path / FILE)
    ended = Stream(tokens=300)
    with pytest.warns(UserWarning, match="goes on from the checkpoint before it"):
        history = run(ended, TRAINING, tmp_path)
    assert bits(ended) == bits(whole)
    assert timeless(history) == timeless(expected)


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(OptionError, match="expected a folder"):
        run(Stream(tokens=300), TRAINING, tmp_path / "taken")


def test_a_divergence_is_found_at_the_same_step(tmp_path, always_kept, monkeypatch):
    """Three losses in a row are too high; the run stops after two of them, and goes on."""
    monkeypatch.setattr(training_run, "MIN_PREDICTIONS", 1)

    def rising():
        task = Line(size=1)
        usual = task.step

        def step(batch, state, progress):
            found = usual(batch, state, progress)
            return replace(found, nats=torch.tensor(1e6 if progress.step >= 4 else 1.0))

        task.step = step
        return task

    training = TrainingOptions(optimiser="sgd", lr=0.001, epochs=3)
    with pytest.raises(DivergenceError, match="by step 7,") as whole:
        run(rising(), training)
    break_off(rising(), training, tmp_path, 6)
    with pytest.raises(DivergenceError) as ended:
        run(rising(), training, tmp_path)
    assert str(ended.value) == str(whole.value)


def test_metrics_of_a_divergence_are_json(tmp_path):
    task = Line(held_out=float)
    with pytest.warns(UserWarning, match="diverged"):
        run(task, TrainingOptions(optimiser="sgd", lr=0.5, epochs=80), tmp_path)
    for line in (tmp_path / METRICS).read_text().splitlines():
        json.loads(line, parse_constant=pytest.fail)
