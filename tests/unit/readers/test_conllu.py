"""CoNLL-U: words, tags, trees, multiword tokens and empty nodes."""

import gzip
import re

import pytest

from firth.errors import ArgumentTypeError, FormatError, OptionError, ShapeError
from firth.readers.conllu import DependencySentence, read_conllu, write_conllu

SENTENCE = """# sent_id = 1
# text = Vámonos al mar
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\t_\tMood=Imp\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tPP\t_\t1\tobj\t_\t_
2.1\tir\tir\tVERB\t_\t_\t_\t_\t1:conj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t_\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t_\t_
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\t_
"""


def sentences(folder, text, **how):
    path = folder / "a.conllu"
    path.write_text(text, encoding="utf-8")
    return list(read_conllu(path, **how))


def row(number, head, form="w"):
    return f"{number}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n"


def test_the_tree_is_over_words(tmp_path):
    """Multiword tokens and empty nodes stand beside the words, and are not nodes."""
    (found,) = sentences(tmp_path, SENTENCE)
    assert found.words == ("Vamos", "nos", "a", "el", "mar")
    assert found.tokens == ("Vámonos", "al", "mar")
    assert found.heads == (0, 1, 5, 5, 1)
    assert found.tags == ("VERB", "PRON", "ADP", "DET", "NOUN")
    assert found.features[0] == "Mood=Imp"
    assert found.empty_nodes == ((2, "ir"),)
    assert found.multiword_tokens == ((1, 2, "Vámonos"), (3, 4, "al"))
    assert found.comments == ("sent_id = 1", "text = Vámonos al mar")
    assert found.tree.parents == (-1, 0, 4, 4, 0)
    assert found.tree.labels[2] == "case"


def test_sentences_without_trees_are_read_where_they_are_wanted(tmp_path):
    text = row(1, "_") + row(2, "_") + "\n\r\n" + row(1, 0)
    first, second = sentences(tmp_path, text, trees=False)
    assert (first.heads, second.heads) == ((), (0,))
    with pytest.raises(ShapeError):
        _ = first.tree
    with pytest.raises(FormatError, match="line 1: head '_'"):
        sentences(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (row(1, 0) + row(2, 0), r"2 roots \(1, 2\)"),
        (row(1, 0) + row(2, 3) + row(3, 2), "a cycle of the words 2 -> 3 -> 2"),
        (row(1, "_") + row(2, 1), "head '_'"),
        (row(1, "x"), "head 'x'"),
        (row(1, 9), "beyond the 1 words"),
    ],
)
def test_heads_that_nobody_needs_are_ignored(tmp_path, text, problem):
    (found,) = sentences(tmp_path, text, trees=False)
    assert found.heads == ()
    assert re.search(problem, found.tree_problem)
    with pytest.raises(ShapeError, match=f"has no tree .*{problem}.*parse it first"):
        _ = found.tree
    assert str(found) == text.strip()


def test_damaged_sentences_are_skipped_counted_and_listed(tmp_path):
    bad = ["1\tShe\t0\n", row(1, 0) + row(2, 0), row(1, 0) + row(3, 1), row(1, "x"), row(2, 0), row(1, 0, "")]
    text = "".join(f"{row(1, 0, f'good{number}')}\n{each}\n" for number, each in enumerate(bad))
    expected = r"skipped 6 of 12 sentences: line 3: 3 columns, expected 10 .*; line 7: .*; line 13: .*; \.\.\.$"
    with pytest.warns(UserWarning, match=expected):
        found = sentences(tmp_path, text, on_error="skip")
    assert [sentence.words for sentence in found] == [(f"good{number}",) for number in range(6)]
    with pytest.raises(FormatError, match=r"line 3: 3 columns, .*; to leave out such sentences, on_error='skip'$"):
        sentences(tmp_path, text)
    with pytest.raises(FormatError, match="line 1: 3 columns"):  # nothing else to read
        sentences(tmp_path, bad[0], on_error="skip")
    with pytest.raises(OptionError, match="on_error='ignore': expected 'skip' or 'stop'"):
        sentences(tmp_path, text, on_error="ignore")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (row(1, 0) + "\n" + row(1, 2) + row(2, 3) + row(3, 2), "line 3: 0 roots"),
        ("# c\n" + row(1, 0) + row(2, 3) + row(3, 2), "line 2: a cycle of the words 2 -> 3 -> 2"),
        (row(1, 0) + row(2, 0), r"line 1: 2 roots \(1, 2\)"),
        (row(1, 0) + row(2, 9), "line 1: the head of word 2 is 9, beyond the 2 words"),
        (row(1, 0) + row(2, "x"), "line 2: head 'x'"),
        (row(1, 0) + row(3, 1), "line 2: word number '3', expected 2"),
        (row(1, 0) + row("2-2", "_"), "line 2: word number '2-2'"),
        (row("1-3", "_") + row(1, 0), "line 1: multiword tokens 1-3 in a sentence of 1 word,"),
        ("1\tShe\t0\n", "line 1: 3 columns, expected 10"),
        (row(1, 0, ""), "line 1: an empty form"),
        (row(1, "00"), "line 1: head '00'"),
        (row(1, 0) + row("1.x", "_"), "line 2: word number '1.x'"),
        (row(1, 0) + row("1.", "_"), "line 2: word number '1.'"),
        (row(1, 0) + row("1.1.1", "_"), "line 2: word number '1.1.1'"),
        (row("0.1", "_"), "line 1: a sentence without words"),
        ("# only a comment\n", "no sentences"),
    ],
)
def test_what_is_no_sentence(tmp_path, text, problem):
    with pytest.raises(FormatError, match=rf"a\.conllu.*{problem}"):
        sentences(tmp_path, text)


