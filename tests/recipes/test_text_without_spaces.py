"""Novels without their spaces: their frequent words are found again."""

import tarfile

import pytest

import firth


def novels(shared_data, count):
    with tarfile.open(shared_data / "books" / "litbank-novels.tar.gz") as files:
        names = [member for member in files.getmembers() if member.isfile()][:count]
        return "\n".join(files.extractfile(name).read().decode("utf-8", "replace") for name in names)


@pytest.mark.slow
def test_frequent_words_are_units(shared_data, recipe):
    """4 novels, 570,000 words, runs of up to 10 characters: measured 91 % of the 3,000 most frequent words."""
    lines = novels(shared_data, 4).splitlines()
    words = firth.Corpus.build(lines, min_count=5, progress=False)
    units, _ = firth.NgramVectors(max_length=10).find_units(recipe["read_characters"](lines))
    assert len(units) == 100_000
    assert recipe["share_found"](words, units.ids) > 0.85


def test_both_are_asked_the_same_pairs_and_skipgram_makes_thirty_passes(recipe, tmp_path, capsys):
    """`zebra` is a word, but too rare for a unit of at least five: its pair counts for neither."""
    text, pairs = tmp_path / "text.txt", tmp_path / "pairs.txt"
    lines = ["the dog sees the cat", "the cat sees the pig", "a pig bites the dog", "a zebra and a zebra"]
    text.write_text("\n".join(line for i in range(60) for line in (lines if i < 3 else lines[:3])), encoding="utf-8")
    pairs.write_text("dog\tcat\t9\ndog\tpig\t5\ncat\tpig\t2\nzebra\tdog\t1\n", encoding="utf-8")
    found, _, _ = recipe["main"](
        [str(text), "--similarity", str(pairs), "--dim=4", "--units=150", "--longest=4", "--threads=1"]
    )
    out = capsys.readouterr().out
    assert "3/4" in out, out
    assert "after 30 passes" in out
    assert 0 < found <= 1


@pytest.mark.experiment
def test_their_vectors_know_what_is_alike(shared_data, recipe, tmp_path):
    """12 novels, 1.2 million words, the options as they are, skip-gram after 30 passes; the figures: see the recipe."""
    text = tmp_path / "novels.txt"
    text.write_text(novels(shared_data, 12), encoding="utf-8")
    pairs = shared_data / "similarity" / "EN-WS-353-ALL.txt"
    found, units, skipgram = recipe["main"]([str(text), "--similarity", str(pairs)])
    assert found >= 0.85
    assert skipgram > 0.3  # a baseline that has learned; after 5 passes it is 0.02
    assert units >= 0.6 * skipgram
