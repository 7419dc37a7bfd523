import numpy as np
import pytest

import firth
from firth.evaluation.suite import EvaluationOptions, Space, TextSpace
from firth.evaluation.text_rows import text_rows
from firth.sentences.averages import with_metadata
from tests.unit.evaluation.text_models import BagOfWords

VECTORS = firth.WordVectors(["a", "b", "c"], [[1.0, 0], [0, 1], [1, 1]], counts=[90, 9, 1])


def test_an_encoder_has_one_set_of_rows_and_encodes_a_text_once():
    model = BagOfWords(dim=3)
    space = TextSpace(model)
    first = text_rows(space, ["a b", "c", "a b", ""])
    again = text_rows(space, [["c", "d"], "c"])
    assert [(rows.weighting, rows.encoded.tolist(), rows.shared) for rows in first] == [
        ("", [True, True, True, False], False)
    ]
    assert first[0].rows[0].tolist() == first[0].rows[2].tolist()
    assert again[0].rows[1].tolist() == first[0].rows[1].tolist()
    assert first[0].metric("accuracy") == "accuracy"
    assert set(model.asked.values()) == {1}
    assert again[0].rows == pytest.approx(model.encode([("c", "d"), "c"]))


def test_an_encoder_splits_and_folds_the_words_of_a_set_itself():
    averages = firth.SentenceAverages(VECTORS, "mean")
    (found,) = text_rows(TextSpace(averages), [["A", "B"], "a b"])
    assert found.encoded.all()
    assert (found.rows[0] == found.rows[1]).all()


def test_word_vectors_are_averaged_in_two_ways():
    """a has 90 % of the words: its SIF weight is 1e-3 / 0.901, that of c 1e-3 / 0.011."""
    mean, sif = text_rows(Space(VECTORS, EvaluationOptions()), ["A c", ["a", "c", "unheard"], "unheard"])
    assert (mean.metric("accuracy"), sif.metric("accuracy")) == ("accuracy, mean", "accuracy, sif")
    assert mean.rows.tolist() == [[1, 0.5], [1, 0.5], [0, 0]]
    assert mean.encoded.tolist() == sif.encoded.tolist() == [True, True, False]
    assert sif.rows[0] == pytest.approx([(1 / 901 + 1 / 11) / 2, 1 / 22])
    assert (mean.shared, sif.shared) == (False, True)


def test_a_direction_that_is_saved_with_the_vectors_is_removed_once():
    saved = with_metadata(
        VECTORS, {"weighting": "sif", "smoothing": 1e-3, "tokens": "unicode", "direction": [0.6, 0.8]}
    )
    _, sif = text_rows(Space(saved, EvaluationOptions()), ["a c", "b"])
    assert not sif.shared
    assert sif.rows @ [0.6, 0.8] == pytest.approx([0, 0], abs=1e-6)
    assert sif.rows == pytest.approx(firth.SentenceAverages.from_metadata(saved).encode(["a c", "b"]), abs=1e-6)


def test_the_shared_direction_is_that_of_training_rows():
    texts = [["a", "b", "c"][i % 3] for i in range(300)] + [f"a b {'c' * i}" for i in range(1, 120)]
    _, sif = text_rows(Space(VECTORS, EvaluationOptions()), texts)
    train = np.arange(len(texts)) < 300
    with pytest.warns(UserWarning, match="3 different texts with known words are too few"):
        assert (sif.without_shared(train) == sif.rows).all()
    mean, _ = text_rows(Space(VECTORS, EvaluationOptions()), texts)
    assert (mean.without_shared(train) == mean.rows).all()
