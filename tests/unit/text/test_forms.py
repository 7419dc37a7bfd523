"""Words as users write them are found in the form that the vocabulary has."""

import pytest

import firth
from firth.corpus.spaced_contexts import spaced_contexts
from firth.errors import UnknownWordError
from firth.text.forms import forms, place_of, places_of


@pytest.mark.parametrize(
    ("word", "tokens", "form"),
    [
        ("ΔΡΌΜΟΣ", None, "δρόμος"),
        ("δρόμος", "unicode", "δρόμοσ"),  # of a corpus from before
        ("Straße", "unicode", "strasse"),
        ("IŞIK", "words:tr", "ışık"),
        ("IŞIK", None, "ışık"),
        ("İstanbul", "words", "istanbul"),
        ("cafe\u0301", None, "café"),
        ("café", None, "cafe\u0301"),  # vectors from elsewhere, not composed
        ("Don’t", "words", "don't"),
        ("don't", "whitespace", "don’t"),
        ("oʻzbek", "words", "o'zbek"),  # which the text may write with another mark
        ("o'zbek", "words", "oʻzbek"),
        ("п‘ять", "words", "пʼять"),
        ("ｶﾞ", None, "ガ"),
        ("Ｆｕｌｌ", None, "full"),
        ("كـتاب", None, "كتاب"),
        ("co\u00adoperate", None, "cooperate"),
        ("New", "whitespace", "new"),
        ("C++", None, "c++"),
        ("U.S.", None, "u.s."),
        ("New-York", "whitespace", "new-york"),
    ],
)
def test_forms(word, tokens, form):
    found = list(forms(word, tokens))
    assert found[0] == word
    assert form in found


@pytest.fixture(scope="module")
def greek(tmp_path_factory):
    texts = ["ο δρόμος είναι μακρύς", "η θάλασσα του κόσμου"] * 20
    corpus = firth.Corpus.build(texts, min_count=1, cache=tmp_path_factory.mktemp("cache"))
    return corpus, firth.Word2Vec(dim=4, epochs=1).train(corpus, threads=1, progress=False)


def test_every_look_up_knows_the_form(greek, tmp_path):
    corpus, vectors = greek
    assert "δρόμος" in vectors.words
    assert "ΔΡΌΜΟΣ" in vectors
    assert vectors.get_index("Θάλασσα") == vectors.key_to_index["θάλασσα"]
    assert (vectors["ΚΌΣΜΟΥ"] == vectors["κόσμου"]).all()
    assert vectors.similarity("Δρόμος", "δρόμος") == pytest.approx(1)
    assert [word for word, _ in vectors.most_similar("ΔΡΌΜΟΣ", topn=9)] == [
        word for word, _ in vectors.most_similar("δρόμος", topn=9)
    ]
    vectors.save(tmp_path / "el.firth")
    assert "ΔΡΌΜΟΣ" in firth.load(tmp_path / "el.firth")
    assert spaced_contexts(corpus, "ΔΡΌΜΟΣ")[1] == 20


def test_what_is_written_comes_first():
    vectors = firth.WordVectors(["us", "US"], [[1.0, 0.0], [0.0, 1.0]])
    assert vectors.get_index("US") == 1
    assert vectors.get_index("us") == 0


def test_signs_of_words_from_elsewhere_are_not_left_out():
    """GloVe has c, c++ and u.s., and c is neither C++ nor C#."""
    vectors = firth.WordVectors(["c", "c++", "u.s.", "tag"], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    assert vectors.get_index("C++") == 1
    assert vectors.get_index("U.S.") == 2
    assert "C#" not in vectors
    assert "#tag" not in vectors


def test_the_plain_lower_case_of_words_from_elsewhere_comes_first():
    """As models of older versions have it, too, which do not say their rule."""
    vectors = firth.WordVectors(["i̇nsan", "insan"], [[1.0, 0.0], [0.0, 1.0]])
    assert vectors.get_index("İnsan") == 0
    assert vectors.get_index("INSAN") == 1


def test_several_words_are_named():
    vectors = firth.WordVectors(["well", "known"], [[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(
        UnknownWordError, match=r"^'Well-known' is not in the vocabulary: its text was split into well, known"
    ):
        vectors["Well-known"]


def test_old_corpora_and_models_keep_their_rule(tmp_path):
    corpus = firth.Corpus.build(["ο δρόμος"] * 9, min_count=1, tokens="unicode", cache=tmp_path)
    assert next(iter(corpus)) == ["ο", "δρόμοσ"]
    vectors = firth.Word2Vec(dim=4, epochs=1).train(corpus, threads=1, progress=False)
    assert vectors.metadata["training"]["rules"] == {"tokens": "unicode"}
    assert vectors.get_index("δρόμος") == vectors.key_to_index["δρόμοσ"]


def test_a_set_of_other_words_says_why_nothing_is_covered(greek, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("cat\tdog\t3\nhouse\ttree\t1\n", encoding="utf-8")
    with pytest.warns(
        UserWarning, match="no item has all its words in vectors: it asks for 'cat', .* and the 8 words of"
    ):
        firth.evaluate(greek[1], similarity=path)


WRITTEN = (
    "don't Don’t cat CAT Straße strasse STRASSE δρόμος ΔΡΌΜΟΣ δρόμοσ IŞIK ışık İstanbul istanbul i̇stanbul Ärger ärger "
    "ａｂｃ ｶﾞ ﬁnd ſo ﷲ μ µ 7 7x école école Ǆ ǆ हिन्दी 東京 東 мой МОЙ мои\u0306 a_b ª ß ẞ ŉ ⅳ co-op 한국"
)


@pytest.mark.parametrize("tokens", [None, "words", "words:tr", "words:as-shaped", "unicode", "text8", "whitespace"])
def test_many_words_are_looked_up_as_one_is(tokens):
    written = WRITTEN.split()
    for held in (written, [form for word in written for form in list(forms(word, tokens))[1:]], ["else"]):
        places = {word: place for place, word in enumerate(dict.fromkeys(held))}
        one_by_one = [place_of(word, places, tokens) for word in written]
        assert places_of(written, places, tokens) == [-1 if place is None else place for place in one_by_one]
