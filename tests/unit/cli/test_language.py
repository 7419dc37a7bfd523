import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.cli.app import build_app
from firth.errors import OptionError
from firth.language.comparison import compare_models

NOUNS = ["door", "house", "garden", "letter", "river"]
TEXT = "".join(f"the {a} of the {b} is old\na {a} stands near the {b}\n" for a in NOUNS for b in NOUNS)
HELD_OUT = "the letter of the garden is old\na river stands near the castle\n" * 4
SMALL = ["--min-count", "1", "--discount-fallback", "-q"]


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "held.txt").write_text(HELD_OUT, encoding="utf-8")


@pytest.fixture
def run(capsys):
    """Runs a command line of `firth lm` and returns what it prints."""

    def run(*arguments):
        line = ["lm", *map(str, arguments)]
        with pytest.raises(SystemExit) as ended:
            build_app(line)(line, prog_name="firth")
        assert not ended.value.code
        return capsys.readouterr().out

    return run


@pytest.fixture
def model(run):
    run("train", "kneser-ney", "text.txt", "-o", "four.firth", "--order", 4, *SMALL)
    return firth.load("four.firth")


def test_sentences_of_a_file_and_of_standard_input(run, model, monkeypatch):
    (score,) = model.score("the door of the car")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the door of the car\r\n\nold")))
    first, empty, last = map(json.loads, run("score", "four.firth", "-", "--json").splitlines())
    assert first["sentence"] == "the door of the car"
    assert first["tokens"] == list(score.tokens) == ["the", "door", "of", "the", "<unk>", "</s>"]
    assert first["log_probs"] == score.log_probs.tolist()
    assert (first["log_prob"], first["perplexity"]) == (score.total, score.perplexity)
    assert (empty["tokens"], last["tokens"]) == (["</s>"], ["old", "</s>"])
    lines = run("score", "four.firth", "held.txt").splitlines()
    assert len(lines) == 8
    total, perplexity, words = lines[0].split("\t")
    (score,) = model.score("the letter of the garden is old")
    assert (float(total), float(perplexity)) == pytest.approx((score.total, score.perplexity), abs=0.006)
    assert words == "the letter of the garden is old </s>"
    assert run("score", "four.firth", "held.txt", "--words").splitlines()[0].split("\t")[2].startswith("the:-")


def test_perplexity_is_that_of_python(run, model):
    told = json.loads(run("perplexity", "four.firth", "held.txt", "--json", "-q"))
    assert told == {"model": "four.firth", **model.perplexity("held.txt").described()}
    assert told["unknown"] == 4
    assert run("perplexity", "four.firth", "held.txt", "-q") == f"{model.perplexity('held.txt')}\n"


def test_a_corpus_that_is_built_already_is_judged_as_it_is(run, model):
    corpus = firth.Corpus.build("held.txt", min_count=1)
    assert run("perplexity", "four.firth", corpus.path, "-q") == f"{model.perplexity('held.txt')}\n"


@pytest.mark.parametrize(
    ("flags", "how"),
    [
        ([], {}),
        (["--seed", "3", "-n", "2"], {"seed": 3, "n": 2}),
        (["--unknown", "--top-k", "4"], {"unknown": True, "options": firth.GenerationOptions(top_k=4)}),
        (["--search", "greedy"], {"search": "greedy"}),
        (["--search", "beam", "-n", "7"], {"search": firth.BeamSearch(beams=7), "n": 7}),
        (
            ["--search", "beam", "--beams", "4", "--length-normalisation", "wu", "--max-length", "6"],
            {
                "search": firth.BeamSearch(beams=4, length_normalisation="wu"),
                "options": firth.GenerationOptions(max_length=6),
            },
        ),
        (
            ["--search", "beam", "--forced", "garden", "--forced", "the old", "-n", "2"],
            {"search": "beam", "n": 2, "forced": ["garden", "the old"]},
        ),
    ],
)
def test_writes_what_python_code_would(flags, how, run, model):
    assert run("generate", "four.firth", "the door", *flags).splitlines() == model.generate("the door", **how)


