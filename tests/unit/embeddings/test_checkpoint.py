"""A run that goes on from its checkpoint ends as if it had never stopped; anything else is refused."""

import dataclasses
import json

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import firth
from firth.embeddings import training
from firth.embeddings.checkpoint import FILE
from firth.errors import ArgumentTypeError, FormatError, OptionError
from firth.storage.checkpoints import FORMER, write_state

MODEL = firth.Word2Vec(dim=16, epochs=3)


class StoppedError(Exception):
    pass


def stop_in(epoch):
    """A progress function that breaks a run off as soon as an epoch has begun."""

    def report(status):
        if status.stage == f"training, epoch {epoch}/3":
            raise StoppedError

    return report


def break_off(corpus, folder, epoch=2, model=MODEL, **how):
    with pytest.raises(StoppedError):
        model.train(corpus, **{"threads": 1, **how}, checkpoint=folder, progress=stop_in(epoch))


@pytest.mark.parametrize("epoch", [2, 3])
@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
def test_going_on_gives_the_same_bits(architecture, epoch, zipf, tmp_path):
    model = dataclasses.replace(MODEL, architecture=architecture)
    break_off(zipf, tmp_path, epoch, model)
    ended = model.train(zipf, threads=1, checkpoint=tmp_path, progress=False)
    whole = model.train(zipf, threads=1, progress=False)
    assert ended.vectors.tobytes() == whole.vectors.tobytes()
    assert ended.output_vectors.tobytes() == whole.output_vectors.tobytes()
    assert ended.metadata["training"]["loss"] == whole.metadata["training"]["loss"]
    assert ended.metadata["training"]["words"] == whole.metadata["training"]["words"]


def test_going_on_reads_only_what_is_left(zipf, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SHARE", 0)  # after each epoch, however short
    break_off(zipf, tmp_path, epoch=3)
    seen = []
    MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=seen.append)
    trained = [status for status in seen if status.stage.startswith("training")]
    assert min(status.done for status in trained) >= 2 * zipf.num_tokens


def test_keeping_the_state_takes_a_small_part_of_the_time(zipf, tmp_path, monkeypatch, clock):
    """Epochs that are shorter than twenty times what keeping takes are not kept each; the first and the last are."""
    kept = []
    monkeypatch.setattr(training, "save_checkpoint", lambda run, folder: (kept.append(run.epoch), clock.sleep(0.2)))
    MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=False)
    assert kept == [1, 3]


def test_checkpoints_inside_an_epoch(zipf, tmp_path, monkeypatch):
    """Stopped between two sentences as often as it can be: the bits stay those of an unbroken run."""
    slow = firth.Word2Vec(dim=100, epochs=2, sample=0, negative=20)  # long enough to be stopped in an epoch
    monkeypatch.setattr(training, "POLL", 0.001)
    places = []

    def report(status):
        if (tmp_path / FILE).exists():
            with safe_open(tmp_path / FILE, framework="numpy") as file:
                places.append(int(file.get_tensor("position")[0]))
        if len(places) > 4:
            raise StoppedError

    with pytest.raises(StoppedError):
        slow.train(zipf, threads=1, checkpoint=firth.Checkpoint(tmp_path, every=0), progress=report)
    assert any(0 < place < zipf.num_tokens for place in places)
    monkeypatch.undo()
    ended = slow.train(zipf, threads=1, checkpoint=tmp_path, progress=False)
    whole = slow.train(zipf, threads=1, progress=False)
    assert ended.vectors.tobytes() == whole.vectors.tobytes()
    assert ended.metadata["training"]["loss"] == pytest.approx(whole.metadata["training"]["loss"], rel=1e-9)


def test_a_run_that_ended_is_not_trained_again(zipf, tmp_path):
    first = MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=False)
    seen = []
    again = MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=seen.append)
    assert again.vectors.tobytes() == first.vectors.tobytes()
    assert not [status for status in seen if status.stage.startswith("training")]


def test_going_on_is_logged(zipf, tmp_path, caplog):
    caplog.set_level("INFO", "firth")
    break_off(zipf, tmp_path)
    assert not [record for record in caplog.records if record.name == "firth.checkpoints"]
    MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=False)
    (said,) = [record.getMessage() for record in caplog.records if record.name == "firth.checkpoints"]
    assert said == f"going on from the checkpoint in {tmp_path} (epochs done: 1)"


