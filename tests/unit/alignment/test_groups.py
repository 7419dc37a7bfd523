from functools import partial

import numpy as np
import pytest

import firth
from firth.alignment.groups import Groups
from firth.errors import CorpusError, OptionError

A = ["the cat sat and\nthe dog and", "the cat", "a rare cat"]
B = ["the dog ran and", "the dog ran home and"]


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    return partial(read_groups, folder=tmp_path)


def read_groups(first, second, folder, **text):
    return Groups.read(
        (first, second), ("a", "b"), text, folder, defaults=None, threads=1, progress=False
    )  # fmt: skip


def sentences(corpus):
    return [
        [corpus.vocabulary.words[i] for i in corpus.ids[start:end]]
        for start, end in zip(corpus.offsets, corpus.offsets[1:], strict=False)
    ]


def test_both_groups_have_the_same_words_and_each_its_counts(read):
    """Of 21 tokens "sat", "a", "rare" and "home" stand once, and are left out."""
    groups = read(A, B, min_count=2)
    assert list(groups.corpus.vocabulary.words) == ["the", "and", "cat", "dog", "ran"]
    assert groups.counts.tolist() == [[3, 2, 3, 1, 0], [2, 2, 0, 2, 2]]
    assert [" ".join(sentence) for sentence in sentences(groups.corpus)] == [
        "the cat and", "the dog and", "the cat", "cat", "the dog ran and", "the dog ran and",
    ]  # fmt: skip
    assert groups.corpus.documents.tolist() == [0, 2, 3, 4, 5, 6]
    assert (groups.sizes, groups.tokens, groups.unit) == ((3, 2), (9, 8), "documents")
    assert groups.compared().tolist() == [True, True, False, False, False]


def test_blocks_make_no_difference(read, monkeypatch):
    whole = read(A, B, min_count=1)
    ids, offsets = whole.corpus.ids.tolist(), whole.corpus.offsets.tolist()
    monkeypatch.setattr("firth.alignment.groups.BLOCK", 1)
    again = read(A, B, min_count=1)
    assert (again.corpus.ids.tolist(), again.corpus.offsets.tolist()) == (ids, offsets)
    assert again.counts.tolist() == whole.counts.tolist()


def test_the_largest_vocabulary_is_that_of_both(read):
    assert list(read(A, B, min_count=1, max_size=2).corpus.vocabulary.words) == ["the", "and"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("cat", "'cat' is too rare in b: 0 there, 3 in a; expected at least 2 in each; lower min_count=2, or"),
        ("dog", "'dog' is too rare in a: 1 there, 2 in b;"),
        ("sat", "'sat' is too rare in both groups: 1 in a, 0 in b;"),
    ],
)
def test_a_word_is_too_rare_in_a_group(read, word, said):
    assert str(read(A, B, min_count=2).tally.rare(word)).startswith(said)


def test_words_are_compared_from_five_times_on(read):
    """Words that stand less often take part in the training, and are not compared."""
    groups = read([*A, "the the and and and"], [*B, "the the the and and and"])
    assert groups.counts[:, :2].tolist() == [[5, 5], [5, 5]]
    assert "sat" in groups.corpus.vocabulary
    assert groups.compared().sum() == 2


def test_a_word_of_neither_group_is_not_rare(read):
    assert read(A, B, min_count=2).tally.rare("zebra") is None


def test_a_corpus_that_has_left_rare_words_out(read):
    groups = read(firth.Corpus.build(A, min_count=2), firth.Corpus.build(B, min_count=2), min_count=2)
    assert groups.tally.min_count == 2
    assert "'ran' is too rare in a: less than 2 there, 2 in b" in str(groups.tally.rare("ran"))


def test_divisions_are_others_and_have_the_same_sizes(read):
    """Five documents can be divided into three and two in ten ways, one of which is given."""
    groups = read(A, B, min_count=1)
    found = groups.divisions(9, seed=3)
    assert {tuple(first) for first, _ in found} | {(0, 1, 2)} == {
        (i, j, k) for i in range(5) for j in range(i + 1, 5) for k in range(j + 1, 5)
    }
    assert all(sorted([*first, *second]) == list(range(5)) for first, second in found)
    assert [first.tolist() for first, _ in groups.divisions(4, seed=3)] == [first.tolist() for first, _ in found[:4]]
    with pytest.raises(OptionError, match=r"permutations=10: 3 and 2 documents can be divided anew in 9 ways only"):
        groups.divisions(10, seed=3)


def test_groups_of_one_size_have_each_division_once(read):
    """Four documents can be divided into two pairs in three ways, one of which is given."""
    groups = read(A[:2], B, min_count=1)
    assert {0 in first for first, _ in groups.divisions(2, seed=1)} <= {True, False}
    with pytest.raises(OptionError, match="in 2 ways only"):
        groups.divisions(3, seed=1)


def test_samples_stay_in_their_group(read):
    first, second = read(A, B, min_count=1).resampled(1)
    assert (len(first), len(second)) == (3, 2)
    assert max(first) < 3 <= min(second)
    assert np.array_equal(read(A, B, min_count=1).resampled(1)[0], first)


@pytest.mark.parametrize(
    ("first", "second", "text", "said"),
    [
        (A[:1], B, {}, "a is one text, or one file, whose documents are not known, and the other group has several"),
        (["the cat"], ["a dog"], {}, "a is a single sentence: what chance does cannot be told from it"),
        (A, B, {"tokens": "subwords"}, "would be learned from each group by itself"),
        (A, B, {"unknown": "<unk>"}, "a contrast leaves rare words out, and has no word for them"),
    ],
)
def test_what_cannot_be_contrasted(read, first, second, text, said):
    with pytest.raises(OptionError, match=said):
        read(first, second, **text)


def test_texts_without_a_frequent_word(read):
    with pytest.raises(CorpusError, match="fewer than two words stand 9 times in a and as often in b"):
        read(A, B, min_count=9)


def test_corpora_that_were_read_in_different_ways(read):
    with pytest.raises(OptionError, match="tokens is 'whitespace' in the corpus a and 'words' in b"):
        read(firth.Corpus.build(A, tokens="whitespace"), firth.Corpus.build(B, tokens="words"))


def test_a_file_of_lines_and_a_folder_of_documents(read, tmp_path):
    (tmp_path / "lines.txt").write_text("\n".join(A), encoding="utf-8")
    with pytest.raises(OptionError, match="a is one text, or one file, whose documents are not known"):
        read(tmp_path / "lines.txt", B)
    (tmp_path / "more.txt").write_text("\n".join(B), encoding="utf-8")
    groups = read(tmp_path / "lines.txt", tmp_path / "more.txt", min_count=1)
    assert (groups.unit, groups.sizes) == ("sentences", (4, 2))
