"""Where and how often states of trainings are kept."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

import firth
from firth.errors import ArgumentTypeError, OptionError, UnknownOptionError
from firth.storage.checkpoints import EVERY, checkpoint_of, make_folder


@pytest.mark.parametrize(
    ("every", "seconds"),
    [
        (timedelta(minutes=5), 300.0),
        (0, 0.0),
        (2, 2.0),
        (1.5, 1.5),
        ("30", 30.0),
        ("30s", 30.0),
        ("5m", 300.0),
        (" 1.5 h ", 5400.0),
        (".5m", 30.0),
    ],
)
def test_times(every, seconds):
    checkpoint = firth.Checkpoint("state", every=every)
    assert (checkpoint.every, checkpoint.interval) == (seconds, seconds)


@pytest.mark.parametrize(
    "every",
    [
        "",
        "m",
        "5 minutes",
        "-5m",
        "5d",
        "1e9",
        "nan",
        -1,
        10**400,
        "9" * 400,
        float("nan"),
        float("inf"),
        None,
        True,
        ["5m"],
    ],
)
def test_what_is_no_time(every):
    with pytest.raises(OptionError, match=r"every=.*expected seconds, or a time such as '30s', '5m' or '1.5h'"):
        firth.Checkpoint("state", every=every)


@pytest.mark.parametrize("name", ["keep", "save_every", "interval"])
def test_names_that_it_lacks(name):
    with pytest.raises(UnknownOptionError, match=rf"{name}"):
        firth.Checkpoint("state", **{name: 3})


def test_a_checkpoint_is_a_path():
    checkpoint = firth.Checkpoint("state", every="1m")
    assert os.fspath(checkpoint) == "state"
    assert checkpoint.below("first") == firth.Checkpoint(Path("state/first"), every=60)
    assert checkpoint_of(checkpoint) is checkpoint
    assert checkpoint_of("state") == firth.Checkpoint("state", every=EVERY)
    assert checkpoint_of(None) is None


def test_a_folder_without_a_name_and_one_at_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert Path(firth.Checkpoint("~/state")) == tmp_path / "state"
    with pytest.raises(OptionError, match="checkpoint='': expected the name of a folder"):
        firth.Checkpoint("")


def test_a_name_that_no_file_can_have(tmp_path):
    with pytest.raises(OptionError, match="expected a folder that can be written"):
        make_folder(tmp_path / "a\0b")


@pytest.mark.parametrize("folder", [None, 3, True])
def test_what_is_no_folder(folder):
    with pytest.raises(ArgumentTypeError, match=r"checkpoint=.*expected a path"):
        firth.Checkpoint(folder)
