"""What all folders of firth's share; the tests of each kind say more."""

import json
from pathlib import Path

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder


def content(**changes: object) -> ModelFolder:
    parts = {
        "kind": "firth-vectors",
        "arrays": {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.array([1, 2])},
        "texts": {"vocab": ["x", "\ud800"], "attributes": {"k": 1}},
        "config": {"count": 2},
        "metadata": {"name": "π"},
        "card": "# x\n",
    }
    return ModelFolder(**{**parts, **changes})


def test_everything_comes_back(tmp_path):
    model_folder.write(tmp_path / "v", content(dtypes={"a": np.float16}))
    again = model_folder.read(tmp_path / "v")
    assert again.kind == "firth-vectors"
    assert again.arrays["a"].dtype == np.float16
    assert again.array("n", (2,), "i").tolist() == [1, 2]
    assert again.words() == ["x", "\ud800"]
    assert again.texts["attributes"] == {"k": 1}
    assert again.config["count"] == 2
    assert again.metadata == {"name": "π"}
    assert (tmp_path / "v" / "README.md").read_text() == "# x\n"


@pytest.mark.usefixtures("without_checksums")
def test_a_kind_that_is_none(tmp_path):
    model_folder.write(tmp_path / "v", content())
    config = json.loads((tmp_path / "v" / "config.json").read_bytes())
    (tmp_path / "v" / "config.json").write_text(json.dumps(config | {"format": "dreams"}))
    assert not model_folder.is_model_folder(tmp_path / "v")
    with pytest.raises(FormatError, match="no model of firth's"):
        model_folder.read(tmp_path / "v")


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda s: s.array("b", (2,)), "tensors a, n; expected 'b'"),
        (lambda s: s.array("a", (2, 4)), r"tensor 'a' is float32 of shape \(2, 3\)"),
        (lambda s: s.array("a", (None,)), "tensor 'a'"),
        (lambda s: s.array("a", (None, 3), "i"), "expected 'i'"),
        (lambda s: s.words("labels"), r"no labels\.json"),
        (lambda s: s.words("attributes"), r"attributes\.json: expected a list of words"),
    ],
)
def test_what_is_not_as_promised(ask, told):
    with pytest.raises(FormatError, match=told):
        ask(content())


def test_folders_of_others_and_metadata_that_is_none(tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("cat")
    with pytest.raises(OptionError, match="photos is a folder of something else"):
        model_folder.write(tmp_path / "photos", content())
    with pytest.raises(OptionError, match="the metadata cannot be written as JSON"):
        model_folder.write(tmp_path / "v", content(metadata={"when": object()}))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["photos"]


@pytest.mark.parametrize("kind", ["firth-dreams", "firth-", "firth-vectors2", "vectors", None, ["firth-vectors"]])
def test_a_folder_of_an_unknown_kind_is_not_replaced(kind, tmp_path):
    """A model of a newer version, perhaps."""
    (tmp_path / "config.json").write_text(json.dumps({"format": kind, "format_version": 9}))
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert not model_folder.is_model_folder(tmp_path)
    with pytest.raises(OptionError, match="is a folder of something else"):
        model_folder.write(tmp_path, content())
    assert (tmp_path / "model.safetensors").read_bytes() == b"weights"


def test_files_of_the_user_stay_and_those_of_an_older_model_go(tmp_path):
    """What firth wrote is replaced or removed, in parts too; everything else stays as it is."""
    out = tmp_path / "v"
    part = {"model-1": lambda path: model_folder.write(path, content())}
    model_folder.write(out, content(texts={"vocab": ["x"], "labels": ["y"]}, subfolders=part))
    (out / "notes.txt").write_text("mine")
    (out / "results.json").write_text("{ no JSON")
    (out / "deep" / "er").mkdir(parents=True)
    (out / "deep" / "er" / "figure").write_text("mine too")
    (out / "model-1" / "log").write_text("of the part")
    (out / "link").symlink_to("notes.txt")
    (out / "empty").mkdir()
    model_folder.write(out, content())
    mine = {
        "notes.txt": "mine", "results.json": "{ no JSON", "link": "mine", "model-1/log": "of the part",
        str(Path("deep", "er", "figure")): "mine too",
    }  # fmt: skip
    written = {"model.safetensors", "vocab.json", "attributes.json", "config.json", "README.md", "checksums.json"}
    assert {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} == written | set(mine)
    assert {name: (out / name).read_text() for name in mine} == mine
    assert (out / "link").is_symlink()
    assert (out / "empty").is_dir()
    assert [path.name for path in tmp_path.iterdir()] == ["v"]
    assert model_folder.read(out).texts == content().texts
