import json
import stat

import pytest

from firth.errors import OptionError
from firth.storage.unfinished import UnfinishedFile


def test_what_is_finished_takes_the_name_and_the_mode_of_the_target(tmp_path):
    target = tmp_path / "folder" / "out.txt"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o600)
    file = UnfinishedFile(target, [".part.jsonl"])
    with file.locked():
        file.part.write_text("new")
        file.record(rows=1)
        file.beside(".part.jsonl").write_text("a part")
        file.finish()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert list(target.parent.iterdir()) == [target]


def test_state_is_what_was_recorded_last_and_empty_if_it_is_damaged(tmp_path):
    file = UnfinishedFile(tmp_path / "out.npy")
    assert file.read_state() == {}
    file.record(rows=1)
    file.record(rows=2, identity=["a"])
    assert file.read_state() == {"rows": 2, "identity": ["a"]}
    for damaged in ('{"rows": 2', json.dumps([2])):
        file.state.write_text(damaged)
        assert file.read_state() == {}


def test_a_beginning_that_fails_leaves_no_empty_file(tmp_path):
    file = UnfinishedFile(tmp_path / "out.npy")
    with file.locked():
        assert file.part.exists()
        with pytest.raises(ValueError, match="failed"), file.starting():
            raise ValueError("failed")
        assert not file.part.exists()
    assert list(tmp_path.iterdir()) == []


def test_one_process_at_a_time_and_the_part_of_another_call(tmp_path):
    file = UnfinishedFile(tmp_path / "out.npy")
    with file.locked(), pytest.raises(OptionError, match="another process"), file.locked():
        pass
    with pytest.raises(OptionError, match=r"out\.npy\.part is the finished part of .* with another model: repeat"):
        raise file.of_another_call("another model")
