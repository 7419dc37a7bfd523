import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth import Corpus
from firth.errors import CorpusError, FormatError, OptionError
from firth.progress import Status

TEXT = "The cat sat on the mat.\nThe dog sat.\n\nUnheard-of!\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    return file


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_worked_example(path: Path, cache: Path) -> None:
    """Three lines with words: the (3), sat (2), and once each cat, dog, mat, on, unheard, of.

    With min_count=2 the and sat stay, 5 of 11 tokens: "the sat the", "the sat"; the third line has nothing left.
    """
    corpus = Corpus.build(path, cache=cache, min_count=2)
    assert corpus.vocabulary.words == ["the", "sat"]
    assert corpus.vocabulary.counts.tolist() == [3, 2]
    assert corpus.vocabulary.total == 11
    assert corpus.vocabulary.oov_share == pytest.approx(6 / 11)
    assert corpus.ids.tolist() == [0, 1, 0, 0, 1]
    assert corpus.offsets.tolist() == [0, 3, 5]
    assert (corpus.ids.dtype, corpus.offsets.dtype) == (np.int32, np.int64)
    assert list(corpus) == list(corpus) == [["the", "sat", "the"], ["the", "sat"]]
    assert (len(corpus), corpus.num_tokens) == (2, 5)
    assert corpus.options.min_count == 2


def test_summary(path: Path, cache: Path) -> None:
    corpus = Corpus.build(path, cache=cache, min_count=2)
    summary = "5 tokens in 2 sentences, 2 words, 54.5 % of the text outside the vocabulary"
    assert summary in repr(corpus)
    assert str(corpus.path) in repr(corpus)
    assert summary in corpus._repr_html_()


def test_open_finds_what_build_left(path: Path, cache: Path) -> None:
    built = Corpus.build(path, cache=cache, min_count=1, stop_words=["the"], tokens="whitespace", sentences="paragraph")
    for corpus in (Corpus.open(built.path), Corpus.open(str(built.path)), pickle.loads(pickle.dumps(built))):
        assert list(corpus) == list(built)
        assert corpus.options == built.options
        assert corpus.fingerprint == built.fingerprint
        assert corpus.vocabulary.counts.tolist() == built.vocabulary.counts.tolist()


def built_at(corpus: Corpus) -> int:
    return (corpus.path / "corpus.json").stat().st_ino


def test_reused_while_nothing_changes(path: Path, cache: Path) -> None:
    first = Corpus.build(path, cache=cache, min_count=1)
    again = Corpus.build(str(path), cache=cache, min_count=1)
    assert (again.path, built_at(again)) == (first.path, built_at(first))


def test_rebuilt_in_place_when_the_text_changes(path: Path, cache: Path) -> None:
    first = Corpus.build(path, cache=cache, min_count=1)
    words = list(first.vocabulary.words)
    path.write_text(TEXT + "A new line.\n")
    second = Corpus.build(path, cache=cache, min_count=1)
    assert second.path == first.path
    assert second.fingerprint != first.fingerprint
    assert "new" in second.vocabulary.words
    assert "new" not in words
    assert [entry.name for entry in cache.iterdir()] == [second.path.name]


