"""`firth classify` and what goes wrong around it: a sentence and exit status 1, and nothing half-written."""

import json
import shutil
import signal

import pytest

from tests.robustness.command import Command, end_by, wait_until

LINES = "".join(f"__label__{'warm red' if i % 2 else 'cold blue'} word{i % 7}\n" for i in range(60))


@pytest.fixture
def texts(firth):
    (firth.folder / "texts.txt").write_text(LINES, encoding="utf-8")
    return firth.folder / "texts.txt"


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A classifier that the installed command trained, once for all tests."""
    firth = Command(tmp_path_factory.mktemp("once"))
    (firth.folder / "texts.txt").write_text(LINES, encoding="utf-8")
    how = ["--dim", 8, "--epochs", 20, "--lr", 1, "--threads", 1, "-q"]
    ended = firth("classify", "train", "texts.txt", "-o", "model", *how)
    assert ended.status == 0, ended.err
    return firth.folder / "model"


@pytest.fixture
def trained(firth, once):
    return shutil.copytree(once, firth.folder / "model")


def test_from_training_to_a_small_model(firth, texts, trained):
    judged = json.loads(firth("classify", "test", trained, texts, "--json", "-q").out)
    assert (judged["texts"], judged["f1"]) == (60, 1.0)
    assert set(judged["labels"]) == {"warm", "cold"}
    told = firth("classify", "predict", trained, "-", "-n", 2, stdin="red\nblue\r\n\nlast")
    assert [line.split("\t")[0] for line in told.out.splitlines()][:2] == ["warm", "cold"]
    assert [len(line.split("\t")) for line in told.out.splitlines()] == [4, 4, 4, 4]
    assert firth("classify", "quantise", trained, "-o", "small.ftz").status == 0
    (firth.folder / "asked.txt").write_text("red\n", encoding="utf-8")
    (answer,) = firth("classify", "predict", "small.ftz", "asked.txt", "--json").out.splitlines()
    assert json.loads(answer)["labels"][0]["label"] == "warm"


def test_a_table_and_a_search(firth):
    rows = "".join(f"{'red' if i % 2 else 'blue'} word,{'warm' if i % 2 else 'cold'}\n" for i in range(40))
    (firth.folder / "table.csv").write_text("text,kind\n" + rows, encoding="utf-8")
    ended = firth(
        "classify", "train", "table.csv", "--labels", "kind", "-o", "model", "--autotune", "table.csv", "--seconds", 2,
        "--threads", 1, "--json", "-q",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    told = json.loads(ended.out)
    assert told["labels"] == 2
    assert 0 < told["score"] <= 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no texts; expected lines of text with labels"),
        ("one\ntwo\n", "no label in 2 texts; expected words that begin with '__label__'"),
        ("__label__a one\n__label__a two\n", "2 texts have one label only, 'a'; expected two"),
        ("__label__a\n__label__b\n", ""),
        ("a\0b", "binary data"),
    ],
)
def test_texts_that_teach_nothing(text, told, firth):
    (firth.folder / "texts.txt").write_text(text, encoding="utf-8")
    ended = firth("classify", "train", "texts.txt", "-o", "model", "--dim", 4, "-q")
    if told:
        assert told in ended.complaint
        assert not (firth.folder / "model").exists()
    else:  # the ends of lines are features, as in fastText
        assert ended.status == 0


def test_a_rate_that_diverges(firth, texts):
    ended = firth("classify", "train", texts, "-o", "model", "--lr", 10000, "--epochs", 50, "-q")
    for told in ("diverged in epoch", "words with lr=10000.0", "use a smaller learning rate"):
        assert told in ended.complaint
    assert not (firth.folder / "model").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["train", "missing.txt", "-o", "new"], "missing.txt: no such file"),
        (["train", "texts.txt", "-o", "new", "--loss", "hinge"], "expected one of softmax"),
        (["train", "texts.txt", "-o", "new.ftz"], "expected a name that ends in .bin"),
        (["train", "texts.txt", "-o", "new", "--autotune", "texts.txt", "--metric", "best"], "expected f1"),
        (["predict", "texts.txt", "texts.txt"], "not a fastText model"),
        (["predict", "model", "texts.txt", "-n", "0"], "-n 0: expected a whole number"),
        (["test", "model", "unlabelled.txt"], "no label in 1 texts"),
        (["quantise", "model", "-o", "new.ftz", "--width", "99"], "--width 99"),
    ],
)
def test_mistakes_get_a_sentence(arguments, told, firth, texts, trained):
    (firth.folder / "unlabelled.txt").write_text("red\n", encoding="utf-8")
    before = {path: path.stat().st_mtime_ns for path in firth.folder.rglob("*")}
    assert told in firth("classify", *arguments, *(["-q"] if arguments[0] in ("train", "test") else [])).complaint
    after = {path: path.stat().st_mtime_ns for path in firth.folder.rglob("*")}
    assert {path for path in after if "cache" not in path.parts and path not in before} == set()
    assert texts.read_text("utf-8") == LINES


def test_a_file_of_fasttexts_that_is_cut_short(firth, texts, trained):
    assert firth("classify", "train", texts, "-o", "whole.bin", "--dim", 8, "-q").status == 0
    whole = (firth.folder / "whole.bin").read_bytes()
    for size in (10, len(whole) - 1):
        (firth.folder / "short.bin").write_bytes(whole[:size])
        assert "short.bin" in firth("classify", "predict", "short.bin", "-", stdin="a\n").complaint


def test_no_command_shows_the_commands(firth):
    ended = firth("classify")
    assert all(name in ended.out + ended.err for name in ("train", "predict", "test", "quantise"))
    assert firth("classify", "learn").status == 2


def test_ctrl_c_keeps_what_was_learned(firth):
    (firth.folder / "texts.txt").write_text(LINES * 200, encoding="utf-8")
    process = firth.start("classify", "train", "texts.txt", "-o", "model", "--epochs", 100_000, "--checkpoint", "state")
    wait_until(lambda: any((firth.folder / "state").glob("*")), process)
    ended = end_by(process, signal.SIGINT)
    assert ended.status == 130, ended.err
    assert "interrupted" in ended.err
    assert firth("classify", "predict", "model", "-", stdin="red\n").out.startswith("warm")
