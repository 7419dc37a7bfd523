"""Language models beside each other: they predict the same tokens, and each has learned something in two epochs."""

import gzip
import itertools
import json
import lzma
import re
from types import SimpleNamespace

import pytest

import firth
from firth.language.text import training_text

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def same_tokens(rows):
    return len({(row["tokens"], row["unknown"], row["ends"], row["vocabulary"]) for row in rows}) == 1


def test_brown(recipe, shared_data, tmp_path, capsys):
    """A fiftieth of the text: counts and a tree beside each other, and a table of both."""
    results = tmp_path / "rows.jsonl"
    brown = ["brown", "--text", str(shared_data / "language" / "brown" / "brown.zip"), "--toy"]
    models = ["--models", "kneser-ney", "hlbl", "--seeds", "0", "1", "--epochs", "2"]
    rows = recipe["main"]([*brown, *models, "--threads", "1", "--results", str(results)])
    assert [(row["model"], row["seed"]) for row in rows] == [("kneser-ney", 0), ("hlbl", 0), ("hlbl", 1)]
    assert same_tokens(rows)
    assert all(row["test"] < row["vocabulary"] / 4 for row in rows)
    assert rows[1]["test"] != rows[2]["test"]
    assert [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()] == rows
    table = results.with_suffix(".md").read_text(encoding="utf-8")
    assert f"| {rows[0]['valid']:.1f} | {rows[0]['test']:.1f} | {rows[0]['without_unknown']:.1f} | 1 |" in table
    assert "| hlbl |" in table
    assert re.search(
        r"\d of \d+ runs of 12 known words of the test text occur in the training text", capsys.readouterr().out
    )


def test_share(recipe, shared_data):
    """A half of the first part is its second half; what is judged stays."""
    brown = ["brown", "--text", str(shared_data / "language" / "brown" / "brown.zip"), "--toy"]
    whole, *judged = recipe["brown"](recipe["arguments_of"](brown))
    half, *others = recipe["brown"](recipe["arguments_of"]([*brown, "--share", "0.5"]))
    assert list(half.ids) == list(whole.ids[len(whole) - len(half) :])
    assert abs(len(half) - len(whole) / 2) <= 1
    assert [list(text.ids) for text in others] == [list(text.ids) for text in judged]


@pytest.fixture
def stopped(recipe, shared_data, tmp_path, monkeypatch):
    """A run of the recipe whose training is interrupted: where its rows would be, and what chose the best model."""
    learned, chosen_by = SimpleNamespace(metadata={"training": {"interrupted": True}}), []
    model = SimpleNamespace(
        training=firth.TrainingOptions(), train=lambda *text, **how: chosen_by.append(how["held_out"]) or learned
    )
    monkeypatch.setitem(recipe["MODELS"], "hlbl", (model, {}))
    brown = ["brown", "--text", str(shared_data / "language" / "brown" / "brown.zip"), "--toy", "--models", "hlbl"]
    with pytest.raises(SystemExit, match="hlbl was interrupted"):
        recipe["main"]([*brown, "--choose", "500", "--results", str(tmp_path / "rows.jsonl")])
    return tmp_path / "rows.jsonl", chosen_by


def test_no_row_of_what_was_interrupted(stopped):
    """Ctrl-C ends a training, which hands back what it had learned: less than it was given time for."""
    results, _ = stopped
    assert not results.exists()


def test_part_of_held_out_text_chooses(stopped):
    _, chosen_by = stopped
    assert [len(text) for text in chosen_by] == [500]


def test_wikipedia(recipe, shared_data, tmp_path, capsys):
    """The first paragraphs of Wikipedia, judged on the first lines of WikiText-2."""
    text, folder = tmp_path / "wiki.txt.xz", tmp_path / "wikitext"
    folder.mkdir()
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz", "rt", encoding="utf-8") as file:
        text.write_bytes(lzma.compress("".join(itertools.islice(file, 600)).encode()))
    for name in ("valid.txt.gz", "test.txt.gz"):
        whole = shared_data / "language" / "wikitext2-valid-test" / name
        with gzip.open(whole, "rt", encoding="utf-8") as file:
            (folder / name).write_bytes(gzip.compress("".join(itertools.islice(file, 80)).encode()))
    arguments = ["wiki", "--text", str(text), "--wikitext", str(folder), "--words", "30000", "--minutes", "0.05"]
    rows = recipe["main"]([*arguments, "--models", "kneser-ney", "hlbl", "--epochs", "2"])
    assert same_tokens(rows)
    assert rows[0]["unknown"] > 0.1 * rows[0]["tokens"]
    assert all(row["test"] < row["vocabulary"] / 4 for row in rows)


def test_wikitext_read_like_other_text(recipe):
    """WikiText's marks of signs inside words are gone, headings too; curly quotation marks are straight."""
    assert recipe["TOKEN"].findall(recipe["plain"]("a 10 @-@ year “ <unk> ” 3 @.@ 5")) == [
        "a", "10", "-", "year", '"', "<unk>", '"', "3", ".", "5",
    ]  # fmt: skip


def test_overlap(recipe):
    """Runs of twelve known words are looked for; an end or an unknown word parts a run."""
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "it", "saw", "two", "dogs", "run", "by"]
    learned = training_text(firth.Corpus.build([words, ["run", *words[:11]]], min_count=1, sentences="text"))
    copied, parted = [words], [words[:6], words[6:]]
    foreign, other = [[*words[:6], "zebra", *words[6:]]], [words[::-1][:12]]
    held_out = recipe["text_of"]([*copied, *parted, *foreign, *other], learned)
    assert recipe["overlap"](learned, held_out) == (3, 2)
    assert recipe["overlap"](learned, recipe["text_of"]([words[:6]], learned)) == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["wiki", "--text", "wiki.txt.xz"], "wiki needs --text"),
        (["brown", "--text", "nowhere.zip"], "there is no nowhere.zip"),
        (["wiki", "--text", ".", "--wikitext", "nowhere"], "there is no nowhere"),
    ],
)
def test_missing_files_are_named(recipe, capsys, arguments, message):
    with pytest.raises(SystemExit, match="2"):
        recipe["arguments_of"](arguments)
    assert message in capsys.readouterr().err
