"""Commands and models under other programs' names are answered with ours, which exist."""

import shlex

import pytest

from firth.cli.synonyms import SYNONYMS, meant

ADVICE = [(group, name, each) for group, names in SYNONYMS.items() for name in names for each in [meant(group, name)]]


@pytest.mark.parametrize("group", SYNONYMS)
def test_what_is_advised_exists(run, group):
    for each in sorted({part for of, _, advice in ADVICE if of == group for part in advice.split(" or ")}):
        words = shlex.split(each)[1:]
        status, out, err = run(*words, *([] if words[-1] in ("--help", "--version") else ["--help"]))
        assert status == 0, f"{each}: {err}"
        assert "firth" in out


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("nn v.firth king", "No such command 'nn'; use firth neighbours"),
        ("train word2vec text.txt", "No such command 'word2vec'; use firth train skipgram or firth train cbow"),
        ("train W2V text.txt", "use firth train skipgram or firth train cbow"),
        ("train CBOW text.txt", "No such command 'CBOW'; use firth train cbow"),
        ("lm train GPT text.txt", "No such command 'GPT'; use firth lm train transformer"),
        ("lm ppl model text.txt", "use firth lm perplexity"),
        ("classify supervised text.txt", "use firth classify train"),
        ("help", "use firth --help"),
        ("trian", "Did you mean 'train'?"),
    ],
)
def test_other_names_are_answered_with_ours(run, line, advice):
    status, _, err = run(*line.split())
    assert status == 2
    assert advice in " ".join(err.replace("│", " ").split())


def test_flags_may_have_one_dash_and_underscores(run, tmp_path):
    (tmp_path / "text.txt").write_text("a b c d e f\n" * 40, encoding="utf-8")
    line = [
        "train",
        "skipgram",
        "text.txt",
        "-output",
        "out.firth",
        "-dim",
        3,
        "--min_count",
        1,
        "-q",
        "-epochs=1",
        "-sample",
        0,
    ]
    status, _, err = run(*line)
    assert (status, err) == (0, "")
    for flag, right in (
        ("-ws", "--window"),
        ("-minCount", "--min-count"),
        ("-t", "--sample"),
        ("--vector_size", "--dim"),
    ):
        status, _, err = run("train", "skipgram", "text.txt", "-o", "out.firth", flag, 5)
        assert status == 2
        assert f"use {right}" in " ".join(err.replace("│", " ").split()), flag
