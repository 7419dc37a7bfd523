import pickle

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer

import firth
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.sklearn import LSAVectorizer, ParagraphVectorizer
from firth.text.tokenise import unicode_tokens


def test_lsa_of_counts_is_the_truncated_svd_of_scikit_learn(passages):
    """Both give U S of the documents: the same columns, up to their signs."""
    texts, _, others, _ = passages
    ours = LSAVectorizer(dim=6, weighting="counts", min_count=1, random_state=0).fit(texts)
    counts = CountVectorizer(analyzer=unicode_tokens).fit(texts)
    theirs = TruncatedSVD(6, algorithm="arpack", random_state=0).fit(counts.transform(texts).astype(float))
    for part in (texts, others):
        expected = theirs.transform(counts.transform(part))
        assert np.abs(ours.transform(part)) == pytest.approx(np.abs(expected), abs=1e-3)


def test_lsa_is_that_of_firth(passages, tmp_path):
    texts, _, others, _ = passages
    model = firth.LatentSemanticAnalysis(dim=5)
    built = Corpus.build({"text": texts}, cache=tmp_path, sentences="text", keep_empty=True)
    vectors = model.train(built, seed=2, threads=1)
    vectorizer = LSAVectorizer(dim=5, random_state=2).fit(texts)
    assert np.array_equal(vectorizer.vectors_.vectors, vectors.vectors)
    expected = model.documents([unicode_tokens(text) for text in others], vectors)
    assert vectorizer.transform(others) == pytest.approx(expected.vectors, abs=1e-6)
    assert vectorizer.transform(["xyzzy"]).tolist() == [[0] * 5]


def test_lsa_asks_for_fewer_dimensions_than_texts():
    with pytest.raises(OptionError, match="dim=5 for 2 words and 3 contexts"):
        LSAVectorizer(dim=5, min_count=1).fit(["a b", "a", "b"])


def test_paragraph_vectors_are_inferred_for_all_texts(passages):
    texts, _, others, _ = passages
    vectorizer = ParagraphVectorizer(dim=8, epochs=2, architecture="dbow", random_state=1)
    trained = vectorizer.fit_transform(texts[:300])
    expected = vectorizer.model_.infer([unicode_tokens(text) for text in texts[:5]], seed=1, threads=1)
    assert np.array_equal(trained[:5], expected)
    rows = vectorizer.transform(others)
    assert np.array_equal(vectorizer.set_params(n_jobs=2).transform(others[:3]), rows[:3])
    assert np.array_equal(pickle.loads(pickle.dumps(vectorizer)).transform(others), rows)
    with pytest.warns(UserWarning, match="no known word"):
        assert vectorizer.transform(["xyzzy"]).tolist() == [[0] * 8]
    assert len(vectorizer.model_) == 300
    assert vectorizer.get_feature_names_out().tolist() == [f"paragraphvectorizer{i}" for i in range(8)]
    longer = vectorizer.set_params(infer_epochs=20).transform(others[:3])
    assert not np.allclose(longer, rows[:3])