def test_what_nobody_changed_is_written_byte_for_byte(tmp_path):
    (tmp_path / "in.conllu").write_bytes(f"#no space\n{SENTENCE}\n{row(1, 0)}\n".encode())
    write_conllu(tmp_path / "out.conllu", read_conllu(tmp_path / "in.conllu"))
    assert (tmp_path / "out.conllu").read_bytes() == (tmp_path / "in.conllu").read_bytes()


@pytest.mark.slow
def test_every_treebank_is_written_byte_for_byte(shared_data, tmp_path):
    for path in sorted((shared_data / "dependencies").glob("UD_*/*.conllu.gz")):
        write_conllu(tmp_path / "out.conllu", read_conllu(path))
        assert (tmp_path / "out.conllu").read_bytes() == gzip.decompress(path.read_bytes())


def test_other_columns_leave_all_else_as_it_is(tmp_path):
    (found,) = sentences(tmp_path, SENTENCE)
    tags = ["A", "B", "C", "D", "E"]
    other = found.annotated(tags=tags, heads=[2, 0, 2, 2, 2], relations=["x"] * 5)
    assert (other.tags, other.heads, other.relations) == (tuple(tags), (2, 0, 2, 2, 2), ("x",) * 5)
    assert (other.lemmas, other.multiword_tokens, other.empty_nodes) == (
        found.lemmas, found.multiword_tokens, found.empty_nodes,
    )  # fmt: skip
    changed = [(a, b) for a, b in zip(str(found).split("\n"), str(other).split("\n"), strict=True) if a != b]
    assert len(changed) == 5
    assert other.annotated(tags=found.tags, heads=found.heads, relations=found.relations) == found
    with pytest.raises(ShapeError, match="2 values for 5 words"):
        found.annotated(tags=["A", "B"])
    for value in ("", "a\tb", "a\nb"):
        with pytest.raises(FormatError, match="expected '_' for none"):
            found.annotated(lemmas=[value, "b", "c", "d", "e"])
    with pytest.raises(ShapeError, match="2 roots"):
        found.annotated(heads=[0, 0, 1, 1, 1])


@pytest.mark.slow
def test_the_real_one(shared_data):
    """English Web Treebank: 2,001 sentences and 25,147 words for development."""
    found = list(read_conllu(shared_data / "dependencies" / "UD_English-EWT" / "en_ewt-ud-dev.conllu.gz"))
    assert len(found) == 2_001
    assert sum(map(len, found)) == 25_147
    assert all(len(sentence.tree) == len(sentence) for sentence in found)


def test_enhanced_dependencies_go_with_their_tree(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\ta\t_\tX\t_\t_\t2\tdep\t2:dep\t_\n2\tb\t_\tX\t_\t_\t0\troot\t0:root\t_\n\n", encoding="utf-8")
    (sentence,) = read_conllu(path)
    assert [row[8] for row in sentence.annotated(heads=(2, 0), relations=("dep", "root")).rows] == ["2:dep", "0:root"]
    assert [row[8] for row in sentence.annotated(tags=("Y", "Y")).rows] == ["2:dep", "0:root"]
    assert [row[8] for row in sentence.annotated(heads=(0, 1), relations=("root", "dep")).rows] == ["_", "_"]


def test_columns_of_other_kinds():
    sentence = DependencySentence.of(["Ada", "met"])
    with pytest.raises(ArgumentTypeError, match="a column 3: expected a list, with a value for each word"):
        sentence.annotated(tags=3)
    with pytest.raises(ArgumentTypeError, match="a column 'PV': expected a list"):
        sentence.annotated(tags="PV")
    with pytest.raises(ArgumentTypeError, match="a value None: expected a string, '_' for none"):
        sentence.annotated(tags=["PROPN", None])
    with pytest.raises(ArgumentTypeError, match="a head 'a': expected the number of a word from 1, or 0"):
        sentence.annotated(heads=["a", "b"])
