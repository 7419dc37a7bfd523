import itertools
import warnings

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError, ShapeError
from firth.sentences import averages
from firth.sentences.averages import FEWEST_TEXTS, SentenceAverages, shared_direction

WORDS = firth.WordVectors(["a", "b"], [[1, 0], [0, 1]], counts=[900, 100])
FEW = r"different texts with known words are too few .* learn it from 100 or more, with SentenceAverages\.learn"
NAMES = [f"w{i}" for i in range(30)]
TEXTS = [f"{one} {other} w0 w1" for one, other in itertools.combinations(NAMES[2:], 2)]


def space():
    """Vectors that share a direction, as those of words do."""
    random = np.random.default_rng(1)
    rows = random.normal(size=(len(NAMES), 8)) + 2
    return firth.WordVectors(NAMES, rows.astype(np.float32), counts=np.arange(1000, 1000 - len(NAMES), -1))


def cosine(one, other):
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_mean():
    """The mean of "a a b" is (2 (1, 0) + (0, 1)) / 3; an unknown word counts for nothing, not for zeros."""
    with pytest.warns(UserWarning, match="1 of 4 texts have no known word"):
        found = firth.sentence_vectors(WORDS, ["a a b", "b unheard", "unheard", ""], weighting="mean")
    assert found == pytest.approx(np.array([[2 / 3, 1 / 3], [0, 1], [0, 0], [0, 0]]))
    assert found.dtype == np.float32


def test_smooth_inverse_frequency_by_hand():
    """With a = 0.1 the weights are 0.1 / (0.1 + 0.9) = 0.1 of "a" and 0.1 / (0.1 + 0.1) = 0.5 of "b".

    "a" and "b" are u = (0.1, 0) and (0, 0.5); without their part along c = (0.6, 0.8), 0.06 and 0.4 long, they are
    (0.064, -0.048) and (-0.24, 0.18).
    """
    direction = np.array([0.6, 0.8], np.float32)
    found = SentenceAverages(WORDS, smoothing=0.1, direction=direction).encode(["a", "b"])
    assert found == pytest.approx(np.array([[0.064, -0.048], [-0.24, 0.18]]), abs=1e-7)


def test_the_direction_is_the_first_singular_vector_of_all_batches():
    rows = np.random.default_rng(0).normal(size=(140, 6)).astype(np.float32) + 1
    first = np.linalg.svd(rows)[2][0]
    assert abs(float(shared_direction([rows[:50], rows[50:]]) @ first)) == pytest.approx(1, abs=1e-5)


@pytest.mark.filterwarnings("ignore:.* texts have no known word")
def test_few_texts_keep_their_vectors():
    """A direction learned from one text would leave 1e-8 of it; from two, opposite vectors."""
    vectors = space()
    plain = SentenceAverages(vectors).encode(TEXTS[:3])
    for some in (TEXTS[:1], TEXTS[:3], TEXTS[:3] * 200, TEXTS[:1] * 300 + ["unheard"] * 300):
        with pytest.warns(UserWarning, match=FEW):
            found = firth.sentence_vectors(vectors, some)
        assert found[: len(set(some) - {"unheard"})] == pytest.approx(plain[: len(set(some) - {"unheard"})])
        assert np.linalg.norm(found[0]) > 0.1
    with pytest.warns(UserWarning, match=FEW):
        one, other = firth.sentence_vectors(vectors, [TEXTS[0], TEXTS[-1]])
    assert cosine(one, other) > 0
    with pytest.warns(UserWarning, match=FEW):
        assert firth.sentence_vectors(vectors, TEXTS[:3], like=TEXTS[:9]) == pytest.approx(plain)
    with pytest.warns(UserWarning, match=FEW):
        assert SentenceAverages.learn(vectors, []).direction is None


