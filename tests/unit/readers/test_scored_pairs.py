import pytest

from firth.data import SETS
from firth.errors import FormatError
from firth.readers.scored_pairs import read_scored_pairs


def written(folder, text, encoding="utf-8"):
    path = folder / "gold.txt"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    "text",
    [
        "tiger\tcat\t7.35\nplane\tcar\t5.77\n",
        "tiger cat 7.35\nplane   car 5.77",
        "tiger,cat,7.35\r\nplane,car,5.77\r\n",
        "tiger;cat;7.35\nplane;car;5.77\n",
        "word1;word2;score\r\ntiger;cat;7,35\r\nplane;car;5,77\r\n",  # a European spreadsheet
        "tiger\tcat\t7,35\nplane\tcar\t5,77\n",
        '"tiger","cat","7.35"\n"plane","car","5.77"\n',
        "# from a paper\n\ntiger\tcat\t7.35\n# more\nplane\tcar\t5.77\n\n",
        "\ufeffWord 1,Word 2,Human (mean)\ntiger,cat,7.35\nplane,car,5.77\n",
        # WordSim-353 with all raters: the heading holds numbers too
        "Word 1\tWord 2\tHuman (mean)\t1\t2\ntiger\tcat\t7.35\t9\t8\nplane\tcar\t5.77\t6\t6\n",
        # SimLex-999's own table
        "word1\tword2\tPOS\tSimLex999\tconc(w1)\ntiger\tcat\tN\t7.35\t2.72\nplane\tcar\tN\t5.77\t4.1\n",
        # SimVerb-3500: no heading, a class before the score and a relation after it
        "tiger\tcat\tV\t7.35\tSYNONYMS\nplane\tcar\tV\t5.77\tNONE\n",
        # Agirre's split: the relation stands before the words
        "# rel\nt\ttiger\tcat\t7.35\nh\tplane\tcar\t5.77\n",
        # an index column, as pandas writes
        ",word1,word2,similarity\n0,tiger,cat,7.35\n1,plane,car,5.77\n",
        "tiger-n cat-n 7.35\nplane-n car-n 5.77\n",
    ],
)
def test_the_usual_formats(tmp_path, text):
    gold = read_scored_pairs(written(tmp_path, text))
    assert gold.pairs == [("tiger", "cat"), ("plane", "car")]
    assert gold.scores.tolist() == [7.35, 5.77]


def test_words_may_hold_spaces_where_columns_have_separators(tmp_path):
    gold = read_scored_pairs(written(tmp_path, "New York\tBig Apple\t9\nNew York\tcat\t0\n"))
    assert gold.pairs == [("New York", "Big Apple"), ("New York", "cat")]


def test_a_hyphen_that_is_the_words_own_stays(tmp_path):
    assert read_scored_pairs(written(tmp_path, "plan-b plan-c 3\ncat dog 4\n")).pairs == [
        ("plan-b", "plan-c"),
        ("cat", "dog"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("# nothing\n", "empty"),
        ("tiger cat 7\nplane car\n", "line 2: 2 columns, expected 3"),
        ("tiger cat\nplane car\n", "line 1: 2 columns, expected two words and a score"),
        ("tiger cat 7\nplane car x\ncar bus 3\n", "line 2: score 'x', expected a finite number"),
        ("tiger cat nan\nplane car 3\ncar bus 3\n", "line 1: score 'nan', expected a finite number"),
        ("tiger cat dog\nplane car bus\n", "no column of scores"),
        ("1 2 3\n4 5 6\n", "no column of scores"),
    ],
)
def test_what_is_no_set_of_pairs_is_refused(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read_scored_pairs(written(tmp_path, text))


def test_text_that_is_not_utf8_is_said(tmp_path):
    with pytest.warns(UserWarning, match="not UTF-8; read as cp1252, which gives 'café'"):
        assert (
            read_scored_pairs(written(tmp_path, "tiger cat 7\ncafé bar 3\n", encoding="latin-1")).pairs[1][0] == "café"
        )


def test_damaged_utf8_is_refused(tmp_path):
    path = written(tmp_path, "tiger cat 7\nœuvre éèàç 3\n")
    path.write_bytes(path.read_bytes() + b"b\xe9b\xe9 x 1\n")
    with pytest.raises(FormatError, match="line 3: not UTF-8 text at byte"):
        read_scored_pairs(path)


@pytest.mark.parametrize("pinned", [one for one in SETS.values() if one.kind == "similarity"], ids=lambda one: one.name)
def test_reads_every_pinned_set_whole(shared_data, pinned):
    gold = read_scored_pairs(shared_data / pinned.path)
    assert len(gold.pairs) == pinned.rows
    assert all(word and " " not in word for pair in gold.pairs for word in pair)


def test_reads_other_tables_as_published(shared_data):
    table = read_scored_pairs(shared_data / "relations/counter-fitting/SimLex-999.txt")
    plain = read_scored_pairs(shared_data / "similarity/EN-SIMLEX-999.txt")
    assert table.pairs == plain.pairs
    assert table.scores.tolist() == plain.scores.tolist()
    indexed = read_scored_pairs(shared_data / "similarity/EN-SemEval17.csv")
    assert len(indexed.pairs) == 500
    assert indexed.pairs[1] == ("Promised Land", "Baku")
