import gzip
import json

import pytest

from firth.errors import FormatError
from firth.readers.sentence_pairs import read_sentence_pairs, read_split_pairs

SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def content(pairs):
    labels = pairs.labels or [None] * len(pairs)
    scores = [None] * len(pairs) if pairs.scores is None else pairs.scores.tolist()
    return list(zip(pairs.first, pairs.second, labels, scores, strict=True))


def test_sick_has_scores_and_labels(tmp_path):
    path = write(tmp_path / "SICK.txt", SICK + "1\tA man runs\tA man walks\t3.6\tNEUTRAL\n2\tA\tB\t5\tENTAILMENT\n")
    pairs = read_sentence_pairs(path)
    assert content(pairs) == [("A man runs", "A man walks", "NEUTRAL", 3.6), ("A", "B", "ENTAILMENT", 5.0)]
    assert pairs.lines.tolist() == [2, 3]


def test_quotes_of_a_table_with_tabs_are_text(tmp_path):
    """As in MSRP, which has a byte order mark and single quotes."""
    text = '\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\tHe said "no.\t"Yes", he said.\n0\t7\t8\ta\tb\n'
    assert content(read_sentence_pairs(write(tmp_path / "msrp.tsv", text))) == [
        ('He said "no.', '"Yes", he said.', "1", None),
        ("a", "b", "0", None),
    ]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("4.4\ta b\tc\n0.8\td\te\n0\tf\tg\n", [("a b", "c", None, 4.4), ("d", "e", None, 0.8), ("f", "g", None, 0.0)]),
        ('"a, b",c,2.5\nd,e,0.0\nf,g,1\n', [("a, b", "c", None, 2.5), ("d", "e", None, 0.0), ("f", "g", None, 1.0)]),
        ("a\tb\t1\nc\td\t0\ne\tf\t1\n", [("a", "b", "1", None), ("c", "d", "0", None), ("e", "f", "1", None)]),
        ("yes\ta\tb\nno\tc\td\nno\te\tf\n", [("a", "b", "yes", None), ("c", "d", "no", None), ("e", "f", "no", None)]),
        ("score,sentence1,sentence2\n1,a,b\n", [("a", "b", None, 1.0)]),
        ("1.5\ta\t\n2\tb\tc\n3\td\te\n", [("a", "", None, 1.5), ("b", "c", None, 2.0), ("d", "e", None, 3.0)]),
    ],
)
def test_tables(tmp_path, text, rows):
    assert content(read_sentence_pairs(write(tmp_path / "pairs.txt", text))) == rows


def test_tables_in_other_ways(tmp_path):
    path = write(tmp_path / "pairs.csv", 'a, b;c;2,5\n"d; e";f;0,0\ng;h;1\n')
    with pytest.warns(UserWarning, match="semicolons between its cells, not commas; said by separator=';'"):
        pairs = read_sentence_pairs(path)
    assert content(pairs)[:2] == [("a, b", "c", None, 2.5), ("d; e", "f", None, 0.0)]
    write(path, "sentence1|sentence2|score\na|b|1\nc|d\ne|f|2\n")
    with pytest.warns(UserWarning, match="skipped 1 of 4 rows: line 3: 2 cells, expected 3"):
        pairs = read_sentence_pairs(path, separator="|", on_error="skip")
    assert (content(pairs)[-1], pairs.lines.tolist()) == (("e", "f", None, 2.0), [2, 4])
    with pytest.raises(FormatError, match=r"line 1: the header a, b, 1; expected, in a header, sentence1"):
        read_sentence_pairs(write(path, "a,b,1\nc,d,0\n"), header=True)


