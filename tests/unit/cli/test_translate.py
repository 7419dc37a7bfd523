"""`firth translate`: train, predict and test."""

import gzip
import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.cli import translate
from firth.cli.app import build_app
from firth.errors import FormatError, MissingFileError, OptionError, ShapeError

TINY = ["--source-units", "words", "--target-units", "words", "--hidden", "8", "--epochs", "1", "--min-count", "1"]
TEXTS = ["a b c", "b a", "c c a b", "a", "b c b a c"] * 4


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.x").write_text("\n".join(TEXTS) + "\n\n", encoding="utf-8")
    (tmp_path / "train.y").write_text("\n".join(TEXTS).upper() + "\n\n", encoding="utf-8")


def run(*arguments):
    line = [*arguments]
    with pytest.raises(SystemExit) as ended:
        build_app(line)(line, prog_name="firth")
    return ended.value.code or 0


def trained(name="t", *more):
    held_out = ["--held-out", "train.x", "--held-out", "train.y"]
    assert run("translate", "train", "train.x", "train.y", "-o", name, *held_out, "-q", "--json", *TINY, *more) == 0


def test_candidate_lists_are_learned_and_saved(capsys):
    trained()
    capsys.readouterr()
    lists = ["--per-token", "2", "--frequent", "3"]
    assert run("translate", "candidates", "t", "train.x", "train.y", "-o", "fast", "-q", *lists) == 0
    assert capsys.readouterr().out == "fast: 6 source tokens x 2, 3 frequent target tokens\n"
    model = firth.load("t").with_candidates(("train.x", "train.y"), per_token=2, frequent=3)
    assert firth.load("fast").candidates.by_source.tolist() == model.candidates.by_source.tolist()
    assert (
        run("translate", "candidates", "t", "train.x", "train.y", "-o", "fast", "--overwrite", "-q", "--json", *lists)
        == 0
    )
    assert json.loads(capsys.readouterr().out) == {"path": "fast", "tokens": 6, "per_token": 2, "frequent": 3}
    with pytest.raises(OptionError, match="--per-token 0: expected a whole number"):
        run("translate", "candidates", "t", "train.x", "train.y", "-o", "no", "-q", "--per-token", "0")


