import gzip
import io
import warnings

import pytest

import firth
from firth.errors import CorpusError, FormatError, OptionError
from firth.readers.conllu import read_conllu
from firth.storage import encodings
from firth.storage.encodings import Utf8Stream, decoded_text, text_encoding
from firth.storage.files import lines_of, text_of

FRENCH = "Il était une fois à Noël une fée qui aimait le café, “vraiment” — déjà.\n" * 20


class Trickle(io.RawIOBase):
    """A pipe that has a few bytes at a time."""

    def __init__(self, content, size):
        self._content, self._size = io.BytesIO(content), size

    def readable(self):
        return True

    def readinto(self, room):
        return self._content.readinto(memoryview(room)[: self._size])


def read(content, size, room, **how):
    """Return all that a stream gives into a room of a size."""
    stream, buffer, parts = Utf8Stream(Trickle(content, size), "a.txt", **how), memoryview(bytearray(room)), []
    while count := stream.readinto(buffer):
        parts.append(bytes(buffer[:count]))
    assert stream.characters == len(b"".join(parts).decode())
    return b"".join(parts).decode()


@pytest.mark.parametrize("room", [1, 7, encodings.BLOCK, 3 * encodings.BLOCK])
@pytest.mark.parametrize("size", [1, 2, 3, 5000, 1 << 20])
def test_valid_utf8_passes_however_it_is_cut(size, room):
    text = "aé漢😀\ufffd" * (60 if min(size, room) < 9 else 20_000)
    assert read(text.encode(), size, room) == text


@pytest.mark.parametrize("size", [1, 2, 3, 50])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32", "utf-32-be"])
def test_byte_order_marks_are_honoured(encoding, size):
    mark = "" if encoding in ("utf-8-sig", "utf-16", "utf-32") else "\ufeff"
    assert read((mark + "aé漢😀").encode(encoding), size, 70_000) == "aé漢😀"
    with text_encoding("cp1252"):
        assert read((mark + "aé漢😀").encode(encoding), size, 70_000) == "aé漢😀"


@pytest.mark.parametrize("encoding", ["cp1252", "mac_roman", "utf-16-le", "utf-16-be"])
def test_what_is_assumed_is_said_with_words_to_judge_by(encoding):
    with pytest.warns(UserWarning, match=r"a\.txt: not UTF-8; read as .*, which gives 'était', 'à', 'Noël'") as said:
        assert read(FRENCH.encode(encoding), 1000, 70_000) == FRENCH
    assert len(said) == 1
    assert f"read as {encoding}" in str(said[0].message)


def test_a_code_page_is_found_late_in_a_long_text():
    """The first 300,000 bytes are ASCII; what was read of them stands."""
    text = "All of this is plain.\n" * 15_000 + FRENCH
    with pytest.warns(UserWarning, match="read as cp1252"):
        assert read(text.encode("cp1252"), 1 << 16, 1 << 17) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("吾輩は猫である。名前はまだ無い。\n" * 20, "iso2022_jp"),  # 7 bits, as in letters and newsgroups
        ("모든 인간은 자유로우며\n" * 20, "iso2022_kr"),
        ("Все счастливые семьи похожи.\n" * 20, "utf-16-be"),
        ("道可道,非常道。名可名,非常名。\n" * 20, "utf-16-le"),
    ],
)
def test_text_without_a_mark_whose_bytes_could_be_ascii_or_binary(text, encoding):
    with pytest.warns(UserWarning, match=f"not UTF-8; read as {encoding}"):
        assert read(text.encode(encoding), 1 << 16, 1 << 17) == text
    if encoding.startswith("utf-16"):
        assert read(text.encode(encoding), 1 << 16, 1 << 17, encoding="utf-16") == text


def test_binary_data_is_no_utf16():
    content = bytes(
        byte for code in range(1, 500) for byte in (code * 37 % 251 + 1, 0 if code % 9 == 0 else code % 256 or 1)
    )
    assert encodings._without_mark(content) is None


@pytest.mark.parametrize("encoding", ["idna", "punycode"])
def test_codecs_of_names_are_no_encodings_of_text(encoding):
    with pytest.raises(OptionError, match="expected the name of an encoding"):
        read(b"\xe9", 9, 9, encoding=encoding)


