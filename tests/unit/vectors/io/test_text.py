"""Text vectors: every kind of line that one meets, and a message for every kind that is wrong."""

import gzip
import io
import warnings

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.loading import load
from firth.vectors.io.table import Reading
from firth.vectors.io.text import read
from firth.vectors.word_vectors import WordVectors


def loaded(tmp_path, content: bytes, format=None, **how) -> WordVectors:
    path = tmp_path / "v.txt"
    path.write_bytes(content)
    return load(path, format=format, **how)


class TestLines:
    def test_header(self, tmp_path):
        vectors = loaded(tmp_path, b"2 3\nthe 1 -2.5 3e-2\nof 4 5 6\n")
        assert vectors.words == ["the", "of"]
        assert vectors.vectors.tolist() == [[1, -2.5, np.float32(0.03)], [4, 5, 6]]
        assert vectors.vectors.dtype == np.float32
        assert vectors.counts is None

    def test_no_header(self, tmp_path):
        vectors = loaded(tmp_path, b"the 1 2 3\nof 4 5 6\n")
        assert (vectors.words, vectors.vectors.tolist()) == (["the", "of"], [[1, 2, 3], [4, 5, 6]])

    def test_trailing_spaces_and_carriage_returns(self, tmp_path):
        vectors = loaded(tmp_path, b"2 2 \r\nthe 1 2 \r\nof 3 4\t\r\n\r\n\n")
        assert (vectors.words, vectors.vectors.tolist()) == (["the", "of"], [[1, 2], [3, 4]])

    def test_the_row_that_glove_appends_and_does_not_count(self, tmp_path):
        vectors = loaded(tmp_path, b"2 2\nthe 1 2\nof 3 4\n<unk> 5 6\n")
        assert (vectors.words, vectors.vectors[2].tolist()) == (["the", "of", "<unk>"], [5, 6])
        with pytest.raises(FormatError, match=r"line 5: b'a 1 2"):
            loaded(tmp_path, b"2 2\nthe 1 2\nof 3 4\n<unk> 5 6\na 1 2\n")
        with pytest.raises(FormatError, match=r"line 3: b'of 3 4"):
            loaded(tmp_path, b"1 2\nthe 1 2\nof 3 4\n<unk> 5 6\n")

    def test_no_newline_at_the_end(self, tmp_path):
        assert loaded(tmp_path, b"1 2\nthe 1 2").words == ["the"]

    @pytest.mark.parametrize("header", [b"8 2\n", b""], ids=["header", "no header"])
    def test_words_that_hold_or_are_spaces(self, tmp_path, header):
        """A space, nothing at all, a no-break space, other spaces of Unicode, words of two words, and a tab."""
        words = ["the", " ", "", "\N{NO-BREAK SPACE}", "a\u2003b", "New York City", ". . .", "a\tb"]
        body = b"".join(f"{word} {i} 0.5\n".encode() for i, word in enumerate(words))
        vectors = loaded(tmp_path, header + body)
        assert vectors.words == words
        assert vectors.vectors[:, 0].tolist() == list(range(8))

    def test_other_newlines_of_unicode_are_no_newlines(self, tmp_path):
        words = ["a\u2028b", "a\x0bb", "a\x85b", "a\rb"]
        assert loaded(tmp_path, "".join(f"{word} 1 2\n" for word in words).encode()).words == words

    def test_tabs_between_numbers(self, tmp_path):
        assert loaded(tmp_path, b"the\t1\t2\nof\t3\t4\n", separator="\t").vectors.tolist() == [[1, 2], [3, 4]]

    def test_a_separator_lets_words_hold_anything_else(self, tmp_path):
        vectors = loaded(tmp_path, b"version 0.5\t1 2\n0.5 0.5\t3 4\n", separator="\t")
        assert (vectors.words, vectors.vectors.tolist()) == (["version 0.5", "0.5 0.5"], [[1, 2], [3, 4]])

    @pytest.mark.parametrize("form", ["{};1 2\n", "{};1;2\n", "{}; 1; 2 \r\n", "{}\t1 2\n", "{},1,2\n", "{}|1|2\n"])
    def test_the_separator_is_found_and_said(self, tmp_path, form):
        words = ["new york", "1000" if "," in form else "1 000", "a.b", "c" if ";" in form else "d;e"]
        with pytest.warns(UserWarning, match=r"v\.txt: .* ends the word on each line, not a space; said by separator="):
            vectors = loaded(tmp_path, "".join(map(form.format, words)).encode())
        assert (vectors.words, vectors.vectors.tolist()) == (words, [[1, 2]] * 4)

    def test_a_separator_within_some_words_is_none(self, tmp_path):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert loaded(tmp_path, b"a;1 2\n; 3\n1,000 4\n").words == ["a;1", ";", "1,000"]

    def test_a_width_lets_words_end_in_numbers(self, tmp_path):
        vectors = loaded(tmp_path, b"version 0.5 1 2\nb 3 4\n", dim=2)
        assert (vectors.words, vectors.vectors.tolist()) == (["version 0.5", "b"], [[1, 2], [3, 4]])

    def test_the_first_line_holds_a_space(self, tmp_path):
        """The width is that of most lines, not of the first."""
        assert loaded(tmp_path, b"New York 1 2\nthe 3 4\nof 5 6\n").words == ["New York", "the", "of"]

    def test_words_that_are_numbers(self, tmp_path):
        assert loaded(tmp_path, b"1999 1 2\n5 3 4\n").words == ["1999", "5"]
        assert loaded(tmp_path, b"5 3\nthe 0.5\nof 1\n").vectors.tolist() == [[3], [0.5], [1]]

    def test_gzip(self, tmp_path):
        assert loaded(tmp_path, gzip.compress(b"1 2\nthe 1 2\n")).words == ["the"]

    def test_limit(self, tmp_path):
        assert loaded(tmp_path, b"3 1\na 1\nb 2\nc broken\n", limit=2).words == ["a", "b"]
        assert loaded(tmp_path, b"a 1 1\nb 2 2\nc broken 1\n", limit=2).words == ["a", "b"]
        assert loaded(tmp_path, b"2 1\na 1\nb 2\n", limit=9).words == ["a", "b"]

    @pytest.mark.parametrize("dtype", [np.float16, np.float64])
    def test_precision(self, tmp_path, dtype):
        vectors = loaded(tmp_path, b"1 2\nthe 0.1 123.456789012345\n", dtype=dtype)
        assert vectors.vectors.dtype == dtype
        assert vectors.vectors[0].tolist() == np.array([0.1, 123.456789012345]).astype(dtype).tolist()

    def test_no_vectors(self, tmp_path):
        assert loaded(tmp_path, b"0 5\n").vectors.shape == (0, 5)

    def test_many_chunks(self, tmp_path):
        rows = np.arange(3000 * 500, dtype=np.float32).reshape(3000, 500)
        WordVectors([f"w{i}" for i in range(3000)], rows).save(tmp_path / "big.txt", "word2vec")
        assert np.array_equal(load(tmp_path / "big.txt").vectors, rows)


