import pytest

from firth import data
from firth.data import sample_text
from firth.data.sample_text import write_sample
from firth.errors import DataError, OptionError

TEXTS = {"language.txt": ("a b c d", "e f", "g h i j"), "library.txt": ("k l", "m n o p q r", "s t")}  # 20 words


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(sample_text, "_paragraphs", lambda: TEXTS)


def test_the_sample_is_the_language_reference_and_the_docstrings_of_the_library():
    texts = data.sample()
    assert list(texts) == ["language.txt", "library.txt"]
    assert all(len(" ".join(lines).split()) > 30_000 for lines in texts.values())
    everything = [line for lines in texts.values() for line in lines]
    assert len(everything) == len(set(everything))
    assert not any("\n" in line for line in everything)
    assert " ".join(texts["language.txt"]).count("generator") > 10


def test_a_part_of_the_sample_is_spread_over_all_of_it(small):
    """Half of 20 words: after each paragraph, as near to half of what has been read as whole paragraphs come."""
    assert data.sample() == {name: list(lines) for name, lines in TEXTS.items()}
    assert data.sample(words=10) == {"language.txt": ["a b c d"], "library.txt": ["k l", "m n o p q r"]}
    assert data.sample(words=1000) == data.sample()


def test_about_as_many_words_as_asked_for():
    texts = data.sample(words=50_000)
    assert sum(len(line.split()) for lines in texts.values() for line in lines) == pytest.approx(50_000, rel=0.01)
    assert all(len(lines) > 100 for lines in texts.values())


def test_the_sample_is_written_as_text_files_once(small, tmp_path):
    files = data.get("sample", tmp_path / "texts")
    assert [file.name for file in files] == ["language.txt", "library.txt"]
    assert files[0].read_text(encoding="utf-8") == "a b c d\ne f\ng h i j\n"
    assert write_sample(tmp_path / "texts") == files


def test_nothing_of_yours_is_replaced(small, tmp_path):
    (tmp_path / "library.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(OptionError, match=r"library.txt is there and holds something else"):
        data.get("sample", tmp_path)
    assert (tmp_path / "library.txt").read_text(encoding="utf-8") == "mine"


def test_mistakes_say_what_to_do():
    with pytest.raises(OptionError, match="words=0: expected a whole number of at least 1"):
        data.sample(0)
    with pytest.raises(OptionError, match="only the sample text can be shortened"):
        data.get("simlex-999", "gold", words=10)
    with pytest.raises(DataError, match="firth data get sample -o FOLDER writes it"):
        data.path_of("sample")
