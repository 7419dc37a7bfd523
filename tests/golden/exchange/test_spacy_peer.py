"""spaCy itself opens what firth writes, and firth what spaCy writes."""

import subprocess
import sys

import numpy as np
import pytest

import firth

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install spacy")
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

# "number", "mark", "root" and "X" are symbols of spaCy's; "don't" is split by its English tokeniser.
WORDS = ["ships", "sea", "number", "mark", "root", "X", "naïve", "n't", "do", "東京", "a" * 40, "new_york"]
ROWS = np.random.default_rng(3).normal(size=(len(WORDS), 5)).astype(np.float32)
VECTORS = firth.WordVectors(WORDS, ROWS)


@pytest.fixture
def folder(tmp_path):
    VECTORS.save(tmp_path / "s", format="spacy")
    return tmp_path / "s"


def test_every_vector_in_a_pipeline_of_its_own(folder):
    nlp = spacy.load(folder)
    for word, row in zip(WORDS, ROWS, strict=True):
        assert nlp.vocab[word].has_vector
        np.testing.assert_array_equal(nlp.vocab[word].vector, row)
    document = nlp("Ships? The naïve sea, (number)!")
    assert [token.text for token in document] == ["Ships", "?", "The", "naïve", "sea", ",", "(", "number", ")", "!"]
    np.testing.assert_allclose(document[3:5].vector, (ROWS[6] + ROWS[1]) / 2, rtol=1e-6)
    keys, _, scores = nlp.vocab.vectors.most_similar(ROWS[:1], n=3)
    near = VECTORS.most_similar("ships", topn=2)
    assert [nlp.vocab.strings[int(key)] for key in keys[0]] == ["ships", *(word for word, _ in near)]
    np.testing.assert_allclose(scores[0, 1:], [score for _, score in near], atol=1e-4)


def test_vectors_in_an_english_pipeline(folder):
    nlp = spacy.blank("en")
    nlp.vocab.vectors.from_disk(folder / "vocab")
    document = nlp("We don't mark ships")
    np.testing.assert_array_equal(document[2].vector, ROWS[WORDS.index("n't")])
    np.testing.assert_array_equal(document[3].vector, ROWS[WORDS.index("mark")])


def test_vectors_of_a_training_configuration(folder):
    """`[initialize] vectors = "folder"` of a configuration calls this function."""
    from spacy.training.initialize import load_vectors_into_model

    firth.WordVectors(WORDS, ROWS, metadata={"language": "en"}).save(folder, format="spacy")
    nlp = spacy.blank("en")
    load_vectors_into_model(nlp, folder)
    np.testing.assert_array_equal(nlp("the sea")[1].vector, ROWS[1])


def test_pipelines_of_spacy_are_read(folder, tmp_path):
    nlp = spacy.blank("en")
    nlp.vocab.vectors.from_disk(folder / "vocab")
    nlp.to_disk(tmp_path / "pipeline")
    for path in (tmp_path / "pipeline", tmp_path / "pipeline" / "vocab"):
        back = firth.load(path)
        assert back.words == WORDS
        np.testing.assert_array_equal(back.vectors, ROWS)


def test_what_its_command_makes_of_a_text_file(tmp_path):
    VECTORS.save(tmp_path / "v.txt")
    command = [sys.executable, "-m", "spacy", "init", "vectors", "xx", str(tmp_path / "v.txt"), str(tmp_path / "made")]
    subprocess.run(command, check=True, capture_output=True)
    back = firth.load(tmp_path / "made")
    assert back.words == WORDS
    np.testing.assert_array_equal(back.vectors, ROWS)


def test_pruned_vectors_share_rows(tmp_path):
    nlp = spacy.blank("xx")
    for word, row in zip(WORDS, ROWS, strict=True):
        nlp.vocab.set_vector(word, row)
    nlp.vocab.prune_vectors(4)
    nlp.to_disk(tmp_path / "pruned")
    back = firth.load(tmp_path / "pruned")
    assert set(back.words) == set(WORDS)
    assert len(np.unique(back.vectors, axis=0)) == 4
    for word in WORDS:
        np.testing.assert_array_equal(back[word], nlp.vocab[word].vector)


def test_a_table_of_ngrams_gives_every_word_its_vector(tmp_path):
    corpus = firth.Corpus.build(["the ship sails the sea", "ships on seas"] * 20, min_count=1)
    model = firth.FastText(dim=6, epochs=2, buckets=200, hashing="floret", sample=0)
    vectors = model.train(corpus, seed=1, threads=1, progress=False)
    vectors.save(tmp_path / "s", format="spacy")
    nlp = spacy.load(tmp_path / "s")
    vectors.save(tmp_path / "v.floret")
    table = firth.load(tmp_path / "v.floret")
    for word in ("sailing", "unheard", "ship", "é"):
        np.testing.assert_allclose(nlp.vocab[word].vector, table[word], atol=1e-6)
    nlp.to_disk(tmp_path / "again")
    np.testing.assert_allclose(firth.load(tmp_path / "again")["sailing"], table["sailing"], atol=1e-6)
