"""GAP: pronouns with two names."""

import pytest

from firth.errors import FormatError
from firth.readers.gap import COLUMNS, read_gap

TEXT = 'Ann "met" Zoë; she left.'
ROW = ["dev-1", TEXT, "she", "15", "Ann", "0", "FALSE", "Zoë", "10", "TRUE", "http://x"]


def read(folder, *rows, header=COLUMNS):
    path = folder / "a.tsv"
    path.write_text("\n".join("\t".join(row) for row in (header, *rows)) + "\n", encoding="utf-8")
    return list(read_gap(path))


def test_an_example(tmp_path):
    (example,) = read(tmp_path, ROW)
    assert (example.name, example.text, example.pronoun, example.pronoun_offset) == ("dev-1", TEXT, "she", 15)
    assert (example.names, example.name_offsets, example.refers) == (("Ann", "Zoë"), (0, 10), (False, True))
    assert example.gender == "female"
    (other,) = read(tmp_path, ["dev-2", "He, Ann, Zoë", "He", "0", "Ann", "4", "TRUE", "Zoë", "9", "FALSE", ""])
    assert other.gender == "male"


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        (3, "14", "line 2: offset '14' of 'she'"),
        (3, "x", "line 2: offset 'x'"),
        (5, "-1", "line 2: offset '-1' of 'Ann'"),
        (6, "maybe", "line 2: label 'maybe'; expected TRUE or FALSE"),
        (2, "it", "line 2: the pronoun 'it'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, column, value, problem):
    row = list(ROW)
    row[column] = value
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, row)


def test_headers_and_columns(tmp_path):
    with pytest.raises(FormatError, match="line 1: the header 'id'"):
        read(tmp_path, ROW, header=["id"])
    with pytest.raises(FormatError, match="line 2: 3 columns"):
        read(tmp_path, ROW[:3])
    with pytest.raises(FormatError, match="a header without examples"):
        read(tmp_path)


def test_the_corpus_has_as_many_male_as_female_pronouns(shared_data):
    """Webster et al. 2018, table 3: 2,000 examples of development, half of them female; 201 refer to neither name."""
    examples = list(read_gap(shared_data / "coreference" / "gap-coreference" / "gap-development.tsv"))
    assert len(examples) == 2000
    assert sum(example.gender == "female" for example in examples) == 1000
    assert sum(not any(example.refers) for example in examples) == 201
