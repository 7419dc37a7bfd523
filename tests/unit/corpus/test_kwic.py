"""Aligned lines, by the cells that a terminal gives a letter."""

from rich.cells import cell_len

from firth.corpus.kwic import Occurrence, kwic_lines

FOUND = [
    Occurrence("texts/a.txt", 3, "a long way to the sense of ", "honour", " that was lost to us all", ""),
    Occurrence(
        "texts/a_rather_long_name.txt", 1234, "他們說有的人以為", "榮譽", "是最重要的東西，沒有榮譽就沒有一切。", ""
    ),
    Occurrence("texts/a.txt", 5, "Ἡ ", "τιμή", ".", ""),
]


def test_words_stand_below_each_other_in_any_script():
    lines = kwic_lines(FOUND, 60)
    assert all(cell_len(line) <= 60 for line in lines)
    starts = [cell_len(line[: line.index(each.match)]) for line, each in zip(lines, FOUND, strict=True)]
    assert len(set(starts)) == 1
    assert lines[1].startswith("a_rather_long_na…:1234  ")
    assert lines[2].rstrip().endswith("Ἡ τιμή.")


def test_one_file_is_not_named():
    assert [line.split()[0] for line in kwic_lines([FOUND[0], FOUND[2]])] == ["3", "5"]
