import numpy as np
import pytest

from firth import plots
from firth.errors import ArgumentTypeError, OptionError, UnknownWordError
from firth.plots import word_map
from firth.plots.map import text_map
from firth.plots.map_page import NEITHER, picture_page
from firth.plots.picture import FADED, GREY, colour_of
from firth.vectors.word_vectors import WordVectors

GROUPS = {"colours": ["red", "blue", "green"], "houses": ["house", "garden", "door", "red"]}


def test_places_are_those_of_the_plane_of_greatest_variance(vectors):
    """PCA by hand: unit rows, less their mean, times the first two right singular vectors, up to signs."""
    picture = word_map(vectors, vectors.words, method="pca")
    rows = vectors.vectors / np.linalg.norm(vectors.vectors, axis=1, keepdims=True)
    u, s, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(picture.marks[0].xy), np.abs(u[:, :2] * s[:2]), atol=1e-6)
    share = round(100 * float((s[:2] ** 2).sum() / (s**2).sum()))
    assert f"{share} % of their variance" in picture.caption


def test_rows_are_what_is_drawn(vectors):
    picture = word_map(vectors, groups=GROUPS)
    (points,) = picture.marks
    assert [row["word"] for row in picture.rows] == list(points.labels) == vectors.words
    assert [(row["x"], row["y"]) for row in picture.rows] == [tuple(place) for place in points.xy.tolist()]
    assert [row["group"] for row in picture.rows] == ["colours"] * 3 + ["houses"] * 3
    assert picture.groups == ["colours", "houses"]
    assert picture.title == "Map of 6 words"


def test_a_word_of_two_groups_belongs_to_the_first_and_one_of_none_to_none(vectors):
    picture = word_map(vectors, ["red", "door", "house"], groups={"one": ["red"], "two": ["red", "door"]})
    assert {row["word"]: row["group"] for row in picture.rows} == {"red": "one", "house": None, "door": "two"}


def test_a_legend_has_room_for_so_many_groups(many):
    picture = word_map(many, groups={f"group {i}": [f"w{i}"] for i in range(30)})
    assert list(picture.groups) == [f"group {i}" for i in range(24)]
    assert picture.rows[29]["group"] == "group 29"
    assert list(picture.notes) == ["the legend names the first 24 of 30 groups"]


def test_groups_that_are_named_after_their_heads_need_no_legend(vectors):
    groups = {"red": ["red", "blue"], "house": ["house", "door"]}
    picture = word_map(vectors, groups=groups, heads=["red", "house"])
    assert list(picture.groups) == []
    assert list(picture.marks[0].heads) == [True, False, True, False]


def test_words_without_a_vector_are_left_out_with_a_note(vectors):
    picture = word_map(vectors, ["red", "rde", "house", "hosue", "red"])
    assert [row["word"] for row in picture.rows] == ["red", "house"]
    assert list(picture.notes) == ["2 of 4 words have no vector: rde, hosue"]


def test_no_known_word_at_all_is_an_error_with_suggestions(vectors):
    with pytest.raises(UnknownWordError, match="'rde' is not in the vocabulary; did you mean red"):
        word_map(vectors, ["rde"])


def test_the_most_frequent_words_are_drawn_by_default(vectors):
    assert [row["word"] for row in word_map(vectors, number=4).rows] == vectors.words[:4]


def test_stop_words_are_drawn_on_demand_and_by_name_only():
    words, counts = ["tea", "the", "of", *(f"w{i}" for i in range(60))], [90, 60_000, 30_000, *[80] * 60]
    vectors = WordVectors(words, np.random.default_rng(1).normal(size=(63, 5)), counts=counts)
    picture = word_map(vectors, number=2)
    assert [row["word"] for row in picture.rows] == ["tea", "w0"]
    assert picture.notes[0] == "2 stop words left out (the, of); stop_words=True draws them"
    assert [row["word"] for row in word_map(vectors, number=2, stop_words=True).rows] == ["tea", "the"]
    assert [row["word"] for row in word_map(vectors, ["of", "tea"]).rows] == ["tea", "of"]


