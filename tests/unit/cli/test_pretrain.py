"""`firth pretrain MODEL`: its help, and what it refuses."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


@pytest.fixture
def text(tmp_path):
    (tmp_path / "text.txt").write_text("the cat sat on the mat\n" * 40, encoding="utf-8")
    return "text.txt"


def test_help_lists_the_tokens_that_an_encoder_reads(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    _, out, _ = run("pretrain", "masked", "--help")
    assert "One of wordpieces, cased-wordpieces. Default: wordpieces." in out
    assert "text8" not in out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ["--tokens", "unicode"],
            "--tokens unicode: an encoder reads word pieces; expected one of wordpieces, cased-wordpieces",
        ),
        (
            ["--start", "text.txt"],
            "text.txt is a file that holds no model, expected the folder of a contextual encoder",
        ),
        (["--mask-rate", "1.5"], "--mask-rate 1.5: expected a finite number above 0 and at most 0.99"),
        (
            ["--tokens", "Cased-wordpieces", "--max-size", "3"],
            "--max-size 3 with --tokens cased-wordpieces: expected at least 69",
        ),
    ],
)
def test_what_is_refused(run, text, flags, message):
    status, _, err = run("pretrain", "masked", text, "-o", "out", "-q", *flags)
    assert status == 1
    assert err == f"firth: {message}\n"


def test_a_generator_without_a_width_is_refused_as_a_flag(run, text):
    status, _, err = run("pretrain", "electra", text, "-o", "out", "-q", "--generator", "0")
    assert status == 1
    assert err == "firth: --generator 0.0: expected a finite number above 0 and at most 1\n"


def test_a_held_out_text_without_words_is_named(run, text, tmp_path):
    (tmp_path / "blank.txt").write_text("\n\n", encoding="utf-8")
    tiny = ["--dim", "8", "--layers", "1", "--heads", "1", "--epochs", "1", "--max-length", "12"]
    status, _, err = run("pretrain", "masked", text, "-o", "out", "-q", "--held-out", "blank.txt", *tiny)
    assert status == 1
    assert f"{tmp_path / 'blank.txt'} holds no words (tokens=WordPieces)" in err