def test_few_damaged_bytes_are_replaced_and_counted():
    damaged = FRENCH.encode() + b"caf\xe9 \xff\n" + FRENCH.encode() + b"\xe6\xbc"
    with pytest.warns(UserWarning, match=r"a\.txt: 3 byte sequences are not valid utf-8 and were replaced by U\+FFFD"):
        assert read(damaged, 100, 70_000) == damaged.decode("utf-8", "replace")


def test_valid_replacement_characters_are_no_damage():
    assert read(("\ufffd" * 27).encode(), 100, 70_000) == "\ufffd" * 27


def test_half_of_the_accents_are_not_lost():
    """Lines in UTF-8 and in cp1252 by turns: neither encoding is right, and a tenth may be damaged."""
    mixed = (FRENCH.encode() + FRENCH.encode("cp1252")) * 2
    with pytest.raises(FormatError, match=r"a\.txt: .* are not valid UTF-8, and the text fits no other encoding"):
        read(mixed, 1 << 16, 1 << 17)
    with pytest.warns(UserWarning, match="400 byte sequences are not valid utf-8"):
        read(mixed, 1 << 16, 1 << 17, encoding="utf-8")


def test_a_code_page_that_goes_on_as_utf8_is_refused():
    with pytest.warns(UserWarning, match="read as cp1252"), pytest.raises(FormatError, match="goes on as UTF-8"):
        read(FRENCH.encode("cp1252") + b"plain\n" * 30_000 + FRENCH.encode() * 30, 1 << 16, 1 << 17)