def test_two_threads_go_on(zipf, tmp_path):
    break_off(zipf, tmp_path, threads=2)
    vectors = MODEL.train(zipf, threads=2, checkpoint=tmp_path, progress=False)
    assert vectors.metadata["training"]["words"] == 3 * zipf.num_tokens
    assert len(vectors.metadata["training"]["loss"]) == 3


def test_the_last_two_are_in_the_folder_and_nothing_else(zipf, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SHARE", 0)  # after each epoch, however short
    MODEL.train(zipf, threads=1, checkpoint=tmp_path / "new" / "folder", progress=False)
    states = sorted((tmp_path / "new" / "folder").iterdir())
    assert [path.name for path in states] == [FORMER, FILE]
    epochs = []
    for path in states:
        with safe_open(path, framework="numpy") as file:
            epochs.append(json.loads(file.metadata()["firth"])["epoch"])
    assert epochs == [2, 3]


class TestAnotherRun:
    """A checkpoint of another run is refused, and the message says what differs."""

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"window": 7}, r"its options have window=5, this run's have window=7"),
            ({"lr": 0.03, "dim": 17}, r"dim=16, lr=0.025, this run's have dim=17, lr=0.03"),
            ({"epochs": 4}, r"epochs=3, this run's have sample=[\d.]+, epochs=4"),
        ],
    )
    def test_options(self, change, message, zipf, tmp_path):
        break_off(zipf, tmp_path)
        with pytest.raises(OptionError, match=message):
            dataclasses.replace(MODEL, **change).train(zipf, threads=1, checkpoint=tmp_path, progress=False)

    @pytest.mark.parametrize(
        ("how", "message"),
        [({"seed": 1}, "seed is 0, this run's is 1"), ({"threads": 2}, "threads is 1, this run's is 2")],
    )
    def test_seed_and_threads(self, how, message, zipf, tmp_path):
        break_off(zipf, tmp_path)
        with pytest.raises(OptionError, match=message):
            MODEL.train(zipf, **{"threads": 1, **how}, checkpoint=tmp_path, progress=False)

    def test_corpus(self, zipf, pairs, tmp_path):
        break_off(zipf, tmp_path)
        with pytest.raises(OptionError, match=r"had not the same corpus \(the text, or an option.*\) as this one"):
            MODEL.train(pairs, threads=1, checkpoint=tmp_path, progress=False)

    def test_start(self, zipf, tmp_path):
        start = MODEL.train(zipf, threads=1, progress=False, seed=9)
        break_off(zipf, tmp_path, start=start)
        MODEL.train(zipf, threads=1, start=start, checkpoint=tmp_path, progress=False)
        other = firth.WordVectors(start.words, start.vectors + 1, output_vectors=start.output_vectors)
        for begin in (None, other):
            with pytest.raises(OptionError, match=r"had not the same start as this one"):
                MODEL.train(zipf, threads=1, start=begin, checkpoint=tmp_path, progress=False)

    def test_the_checkpoint_survives_the_refusal(self, zipf, tmp_path):
        break_off(zipf, tmp_path)
        before = (tmp_path / FILE).read_bytes()
        with pytest.raises(OptionError):
            MODEL.train(zipf, threads=1, seed=4, checkpoint=tmp_path, progress=False)
        assert (tmp_path / FILE).read_bytes() == before


def without_metadata(path):
    save_file({"inputs": np.zeros((2, 2), np.float32)}, path)


def without_outputs(path):
    with safe_open(path, framework="numpy") as file:
        kept = {name: file.get_tensor(name) for name in file.keys() if name != "outputs"}  # noqa: SIM118  not a mapping
        metadata = file.metadata()
    save_file(kept, path, metadata)