class TestBrokenText:
    def test_strict(self, tmp_path):
        with pytest.raises(
            FormatError, match=r"v\.txt line 3: the word b'caf\\xe9' is not utf-8; pass errors='replace'"
        ):
            loaded(tmp_path, b"2 1\nthe 1\ncaf\xe9 2\n")

    @pytest.mark.parametrize(
        ("errors", "word"), [("replace", "caf\ufffd"), ("ignore", "caf"), ("surrogateescape", "caf\udce9")]
    )
    def test_policies(self, tmp_path, errors, word):
        assert loaded(tmp_path, b"1 1\ncaf\xe9 2\n", errors=errors).words == [word]

    def test_encoding(self, tmp_path):
        assert loaded(tmp_path, b"1 1\ncaf\xe9 2\n", encoding="latin-1").words == ["café"]

    def test_broken_bytes_are_written_as_they_were(self, tmp_path):
        vectors = loaded(tmp_path, b"1 1\ncaf\xe9 2\n", errors="surrogateescape")
        vectors.save(tmp_path / "again.txt", "word2vec")
        assert (tmp_path / "again.txt").read_bytes() == b"1 1\ncaf\xe9 2\n"

    @pytest.mark.parametrize("how", [{"encoding": "klingon"}, {"errors": "guess"}])
    def test_no_such_way(self, tmp_path, how):
        with pytest.raises(OptionError, match=r"unknown.*: expected the name of an encoding and of an error handler"):
            loaded(tmp_path, b"1 1\ncaf\xe9 2\n", **how)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"3 2\nthe 1 2\nof 1 2\n", "v.txt: 2 vectors, the header states 3; the file is cut short"),
        (b"2 2\nthe 1 2\nof 1\n", "v.txt line 3: 1 numbers, expected 2; the line is damaged"),
        (b"2 2\nthe 1 2\nof\n", "v.txt line 3: 0 numbers, expected 2"),
        (b"2 2\nthe 1 2\nof 1.5 2 3\n", "v.txt line 3: 3 numbers, expected 2"),
        (b"the 1 2\nof 1\na 1 2\n", "v.txt line 2: 1 numbers, expected 2"),
        (b"the 1 2\nof 0.5 1 2\na 1 2\n", "v.txt line 2: 3 numbers, expected 2"),
        (b"1 2\nthe 1 2\nof 1 2\n", "v.txt line 3: b'of 1 2"),
        (b"2 2\nthe 1 2\n\nof 1 2\n", "v.txt line 4: b'of 1 2"),
        (b"2 2\nthe 1 2\nof 1 2x\n", "v.txt line 3: '2x' is not a number, expected 2 numbers after the word"),
        (b"2 2\na 1_0 2\nb 3 4\n", "v.txt line 2: '1_0' is not a number, expected 2 numbers after the word"),
        (b"2 2\nthe 1 2\nof 1 nan\n", "v.txt line 3: number 2 is nan as float32, expected a finite number"),
        (b"the 1 2\nof -inf 2\n", "v.txt line 2: number 1 is -inf as float32"),
        (b"2 2\nthe 1 2\nthe 3 4\n", "v.txt line 3: the word 'the' for the second time, first at .*v.txt line 2"),
        (b"", "v.txt: an empty file"),
        (b"\n\n", "v.txt line 1: ''"),
        (b"hello world\n", "v.txt line 1: 'hello world', expected vectors"),
        (b"2 99999999999\nthe 1 2\n", "expected a width from 1 to 1,048,576"),
        (b"Haus 0,5 0,1\nMaus 0,2 0,3\n", "v.txt line 1: '0,5' is not a number, expected 2"),
    ],
)
def test_wrong_content(tmp_path, content, told):
    with pytest.raises(FormatError, match=told):
        loaded(tmp_path, content, *(["word2vec"] if b"99999999999" in content else []))


