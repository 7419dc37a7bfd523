"""Every kind of folder that firth writes: each file of it is covered by checksums, and none is trusted once changed."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from firth.errors import FormatError
from firth.storage import checksums
from firth.storage.kinds import LOADERS
from tests.fuzz.outcomes import Reader
from tests.fuzz.readers import READERS

# One reader a kind; how each of them reads numbers is the fuzzer's to test.
FOLDERS = {
    "corpus-folder": "firth corpus",
    "counts-folder": "firth cooccurrence",
    "runs-folder": "firth-runs",
    "vectors-folder": "firth-vectors",
    "subwords-folder": "firth-subwords",
    "classifier-folder": "firth-classifier",
    "linear-classifier": "firth-linear-classifier",
    "composition": "firth-composition",
    "alignment": "firth-alignment",
    "documents-dbow": "firth-documents",
    "senses-none": "firth-senses",
    "ngrams-folder": "firth-ngrams",
    "mixture": "firth-mixture",
    "neural-feedforward": "firth-language-model",
    "predictors": "firth-predictor-network",
    "lattice": "firth-lattice-language-model",
    "bidirectional": "firth-bidirectional-language-model",
    "context2vec": "firth-context2vec",
    "coreference": "firth-coreference",
    "label-cnn": "firth-label-model",
    "parser": "firth-parser",
    "pipeline": "firth-pipeline",
    "tokeniser": "firth-tokeniser",
    "reader": "firth-reader",
    "pointers": "firth-pointer-network",
    "graph-network": "firth-graph-model",
    "text-graph": "firth-text-graph",
    "captioner": "firth-captioner",
    "boltzmann-machine": "firth-boltzmann-machine",
    "tagger": "firth-tagger",
    "summarizer": "firth-summarizer",
    "translator": "firth-translator",
    "tree-model": "firth-tree-model",
    "contextual-encoder": "firth-encoder",
    "sentence-autoencoder": "firth-sentence-autoencoder",
    "sentence-encoder": "firth-sentence-encoder",
}
MANIFESTS = ("config.json", "corpus.json", "cooccurrence.json")


def test_no_kind_is_left_out():
    assert set(LOADERS) <= set(FOLDERS.values())


@pytest.fixture(params=FOLDERS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Reader, Path]:
    if READERS[request.param].needs == "torch":
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    reader = READERS[request.param]
    reader.make(tmp_path / "seed")
    return reader, tmp_path / "seed"


def refusal(reader: Reader, folder: Path) -> str:
    with pytest.raises(FormatError) as refused:
        reader.use(folder)
    return str(refused.value)


def covered(folder: Path) -> list[str]:
    """The files that the checksums of a folder cover, and those of folders inside that stand on their own: runs."""
    names = checksums.covered(folder, "")
    assert names is not None
    alone = [place.parent for place in folder.glob(f"run-*/{checksums.FILE}")]
    return [*names, *(f"{inner.name}/{name}" for inner in alone for name in checksums.covered(inner, "") or ())]


def flip(file: Path, place: float) -> None:
    content = bytearray(file.read_bytes())
    content[int(place * (len(content) - 1))] ^= 8
    file.write_bytes(content)


def test_each_file_is_covered_and_refused_once_it_is_changed(made: tuple[Any, Path], tmp_path: Path) -> None:
    reader, folder = made
    [manifest] = [folder / name for name in MANIFESTS if (folder / name).is_file()]
    assert json.loads(manifest.read_text())["format"] == FOLDERS[reader.name]
    names = covered(folder)
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    cards = {name for name in files if Path(name).name in checksums.FOR_PEOPLE}
    sums = {name for name in files if Path(name).name == checksums.FILE}
    assert files - cards == {*names} | sums
    for name in names:
        whole = (folder / name).read_bytes()
        for place in (0, 0.5, 1):
            flip(folder / name, place)
            assert refusal(reader, folder).startswith(f"{folder / name}: ")
            (folder / name).write_bytes(whole)
        (folder / name).write_bytes(whole[:-1])
        assert refusal(reader, folder).startswith(f"{folder / name}: ")
        (folder / name).unlink()
        assert refusal(reader, folder).startswith(f"{folder / name}: missing; ")
        (folder / name).write_bytes(whole)
    shutil.rmtree(tmp_path / "seed")


@pytest.mark.filterwarnings("ignore:.* documents have no known word")  # of the small model that is asked
def test_a_folder_with_files_of_the_user_opens(made: tuple[Any, Path]) -> None:
    reader, folder = made
    (folder / "notes.txt").write_text("mine")
    (folder / "results.json").write_text("{ no JSON")
    if (folder / "README.md").exists():
        (folder / "README.md").write_text("# my own card")
    reader.use(folder)