def test_as_many_texts_as_it_takes():
    with pytest.warns(UserWarning, match=rf"{FEWEST_TEXTS - 1} different texts with known words are too few"):
        assert SentenceAverages.learn(space(), TEXTS[: FEWEST_TEXTS - 1]).direction is None
    assert SentenceAverages.learn(space(), TEXTS[:FEWEST_TEXTS]).direction is not None


def test_what_was_learned_holds_for_any_number_of_texts():
    vectors = space()
    averages = SentenceAverages.learn(vectors, iter(TEXTS))
    whole = averages.encode(TEXTS)
    assert whole == pytest.approx(firth.sentence_vectors(vectors, TEXTS), abs=1e-6)
    for i in (0, 100):
        assert averages.encode([TEXTS[i]])[0] == pytest.approx(whole[i], abs=1e-6)
        assert firth.sentence_vectors(vectors, [TEXTS[i]], like=TEXTS)[0] == pytest.approx(whole[i], abs=1e-6)
    assert averages.encode([]).shape == (0, 8)


def test_a_corpus_is_learned_from(tmp_path):
    corpus = firth.Corpus.build(TEXTS, min_count=1, cache=tmp_path)
    expected = SentenceAverages.learn(space(), TEXTS).direction
    assert abs(float(SentenceAverages.learn(space(), corpus).direction @ expected)) == pytest.approx(1, abs=1e-5)


def test_saved_with_the_vectors(tmp_path):
    vectors = space()
    averages = SentenceAverages.learn(vectors, TEXTS, smoothing=0.01, tokens="whitespace")
    averages.save(tmp_path / "kept")
    assert "sentences" not in vectors.metadata
    again = SentenceAverages.load(tmp_path / "kept")
    assert (again.smoothing, again.tokens) == (0.01, "whitespace")
    some = ["w3 w4", "w5"]
    assert again.encode(some).tolist() == averages.encode(some).tolist()
    loaded = firth.load(tmp_path / "kept")
    assert loaded.vectors.tolist() == vectors.vectors.tolist()
    with warnings.catch_warnings():  # nothing is learned, so that two texts are enough
        warnings.simplefilter("error")
        assert firth.sentence_vectors(loaded, some).tolist() == averages.encode(some).tolist()
    assert firth.sentence_vectors(loaded, some, weighting="mean").tolist() == (
        firth.sentence_vectors(vectors, some, weighting="mean").tolist()
    )
    with pytest.warns(UserWarning, match=FEW):  # another a, whose direction is not known
        firth.sentence_vectors(loaded, some, smoothing=0.5)


def test_saved_with_subwords(tmp_path):
    vectors = firth.FastText(dim=8, epochs=1, sample=0, buckets=1000).train(
        ["reading writing read write", "writer reader writers"] * 30, min_count=2, seed=1, progress=False
    )
    assert np.linalg.norm(firth.sentence_vectors(vectors, ["rewriters"], weighting="mean")) > 0
    direction = np.eye(8, dtype=np.float32)[0]
    averages = SentenceAverages(vectors, direction=direction)
    averages.save(tmp_path / "kept")
    again = SentenceAverages.load(tmp_path / "kept")
    assert again.encode(["rewriters read"]) == pytest.approx(averages.encode(["rewriters read"]))
    assert again.encode(["rewriters read"])[0, 0] == 0


def test_what_cannot_be_saved_or_loaded(tmp_path):
    with pytest.raises(OptionError, match="only tokenisers with a name can be saved"):
        SentenceAverages(WORDS, tokens=str.split).save(tmp_path / "kept")
    WORDS.save(tmp_path / "words")
    with pytest.raises(FormatError, match=r"found WordVectors alone, expected a folder that SentenceAverages"):
        SentenceAverages.load(tmp_path / "words")
    kept = {"weighting": "sif", "smoothing": 0.1, "tokens": "unicode", "direction": None}
    damaged = ({}, 7, kept | {"direction": [1.0]}, kept | {"direction": [3.0, 0.0]}, kept | {"smoothing": "x"})
    for wrong in (*damaged, kept | {"smoothing": -1}, kept | {"tokens": "word"}):
        vectors = firth.WordVectors(["a", "b"], np.eye(2), metadata={"sentences": wrong})
        with pytest.raises(FormatError, match="metadata 'sentences' is damaged"):
            firth.sentence_vectors(vectors, ["a"])


