"""Texts in the space of an encoder: nearest texts, names of groups, and which models place texts."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError, ShapeError
from firth.explorer.text_space import TextSpace, documents_of, text_space

FRUIT = ["apples and pears", "ripe pears with apples", "apples"]
SHIPS = ["ships in a harbour", "old ships at sea", "a harbour"]


@pytest.fixture(scope="module")
def vectors():
    words = ["apples", "pears", "ripe", "ships", "harbour", "sea"]
    rows = np.array([[4, 1, 0], [4, 0, 1], [3, 0, 0], [0, 4, 1], [0, 4, 0], [1, 4, 1]], dtype="f4")
    return firth.WordVectors(words, rows)


def test_nearest_texts_are_those_of_highest_cosine(vectors):
    space = text_space(vectors, FRUIT + SHIPS)
    rows = space.encoder.encode(FRUIT + SHIPS)
    query = space.encoder.encode(["harbour sea"])[0]
    cosines = rows @ query / np.linalg.norm(rows, axis=1) / np.linalg.norm(query)
    found = space.nearest("harbour sea", 3)
    assert [row for row, _ in found] == np.argsort(-cosines)[:3].tolist()
    np.testing.assert_allclose([cosine for _, cosine in found], np.sort(cosines)[:-4:-1], atol=1e-6)


def test_a_text_is_not_near_itself(vectors):
    space = text_space(vectors, FRUIT + SHIPS)
    assert [row for row, _ in space.nearest(0, 2)] == [1, 2]
    assert len(space.nearest(0, 100)) == 5
    with pytest.raises(OptionError, match=r"row 6: expected one of 6 texts, from 0"):
        space.nearest(6, 1)
    with pytest.raises(OptionError, match="nothing of this text is known"), pytest.warns(match="no known word"):
        space.nearest("zebras", 1)


def test_groups_are_named_after_words_that_set_them_apart():
    texts = ["the red apples", "the green apples", "the red ships", "the green ships"]
    space = TextSpace(None, texts, np.eye(4))
    assert space.group_names(np.array([0, 0, 1, 1], dtype=np.uint8), 2) == ["apples", "ships"]
    assert space.group_names(np.array([0, 0, 0, 0], dtype=np.uint8), 2)[1] == "others"


def test_texts_without_a_known_word_are_left_out(vectors):
    with pytest.warns(match="no known word"):
        space = text_space(vectors, [*FRUIT, "zebras"], {"label": ["a", "b", "c", "d"]})
    assert space.texts == FRUIT
    assert space.space.attributes["label"].tolist() == ["a", "b", "c"]
    with pytest.raises(OptionError, match="2 of 3 texts have a vector"), pytest.warns(match="no known word"):
        text_space(vectors, ["apples", "sea", "zebras"])


def test_labels_are_distinct_and_short():
    space = TextSpace(None, ["a b", "a  b", "a b (2)", "x" * 500], np.eye(4))
    assert space.space.words == ["a b", "a b (2)", "a b (2) (2)", "x" * 199 + "…"]
    assert space.texts[3] == "x" * 500
    with pytest.raises(ShapeError):
        TextSpace(None, ["a"], np.eye(2))


def test_only_encoders_place_texts(vectors):
    assert (
        text_space(firth.NgramLM(order=2, discount_fallback=True).train(["a b c"] * 9, progress=False), FRUIT) is None
    )
    assert documents_of(vectors) is None
    model = firth.ParagraphVectors(dim=4, epochs=1).train(["a b c", "b c d"] * 3, min_count=1, progress=False)
    documents = documents_of(model)
    assert documents.texts == model.names
    np.testing.assert_array_equal(documents.space.vectors, model.vectors)