def test_another_corpus_for_other_options_or_columns(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\none two,three four\n")
    corpora = [
        Corpus.build(path, cache=cache, column="a", min_count=1),
        Corpus.build(path, cache=cache, column="b", min_count=1),
        Corpus.build(path, cache=cache, column="a", min_count=1, max_size=1),
        Corpus.build(path, cache=cache, column="a", min_count=1, tokens="whitespace"),
    ]
    assert len({corpus.path for corpus in corpora}) == 4
    assert len({corpus.fingerprint for corpus in corpora}) == 4


def test_the_fingerprint_is_of_the_content(path: Path, cache: Path, tmp_path: Path) -> None:
    other = tmp_path / "copy.txt"
    other.write_text(TEXT)
    fingerprint = Corpus.build(path, cache=cache, min_count=1).fingerprint
    assert Corpus.build(other, cache=cache, min_count=1).fingerprint == fingerprint
    # The same words and counts in another order are another text.
    other.write_text("\n".join(reversed(TEXT.split("\n"))))
    assert Corpus.build(other, cache=cache, min_count=1).fingerprint != fingerprint
    # So are the same words in other sentences.
    other.write_text(TEXT.replace(".\n", ". ", 1))
    assert Corpus.build(other, cache=cache, min_count=1).fingerprint != fingerprint


def test_a_generator_is_gone_through_once_and_its_content_kept_once(cache: Path) -> None:
    taken = []

    def stream() -> Iterator[str]:
        for line in TEXT.splitlines():
            taken.append(line)
            yield line

    first = Corpus.build(stream(), cache=cache, min_count=1)
    assert taken == TEXT.splitlines()
    assert [len(list(first)) for _ in range(3)] == [3, 3, 3]
    again = Corpus.build(TEXT.splitlines(), cache=cache, min_count=1)
    assert (again.path, built_at(again)) == (first.path, built_at(first))
    assert len(list(cache.iterdir())) == 1


def test_functions_that_cannot_be_pinned_down_are_asked_again(path: Path, cache: Path) -> None:
    def split_at(separator: str) -> Any:
        return lambda text: text.split(separator)

    first = Corpus.build(path, cache=cache, min_count=1, tokens=split_at(" "))
    second = Corpus.build(path, cache=cache, min_count=1, tokens=split_at("a"))
    assert first.path == second.path
    assert second.vocabulary.words != ["the"]
    assert "mat." not in second.vocabulary.words


def test_token_lists_may_hold_any_string(cache: Path) -> None:
    sentences = [["new york", "line\nfeed", "back\\slash", "\\n", ""], ["new york", "\ud800", "tab\t", "line\nfeed"]]
    corpus = Corpus.build(sentences, cache=cache, min_count=1)
    assert list(corpus) == [[token for token in sentence if token] for sentence in sentences]
    assert list(Corpus.open(corpus.path)) == list(corpus)


def test_broken_utf8_is_one_word_however_it_was_broken(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\xff b a\xfe\na\xff\n")
    corpus = Corpus.build(path, cache=cache, min_count=1, tokens="whitespace")
    assert corpus.vocabulary.words == ["a\ufffd", "b"]
    assert corpus.vocabulary.counts.tolist() == [3, 1]
    assert list(corpus) == [["a\ufffd", "b", "a\ufffd"], ["a\ufffd"]]


def test_many_files_end_sentences(tmp_path: Path, cache: Path) -> None:
    for name, text in (("a", "one two"), ("b", "three\xe9 four"), ("c", "")):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    corpus = Corpus.build(tmp_path, cache=cache, min_count=1)
    assert list(corpus) == [["one", "two"], ["threeé", "four"]]


def test_progress_is_told(path: Path, cache: Path) -> None:
    seen: list[Status] = []
    Corpus.build(path, cache=cache, min_count=1, progress=seen.append)
    seen = [status for status in seen if not status.stage.startswith("compiling")]  # as in a fresh installation
    assert seen[0].stage == "reading text"
    assert (seen[0].unit, seen[0].total) == ("bytes", len(TEXT))
    assert seen[-1].stage == "numbering words"


def test_the_environment_names_the_cache(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "elsewhere"))
    assert Corpus.build(path, min_count=1).path.parent == tmp_path / "elsewhere" / "corpora"


def test_unknown_options(path: Path) -> None:
    with pytest.raises(OptionError, match="mincount=5: no such option; expected one of min_count, max_size"):
        Corpus.build(path, mincount=5)


def break_manifest(folder: Path, **changes: Any) -> None:
    facts = json.loads((folder / "corpus.json").read_text())
    (folder / "corpus.json").write_text(json.dumps({**facts, **changes}))


DAMAGE = {
    "ids cut short": (lambda f: (f / "ids.bin").write_bytes(b"1234"), FormatError, r"ids.bin: 4 bytes, expected 44"),
    "no ids": (lambda f: (f / "ids.bin").unlink(), FormatError, "ids.bin: missing"),
    "offsets": (lambda f: (f / "offsets.bin").write_bytes(b""), FormatError, "offsets.bin: 0 bytes"),
    "counts": (lambda f: (f / "counts.bin").unlink(), FormatError, "counts.bin: missing"),
    "words": (lambda f: (f / "vocabulary.txt").write_text("the\n"), FormatError, "vocabulary.txt: 1 lines, expected 8"),
    "words cut": (lambda f: (f / "vocabulary.txt").write_text("x"), FormatError, "expected 8"),
    "manifest": (lambda f: (f / "corpus.json").write_text('{"format":'), FormatError, "corpus.json: damaged"),
    "no manifest": (lambda f: (f / "corpus.json").unlink(), CorpusError, "holds no corpus.json"),
    "version": (lambda f: break_manifest(f, version=9), FormatError, "version 9; expected 'firth corpus' version 1"),
    "options": (lambda f: break_manifest(f, options={"new": 1}), FormatError, "damaged"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_folder_is_refused_and_built_again(name: str, path: Path, cache: Path) -> None:
    damage, error, message = DAMAGE[name]
    corpus = Corpus.build(path, cache=cache, min_count=1)
    wanted = list(corpus)
    damage(corpus.path)
    with pytest.raises(error, match=message):
        Corpus.open(corpus.path)
    again = Corpus.build(path, cache=cache, min_count=1)
    assert again.path == corpus.path
    assert list(again) == wanted
    assert len(list(cache.iterdir())) == 1


def test_open_what_is_no_corpus(path: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="found nothing; expected the folder of a built corpus"):
        Corpus.open(tmp_path / "nowhere")
    with pytest.raises(CorpusError, match="found a file"):
        Corpus.open(path)
    with pytest.raises(CorpusError, match=r"holds no corpus\.json"):
        Corpus.open(tmp_path)
