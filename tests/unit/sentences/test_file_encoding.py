"""Vectors of files: as `encode` gives them, resumed after an interruption, and nothing half-written."""

import gzip
import os
import signal

import numpy as np
import pytest

import firth
from firth.errors import ArgumentTypeError, CorpusError, FormatError, OptionError
from firth.sentences import file_encoding, text_blocks
from firth.sentences.file_encoding import encode_file, finished_rows
from firth.sentences.row_files import FORMATS
from firth.text.batches import TextsWarning, encoded_in_batches, warn_truncated
from tests.unit.sentences.test_row_files import read

VECTORS = firth.WordVectors(["a", "b", "c"], np.arange(6, dtype=np.float32).reshape(3, 2) + 1)
LINES = ["a b", "", "c", "unknown", "a a c\r", "b"] * 40
UNKNOWN = pytest.mark.filterwarnings("ignore:.*have no known word")


class Lengths:
    """An encoder: length and first letter; it truncates at 4, and may stop its process or fail."""

    dim = 2

    def __init__(self, stop_at=None, number=signal.SIGINT, scale=1.0, error=None):
        self.stop_at, self.number, self.scale, self.error, self.count = stop_at, number, scale, error, 0

    def encode(self, texts, *, batch_size=None, progress=None):
        def vectors(batch):
            return np.array([[min(len(text), 4), ord(text[0]) if text else 0] for text in batch]) * self.scale

        found = encoded_in_batches(texts, vectors, 2, batch_size=batch_size or 7, progress=progress)
        warn_truncated(sum(len(text) > 4 for text in texts), len(texts), 4, "characters")
        self.count += len(texts)
        if self.stop_at is not None and self.count >= self.stop_at:
            self.stop_at = None
            if self.error is not None:
                raise self.error
            os.kill(os.getpid(), self.number)
        return found


@pytest.fixture
def text(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "TEXTS", 16)
    monkeypatch.setattr(text_blocks, "BYTES", 64)
    path = tmp_path / "lines.txt"
    path.write_bytes("\n".join(LINES).encode() + b"\n")
    return path


@UNKNOWN
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("tokens", ["unicode", str.split])
def test_rows_are_those_of_encode(text, tmp_path, format, tokens):
    encoder = firth.SentenceAverages(VECTORS, "mean", tokens=tokens)
    with pytest.warns(TextsWarning, match=r"40 of 240 texts have no known word"):
        found = encode_file(encoder, text, tmp_path / f"v{format}")
    texts, rows = read(found.path)
    assert rows.tobytes() == encoder.encode(LINES).tobytes()
    assert texts is None or texts == [line.rstrip("\r") for line in LINES]
    assert (found.count, found.dim, found.resumed) == (240, 2, 0)
    assert found.problems == {"have no known word: their vectors are zero": 40}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lines.txt", f"v{format}"]


@UNKNOWN
def test_sources(text, tmp_path):
    expected = encode_file(VECTORS, text, tmp_path / "v.npy").path.read_bytes()
    with gzip.open(tmp_path / "lines.txt.gz", "wb") as file:
        file.write(text.read_bytes().rstrip(b"\n"))  # the last line needs no end
    table = tmp_path / "lines.csv"
    table.write_text("n,text\n" + "".join(f"{i},{line.strip()}\n" for i, line in enumerate(LINES)), encoding="utf-8")
    marked = tmp_path / "marked.txt"
    marked.write_bytes(b"\xef\xbb\xbf" + text.read_bytes())  # the mark of programs on Windows is no text
    assert text_blocks.read_texts([marked]) == [line.rstrip("\r") for line in LINES]
    for source, more in [
        (tmp_path / "lines.txt.gz", {}),
        (marked, {}),
        (table, {"column": "text"}),
        (LINES, {}),
        ([line.split() or ["-"] for line in LINES], {}),
    ]:
        assert encode_file(VECTORS, source, tmp_path / "v.npy", **more).path.read_bytes() == expected


def test_truncated_texts_are_added_up(text, tmp_path):
    done = []
    with pytest.warns(TextsWarning, match=r"^80 of 240 texts have more than 4 characters") as caught:
        encode_file(Lengths(), text, tmp_path / "v.npy", progress=done.append)
    assert len(caught) == 1
    assert all(status.stage == "encoding" for status in done)


@pytest.mark.filterwarnings("ignore:.*have more than 4")
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_call_is_continued(text, tmp_path, format, number):
    target = tmp_path / f"v{format}"
    with pytest.raises(KeyboardInterrupt):
        encode_file(Lengths(stop_at=90, number=number), text, target)
    assert not target.exists()
    assert finished_rows(target) == 96  # six blocks of 16
    fresh = Lengths()
    found = encode_file(fresh, text, target)
    assert (found.count, found.resumed) == (240, 96)
    assert found.problems == {"have more than 4 characters: the rest of them is not read": 80}
    assert fresh.count == 240 - 96 + 16  # and the texts by which the model is recognised
    texts, rows = read(target)
    assert rows.tobytes() == np.asarray(Lengths().encode([line.rstrip("\r") for line in LINES])).tobytes()
    assert texts is None or len(texts) == 240
    assert finished_rows(target) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lines.txt", target.name]


