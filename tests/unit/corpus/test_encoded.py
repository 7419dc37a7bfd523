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
from firth.storage import checksums

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
    html = corpus._repr_html_()
    for part in (">5<", ">2<", ">54.5 % of the text<", ">the 3, sat 2<", ">min_count=2<", str(corpus.path)):
        assert part in html


def test_open_finds_what_build_left(path: Path, cache: Path) -> None:
    built = Corpus.build(path, cache=cache, min_count=1, stop_words=["the"], tokens="whitespace", sentences="paragraph")
    for corpus in (Corpus.open(built.path), Corpus.open(str(built.path)), pickle.loads(pickle.dumps(built))):
        assert list(corpus) == list(built)
        assert corpus.options == built.options
        assert corpus.fingerprint == built.fingerprint
        assert corpus.vocabulary.counts.tolist() == built.vocabulary.counts.tolist()


def test_a_pickled_corpus_is_not_another_that_is_in_its_place_now(path: Path, cache: Path) -> None:
    pickled = pickle.dumps(built := Corpus.build(path, cache=cache, min_count=1))
    path.write_text("other words\n", encoding="utf-8")
    assert Corpus.build(path, cache=cache, min_count=1).path == built.path
    with pytest.raises(CorpusError, match=f"expected {built.fingerprint}, which was pickled"):
        pickle.loads(pickled)


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
    with pytest.warns(UserWarning, match=r"a\.txt: 3 byte sequences are not valid utf-8 and were replaced"):
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
    seen = [status for status in seen if not status.stage.endswith(("kernels", "only)"))]  # as in a fresh installation
    assert seen[0].stage == "reading text"
    assert (seen[0].unit, seen[0].total) == ("bytes", len(TEXT))
    assert seen[-1].stage == "numbering words"


def test_the_environment_names_the_cache(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "elsewhere"))
    assert Corpus.build(path, min_count=1).path.parent == tmp_path / "elsewhere" / "corpora"


def test_unknown_options(path: Path) -> None:
    with pytest.raises(OptionError, match="mincount=5: not an argument of build; did you mean min_count"):
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


@pytest.mark.filterwarnings("ignore:.*; it is built again")
@pytest.mark.usefixtures("without_checksums")
@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_folder_without_checksums_is_refused_and_built_again(name: str, path: Path, cache: Path) -> None:
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


FILES = ["corpus.json", "counts.bin", "ids.bin", "offsets.bin", "vocabulary.txt", "checksums.json"]


def flip(file: Path, bit: int) -> None:
    content = bytearray(file.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)


def test_these_are_all_files(path: Path, cache: Path) -> None:
    assert sorted(file.name for file in Corpus.build(path, cache=cache, min_count=1).path.iterdir()) == sorted(FILES)


@pytest.mark.parametrize("name", FILES)
def test_each_bit_counts(name: str, path: Path, cache: Path) -> None:
    """A corpus with one changed bit is refused by the file's name, or is the same corpus."""
    corpus = Corpus.build(path, cache=cache, min_count=1)
    wanted, file = list(corpus), corpus.path / name
    refused, bits = 0, range(0, 8 * file.stat().st_size, 59)
    for bit in bits:
        flip(file, bit)
        try:
            assert list(Corpus.open(corpus.path)) == wanted  # between words of JSON
        except FormatError as error:
            refused += str(error).startswith(f"{file}: ")
        flip(file, bit)
    assert refused > (0.8 if name == "checksums.json" else 0.999) * len(bits)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("change", ["flipped", "missing", "longer"])
