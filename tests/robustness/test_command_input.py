"""Bad input to the installed command: one sentence, exit status 1, and nothing half-written."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import firth as library
from tests.robustness.command import Command, sentences

WORDS = ["red", "blue", "green", "house", "garden"]


def train(*arguments: object) -> list[object]:
    return ["train", "skipgram", *arguments, "-o", "out.firth", "--quiet"]


def nothing_written(folder: Path) -> bool:
    """Whether there is neither a result nor a half-made one, of vectors or of a corpus."""
    return not [path for path in folder.rglob("*") if path.name.endswith((".firth", ".part")) or path.name == "ids.bin"]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(sentences(100), encoding="utf-8")
    return path


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """A good word2vec text file of five words."""
    rows = np.random.default_rng(0).normal(size=(5, 4)).round(3)
    path = tmp_path / "good.txt"
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(WORDS, rows, strict=True)]
    path.write_text("5 4\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


# Text.


def test_a_path_that_does_not_exist(firth: Command, text: Path):
    complaint = firth(*train("textt.txt")).complaint
    assert "textt.txt: no such file" in complaint
    assert "did you mean text.txt" in complaint
    assert nothing_written(firth.folder)


def test_a_glob_that_matches_nothing(firth: Command):
    assert "no file matches" in firth(*train("books/*.txt")).complaint


def test_a_folder_without_text(firth: Command):
    (firth.folder / "pictures").mkdir()
    (firth.folder / "pictures/cat.jpg").write_bytes(b"\xff\xd8\xff")
    complaint = firth(*train("pictures")).complaint
    assert "pictures: holds 1 files (.jpg)" in complaint
    assert ".txt" in complaint
    assert nothing_written(firth.folder)


def test_an_empty_file(firth: Command):
    (firth.folder / "empty.txt").write_bytes(b"")
    assert "no words" in firth(*train("empty.txt")).complaint
    assert nothing_written(firth.folder)


def test_empty_standard_input(firth: Command):
    assert "no words" in firth(*train("-")).complaint
    assert nothing_written(firth.folder)


@pytest.mark.parametrize(
    "content", [bytes(range(256)) * 64, b"\x7fELF" + b"\0" * 5000, b"\x89PNG\r\n\x1a\n" + bytes(range(1, 256)) * 9]
)
def test_binary_garbage(firth: Command, content: bytes):
    (firth.folder / "garbage.txt").write_bytes(content)
    assert "garbage.txt" in firth(*train("garbage.txt")).complaint
    assert nothing_written(firth.folder)


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
def test_a_name_that_promises_another_compression(firth: Command, text: Path, suffix: str):
    wrong = text.rename(firth.folder / f"text.txt.{suffix}")
    assert wrong.name in firth(*train(wrong.name)).complaint
    assert nothing_written(firth.folder)


def test_a_table_without_the_column(firth: Command):
    (firth.folder / "table.jsonl").write_text('{"body": "a b c"}\n', encoding="utf-8")
    complaint = firth(*train("table.jsonl", "--column", "text")).complaint
    assert "text" in complaint
    assert "body" in complaint


def test_a_min_count_that_removes_every_word(firth: Command):
    (firth.folder / "text.txt").write_text("one two two three three three\n", encoding="utf-8")
    complaint = firth(*train("text.txt", "--min-count", 9)).complaint
    assert "--min-count 9" in complaint
    assert "3" in complaint  # the largest count
    assert nothing_written(firth.folder)


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("firth.Corpus.build(['one two', 'three'], tokens=None)", "tokens"),
        ("firth.Corpus.build([['one', 'two'], 'three four'], min_count=1)", "item 1"),
        ("firth.Corpus.build(['one two', ['three', 'four']], min_count=1)", "item 1"),
        ("firth.Corpus.build('one two three four five six seven')", "pass texts as a list"),
        ("g = (t for t in ['one two']); list(g); firth.Corpus.build(g)", "gone through before"),
        ("firth.Corpus.build([])", "gave nothing"),
        ("firth.Corpus.build(7)", "int 7"),
    ],
)
def test_what_only_python_code_can_get_wrong(firth: Command, program: str, told: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(firth.folder)
    monkeypatch.setenv("FIRTH_CACHE", str(firth.cache))
    with pytest.raises(library.FirthError, match=re.escape(told)):
        exec(program, {"firth": library})
    assert nothing_written(firth.folder)


# Options.


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--dim", 0, "--dim 0"),
        ("--window", -1, "--window -1"),
        ("--negative", 0, "--negative 0"),
        ("--epochs", 0, "--epochs 0"),
        ("--lr", "nan", "--lr nan"),
        ("--lr", "inf", "--lr inf"),
        ("--lr", "0", "--lr 0"),
        ("--sample", -1, "--sample -1"),
        ("--threads", 0, "--threads 0"),
        ("--min-count", 0, "--min-count 0"),
        ("--max-size", 0, "--max-size 0"),
        ("--tokens", "word", "--tokens word"),
        ("--sentences", "page", "--sentences page"),
        ("--objective", "hinge", "--objective hinge"),
        ("--every", "5m", "--every 5m: there are no checkpoints"),
    ],
)
def test_options_out_of_range(firth: Command, text: Path, option: str, value: object, told: str):
    complaint = firth(*train("text.txt", option, value)).complaint
    assert told in complaint
    assert "expected" in complaint
    assert not (firth.folder / "out.firth").exists()


@pytest.mark.parametrize("line", ["train skipgram", "lm train lstm", "sentences train skip-thought"])
def test_a_time_between_checkpoints_that_is_none(firth: Command, text: Path, line: str):
    complaint = firth(*line.split(), "text.txt", "-o", "out", "--checkpoint", "state", "--every", "5d").complaint
    assert complaint.startswith("--every 5d: expected seconds, or a time such as")
    assert not (firth.folder / "state").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "skipgram", "text.txt", "-o", "out.firth", "--dim", "wide"],
        ["train", "skipgramm", "text.txt", "-o", "out.firth"],
        ["train", "skipgram", "text.txt"],
        ["train", "skipgram", "text.txt", "-o", "out.firth", "--no-such-flag"],
        ["neighbours", "good.txt"],
        ["no-such-command"],
    ],
)
def test_what_is_not_understood_has_a_status_of_its_own(firth: Command, text: Path, arguments: list[str]):
    ended = firth(*arguments)
    assert ended.status == 2
    assert ended.out == ""
    assert "Usage" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("number", [0, -3])
def test_no_neighbours_wanted(firth: Command, vectors: Path, number: int):
    assert "expected a whole number of at least 1" in firth("neighbours", "good.txt", "red", "-n", number).complaint


# Places to write to, refused before any work.


def test_results_are_not_written_over_a_file(firth: Command, text: Path):
    (firth.folder / "out.firth").write_text("mine", encoding="utf-8")
    assert "is a file" in firth(*train("text.txt")).complaint
    assert (firth.folder / "out.firth").read_text(encoding="utf-8") == "mine"
    assert not firth.cache.exists()


def test_results_are_not_written_over_a_folder_of_something_else(firth: Command, text: Path):
    (firth.folder / "out.firth").mkdir()
    (firth.folder / "out.firth/thesis.tex").write_text("mine", encoding="utf-8")
    assert "folder of something else" in firth(*train("text.txt")).complaint
    assert (firth.folder / "out.firth/thesis.tex").read_text(encoding="utf-8") == "mine"
    assert not firth.cache.exists()


def test_a_place_that_cannot_be_written_is_refused_before_training(firth: Command, text: Path):
    complaint = firth("train", "skipgram", "text.txt", "-o", "text.txt/out.firth", "--quiet").complaint
    assert "text.txt" in complaint
    assert not firth.cache.exists()


def test_a_demo_overwrites_nothing_of_yours(firth: Command):
    (firth.folder / "firth-demo").mkdir()
    (firth.folder / "firth-demo/map.png").write_text("mine", encoding="utf-8")
    assert "firth demo -o NAME" in firth("demo").complaint
    assert (firth.folder / "firth-demo/map.png").read_text(encoding="utf-8") == "mine"


# Vectors.

ASK: list[list[str]] = [
    ["neighbours", "VECTORS", "red"],
    ["similarity", "VECTORS", "red", "blue"],
    ["analogy", "VECTORS", "red", "blue", "green"],
    ["convert", "VECTORS", "copy.firth"],
    ["info", "VECTORS"],
    ["evaluate", "VECTORS", "--similarity", "pairs.txt"],
]
each_question = pytest.mark.parametrize("question", ASK, ids=lambda words: words[0])


def ask(firth: Command, question: list[str], path: str) -> str:
    (firth.folder / "pairs.txt").write_text("red blue 3\nblue green 4\n", encoding="utf-8")
    return firth(*[path if word == "VECTORS" else word for word in question]).complaint


@each_question
def test_vectors_that_do_not_exist(firth: Command, question: list[str]):
    assert "none.txt" in ask(firth, question, "none.txt")
    assert nothing_written(firth.folder)


@each_question
def test_a_directory_where_vectors_were_meant(firth: Command, question: list[str]):
    (firth.folder / "plain").mkdir()
    assert "plain is a folder without firth vectors" in ask(firth, question, "plain")


def damaged(lines: list[str]) -> dict[str, tuple[str, str]]:
    """Ways to damage a word2vec text file, and what must be told of each."""
    return {
        "truncated": ("\n".join(lines[:4]) + "\n", "5"),
        "cut inside a line": ("\n".join(lines)[:-12], "line 6"),
        "wrong count": ("\n".join(["7 4", *lines[1:]]) + "\n", "7"),
        "wrong width": ("\n".join([*lines[:3], lines[3] + " 0.5", *lines[4:]]) + "\n", "line 4"),
        "duplicate": ("\n".join([*lines[:5], lines[1]]) + "\n", "'red'"),
        "nan": ("\n".join([*lines[:5], "garden nan 1 1 1"]) + "\n", "line 6"),
        "not numbers": ("\n".join([*lines[:5], "garden one two three four"]) + "\n", "line 6"),
        "empty": ("", "empty"),
    }


@pytest.mark.parametrize("damage", list(damaged(["5 4", *(f"{word} 1 2 3 4" for word in WORDS)])))
def test_damaged_text_vectors(firth: Command, vectors: Path, damage: str):
    content, told = damaged(vectors.read_text(encoding="utf-8").splitlines())[damage]
    vectors.write_text(content, encoding="utf-8")
    complaint = firth("neighbours", "good.txt", "red").complaint
    assert "good.txt" in complaint
    assert told in complaint


@pytest.mark.parametrize("to", ["firth", "word2vec-binary"])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.99])
def test_truncated_binary_vectors(firth: Command, vectors: Path, to: str, share: float):
    assert firth("convert", "good.txt", "copy", "--to", to).status == 0
    cut = firth.folder / "copy" / "model.safetensors" if to == "firth" else firth.folder / "copy"
    whole = cut.read_bytes()
    cut.write_bytes(whole[: int(len(whole) * share)])
    assert "copy" in firth("neighbours", "copy", "red").complaint


def test_a_pickle_is_never_opened(firth: Command):
    (firth.folder / "model.pkl").write_bytes(b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07Boo\x94.")
    assert "pickle" in firth("info", "model.pkl").complaint


def test_an_unknown_word_has_its_nearest_spellings(firth: Command, vectors: Path):
    for question in (["neighbours", "good.txt", "gardn"], ["similarity", "good.txt", "gardn", "red"]):
        complaint = firth(*question).complaint
        assert "'gardn' is not in the vocabulary" in complaint
        assert "garden" in complaint


def test_an_unknown_word_does_not_cost_the_known_ones_their_answers(firth: Command, vectors: Path):
    ended = firth("neighbours", "good.txt", "red", "gardn", "blue", "--json")
    assert ended.status == 1
    assert [json.loads(line)["query"] for line in ended.out.splitlines()] == ["red", "blue"]
    assert "'gardn'" in ended.err
    assert "Traceback" not in ended.err


def test_convert_to_a_folder_that_is_there(firth: Command, vectors: Path):
    (firth.folder / "there").mkdir()
    (firth.folder / "there/thesis.tex").write_text("mine", encoding="utf-8")
    assert "there" in firth("convert", "good.txt", "there", "--to", "word2vec").complaint
    assert "there" in firth("convert", "good.txt", "there").complaint
    assert [path.name for path in (firth.folder / "there").iterdir()] == ["thesis.tex"]


def test_convert_to_an_unknown_format(firth: Command, vectors: Path):
    assert "expected one of firth" in firth("convert", "good.txt", "copy", "--to", "excel").complaint


# Gold sets.


def test_gold_files_that_are_none(firth: Command, vectors: Path):
    (firth.folder / "prose.txt").write_text("Once upon a time there was.\n", encoding="utf-8")
    (firth.folder / "plain").mkdir()
    for flag in ("--similarity", "--analogies"):
        assert "prose.txt" in firth("evaluate", "good.txt", flag, "prose.txt").complaint
        assert (
            "missing.txt: no such file and no named set" in firth("evaluate", "good.txt", flag, "missing.txt").complaint
        )
        assert "plain" in firth("evaluate", "good.txt", flag, "plain").complaint


def test_a_gold_set_that_is_not_the_pinned_one(firth: Command, vectors: Path):
    (firth.folder / "similarity").mkdir()
    (firth.folder / "similarity/EN-RG-65.txt").write_text("gem jewel 3.94\n", encoding="utf-8")
    complaint = firth("evaluate", "good.txt", "--similarity", "rg-65", "--data", ".").complaint
    assert "1 rows, expected 65" in complaint


def test_a_folder_that_lacks_the_default_sets(firth: Command, vectors: Path):
    assert "holds no similarity/EN-WS-353-ALL.txt" in firth("evaluate", "good.txt", "--data", ".").complaint


# What the user of a debugger wants.


def test_debug_shows_the_traceback_wherever_it_stands(firth: Command, vectors: Path):
    for arguments in (["--debug", "neighbours", "good.txt", "gardn"], ["neighbours", "good.txt", "gardn", "--debug"]):
        ended = firth(*arguments)
        assert ended.status == 1
        assert "Traceback" in ended.err
        assert ended.err.splitlines()[-1].startswith("firth: 'gardn'")


# Trees.


def test_a_wordnet_that_is_nowhere(firth: Command, text: Path):
    ended = firth(*train("text.txt", "--objective", "hierarchical", "--tree", "wordnet"))
    assert "--tree wordnet: expected the environment variable FIRTH_DATA" in ended.complaint
    assert not list(firth.folder.glob("out.firth*"))


def test_a_tree_without_its_objective(firth: Command, text: Path):
    assert "only --objective hierarchical uses a tree" in firth(*train("text.txt", "--tree", "random")).complaint
    assert nothing_written(firth.folder)