def test_the_whole_file_decides_not_its_first_damage(tmp_path):
    """A stray byte in front of much UTF-8: the start alone would read as cp1252."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"it\x92s plain\n" * 3 + b"plain\n" * 20_000 + FRENCH.encode() * 90)
    with path.open("rb") as file, pytest.warns(UserWarning, match="3 byte sequences are not valid utf-8"):
        assert Utf8Stream(file, path).read().decode().endswith(FRENCH)


def test_a_named_encoding_is_used_and_doubted():
    assert read("ñ".encode("cp850"), 9, 9, encoding="cp850") == "ñ"
    with text_encoding("cp1250"):
        assert read(b"\xb3", 9, 9) == "ł"
    with pytest.warns(UserWarning, match="read as cp1252, as asked, but its beginning is valid UTF-8"):
        assert read("é".encode(), 9, 9, encoding="cp1252") == "Ã©"
    with pytest.warns(UserWarning, match="1 byte sequences are not valid cp1252"):
        assert read(b"a\x81b", 9, 9, encoding="cp1252") == "a\ufffdb"


@pytest.mark.parametrize("name", ["nonsense", "base64", "rot13", "punycode", "idna", "undefined", "a\0b", 3])
def test_encodings_that_are_none(name):
    with pytest.raises(OptionError, match=r"encoding=.*: expected the name of an encoding, such as utf-8"):
        Utf8Stream(io.BytesIO(b""), "a.txt", encoding=name)


def test_strict_readers_refuse_damage_with_its_line(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(FRENCH.encode() + b"caf\xe9\n")
    for whole in (text_of, lambda file: list(lines_of(file))):
        with pytest.raises(FormatError, match=r"a\.tsv line 21: not UTF-8 text"):
            whole(path)
        with text_encoding("utf-8"), pytest.warns(UserWarning, match="1 byte sequences"):
            assert "caf\ufffd" in "".join(whole(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_carriage_returns_alone_end_lines(encoding, tmp_path):
    text, path = FRENCH.replace("\n", "\r"), tmp_path / "a.txt"
    with warnings.catch_warnings(action="ignore"):
        assert read(text.encode(encoding), 1 << 16, 1 << 17) == FRENCH
        assert read((text * 60).encode(encoding), 1 << 15, 7) == FRENCH * 60
        assert decoded_text(text.encode(encoding), "a.txt") == FRENCH
        path.write_bytes("one two\rthree\r".encode(encoding))
        assert [*lines_of(path)] == ["one two", "three"]
        assert [*firth.Corpus.build(path, min_count=1, cache=tmp_path)] == [["one", "two"], ["three"]]
    for other in ("one\r\ntwo\rthree\n", "one\r", "one\rtwo\nthree"):
        assert read(other.encode(encoding), 9, 9, encoding=encoding) == other


def test_files_of_firth_are_read_as_they_are(tmp_path, monkeypatch):
    path = tmp_path / "gold.txt"
    path.write_text("é", encoding="utf-8")
    monkeypatch.setattr(encodings, "published", {str(path)})
    with text_encoding("cp1252"):
        assert text_of(path) == "é"
        assert text_of(path, encoding="utf-8") == "é"


def test_text_in_memory():
    with pytest.warns(UserWarning, match="read as cp1252"):
        assert decoded_text("café".encode("cp1252"), "x") == "café"
    assert decoded_text("\ufeffcafé".encode("utf-16"), "x") == "\ufeffcafé"
    assert decoded_text("café".encode("utf-8-sig"), "x") == "café"


TABLE = "text,label\ncafé noir,à\ndéjà vu,è\n"


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("suffix", [".txt", ".csv", ".csv.gz"])
def test_a_corpus_of_any_encoding(tmp_path, encoding, suffix):
    path = tmp_path / f"t{suffix}"
    content = TABLE.encode(encoding)
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        corpus = firth.Corpus.build(path, cache=tmp_path / "c", min_count=1)
    assert {"café", "noir", "déjà", "vu"} <= set(corpus.vocabulary.words)
    assert bool(said) == (encoding == "cp1252")


def test_the_encoding_is_part_of_what_a_corpus_is(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes("³".encode("cp1252") * 3)  # which is ł in cp1250
    built = {
        name: firth.Corpus.build(path, cache=tmp_path / "c", min_count=1, encoding=name).vocabulary.words
        for name in ("cp1252", "cp1250", "cp1252")
    }
    assert built["cp1250"] == ["łłł"]
    assert built["cp1252"] != built["cp1250"]
    with text_encoding("cp1250"):
        assert firth.Corpus.build(path, cache=tmp_path / "c", min_count=1).vocabulary.words == ["łłł"]


def test_all_bad_files_of_a_folder_are_listed(tmp_path):
    for name, content in (("a", b"\0\1"), ("b", b"fine"), ("c", bytes(range(1, 256)) * 9), ("d", b"%PDF-1.7")):
        (tmp_path / f"{name}.txt").write_bytes(content)
    with pytest.raises(
        CorpusError, match=r"(?s)3 of 4 files cannot be read.*a\.txt: binary.*c\.txt.*d\.txt: holds a PDF"
    ):
        firth.Corpus.build(tmp_path, cache=tmp_path / "cache")
    with pytest.raises(CorpusError, match="3 of 4 files cannot be read"):
        firth.TextClassifier().train(tmp_path)


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\nIHDR\n", b"GIF89a\x01\x80\xff\n", b"\xff\xd8\xff\xe0JFIF\n"])
def test_pictures_are_no_text_in_any_encoding(content):
    with pytest.raises(FormatError, match=r"a\.txt: a picture or a program, from b.*; expected text"):
        decoded_text(content, "a.txt", strict=False)


@pytest.mark.parametrize("text", ["RIFF is a word", "GIF8 too", "OggS"])
def test_words_that_begin_like_pictures_are_text(text):
    assert decoded_text(text.encode() + b" \xe9t\xe9\n", "a.txt", encoding="cp1252") == f"{text} été\n"


def test_readers_that_yield_keep_the_encoding_that_was_named_where_they_were_called(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_bytes("1\tżółw".encode("cp1250") + b"\t_" * 8 + b"\n\n")
    with text_encoding("cp1250"):
        inside = read_conllu(path, trees=False)
    assert [sentence.words for sentence in inside] == [("żółw",)]


def test_messages_name_what_every_reader_obeys(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("żółw łódź ".encode("cp1250") * 9)
    with pytest.warns(
        UserWarning, match=r"with firth\.text_encoding\('NAME'\):, or --encoding NAME on the command line$"
    ):
        firth.Corpus.build(path, min_count=1, cache=tmp_path)
