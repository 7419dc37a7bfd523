"""Where the documents of a corpus end: files of several, texts, rows of tables."""

import json
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.corpus import counting, parts
from firth.errors import FormatError

TEXTS = ["a b\n\nc d", "e f", "\n", "g\nh"]  # the third has no words
FILES = ["a b\nc d\n", "e f\n\n", "g\nh\ni j k", "x"]


@pytest.fixture
def build(tmp_path):
    return lambda source, **options: firth.Corpus.build(
        source, **{"cache": tmp_path / "cache", "min_count": 1, **options}
    )


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for number, text in enumerate(FILES):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


def documents(corpus):
    """The words of each document, sentence by sentence."""
    sentences = list(corpus)
    return [["".join(s) for s in sentences[a:b]] for a, b in zip(corpus.documents, corpus.documents[1:], strict=False)]


@pytest.mark.parametrize("options", [{}, {"tokens": str.split}], ids=["compiled", "a function"])
def test_each_text_is_a_document(build, options):
    assert documents(build(TEXTS, **options)) == [["ab", "cd"], ["ef"], ["g", "h"]]


def test_texts_of_a_single_word(build):
    """The marks at the end of sentences and documents, -1 and -2, are no words of a vocabulary however small."""
    assert documents(build(["a a", "a a\na", "a"])) == [["aa"], ["aa", "a"], ["a"]]


def test_empty_sentences_stay_with_their_document(build):
    assert documents(build(TEXTS, keep_empty=True)) == [["ab", "", "cd"], ["ef"], ["", ""], ["g", "h"]]


def test_sentences_by_punctuation(build):
    assert documents(build(["A b. C d.", "E f."], sentences="punctuation")) == [["ab", "cd"], ["ef"]]


def test_each_of_several_files_is_a_document(build, folder):
    assert documents(build(folder)) == [["ab", "cd"], ["ef"], ["g", "h", "ijk"], ["x"]]
    assert documents(build(folder, sentences="paragraph")) == [["abcd"], ["ef"], ["ghijk"], ["x"]]


def test_files_without_words_of_the_vocabulary_are_no_documents(build, folder):
    assert documents(build(folder, stop_words=["x"])) == [["ab", "cd"], ["ef"], ["g", "h", "ijk"]]


def test_a_single_word(build):
    assert documents(build(["a a", "a a a"])) == [["aa"], ["aaa"]]


def test_files_read_at_once(build, folder, monkeypatch):
    monkeypatch.setattr(parts, "LEAST", 1)
    assert documents(build(folder, threads=3)) == documents(build(folder, threads=1, min_count=None))


def test_a_single_file_does_not_say_what_its_documents_are(build, folder):
    assert build(folder / "0.txt").documents is None


def test_rows_of_a_table_are_documents(build, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "a b\\nc"}\n{"text": "d e"}\n', encoding="utf-8")
    assert documents(build(tmp_path / "t.jsonl")) == [["ab", "c"], ["de"]]


def test_lists_of_tokens_are_documents_and_files_of_sentences_are(build, tmp_path):
    assert documents(build([["a", "b"], ["c"]])) == [["ab"], ["c"]]
    for name in "xy":
        rows = "".join(f"1\t{name}{n}\t_\t_\t_\t_\t0\t_\t_\t_\n\n" for n in (1, 2))
        (tmp_path / f"{name}.conllu").write_text(rows, encoding="utf-8")
    assert documents(build([tmp_path / "x.conllu", tmp_path / "y.conllu"])) == [["x1", "x2"], ["y1", "y2"]]


@pytest.mark.parametrize("keep_empty", [False, True])
def test_many_documents_in_many_blocks(build, monkeypatch, keep_empty):
    monkeypatch.setattr(counting, "_BATCH", 300)
    random = np.random.default_rng(0)
    lines = [[" ".join(random.choice(list("abc"), random.integers(0, 4))) for _ in range(n)] for n in [3, 1, 7] * 200]
    corpus = build(["\n".join(text) for text in lines], keep_empty=keep_empty)
    kept = [[line.replace(" ", "") for line in text if line or keep_empty] for text in lines]
    assert documents(corpus) == [text for text in kept if text]


def test_joined_phrases_stay_in_their_documents(build, tmp_path):
    corpus = build(["new york\nold york", "new york", "a new york"])
    joined = firth.PhraseTable([{("new", "york"): (4, 9.0)}], (), "_").apply(
        corpus, min_count=1, cache=tmp_path / "cache"
    )
    assert documents(joined) == [["new_york", "oldyork"], ["new_york"], ["anew_york"]]


def test_the_same_lines_in_other_documents_are_another_corpus_on_disk(build):
    one, other, none = build(["a\nb d", "c"]), build(["a", "b d\nc"]), build(["a\nb d\nc"])
    assert [documents(corpus) for corpus in (one, other)] == [[["a", "bd"], ["c"]], [["a"], ["bd", "c"]]]
    assert none.documents is None
    assert one.fingerprint == other.fingerprint == none.fingerprint  # what models train on is the same


def test_corpora_of_older_versions_have_no_documents_and_are_built_again(build, folder):
    corpus = build(folder)
    (corpus.path / "documents.bin").unlink()
    (corpus.path / "checksums.json").unlink()
    facts = json.loads((corpus.path / "corpus.json").read_text("utf-8"))
    del facts["documents"], facts["division"]
    facts["source"]["identity"] = "of an older version"
    (corpus.path / "corpus.json").write_text(json.dumps(facts), "utf-8")
    assert firth.Corpus.open(corpus.path).documents is None
    assert len(build(folder).documents) == len(FILES) + 1


@pytest.mark.parametrize("numbers", [[0, 3, 2, 6, 7], [0, 2, 3, 6, 6], [1, 2, 3, 6, 7]])
def test_damaged_borders_of_documents_are_found(build, folder, numbers):
    corpus = build(folder)
    Path(corpus.path / "checksums.json").unlink()
    (corpus.path / "documents.bin").write_bytes(np.array(numbers, "<i8").tobytes())
    with pytest.raises(FormatError, match=r"documents\.bin"):
        firth.Corpus.open(corpus.path)


def test_a_document_that_is_none_among_lists(build):
    with pytest.raises(firth.errors.CorpusError, match="item 1 is None"):
        build([["a", "b"], None])