def test_train_predict_and_test(capsys, tmp_path):
    trained()
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["pairs"], facts["target_size"]) == ("attention", 20, 6)
    assert facts["dropped"] == {"empty": 1}
    (tmp_path / "in").write_text("a b\n\nb\n", encoding="utf-8")
    assert run("translate", "predict", "t", "in", "-q") == 0
    lines = capsys.readouterr().out.split("\n")
    model = firth.load("t")
    assert lines == [*(each.text for each in model.translate(["a b", "", "b"])), ""]
    assert run("translate", "predict", "t", "in", "-q", "--n-best", "2", "--beam", "3") == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == ["1", "1", "2", "3", "3"]
    assert run("translate", "predict", "t", "in", "-q", "--temperature", "1", "--seed", "3") == 0
    sampled = firth.GenerationOptions(max_length=model.options.max_length + 1, temperature=1)
    drawn = [each.text for each in model.translate(["a b", "", "b"], options=sampled, seed=3)]
    assert capsys.readouterr().out.split("\n") == [*drawn, ""] != lines
    assert run("translate", "predict", "t", "in", "-q", "--json", "--attention", "--ensemble", "t") == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["source_tokens"] == ["a", "b"]
    assert len(first["attention"]) == len(first["tokens"]) + 1
    assert run("plot", "attention", "t", "a b", "--json", "-q") == 0
    cells = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(cells) == 3 * len(first["attention"])
    assert {cell["source"] for cell in cells} == {"a", "b", "</s>"}
    assert run("plot", "attention", "t", "a b", "--target", "C A", "-q") == 0
    table = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert table[2] == ["a", "b", "</s>"]
    assert [row[0] for row in table[3:6]] == ["C", "A", "</s>"]
    assert run("info", "t", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["kind"] == "translator"
    assert facts["training"]["pairs"] == 20
    assert run("translate", "test", "t", "train.x", "train.y", "-q", "--metrics", "exact", "--beam", "1") == 0
    assert "exact" in capsys.readouterr().out


def test_finished_lines_are_kept_after_an_interrupt(capsys, monkeypatch, tmp_path):
    trained()
    capsys.readouterr()
    monkeypatch.setattr(translate, "LINES", 2)
    (tmp_path / "in").write_text("a\nb\nc\na b\n", encoding="utf-8")
    firth.load("t")
    from firth.neural.models.translation.predict import TranslationModel

    usual = TranslationModel.translate

    def interrupted(self, texts, **how):
        if "c" in texts:
            raise KeyboardInterrupt
        return usual(self, texts, **how)

    monkeypatch.setattr(TranslationModel, "translate", interrupted)
    line = ["translate", "predict", "t", "in", "-q"]
    with pytest.raises((SystemExit, KeyboardInterrupt)):
        build_app(line)(line, prog_name="firth")
    assert capsys.readouterr().out.count("\n") == 2


def test_bad_input_is_named(tmp_path):
    (tmp_path / "short").write_text("a\n", encoding="utf-8")
    line = ["translate", "train", "train.x", "short", "-o", "u", *TINY]
    with pytest.raises(ValueError, match="21 sources and 1 targets"):
        build_app(line)(line, prog_name="firth")
    with pytest.warns(UserWarning, match="8 of 20 (held-out )?pairs have more than 3 tokens: they are left out"):
        trained("t", "--max-length", "3")
    line = ["translate", "predict", "t", "train.x", "--refuse-long"]
    with pytest.raises(OptionError, match="text 3 has more than 3 tokens"):
        build_app(line)(line, prog_name="firth")
    for line, wrong in (
        (["plot", "attention", "t", "train.x", "-o", "a.png"], "train.x is a file; expected a text"),
        (["plot", "attention", "t", " ", "-o", "a.png"], "an empty text"),
        (["translate", "predict", "t", "train.x", "--attention"], "--attention is a part of JSON"),
    ):
        with pytest.raises(OptionError, match=wrong):
            build_app(line)(line, prog_name="firth")
    line = ["translate", "predict", "t", "short", "--dictionary", "d"]
    with pytest.raises(MissingFileError, match="expected a dictionary"):
        build_app(line)(line, prog_name="firth")
    for content, wrong in (("a A\n", "d line 1: no tab"), ("a\tA\nü\tÜ", "d line 2: not UTF-8"), ("\n", "d: empty")):
        (tmp_path / "d").write_text(content, encoding="latin-1")
        with pytest.raises(FormatError, match=wrong):
            build_app(line)(line, prog_name="firth")
    (tmp_path / "d.gz").write_bytes(gzip.compress("\ufeffa\t\u0085A\n".encode()))
    assert run(*line[:-1], "d.gz", "-q") == 0


def test_tables_of_pairs_in_other_ways(capsys, tmp_path):
    """Every command that reads pairs has the flags of tables."""
    rows = "".join(f"{i};{text.upper()};{text}\n" for i, text in enumerate(TEXTS))
    (tmp_path / "pairs.csv").write_text(rows + "lost\n", encoding="utf-8")
    table = ["--separator", "semicolon", "--no-header", "--columns", "3", "2"]
    train = ["translate", "train", "pairs.csv", "-o", "t", "-q", "--json", *TINY, *table]
    with pytest.raises(FormatError, match=r"line 21: 1 cell, expected 3 .*--on-error skip"):
        run(*train)
    table += ["--on-error", "skip"]
    with pytest.warns(UserWarning, match="skipped 1 of 21 rows"):
        assert run(*train, "--on-error", "skip") == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == 18
    assert "a" in firth.load("t").source.words
    for line in (
        ["translate", "test", "t", "pairs.csv", "-q", "--metrics", "exact", "--beam", "1"],
        ["translate", "candidates", "t", "pairs.csv", "-o", "fast", "-q"],
        ["summarize", "train", "pairs.csv", "-o", "s", "-q", "--hidden", "8", "--epochs", "1"],
        ["summarize", "test", "s", "pairs.csv", "-q", "--beam", "1"],
    ):
        with pytest.warns(UserWarning, match="skipped 1 of 21 rows"):
            assert run(*line, *table) == 0
    with pytest.raises(OptionError, match=r"--separator ';': says how tables of pairs are written, and pairs is none"):
        run("translate", "test", "t", "train.x", "train.y", "--separator", ";")


def test_translations_that_are_given_are_scored(capsys, tmp_path):
    trained()
    (tmp_path / "in").write_text("a b\nb\n", encoding="utf-8")
    (tmp_path / "gold").write_text("A B\nC\n", encoding="utf-8")
    capsys.readouterr()
    assert run("translate", "predict", "t", "in", "-q", "--targets", "gold") == 0
    given = firth.load("t").translate(["a b", "b"], targets=["A B", "C"])
    lines = [f"{number}\t{each.score:.4f}\t{each.text}" for number, each in enumerate(given, 1)]
    assert capsys.readouterr().out.splitlines() == lines
    assert run("translate", "predict", "t", "in", "-q", "--targets", "gold", "--json", "--attention") == 0
    facts = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [len(each["token_log_probs"]) for each in facts] == [3, 2]
    assert len(facts[0]["attention"]) == 3
    for text in ("A B\n", "A\nB\nC\n"):
        (tmp_path / "gold").write_text(text, encoding="utf-8")
        with pytest.raises(ShapeError, match=r"ends after . lines?, .* does not; expected a line for each text"):
            run("translate", "predict", "t", "in", "-q", "--targets", "gold")
    with pytest.raises(OptionError, match=r"to score the translations of a file, give --targets .*gold"):
        run("translate", "predict", "t", "in", "-q", "--forced", str(tmp_path / "gold"))


def test_glossaries_prefixes_and_forced_phrases(capsys, tmp_path):
    trained()
    (tmp_path / "in").write_text("a b\nb\n", encoding="utf-8")
    (tmp_path / "terms").write_text("a b\tC A\nb\tA\nb\tB B\n", encoding="utf-8")
    (tmp_path / "begin").write_text("A\n\n", encoding="utf-8")
    capsys.readouterr()
    line = ["translate", "predict", "t", "in", "-q", "--beam", "8", "--glossary", "terms", "--prefixes", "begin"]
    with pytest.warns(UserWarning, match="terms: 1 word has several translations, such as 'b'; the last one counts"):
        assert run(*line, "--forced", "B C") == 0
    entries, forced = {"a b": "C A", "b": "B B"}, ["B C"]
    found = firth.load("t").translate(["a b", "b"], glossary=entries, prefixes=["A", ""], forced=forced, beam=8)
    assert capsys.readouterr().out.splitlines() == [each.text for each in found]
    (tmp_path / "terms").write_text("b\tB B\n", encoding="utf-8")
    assert run("translate", "test", "t", "train.x", "train.y", "-q", "--glossary", "terms", "--metrics", "exact") == 0
    (tmp_path / "terms").write_text("a\tb\tc\n", encoding="utf-8")
    with pytest.raises(FormatError, match="terms line 1: 3 columns; expected a word and its translation between tabs"):
        run(*line)


def test_errors_of_later_batches_say_from_which_line_they_count(monkeypatch, tmp_path):
    trained()
    monkeypatch.setattr(translate, "LINES", 2)
    (tmp_path / "in").write_text("a\nb\na\n" + "b " * 200 + "\n", encoding="utf-8")
    with pytest.raises(OptionError, match=r"text 2 has more than 100 tokens.*; counted from line 3 of in"):
        run("translate", "predict", "t", "in", "-q", "--refuse-long")
