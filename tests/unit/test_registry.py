"""Every kind of folder has a function that loads it."""

import pytest

from firth import registry
from firth.errors import FormatError
from firth.storage import model_folder
from firth.storage.kinds import LOADERS, PREFIX
from firth.storage.model_folder import ModelFolder


@pytest.mark.parametrize("location", sorted([*LOADERS.values(), registry.FASTTEXT_CLASSIFIER]))
def test_every_location_is_a_function(location):
    if location.startswith("firth.neural"):
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert callable(registry.resolve(location))


def test_kinds_share_a_prefix():
    assert all(kind.startswith(PREFIX) for kind in LOADERS)


def test_a_kind_of_a_newer_version_is_refused(tmp_path):
    model_folder.write(tmp_path / "dreams", ModelFolder(kind="firth-dreams", arrays={}))
    with pytest.raises(FormatError, match="kind 'firth-dreams', which this version"):
        registry.load_folder(tmp_path / "dreams")
