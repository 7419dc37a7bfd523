"""The recipe of summaries: mails of an archive with their subjects, and a small run."""

import io
import tarfile

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
