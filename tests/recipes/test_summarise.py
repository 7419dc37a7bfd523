"""The recipe of summaries: mails of an archive with their subjects, and a small run."""

import io
import tarfile

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "mails.tar.gz"
    with tarfile.open(path, "w:gz") as target:
        for part in ("train", "dev", "test"):
            for number in range(12):
                text = f"Please send  report r{number}.\nThanks\n\n@subject\nReport r{number}\n\n@ann0\nother"
                info = tarfile.TarInfo(f"enron_subject_line/{part}/{number:02}.subject")
                info.size = len(text.encode())
                target.addfile(info, io.BytesIO(text.encode()))
    return path


def test_mails_have_one_subject(recipe, archive):
    mails = recipe["read_mails"](archive)
    assert {part: len(pairs) for part, pairs in mails.items()} == {"train": 12, "dev": 12, "test": 12}
    assert mails["dev"][3] == ("Please send report r3. Thanks", "Report r3")
    assert recipe["lead"](mails["dev"][3][0], 2) == "Please send"


def test_a_small_run(recipe, archive, capsys):
    recipe["main"]([str(archive), "--epochs", "1", "--set", "hidden=8", "dim=6", "min_count=1", "coverage=false"])
    out = capsys.readouterr().out
    assert "lead-12" in out
    assert "rouge-l" in out


def test_a_model_goes_on_with_selection_and_with_a_reward(recipe, archive, tmp_path, capsys):
    path = str(tmp_path / "s.firth")
    small = ["hidden=8", "dim=6", "min_count=1", "coverage=false"]
    recipe["main"]([str(archive), "--epochs", "1", "-o", path, "--set", *small])
    recipe["main"]([str(archive), "--model", path, "--select", "1"])
    assert "selector: area under the curve" in capsys.readouterr().out
    recipe["main"]([str(archive), "--model", path, "--reinforce", "1"])
    assert "held_out_error" in capsys.readouterr().out


def test_area_under_curve(recipe):
    right = np.array([True, False, True, False])
    area = recipe["area_under_curve"]
    assert area(np.array([0.9, 0.1, 0.8, 0.2]), right) == 1
    assert area(np.array([0.5, 0.5, 0.5, 0.5]), right) == 0.5
    assert area(np.array([0.1, 0.9, 0.3, 0.2]), right) == 0.25
