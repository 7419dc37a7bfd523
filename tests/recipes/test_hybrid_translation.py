"""Words only, hybrid and copying, on made-up pairs: inflected words that few sentences have."""

import itertools
from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

NAMES = ["".join(letters) for letters in itertools.product("kt", "ao", "nr", "ae")]


def test_all_models_are_trained_and_scored(recipe, tmp_path, capsys, monkeypatch):
    table = tmp_path / "pairs.tsv"
    lines = [f"{a}s see {b}s\t{b}nu vat {a}" for a, b in itertools.product(NAMES, NAMES)]
    table.write_text("\n".join(lines), encoding="utf-8")
    recipe["HELD_OUT"].update(test=3, held_out=3)
    names = ("words", "hybrid", "copying")
    saved = [str(tmp_path / name) for name in names]
    for name, path in zip(names, saved, strict=True):
        small = ["--epochs", "1", "--hidden", "8", "--size", "8", "--set", "spelling_hidden=8"]
        monkeypatch.setattr("sys.argv", ["hybrid_translation.py", str(table), name, *small, "-o", path])
        recipe["main"]()
    assert "test: 3 pairs, held_out: 3 pairs, forms: 0 pairs, train: 250 pairs" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["hybrid_translation.py", str(table), "test", *saved])
    recipe["main"]()
    printed = capsys.readouterr().out
    assert "\nall: 3 pairs\n" in printed
    systems = [f"{name} {unknown}" for name in names for unknown in ("kept", "copied", "spelled")]
    systems.remove("words spelled")
    assert all(printed.count(f"  {system}: ") == 2 for system in systems)
    assert all(printed.count(f"  {name} spelled: 0.0 % with <unk>") == 2 for name in names[1:])
    assert "unknown words of references, new, inflected: " in printed
    assert "unknown words of references, names: " in printed


def test_inflected_forms_are_held_out_with_all_their_pairs(recipe):
    """Forms that occur 2 to 40 times, of words that other forms have 20 times; a fifth of them."""
    verbs = ["walk", "call", "jump", "kick", "pull"]
    groups = [[(f"{verb} {number}", f"They {verb} .")] for verb in verbs for number in range(20)]
    groups += [[(f"{verb}en", f"He {verb}s ."), (f"{verb}t", f"She {verb}s here .")] for verb in verbs]
    groups += [[("x", "He zaps ."), ("y", "It zaps .")]]  # a word without other forms
    forms = recipe["held_out_forms"](groups)
    assert len(forms) == 1
    assert forms < {f"{verb}s" for verb in verbs}


def test_new_forms_of_known_words(recipe):
    words = {"yelps", "yelped", "hoped", "hopping", "tries", "bus", "london", "bigger", "moves"}
    known = {"yelp", "hope", "hop", "try", "bigger", "moved", "move"}
    assert recipe["inflected"](words - known, known) == {"yelps", "yelped", "hoped", "hopping", "tries", "moves"}


def test_names_are_capitalised_words_other_than_the_first(recipe):
    pairs = [SimpleNamespace(words=words) for words in (["Then", "Ann", "saw", "\uffedBob"], ["Ann"], [])]
    assert recipe["names"](pairs) == {"Ann", "Bob"}