def test_a_damaged_cache_is_built_again_with_a_warning(name: str, change: str, path: Path, cache: Path) -> None:
    corpus = Corpus.build(path, cache=cache, min_count=1)
    wanted, file = list(corpus), corpus.path / name
    if change == "flipped":
        flip(file, 8 * (file.stat().st_size // 2))
    elif change == "longer":
        file.write_bytes(file.read_bytes() + b"x")
    else:
        file.unlink()
    if change == "missing" and name in {"corpus.json", "checksums.json"}:
        again = Corpus.build(path, cache=cache, min_count=1)
    else:
        with pytest.warns(UserWarning, match=rf"{name}: .*; it is built again") as warned:
            again = Corpus.build(path, cache=cache, min_count=1)
        assert [warning.filename for warning in warned] == [__file__]
    assert (again.path, list(again)) == (corpus.path, wanted)
    assert list(Corpus.build(path, cache=cache, min_count=1)) == wanted


def test_a_damaged_corpus_of_other_text_in_the_same_place_is_not_told(path: Path, cache: Path) -> None:
    corpus = Corpus.build(path, cache=cache, min_count=1)
    flip(corpus.path / "ids.bin", 0)
    path.write_text("another text\n")
    assert list(Corpus.build(path, cache=cache, min_count=1)) == [["another", "text"]]


def test_a_damaged_corpus_of_items_is_built_again(cache: Path) -> None:
    items = [["a", "b"], ["b"]]
    corpus = Corpus.build(items, cache=cache, min_count=1)
    flip(corpus.path / "ids.bin", 0)
    with pytest.warns(UserWarning, match=r"ids\.bin: altered: .*; it is built again"):
        again = Corpus.build(items, cache=cache, min_count=1)
    assert (again.path, list(again)) == (corpus.path, items)


def with_counts(folder: Path, counts: list[int]) -> None:
    (folder / "counts.bin").write_bytes(np.array(counts, "<i8").tobytes())


def with_number(name: str, kind: str, place: int, value: int) -> Any:
    def change(folder: Path) -> None:
        numbers = np.fromfile(folder / name, kind)
        numbers[place] = value
        (folder / name).write_bytes(numbers.tobytes())

    return change


def with_words(text: bytes) -> Any:
    return lambda folder: (folder / "vocabulary.txt").write_bytes(text)


# The corpus of TEXT: 11 ids below 8 in 3 sentences, counts 3 2 1 1 1 1 1 1.
MALICE = {
    "an id too large": (with_number("ids.bin", "<i4", 3, 8), r"ids\.bin: token 3 is word 8 of 8"),
    "a huge id": (with_number("ids.bin", "<i4", 10, 2**31 - 1), r"ids\.bin: token 10 is word 2147483647 of 8"),
    "an id below 0": (with_number("ids.bin", "<i4", 0, -1), r"ids\.bin: token 0 is word -1 of 8"),
    "another id": (with_number("ids.bin", "<i4", 0, 7), r"counts\.bin: word 0 3 times, expected 2 as in ids\.bin"),
    "a first offset": (with_number("offsets.bin", "<i8", 0, 1), r"offsets\.bin: from 1 to 11, expected 0 to 11"),
    "a last offset": (with_number("offsets.bin", "<i8", -1, 12), r"offsets\.bin: from 0 to 12, expected 0 to 11"),
    "an offset too large": (with_number("offsets.bin", "<i8", 1, 2**62), r"offsets\.bin: sentence 1 ends before"),
    "an offset below 0": (with_number("offsets.bin", "<i8", 1, -5), r"offsets\.bin: sentence 0 ends before"),
    "a count too large": (with_number("counts.bin", "<i8", 0, 4), r"counts\.bin: counts below 0, or above 11 in all"),
    "a count too small": (with_number("counts.bin", "<i8", 0, 2), r"counts\.bin: word 0 2 times, expected 3"),
    "a count below 0": (with_number("counts.bin", "<i8", 0, -3), r"counts\.bin: counts below 0"),
    "counts that overflow": (lambda f: with_counts(f, [2**62] * 8), r"counts\.bin: counts below 0, or above"),
    "a word twice": (with_words(b"a\nb\nc\nd\ne\nc\ng\nh\n"), r"vocabulary\.txt line 6: 'c' is in line 3, too"),
    "no text": (with_words(b"a\nb\nc\xff\nd\ne\nf\ng\nh\n"), r"vocabulary\.txt line 3: not UTF-8 text at byte 5"),
    "an escape": (with_words(b"a\nb\nc\\t\nd\ne\nf\ng\nh\n"), r"vocabulary\.txt line 3: a backslash before"),
    "half an escape": (with_words(b"a\nb\nc\nd\ne\nf\ng\nh\\\n"), r"vocabulary\.txt line 8: a backslash before"),
    "a total": (lambda f: break_manifest(f, total=10), r"corpus\.json: 11 tokens of 10 in"),
    "a total that overflows": (lambda f: break_manifest(f, total=2**64), r"corpus\.json: 11 tokens of"),
    "no sentences": (lambda f: break_manifest(f, sentences=0), r"corpus\.json: 11 tokens of 11 in 0 sentences"),
    "no number": (lambda f: break_manifest(f, tokens=float("inf")), r"corpus\.json: damaged"),
    "nested": (lambda f: (f / "corpus.json").write_text("[" * 100_000), r"corpus\.json: damaged"),
    "characters": (lambda f: break_manifest(f, characters=float("inf")), r"corpus\.json: damaged"),
}


@pytest.mark.parametrize("sealed", [True, False], ids=["with checksums made anew", "without checksums"])
@pytest.mark.parametrize("name", MALICE)
def test_contents_that_kernels_would_trust(name: str, sealed: bool, path: Path, cache: Path) -> None:
    change, message = MALICE[name]
    corpus = Corpus.build(path, cache=cache, min_count=1)
    change(corpus.path)
    (corpus.path / "checksums.json").unlink()
    if sealed:
        checksums.write(corpus.path)
    with pytest.raises(FormatError, match=f"{message}.*; build the corpus again"):
        Corpus.open(corpus.path)


@pytest.mark.usefixtures("without_checksums")
def test_a_corpus_without_checksums_opens(path: Path, cache: Path) -> None:
    corpus = Corpus.build(path, cache=cache, min_count=1)
    assert not (corpus.path / "checksums.json").exists()
    assert list(Corpus.open(corpus.path)) == list(corpus)


@pytest.mark.parametrize(
    "options",
    [
        {"unknown": "<unk>", "min_count": 2},
        {"unknown": "the", "min_count": 2},
        {"keep_empty": True, "min_count": 2},
        {"stop_words": ["the"], "unknown": "<unk>"},
        {"max_size": 2},
        {"max_size": 2, "unknown": "<unk>"},
    ],
)
def test_counts_agree_with_ids_whatever_the_options(options: dict[str, Any], path: Path, cache: Path) -> None:
    corpus = Corpus.build(path, cache=cache, **{"min_count": 1, **options})
    assert np.bincount(corpus.ids, minlength=len(corpus.vocabulary)).tolist() == corpus.vocabulary.counts.tolist()


def test_open_what_is_no_corpus(path: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="found nothing; expected the folder of a built corpus"):
        Corpus.open(tmp_path / "nowhere")
    with pytest.raises(CorpusError, match="found a file"):
        Corpus.open(path)
    with pytest.raises(CorpusError, match=r"holds no corpus\.json"):
        Corpus.open(tmp_path)