@pytest.mark.parametrize("format", [None, "word2vec"])
def test_a_byte_order_mark_before_the_header_is_passed_over(tmp_path, format):
    found = loaded(tmp_path, b"\xef\xbb\xbf2 2\nthe 1 2\nof 3 4\n", *([format] if format else []))
    assert found.words == ["the", "of"]


def test_too_large_for_half_precision(tmp_path):
    with pytest.raises(FormatError, match="line 2: number 1 is inf as float16"):
        loaded(tmp_path, b"1 1\nthe 1e6\n", dtype="float16")


class TestDuplicates:
    CONTENT = b"3 1\na 1\nb 2\na 3\n"

    def test_first(self, tmp_path):
        vectors = loaded(tmp_path, self.CONTENT, duplicates="first")
        assert (vectors.words, vectors.vectors.tolist()) == (["a", "b"], [[1], [2]])

    def test_warn(self, tmp_path):
        with pytest.warns(
            UserWarning, match="the word 'a' for the second time, first at .*; the first vector of each word is used"
        ):
            assert len(loaded(tmp_path, self.CONTENT, duplicates="warn")) == 2


@pytest.mark.parametrize(
    "how", [{"limit": 0}, {"dim": 0}, {"dtype": "int32"}, {"duplicates": "last"}, {"separator": ""}, {"format": "csv"}]
)
def test_wrong_options(tmp_path, how):
    (name,) = how
    with pytest.raises(OptionError, match=f"{name}="):
        loaded(tmp_path, b"1 1\na 1\n", **how)


