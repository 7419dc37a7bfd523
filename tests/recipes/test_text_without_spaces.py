"""Novels without their spaces: their frequent words are found again."""

import tarfile

import pytest

import firth


def novels(shared_data, count):
    with tarfile.open(shared_data / "books" / "litbank-novels.tar.gz") as files:
        names = [member for member in files.getmembers() if member.isfile()][:count]
        return "\n".join(files.extractfile(name).read().decode("utf-8", "replace") for name in names)


def test_frequent_words_are_units(shared_data, recipe):
    """4 novels, 570,000 words, runs of up to 10 characters: measured 91 % of the 3,000 most frequent words."""
    lines = novels(shared_data, 4).splitlines()
    words = firth.Corpus.build(lines, min_count=5, progress=False)
    units, _ = firth.NgramVectors(max_length=10).find_units(recipe["read_characters"](lines))
    assert len(units) == 100_000
    assert recipe["share_found"](words, units.ids) > 0.85


@pytest.mark.slow
def test_their_vectors_know_what_is_alike(shared_data, recipe, tmp_path):
    """12 novels, 1.2 million words, the options as they are: measured 86 %, and 0.34 beside skip-gram's 0.02."""
    text = tmp_path / "novels.txt"
    text.write_text(novels(shared_data, 12), encoding="utf-8")
    pairs = shared_data / "similarity" / "EN-WS-353-ALL.txt"
    found, units, skipgram = recipe["main"]([str(text), "--similarity", str(pairs)])
    assert found >= 0.85
    assert units >= max(0.15, 0.6 * skipgram)
