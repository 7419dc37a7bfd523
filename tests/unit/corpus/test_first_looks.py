"""Warnings about text that would become strange words."""

import warnings

import pytest

import firth

SENTENCES = ["<s> the cat sat </s>", "<s> caf&eacute; <unk> noir </s>"] * 5


def test_markup_is_said_once_with_a_count_and_the_remedy(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("\n".join(SENTENCES), encoding="utf-8")
    message = (
        r"a\.txt and 1 more of 2 files: markup, such as '<s>', '</s>', .* \(30 marks in the first 64 KB\), becomes"
    )
    with pytest.warns(UserWarning, match=message) as found:
        corpus = firth.Corpus.build(tmp_path, min_count=1, cache=tmp_path / "cache")
    assert len(found) == 1
    assert next(iter(corpus)) == ["s", "the", "cat", "sat", "s"]


@pytest.mark.parametrize("from_file", [True, False])
def test_markup_can_be_left_out(tmp_path, from_file):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(SENTENCES), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = path if from_file else SENTENCES
        corpus = firth.Corpus.build(source, min_count=1, markup=True, cache=tmp_path / "cache")
    assert list(corpus) == [["the", "cat", "sat"], ["café", "noir"]] * 5


def test_documents_of_wikiextractor(tmp_path):
    path = tmp_path / "wiki.txt"
    path.write_text('<doc id="1" title="A">\nA\n\none two\n</doc>\n<doc id="2" title="B">\nthree\n</doc>\n')
    corpus = firth.Corpus.build(path, min_count=1, markup=True, sentences="paragraph", cache=tmp_path / "cache")
    assert list(corpus) == [["a"], ["one", "two"], ["three"]]


def test_texts_are_all_read_after_the_look(tmp_path):
    texts = (f"text {i}" for i in range(1200))
    assert len(firth.Corpus.build(texts, min_count=1, cache=tmp_path)) == 1200


def test_turkish_without_its_rule(tmp_path):
    turkish = ["Kapı açıldı ve IŞIK yandı", "the well-known city of Diyarbakır"] * 5
    with pytest.warns(UserWarning, match=r"dotless ı of Turkish .*, and a capital I became i; language='tr'"):
        firth.Corpus.build(turkish, min_count=1, cache=tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "ışık" in firth.Corpus.build(turkish, min_count=1, language="tr", cache=tmp_path).vocabulary
        firth.Corpus.build(
            ["the well-known and old city of Diyarbakır lies far away from here and the sea", *["a b c"] * 9],
            min_count=1,
            cache=tmp_path,
        )


def test_scripts_without_spaces(tmp_path):
    thai = ["มนุษย์ทั้งหลายเกิดมามีอิสระ และเสมอภาคกัน"] * 9
    with pytest.warns(
        UserWarning, match=r"^Thai puts no spaces between words, .* or use tokens='subwords', or train FastText"
    ):
        firth.Corpus.build(thai, min_count=1, cache=tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        firth.Corpus.build(thai, min_count=1, tokens=list, cache=tmp_path)
        firth.Corpus.build(["a text with one Thai word: มนุษย์", "and many more words of another script"], cache=tmp_path)


@pytest.mark.parametrize(
    ("options", "sentences"),
    [
        ({"sentences": "punctuation"}, [["the", "representatives", "met"], ["well", "known"]]),
        (
            {"sentences": "punctuation", "join_hyphens": False},
            [["the", "representa", "tives", "met"], ["well", "known"]],
        ),
        ({"sentences": "paragraph", "join_hyphens": True}, [["the", "representatives", "met", "well", "known"]]),
        ({"sentences": "paragraph"}, [["the", "representa", "tives", "met", "well", "known"]]),
    ],
    ids=str,
)
def test_words_divided_at_the_end_of_a_line(tmp_path, options, sentences):
    path = tmp_path / "prose.txt"
    path.write_text("The representa-\n  tives met. Well-\nKnown.\n", encoding="utf-8")
    assert list(firth.Corpus.build(path, min_count=1, cache=tmp_path / "cache", **options)) == sentences


def test_lines_that_are_sentences_cannot_be_joined(tmp_path):
    with pytest.raises(firth.FirthError, match="join_hyphens=True with sentences='line': a line is whole there"):
        firth.Corpus.build(["a"], join_hyphens=True, cache=tmp_path)


@pytest.mark.parametrize("hyphen", ["-", "\u2010", "¬", "⸗"])
def test_what_transcripts_write_for_a_hyphen_at_the_end_of_a_line(tmp_path, hyphen):
    """The sign ¬ is that of the Deutsches Textarchiv and of OCR, ⸗ that of old prints."""
    corpus = firth.Corpus.build([f"die Haupt{hyphen}\nsache"], min_count=1, sentences="punctuation", cache=tmp_path)
    assert list(corpus) == [["die", "hauptsache"]]