class TestWriting:
    def test_every_bit_comes_back(self, tmp_path):
        """The hardest numbers of each precision: the least, the greatest, neighbours of 1 and of powers of ten, -0."""
        for dtype in (np.float16, np.float32, np.float64):
            info = np.finfo(dtype)
            hard = [info.smallest_subnormal, info.tiny, info.max, info.eps, 0.1, 1 / 3, -0.0]
            hard += [np.nextafter(dtype(10.0**e), dtype(0)) for e in range(-3, 4)]
            numbers = np.array([hard], dtype=dtype)
            WordVectors(["a"], numbers).save(tmp_path / "v.txt", "word2vec")
            again = load(tmp_path / "v.txt", dtype=dtype).vectors
            assert again.tobytes() == numbers.tobytes()

    @pytest.mark.parametrize(
        ("word", "told"),
        [("a\nb", "a newline"), ("version 0.5", "a number after a space"), ("a -1e5", "a number after")],
    )
    def test_words_that_no_reader_could_tell(self, tmp_path, word, told):
        path = tmp_path / "v.txt"
        path.write_text("1 1\nold 1\n")
        with pytest.raises(FormatError, match=f"the word .* contains {told}"):
            WordVectors(["a", word], [[1.0], [2.0]]).save(path, "word2vec")
        assert path.read_text() == "1 1\nold 1\n"

    @pytest.mark.parametrize("words", [["1 2", "b 1"], ["a", "new york"], [" "]])
    def test_words_with_spaces_need_a_header(self, tmp_path, words):
        """Without one, the numbers of a line are all that stands behind its first space."""
        vectors = WordVectors(words, np.ones((len(words), 2)))
        with pytest.raises(FormatError, match="contains a space, which ends a word in a file without a header"):
            vectors.save(tmp_path / "v.txt", "glove")
        assert list(tmp_path.iterdir()) == []
        vectors.save(tmp_path / "v.txt", "word2vec")
        assert load(tmp_path / "v.txt").words == words

    def test_a_lone_surrogate(self, tmp_path):
        with pytest.raises(FormatError, match="lone surrogate"):
            WordVectors(["\ud800"], [[1.0]]).save(tmp_path / "v.txt", "glove")

    def test_gzip_has_the_same_bytes_every_time(self, tmp_path):
        for name in ("one.txt.gz", "two.txt.gz"):
            WordVectors(["a"], [[1.0]]).save(tmp_path / name, "glove")
        assert (tmp_path / "one.txt.gz").read_bytes() == (tmp_path / "two.txt.gz").read_bytes()
        assert gzip.decompress((tmp_path / "one.txt.gz").read_bytes()) == b"a 1\n"


def test_numpy_that_only_warns_at_a_bad_number(monkeypatch):
    """NumPy before 2.3 returned what it had read and gave a DeprecationWarning."""
    import warnings

    def old_fromstring(text, dtype, sep):
        warnings.warn("string or file could not be read to its end", DeprecationWarning, stacklevel=2)
        return np.ones(2, dtype)

    monkeypatch.setattr(np, "fromstring", old_fromstring)
    with pytest.raises(FormatError, match="'2x' is not a number"):
        read(io.BytesIO(b"1 2\nthe 1 2x\n"), "v.txt", True, Reading())