def test_prompts_of_standard_input_and_what_is_told_of_texts(run, model, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a door\nthe\n")))
    rows = [
        json.loads(line) for line in run("generate", "four.firth", "-", "--search", "greedy", "--json").splitlines()
    ]
    assert [row["prompt"] for row in rows] == ["a door", "the"]
    assert [row["text"] for row in rows] == [
        text for prompt in ("a door", "the") for text in model.generate(prompt, search="greedy")
    ]
    (score,) = model.score(rows[0]["text"])
    assert rows[0]["ended"]
    assert rows[0]["score"] == rows[0]["log_prob"]
    assert rows[0]["log_prob"] == pytest.approx(score.log_probs[2:].sum(), abs=1e-9)


def test_beams_belong_to_beam_search(run, model, capsys):
    with pytest.raises(OptionError, match="--beams, --length-power with --search sample"):
        build_app(["lm"])(["lm", "generate", "four.firth", "--beams", "2", "--length-power", "1"])
    with pytest.raises(OptionError, match="--forced with --search greedy: expected --search beam"):
        build_app(["lm"])(["lm", "generate", "four.firth", "--search", "greedy", "--forced", "door"])
    with pytest.raises(OptionError, match=r"coverage_penalty=0\.5: expected a model with attention to a source"):
        model.generate(search=firth.BeamSearch(coverage_penalty=0.5))
    with pytest.raises(SystemExit):
        build_app(["lm"])(["lm", "generate", "four.firth", "--search", "beam", "--coverage-penalty", "0.5"])
    assert "No such option: --coverage-penalty" in capsys.readouterr().err


def test_next_words(run, model):
    told = json.loads(run("next", "four.firth", "the door of", "-n", 2, "--json"))
    expected = model.next_words("the door of", 2)
    assert told["next"] == [{"word": word, "score": p} for word, p in expected]
    assert run("next", "four.firth", "the door of", "-n", 2).splitlines()[0].split() == ["the", f"{expected[0][1]:.4f}"]


def test_models_beside_each_other_and_mixed(run, model):
    run("train", "kneser-ney", "text.txt", "-o", "two.firth", "--order", 2, *SMALL)
    two = firth.load("two.firth")
    expected = compare_models({"four": model, "two": two}, "held.txt")
    rows = [
        json.loads(line)
        for line in run("compare", "four.firth", "two.firth", "--held-out", "held.txt", "-q", "--json").splitlines()
    ]
    assert rows == expected.described()
    assert run("compare", "four.firth", "two.firth", "--held-out", "held.txt", "-q") == f"{expected}\n"
    told = json.loads(
        run("mix", "four.firth", "two.firth", "--held-out", "held.txt", "-o", "both.firth", "-q", "--json")
    )
    both = firth.load("both.firth")
    np.testing.assert_array_equal(list(told["weights"].values()), both.weights)
    np.testing.assert_allclose(both.weights, firth.Mixture.fit([model, two], "held.txt").weights)
    assert set(told["weights"]) == {"four", "two"}
    assert run("mix", "four.firth", "two.firth", "--held-out", "held.txt", "-o", "two-of.firth", "-q").startswith(
        "two-of.firth: "
    )


def test_models_of_one_name_are_told_by_their_folders(run, model, tmp_path):
    (tmp_path / "other").mkdir()
    run("train", "kneser-ney", "text.txt", "-o", "other/four.firth", "--order", 2, *SMALL)
    told = run("compare", "four.firth", "other/four.firth", "--held-out", "held.txt", "-q")
    assert "\nother/four.firth " in told
    with pytest.raises(OptionError, match="a model is named twice"):
        build_app(["lm"])(["lm", "compare", "four.firth", "four.firth", "--held-out", "held.txt"])


def test_says_what_a_model_is(run, model, capsys):
    told = json.loads(run("info", "four.firth", "--json"))
    assert (told["kind"], told["words"], told["tokens"], told["eos"]) == ("n-gram model", 14, "words", True)
    assert told["name"] == "four"
    assert told["training"]["options"]["order"] == 4
    lines = run("info", "four.firth").splitlines()
    assert "eos        yes" in lines
    with pytest.raises(SystemExit):
        build_app(["info"])(["info", "four.firth"])  # the same, where all else is told of
    assert capsys.readouterr().out.splitlines() == lines


def test_an_arpa_file_is_a_model_too(run, model):
    run("convert", "four.firth", "four.arpa.gz")
    told = json.loads(run("convert", "four.arpa.gz", "again.firth", "--json"))
    assert told == {"model": "again.firth", "words": len(model.vocabulary)}
    lines = run("score", "four.firth", "held.txt")
    assert run("score", "four.arpa.gz", "held.txt") == run("score", "again.firth", "held.txt") == lines


def test_a_report_is_a_page_of_all_models(run, model):
    run("train", "kneser-ney", "text.txt", "-o", "two.firth", "--order", 2, *SMALL)
    told = json.loads(
        run("report", "four.firth", "two.firth", "--held-out", "held.txt", "-o", "page.html", "--json", "-q",
            "--samples", 2, "--prompt", "the door")
    )  # fmt: skip
    assert told == {"page": "page.html", "models": ["four", "two"]}
    page = Path("page.html").read_text(encoding="utf-8")
    assert f"{model.perplexity('held.txt').value:,.2f}" in page
    assert page.count("<blockquote>the door") == 4
    with pytest.raises(OptionError, match=r"page\.txt: expected a name that ends in \.html"):
        build_app(["lm"])(["lm", "report", "four.firth", "--held-out", "held.txt", "-o", "page.txt"])


def test_the_rule_for_words_of_an_arpa_file(run, model):
    """A file of ours has its rule; for another one every command that reads text takes it."""
    loud = Path("loud.txt")
    loud.write_text(HELD_OUT.upper(), encoding="utf-8")
    run("convert", "four.firth", "four.arpa")
    Path("bare.arpa").write_text(Path("four.arpa").read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
    told = json.loads(run("perplexity", "four.arpa", loud, "--json", "-q"))["perplexity"]
    assert told == pytest.approx(model.perplexity("held.txt").value, rel=1e-6)
    rule = ("--tokens", "words", "-q")
    assert json.loads(run("perplexity", "bare.arpa", loud, *rule, "--json"))["perplexity"] == told
    assert run("score", "bare.arpa", loud, *rule) == run("score", "four.arpa", loud, "-q")
    assert "the door" in run("generate", "bare.arpa", "THE Door", *rule)
    assert run("next", "bare.arpa", "THE", *rule) == run("next", "four.arpa", "THE", "-q")
    assert "four / bare: 1.000 times" in run("compare", "bare.arpa", "four.arpa", "--held-out", loud, *rule)
    run("convert", "bare.arpa", "bare.firth", *rule)
    assert firth.load("bare.firth").rules == model.rules
    for name in ("four.arpa", "four.firth"):
        with pytest.raises(OptionError, match="--tokens text8, but the model reads text with --tokens words; leave"):
            build_app(["lm"])(["lm", "score", name, "held.txt", "--tokens", "text8"])


def test_line_breaks_of_a_play_on_the_command_line(run):
    Path("play.txt").write_text("ROMEO:\nAy me!\n\nJULIET:\nO Romeo!\n\n" * 9, encoding="utf-8")
    reading = ("--tokens", "characters", "--sentences", "text")
    run("train", "kneser-ney", "play.txt", "-o", "play.arpa", *reading, *SMALL, "--held-out", "play.txt")
    told = json.loads(run("perplexity", "play.arpa", "play.txt", "--json", "-q"))
    assert (told["unit"], told["words"], told["eos"]) == ("characters", 9 * 33 - 1, 1)
    assert "ROMEO:\nAy me!\n\nJULIET:" in run("generate", "play.arpa", "ROMEO:", "--search", "greedy", "-q")
