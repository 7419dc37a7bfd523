"""`firth push` and `firth pull` against a stand-in for the hub."""

import json

import numpy as np
import pytest

import firth
from tests.hub_server import name_hub, serving


@pytest.fixture
def hub(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with serving() as (server, address):
        name_hub(monkeypatch, address)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
        yield server


def test_there_and_back(hub, run):
    firth.WordVectors(["sea", "ship"], np.eye(2, dtype=np.float32)).save("v.firth")
    status, out, err = run("push", "v.firth", "ada/words", "--json")
    assert status == 0, err
    facts = json.loads(out)
    assert facts["repository"] == "ada/words"
    status, out, err = run("pull", "ada/words", "copy.firth", "--revision", facts["revision"], "--quiet")
    assert status == 0, err
    assert f"copy.firth: WordVectors of ada/words, revision {facts['revision']}" in err
    copy = firth.load("copy.firth")
    assert copy.words == ["sea", "ship"]
    assert copy.metadata["hub"] == facts


def test_failures_are_a_sentence(hub, run):
    status, _, err = run("pull", "ada/nothing", "x.firth", "--quiet")
    assert status == 1
    assert err.startswith("firth: ada/nothing: not downloaded")