@pytest.mark.parametrize(
    ("draw", "others"),
    [
        (plots.word_map, []),
        (plots.similarity_heat_map, [["red", "blue"]]),
        (plots.neighbour_network, [["red"]]),
        (plots.analogy_arrows, [[("red", "blue")]]),
        (plots.word_axis, [("red", "blue")]),
        (plots.embedding_atlas, ["a.parquet"]),
        (plots.sense_map, [["red"]]),
        (plots.sense_words, ["red"]),
        (plots.translation_map, [["red"]]),
    ],
)
def test_a_path_in_place_of_a_model_is_answered(draw, others):
    with pytest.raises(ArgumentTypeError, match=r"'a\.firth' is a str; expected .*: firth\.load\('a\.firth'\)"):
        draw("a.firth", *others)


def test_no_words_is_an_error(vectors):
    with pytest.raises(OptionError, match="no words to draw"):
        word_map(vectors, [])
    with pytest.raises(OptionError, match="number=0"):
        word_map(vectors, ["red"], number=0)


def test_a_vector_without_a_direction_is_left_out_with_a_note():
    rows = np.array([[1.0, 0], [0, 1], [0, 0], [np.nan, 1]])
    space = WordVectors(["a", "b", "zero", "nan"], rows)
    picture = word_map(space, space.words)
    assert [row["word"] for row in picture.rows] == ["a", "b"]
    assert list(picture.notes) == ["without a direction (all zeros, or not finite): zero, nan"]
    with pytest.raises(OptionError, match="no word that can be drawn"):
        word_map(space, ["zero"])


def test_too_many_words_are_sampled_by_frequency_with_a_note(many):
    picture = word_map(many, many.words[::-1], heads=["w1999"], number=100)
    assert [row["word"] for row in picture.rows] == [*(f"w{i}" for i in range(99)), "w1999"]
    assert list(picture.notes) == ["the 100 most frequent of 2,000 words are drawn"]
    assert picture.marks[0].dotted


def test_of_fifty_thousand_words_a_thousand_are_on_the_map_and_never_more_than_twenty_thousand():
    words = [f"w{i}" for i in range(50_000)]
    space = WordVectors(words, np.random.default_rng(0).normal(size=(50_000, 3)).astype(np.float32))
    picture = word_map(space, words)
    assert len(picture.rows) == 1000
    assert list(picture.notes) == ["the 1,000 most frequent of 50,000 words are drawn"]
    assert len(word_map(space, words, number=50_000).rows) == 20_000


def test_the_map_in_text(vectors):
    drawn = text_map(vectors, vectors.words, width=60, height=12)
    lines = drawn.splitlines()
    assert 1 < len(lines) <= 12
    assert max(map(len, lines)) <= 60
    assert sorted(drawn.split()) == sorted(vectors.words)
    colours = [lines.index(line) for line in lines for word in ("red", "blue", "green") if word in line.split()]
    assert len(colours) == 3


def test_words_that_find_no_room_are_left_out_and_nothing_is_overwritten(vectors):
    drawn = text_map(vectors, vectors.words, width=8, height=2)
    assert 0 < len(drawn.split()) < 6
    assert set(drawn.split()) <= set(vectors.words)


def test_words_of_runs_that_are_not_stable_are_faded(runs, embedded, monkeypatch):
    words = runs.words[:30]
    overlaps = dict(zip(words, runs.overlaps(words), strict=True))
    limit = float(np.median([*overlaps.values()]))
    monkeypatch.setattr("firth.plots.map.STABLE", limit)  # of so small a model hardly a word is stable
    picture = word_map(runs, words)
    (points,) = picture.marks
    assert {row["word"]: row["overlap"] for row in picture.rows} == overlaps
    assert [group == FADED for group in points.groups] == [overlaps[word] < limit for word in points.labels]
    assert colour_of(FADED) == GREY
    assert "Grey: unstable words" in picture.caption
    grouped = word_map(runs, groups={"a": words[:5], "b": words[5:9]})
    assert {row["group"] for row in grouped.rows} == {"a", "b"}
    assert embedded(picture_page(picture).html, "data")["palette"] == ["", NEITHER]