def with_other_shapes(path):
    with safe_open(path, framework="numpy") as file:
        kept = {name: file.get_tensor(name)[:1] for name in file.keys()}  # noqa: SIM118  not a mapping
        metadata = file.metadata()
    save_file({**kept, "inputs": np.zeros((3, 3), np.float32)}, path, metadata)


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_bytes(b"this was never a checkpoint, whatever its name says"),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one byte short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "no metadata": without_metadata,
    "a tensor is missing": without_outputs,
    "tensors of other shapes": with_other_shapes,
    "metadata that is no JSON": lambda path: save_file({"inputs": np.zeros(2)}, path, {"firth": "{"}),
    "metadata that is no object": lambda path: save_file({"inputs": np.zeros(2)}, path, {"firth": "[1]"}),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_checkpoint_is_said(damage, zipf, tmp_path):
    break_off(zipf, tmp_path)
    DAMAGE[damage](tmp_path / FILE)
    with pytest.raises(
        FormatError, match=rf"{FILE} is not a whole checkpoint .*: to start anew, name another folder, or remove "
    ):
        MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=False)


@pytest.mark.parametrize("damage", [*DAMAGE, "gone"])
def test_a_damaged_checkpoint_costs_what_came_after_the_one_before_it(damage, zipf, tmp_path, recwarn, monkeypatch):
    """The bits are those of an unbroken run, and a warning says what happened; a kill while files are renamed is seen
    as a missing file, which is no damage."""
    monkeypatch.setattr(training, "CHECKPOINT_SHARE", 0)  # after each epoch, however short
    break_off(zipf, tmp_path, epoch=3)
    (DAMAGE | {"gone": lambda path: path.unlink()})[damage](tmp_path / FILE)
    seen = []
    ended = MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=lambda status: seen.append(status.stage))
    assert "training, epoch 1/3" not in seen
    said = [str(each.message) for each in recwarn if "not a whole checkpoint" in str(each.message)]
    assert len(said) == (damage != "gone")
    assert all(each.endswith("the run goes on from the checkpoint before it") for each in said)
    whole = MODEL.train(zipf, threads=1, progress=False)
    assert ended.vectors.tobytes() == whole.vectors.tobytes()


def test_the_state_that_helped_is_not_pushed_out_by_the_damaged_one(zipf, tmp_path, monkeypatch):
    """After a damaged state the next one is written: killed at that moment, or after it, a whole one is there."""
    monkeypatch.setattr(training, "CHECKPOINT_SHARE", 0)  # after each epoch, however short
    break_off(zipf, tmp_path, epoch=3)
    DAMAGE["half"](tmp_path / FILE)
    seen = []
    usual = training.save_checkpoint

    def save(run, folder):
        usual(run, folder)
        seen.append(sorted(path.name for path in tmp_path.iterdir()))
        if len(seen) == 1:
            (tmp_path / FILE).write_bytes(b"")
            raise StoppedError

    monkeypatch.setattr(training, "save_checkpoint", save)
    with pytest.warns(UserWarning, match="goes on from the checkpoint before it"), pytest.raises(StoppedError):
        MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=False)
    with pytest.warns(UserWarning, match="goes on from the checkpoint before it"):
        ended = MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=False)
    assert ended.vectors.tobytes() == MODEL.train(zipf, threads=1, progress=False).vectors.tobytes()


def test_a_damaged_identity_is_damage_and_no_other_run(zipf, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SHARE", 0)
    break_off(zipf, tmp_path, epoch=3)
    data = (tmp_path / FILE).read_bytes()
    assert data.count(b'\\"seed\\": 0') == 1
    (tmp_path / FILE).write_bytes(data.replace(b'\\"seed\\": 0', b'\\"seed\\": 1'))
    with pytest.warns(UserWarning, match="not those that were written.*goes on from the checkpoint before it"):
        ended = MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=False)
    assert ended.vectors.tobytes() == MODEL.train(zipf, threads=1, progress=False).vectors.tobytes()


