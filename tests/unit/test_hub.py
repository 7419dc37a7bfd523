"""Models to a hub and back, by huggingface-hub itself and a stand-in for the hub on this machine."""

import os
import sys

import numpy as np
import pytest

huggingface_hub = pytest.importorskip(
    "huggingface_hub", reason="huggingface-hub is not installed: pip install 'firth[hub]'"
)

import firth
from firth import hub as module
from firth.errors import ArgumentTypeError, DataError, FormatError, MissingExtraError
from firth.storage.kinds import LOADERS
from tests.fuzz.readers import READERS
from tests.hub_server import name_hub, serving

NAME = "ada/words"
VECTORS = firth.WordVectors(["sea", "ship"], np.array([[1, 2], [3, 4]], dtype=np.float32), metadata={"name": "small"})


@pytest.fixture
def hub(monkeypatch, tmp_path):
    with serving() as (server, address):
        name_hub(monkeypatch, address)
        monkeypatch.setattr("huggingface_hub.utils.are_progress_bars_disabled", lambda *_: True)
        server.cache = tmp_path / "hub-cache"
        yield server


def pull(hub, **how):
    return firth.from_hub(NAME, cache_dir=hub.cache, **how)


def test_there_and_back(hub):
    commit = firth.push_to_hub(VECTORS, NAME)
    assert len(commit) == 40
    back = pull(hub)
    assert back.words == VECTORS.words
    np.testing.assert_array_equal(back.vectors, VECTORS.vectors)
    assert back.metadata == {"name": "small", "hub": {"repository": NAME, "revision": commit}}


KINDS = {
    "firth-alignment": "alignment",
    "firth-bidirectional-language-model": "bidirectional",
    "firth-classifier": "classifier-folder",
    "firth-composition": "composition",
    "firth-context2vec": "context2vec",
    "firth-coreference": "coreference",
    "firth-documents": "documents-dm",
    "firth-encoder": "contextual-encoder",
    "firth-label-model": "label-cnn",
    "firth-language-model": "neural-feedforward",
    "firth-lattice-language-model": "lattice",
    "firth-linear-classifier": "linear-classifier",
    "firth-mixture": "mixture",
    "firth-ngrams": "ngrams-folder",
    "firth-parser": "parser",
    "firth-pipeline": "pipeline",
    "firth-tokeniser": "tokeniser",
    "firth-boltzmann-machine": "boltzmann-machine",
    "firth-graph-model": "graph-network",
    "firth-reader": "reader",
    "firth-predictor-network": "predictors",
    "firth-text-graph": "text-graph",
    "firth-captioner": "captioner",
    "firth-pointer-network": "pointers",
    "firth-runs": "runs-folder",
    "firth-senses": "senses-none",
    "firth-sentence-autoencoder": "sentence-autoencoder",
    "firth-sentence-encoder": "sentence-encoder",
    "firth-subwords": "subwords-folder",
    "firth-summarizer": "summarizer",
    "firth-tagger": "tagger",
    "firth-translator": "translator",
    "firth-tree-model": "tree-model",
    "firth-vectors": "vectors-folder",
}


def files_of(folder):
    skip = ("config.json", "checksums.json", "README.md")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in skip
    }


@pytest.mark.parametrize("kind", sorted(LOADERS))
def test_every_kind_of_model_comes_back_as_it_was(hub, tmp_path, kind):
    READERS[KINDS[kind]].make(tmp_path / "before")
    model = firth.load(tmp_path / "before")
    commit = firth.push_to_hub(model, NAME)
    back = pull(hub, revision=commit)
    assert type(back) is type(model)
    assert back.metadata["hub"] == {"repository": NAME, "revision": commit}
    back.save(tmp_path / "after")
    assert files_of(tmp_path / "after") == files_of(tmp_path / "before")


def test_a_revision_stays_what_it_was_and_old_files_go(hub):
    space = firth.WordVectors(["sea"], [[1.0]])
    space.set_vecattr("sea", "kind", "water")  # a file attributes.json
    old = firth.push_to_hub(space, NAME)
    new = firth.push_to_hub(VECTORS, NAME)
    assert old != new
    assert pull(hub, revision=old).attributes["kind"].tolist() == ["water"]
    assert pull(hub).words == ["sea", "ship"]
    assert "attributes.json" not in hub.repositories[NAME][-1][1]


def test_a_card_that_people_edited_stays(hub):
    firth.push_to_hub(VECTORS, NAME)
    files = hub.repositories[NAME][-1][1]
    hub.commit(NAME, {**files, "README.md": b"# Mine", "map.png": b"picture"})
    firth.push_to_hub(firth.WordVectors(["x"], [[1.0]]), NAME)
    files = hub.repositories[NAME][-1][1]
    assert (files["README.md"], files["map.png"]) == (b"# Mine", b"picture")
    assert pull(hub).words == ["x"]
    assert not any("map.png" in request for request in hub.requests)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "old/vectors.pkl", "modeling.py", "VECTORS.NPY"])