@pytest.mark.filterwarnings("ignore:.*have more than 4")
@pytest.mark.parametrize("format", FORMATS)
def test_a_call_may_be_interrupted_again_at_once_and_continued_in_other_blocks(text, tmp_path, format, monkeypatch):
    """The second call reads 20 texts to recognise the model, and is interrupted before its first rows."""
    target = tmp_path / f"v{format}"
    with pytest.raises(KeyboardInterrupt):
        encode_file(Lengths(stop_at=90), text, target)
    monkeypatch.setattr(text_blocks, "TEXTS", 20)
    with pytest.raises(KeyboardInterrupt):
        encode_file(Lengths(stop_at=21, error=KeyboardInterrupt()), text, target)
    assert finished_rows(target) == 96
    encode_file(Lengths(), text, target)
    assert read(target)[1].tobytes() == np.asarray(Lengths().encode([line.rstrip("\r") for line in LINES])).tobytes()


@pytest.mark.filterwarnings("ignore:.*have more than 4")
def test_a_part_of_another_run_is_refused_and_stays(text, tmp_path):
    target = tmp_path / "v.npy"
    with pytest.raises(KeyboardInterrupt):
        encode_file(Lengths(stop_at=90), text, target)
    part = (tmp_path / "v.npy.part").read_bytes()
    other = tmp_path / "other.txt"
    other.write_text("a\n" * 240, encoding="utf-8")
    for model, source in ((Lengths(scale=1.01), text), (VECTORS, text), (Lengths(), other), (Lengths(), LINES[:20])):
        with pytest.raises(
            OptionError, match=r"v\.npy\.part is the finished part of an interrupted call with .*delete"
        ):
            encode_file(model, source, target)
        assert (tmp_path / "v.npy.part").read_bytes() == part
    (tmp_path / "v.npy.part").write_bytes(part[:200])
    with pytest.raises(FormatError, match="delete it to start again"):
        encode_file(Lengths(), text, target)


@UNKNOWN
def test_averages_are_continued_in_the_middle_of_a_block(text, tmp_path, monkeypatch):
    expected = encode_file(VECTORS, text, tmp_path / "v.npy").path.read_bytes()
    monkeypatch.setattr(file_encoding, "INTERVAL", 0.0)
    whole = file_encoding._Writing._append_all

    def cut(self, *arguments):
        whole(self, *arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(file_encoding._Writing, "_append_all", cut)
    with pytest.raises(KeyboardInterrupt):
        encode_file(VECTORS, text, tmp_path / "v.npy")
    monkeypatch.setattr(file_encoding._Writing, "_append_all", whole)
    monkeypatch.setattr(text_blocks, "BYTES", 50)
    assert encode_file(VECTORS, text, tmp_path / "v.npy").path.read_bytes() == expected


def test_an_error_leaves_nothing_and_keeps_the_old_file(text, tmp_path):
    target = tmp_path / "v.npy"
    np.save(target, np.ones(3))
    old = target.read_bytes()
    with pytest.raises(ArithmeticError, match="of the model"):
        encode_file(Lengths(stop_at=50, error=ArithmeticError("of the model")), text, target)
    with pytest.raises(ArgumentTypeError, match=r"texts\[1\]"):
        encode_file(Lengths(), ["a", 5], target)
    assert target.read_bytes() == old
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lines.txt", "v.npy"]


def test_wrong_arguments(text, tmp_path):
    (tmp_path / "empty.txt").touch()
    (tmp_path / "notes.jsonl").write_text("my notes", encoding="utf-8")
    wrong = [
        (text, "v.txt", OptionError, "expected a name that ends in"),
        (text, "notes.jsonl", OptionError, "only .jsonl files are replaced"),
        (text, "", OptionError, "folder"),
        (tmp_path / "empty.txt", "v.npy", CorpusError, "the source holds no texts"),
        (tmp_path / "missing.txt", "v.npy", CorpusError, "no such file"),
    ]
    for source, name, error, match in wrong:
        with pytest.raises(error, match=match):
            encode_file(VECTORS, source, tmp_path / name)
    with pytest.raises(ArgumentTypeError, match="expected word vectors, or a model with encode"):
        encode_file("model.firth", text, tmp_path / "v.npy")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.txt", "lines.txt", "notes.jsonl"]


def test_two_processes_never_write_the_same_file(text, tmp_path):
    fcntl = pytest.importorskip("fcntl", reason="no locks on this system")
    with (tmp_path / "v.npy.part").open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(OptionError, match=r"v\.npy is being written by another process"):
            encode_file(VECTORS, text, tmp_path / "v.npy")