@pytest.mark.parametrize("way", ["link", "folder", "copies"])
def test_the_former_state_is_kept_as_well_as_that_can_be_done(way, zipf, tmp_path, monkeypatch):
    """A file that is a link, a folder in its place, a file system without links: training goes on in any case."""
    monkeypatch.setattr(training, "CHECKPOINT_SHARE", 0)
    folder, elsewhere = tmp_path / "state", tmp_path / "elsewhere"
    folder.mkdir()
    if way == "link":
        elsewhere.write_bytes(b"")
        elsewhere.unlink()
        (folder / FILE).symlink_to(elsewhere)
    elif way == "folder":
        (folder / FORMER).mkdir()
    else:
        monkeypatch.setattr("os.link", lambda *paths: (_ for _ in ()).throw(OSError(18, "Invalid cross-device link")))
    whole = MODEL.train(zipf, threads=1, checkpoint=folder, progress=False)
    assert (folder / FILE).is_symlink() == (way == "link")
    assert (folder / FORMER).is_file() == (way != "folder")
    again = MODEL.train(zipf, threads=1, checkpoint=folder, progress=False)
    assert again.vectors.tobytes() == whole.vectors.tobytes()


def test_a_folder_that_cannot_be_written_is_said_before_training(zipf, tmp_path, monkeypatch):
    def read_only(**where):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("firth.storage.checkpoints.tempfile.TemporaryFile", read_only)
    seen = []
    with pytest.raises(OptionError, match=r"expected a folder that can be written.*Read-only file system"):
        MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=seen.append)
    assert not seen


def test_a_folder_where_the_file_was_meant(zipf, tmp_path):
    (tmp_path / FILE).mkdir()
    with pytest.raises(FormatError, match="not a whole checkpoint"):
        MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=False)


@pytest.mark.parametrize("below", ["", "deeper"])
def test_a_file_where_a_folder_was_meant_is_said_before_training(below, zipf, tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    seen = []
    with pytest.raises(OptionError, match="expected a folder that can be written, or a place for one"):
        MODEL.train(zipf, threads=1, checkpoint=tmp_path / "file" / below, progress=seen.append)
    assert not seen


def tamper(folder, *, arrays=None, reseal=True, **facts):
    """Change arrays and facts of a checkpoint; `reseal` makes a checksum that fits, which needs no key."""
    with safe_open(folder / FILE, framework="numpy") as file:
        metadata = file.metadata()
        kept = {name: file.get_tensor(name) for name in list(file.keys())}
    kept |= arrays or {}
    known = json.loads(metadata["firth"]) | facts
    if reseal:
        write_state(folder / FILE, kept, known)
        (folder / FORMER).unlink()
    else:
        save_file(kept, folder / FILE, metadata | {"firth": json.dumps(known)})


def test_the_checksum_covers_the_facts(zipf, tmp_path):
    """The loss, the epoch, the time: what stands beside the numbers was once free to change."""
    break_off(zipf, tmp_path)
    for facts in ({"losses": [1.0]}, {"epoch": 0}, {"seconds": 0.5}):
        tamper(tmp_path, reseal=False, **facts)
        with pytest.raises(FormatError, match="contents are not those that were written"):
            MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=False)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"arrays": {"position": np.array([10**15])}}, "'position' holds numbers out of range"),
        ({"arrays": {"position": np.array([-5])}}, "'position' holds numbers out of range"),
        ({"arrays": {"position": np.array([0], np.int32)}}, "'position' is int32"),
        ({"arrays": {"read": np.array([-1])}}, "'read' holds numbers"),
        ({"arrays": {"loss": np.array([np.nan])}}, "'loss' holds NaN"),
        ({"arrays": {"inputs": np.zeros((3, 16), np.float32)}}, "'inputs' is float32 of"),
        ({"epoch": 10**9}, "epoch 1000000000 of 3"),
        ({"epoch": -1}, "epoch -1 of 3"),
        ({"losses": ["x"]}, "losses that are not numbers"),
        ({"losses": 3}, "not a whole checkpoint"),
    ],
)
def test_numbers_that_no_run_gets_to(zipf, tmp_path, change, complaint):
    break_off(zipf, tmp_path)
    tamper(tmp_path, **change)
    with pytest.raises(FormatError, match=f"{complaint}.*: to start anew, name another folder, or remove "):
        MODEL.train(zipf, threads=1, checkpoint=tmp_path, progress=False)


def test_a_checkpoint_is_a_path(zipf):
    with pytest.raises(ArgumentTypeError, match=r"checkpoint=3 is an int; expected a path \(str or Path\)"):
        firth.Word2Vec(dim=2).train(zipf, checkpoint=3, progress=False)