def test_texts_may_be_tokens():
    tokens = firth.sentence_vectors(WORDS, [["a", "b"], ["b"]], weighting="mean")
    assert tokens.tolist() == firth.sentence_vectors(WORDS, ["a b", "B!"], weighting="mean").tolist()
    with pytest.warns(UserWarning, match="1 of 1 texts have no known word"):
        assert firth.sentence_vectors(WORDS, ["B!C"], weighting="mean", tokens="whitespace").tolist() == [[0, 0]]
    assert firth.sentence_vectors(WORDS, []).shape == (0, 2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weighting": "tfidf"}, "weighting='tfidf': expected one of mean, sif"),
        ({"smoothing": 0}, "smoothing=0: expected a number above 0"),
        ({"tokens": "word"}, "tokens='word'"),
    ],
)
def test_wrong_options(options, said):
    with pytest.raises(OptionError, match=said):
        firth.sentence_vectors(WORDS, ["a"], **options)


def test_one_string_is_no_list_of_texts():
    for ask in (lambda: firth.sentence_vectors(WORDS, "a b"), lambda: SentenceAverages.learn(WORDS, "a b")):
        with pytest.raises(OptionError, match="texts='a b': expected a list of texts"):
            ask()


def test_a_direction_of_another_width():
    with pytest.raises(ShapeError, match=r"direction of shape \(3,\), expected \(2,\)"):
        SentenceAverages(WORDS, direction=np.ones(3, np.float32))


@pytest.mark.parametrize("compiled", [False, True])
def test_words_are_looked_up_in_the_forms_of_the_rule_of_the_vectors(monkeypatch, compiled):
    """As every look-up: in tokens of other case, and in texts that another rule split."""
    monkeypatch.setattr(averages, "COMPILED", -1 if compiled else 1 << 20)
    rule = {"training": {"rules": {"tokens": "words"}}}
    vectors = firth.WordVectors(["δρόμος", "straße", "don't"], np.eye(3), metadata=rule)
    lists = [["ΔΡΌΜΟΣ"], ["Straße"], ["Don’t"], ["δρόμος", "unheard"]]
    assert firth.sentence_vectors(vectors, lists, weighting="mean").tolist() == np.eye(3)[[0, 1, 2, 0]].tolist()
    texts = ["ΔΡΌΜΟΣ Straße", "Don’t"]
    split = firth.sentence_vectors(vectors, texts, weighting="mean", tokens="whitespace")
    assert (
        split.tolist()
        == firth.sentence_vectors(vectors, texts, weighting="mean").tolist()
        == [[0.5, 0.5, 0], [0, 0, 1]]
    )
    older = firth.WordVectors(["δρόμοσ", "strasse"], np.eye(2), metadata={"training": {"rules": {"tokens": "unicode"}}})
    assert firth.sentence_vectors(older, ["Δρόμος Straße"], weighting="mean", tokens="words").tolist() == [[0.5, 0.5]]


def test_the_vectors_own_rule_leaves_no_other_form_to_look_for(monkeypatch):
    """Then unknown words, of which a text has many, take no time."""
    rule = {"training": {"rules": {"tokens": "words"}}}
    vectors = firth.WordVectors(["a", "b"], np.eye(2), metadata=rule)
    monkeypatch.setattr(vectors.lexicon, "forms", None)
    monkeypatch.setattr(type(vectors.lexicon), "rows_of", None)
    assert SentenceAverages(vectors, "mean").encode(["A unheard", "b é"]).tolist() == [[1, 0], [0, 1]]