def test_what_can_run_code_is_refused_and_never_downloaded(hub, name):
    firth.push_to_hub(VECTORS, NAME)
    hub.commit(NAME, {**hub.repositories[NAME][-1][1], name: b"\x80\x04."})
    with pytest.raises(FormatError, match=r"which can run code when opened; models of firth are"):
        pull(hub)
    assert not any("resolve" in request and name in request for request in hub.requests)


def test_damage_on_the_way_is_found(hub):
    firth.push_to_hub(VECTORS, NAME)
    files = dict(hub.repositories[NAME][-1][1])
    files["model.safetensors"] = files["model.safetensors"][:-1] + b"\x07"
    hub.commit(NAME, files)
    with pytest.raises(FormatError, match=r"model\.safetensors: altered"):
        pull(hub)


def test_without_a_network_the_cache_answers(hub, monkeypatch):
    commit = firth.push_to_hub(VECTORS, NAME)
    pull(hub)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert pull(hub).words == ["sea", "ship"]
    assert pull(hub, revision=commit).metadata["hub"]["revision"] == commit
    with pytest.raises(DataError, match="not downloaded"):
        firth.from_hub("ada/other", cache_dir=hub.cache)


@pytest.fixture
def late_hub(hub, monkeypatch):
    """A hub whose address HF_ENDPOINT got after huggingface-hub was imported."""
    address = os.environ["HF_ENDPOINT"]
    name_hub(monkeypatch, "https://hub.invalid")
    monkeypatch.setenv("HF_ENDPOINT", address)
    return hub


@pytest.mark.parametrize("version", ["0.26.0", "1.3.7"])
def test_a_hub_named_too_late_for_an_older_library_gets_nothing(late_hub, monkeypatch, version):
    """These versions say of an upload that it failed after it has succeeded."""
    monkeypatch.setattr("huggingface_hub.__version__", version)
    expected = rf"was https://hub\.invalid when huggingface-hub {version} was imported.*set it before Python starts"
    with pytest.raises(DataError, match=expected):
        firth.push_to_hub(VECTORS, NAME)
    assert late_hub.requests == []


@pytest.mark.parametrize("version", ["1.4.0", "2.4.0", "10.0"])
def test_a_newer_library_follows_the_variable(late_hub, monkeypatch, version):
    if not hasattr(huggingface_hub.CommitInfo, "_endpoint"):
        pytest.skip("this huggingface-hub is older than 1.4")
    monkeypatch.setattr("huggingface_hub.__version__", version)
    commit = firth.push_to_hub(VECTORS, NAME)
    assert pull(late_hub).metadata["hub"]["revision"] == commit


def test_what_is_not_there(hub):
    with pytest.raises(DataError, match=r"ada/words: not downloaded \(RepositoryNotFoundError"):
        pull(hub)
    hub.commit(NAME, {"README.md": b"# Empty"})
    with pytest.raises(FormatError, match=r"holds README.md; expected config.json and model.safetensors"):
        pull(hub)
    with pytest.raises(DataError, match="RevisionNotFoundError"):
        pull(hub, revision="v9")
    with pytest.raises(DataError, match="HFValidationError"):
        firth.from_hub("not a name", cache_dir=hub.cache)


def test_folders(hub, tmp_path):
    VECTORS.save(tmp_path / "v.firth")
    commit = firth.push_to_hub(tmp_path / "v.firth", NAME, private=True, message="First")
    assert pull(hub, revision=commit).words == VECTORS.words
    VECTORS.save(tmp_path / "st", format="sentence-transformers")
    firth.push_to_hub(tmp_path / "st", "ada/sentences")
    back = firth.from_hub("ada/sentences", cache_dir=hub.cache)
    assert (back.words, back.metadata["hub"]["repository"]) == (VECTORS.words, "ada/sentences")
    (tmp_path / "v.firth" / "secret.txt").write_text("x")
    with pytest.raises(FormatError, match=r"files secret.txt; expected a folder with nothing but a model"):
        firth.push_to_hub(tmp_path / "v.firth", NAME)
    with pytest.raises(FormatError, match="no folder"):
        firth.push_to_hub(tmp_path / "nothing", NAME)


def test_a_folder_that_is_saved_to_while_it_is_uploaded_is_uploaded_again(hub, tmp_path, monkeypatch):
    """The files of one commit are of one save."""
    VECTORS.save(tmp_path / "v")
    upload, commits = module._upload, []

    def interrupted(api, path, *arguments):
        if not commits:
            VECTORS.first(1).save(path)
        commits.append(upload(api, path, *arguments))
        return commits[-1]

    monkeypatch.setattr(module, "_upload", interrupted)
    assert firth.push_to_hub(tmp_path / "v", NAME) == commits[1]
    assert pull(hub).words == VECTORS.words[:1]


def test_what_is_no_model():
    with pytest.raises(ArgumentTypeError, match="expected a model of firth's"):
        firth.push_to_hub(["words"], NAME)


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"huggingface-hub is needed to download a model.*\[hub\]"):
        firth.from_hub(NAME)
    assert module.ALLOWED