def test_pairs_without_a_gold_label_are_dropped_and_counted(tmp_path):
    items = [{"sentence1": "a", "sentence2": "b", "gold_label": label} for label in ("neutral", "-", "entailment")]
    path = tmp_path / "snli.jsonl.gz"
    path.write_bytes(gzip.compress("".join(f"{json.dumps(item)}\n" for item in items).encode()))
    pairs = read_sentence_pairs(path)
    assert (list(pairs.labels), pairs.dropped, pairs.lines.tolist()) == (["neutral", "entailment"], 1, [1, 3])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("one column\nthe other\n", r"line 1: 1 column, expected two texts and a label or a score between tabs"),
        ("a\tb\n", "line 1: 2 columns, expected two texts and a label"),
        ("1\ta\tb\n2\tc\n3\td\te\n", "line 2: 2 cells, expected 3 as in the first row"),
        ("1\ta\tb\nx\tc\td\n3\td\te\n", "line 2: score 'x', expected a finite number; or, in a header, sentence1"),
        ("nan\ta\tb\n2\tc\td\n3\td\te\n", "line 1: score 'nan'"),
        ("sentence1\tsentence2\tlabel\na\tb\t\n", "line 2: no label"),
        ('{"sentence1": "a", "label": "x"}\n', "line 1: no two texts and a label or a score; expected the keys"),
        ('{"sentence1": "a", "sentence2": "b", "label": "x"}\n["a"]\n', "line 2: no two texts"),
        ('{"sentence1": "a", "sentence2": "b", "label": "x"}\n{"a\n', "line 2: not JSON"),
        ('{"sentence1": "a", "sentence2": "b", "label": "-"}\n', "all 1 pairs have the label '-'"),
        ('a,"b,1\nc,d,2\n', "line 1: the quotation mark that opens a cell here is not closed"),
        ("", "empty"),
    ],
)
def test_what_is_no_file_of_pairs(tmp_path, text, said):
    with pytest.raises(FormatError, match=said):
        read_sentence_pairs(write(tmp_path / "pairs.txt", text))


def test_the_parts_of_a_set_belong_together(tmp_path):
    for name, score in (("SICK_train.txt", 1.5), ("SICK_trial.txt", 2.5), ("SICK_test_annotated.txt", 3.5)):
        write(tmp_path / name, SICK + f"1\ta\tb\t{score}\tNEUTRAL\n")
    pairs = read_split_pairs(tmp_path / "SICK_test_annotated.txt")
    assert pairs.scores.tolist() == [1.5, 2.5, 3.5]
    assert pairs.test.tolist() == [False, False, True]
    assert pairs.development.tolist() == [False, True, False]
    (tmp_path / "SICK_train.txt").unlink()
    assert read_split_pairs(tmp_path / "SICK_test_annotated.txt").test.tolist() == [True]


def test_labels_here_and_scores_there(tmp_path):
    write(tmp_path / "train.tsv", "sentence1\tsentence2\tlabel\na\tb\tx\n")
    write(tmp_path / "test.tsv", "sentence1\tsentence2\tscore\na\tb\t1\n")
    with pytest.raises(FormatError, match="labels in one file and scores in another"):
        read_split_pairs(tmp_path / "test.tsv")


def test_published_sets(shared_data):
    folder = shared_data / "sentence"
    sizes = {}
    for name in ("sick/SICK_test_annotated.txt", "msrp/msr-para-test.tsv", "stsb/stsb-en-test.csv"):
        pairs = read_split_pairs(folder / name)
        train = ~pairs.test & ~pairs.development
        sizes[name.split("/")[0]] = int(train.sum()), int(pairs.development.sum()), int(pairs.test.sum())
    assert sizes == {"sick": (4500, 500, 4927), "msrp": (3576, 500, 1725), "stsb": (5749, 1500, 1379)}
    msrp = read_split_pairs(folder / "msrp" / "msr-para-test.tsv")
    # The larger part of MSRP is for training: with the parts exchanged, 67.5 % of the test pairs would be paraphrases.
    assert sum(label == "1" for label, test in zip(msrp.labels, msrp.test, strict=True) if test) == 1147
