"""What WordVectors does beyond gensim: batches, unknown words, mapped and half-precision matrices, errors.

The `compass`: north = (0, 1), east = (1, 0), south = (0, -1), and northeast = (1, 1), whose cosine with north and east
is 1 / sqrt(2) = 0.70711, with south -0.70711.
"""

import pickle
import tracemalloc

import numpy as np
import pytest

from firth.errors import ArgumentTypeError, FormatError, OptionError, ShapeError, UnknownWordError
from firth.loading import load
from firth.vectors.word_vectors import WordVectors

HALF = 0.5**0.5


@pytest.fixture
def compass() -> WordVectors:
    return WordVectors(
        ["north", "east", "south", "northeast"],
        np.array([[0, 1], [2, 0], [0, -3], [1, 1]], dtype=np.float32),
        counts=[4, 3, 2, 1],
    )


def many(V: int, D: int, dtype=np.float32) -> WordVectors:
    matrix = np.random.default_rng(3).normal(size=(V, D)).astype(dtype)
    return WordVectors([f"w{i}" for i in range(V)], matrix)


class TestBatches:
    def test_one_query(self, compass):
        assert compass.most_similar("north", topn=2) == [("northeast", pytest.approx(HALF)), ("east", pytest.approx(0))]

    def test_a_list_of_words_is_one_query_as_in_gensim(self, compass):
        (word, score), *_ = compass.most_similar(["north", "east"])
        assert (word, score) == ("northeast", pytest.approx(1))

    def test_a_list_of_lists_is_a_batch(self, compass):
        vectors = many(300, 7)
        queries = [["w1"], ["w2", "w3"], [("w4", 0.5), "w5"], [vectors.vectors[6]]]
        assert vectors.most_similar(queries, topn=4) == [
            [(word, pytest.approx(score, abs=1e-6)) for word, score in vectors.most_similar(query, topn=4)]
            for query in queries
        ]

    def test_negative_batch(self, compass):
        first, second = compass.most_similar([["north"], ["north"]], [["east"], ["south"]], topn=1)
        assert first == compass.most_similar("north", "east", topn=1)
        assert second == compass.most_similar("north", "south", topn=1)

    def test_batches_of_different_sizes(self, compass):
        with pytest.raises(OptionError, match="2 lists of positive words and 1 of negative ones"):
            compass.most_similar([["north"], ["east"]], [["south"]])

    def test_a_list_is_a_batch_where_one_key_is_asked_for(self, compass):
        assert compass.similar_by_word(["north", "east"], 1) == [
            compass.similar_by_word("north", 1),
            compass.similar_by_word("east", 1),
        ]
        assert compass.similar_by_vector(compass.vectors[:2], 2) == [
            compass.similar_by_vector(compass.vectors[0], 2),
            compass.similar_by_vector(compass.vectors[1], 2),
        ]
        assert compass.similarity("north", ["east", "south", "northeast"]) == pytest.approx([0, -1, HALF])
        assert compass.similarity(["north", "east"], ["south", "northeast"]) == pytest.approx([-1, HALF])
        assert compass.distance(["north"], ["south"]) == pytest.approx([2])
        assert compass.rank(["north", "north"], ["northeast", "south"]) == [1, 3]
        assert compass.closer_than(["north"], ["south"]) == [["east", "northeast"]]
        assert compass.get_index(["south", "north"]) == [2, 0]
        assert compass.most_similar_to_given(["north", "south"], ["east", "northeast"]) == ["northeast", "east"]
        assert compass.distances(["north", "east"], ["south"]) == pytest.approx(np.array([[2], [1]]))
        assert compass.distances(compass.vectors[:3]).shape == (3, 4)
        assert len(compass.relative_cosine_similarity(["north", "east"], ["south", "south"])) == 2

    def test_a_list_of_lists_is_a_batch_where_a_list_is_asked_for(self, compass):
        assert compass.doesnt_match([["north", "northeast", "south"], ["south", "east", "northeast"]]) == ["south"] * 2
        assert compass.n_similarity([["north"], ["east"]], [["south"], ["northeast"]]) == pytest.approx([-1, HALF])
        assert compass.get_mean_vector([["north", "east"], ["south"]]) == pytest.approx(np.array([[0.5, 0.5], [0, -1]]))
        assert compass.wmdistance([["north"], ["east"]], [["south"], ["east"]]) == pytest.approx([2, 0])

    def test_empty_batches(self, compass):
        assert compass.similar_by_word([]) == []
        assert compass.similar_by_vector(np.empty((0, 2))) == []

    def test_all_scores_of_a_batch(self, compass):
        scores = compass.most_similar([["north"], ["east"]], topn=None)
        assert scores == pytest.approx(np.array([[1, 0, -1, HALF], [0, 1, 0, HALF]]), abs=1e-6)

    def test_unpaired_lists(self, compass):
        with pytest.raises(OptionError, match="lists of 1 and 2 words"):
            compass.similarity(["north"], ["south", "east"])


class TestAnalogy:
    """North is to east as south is to ...: add gives east - north + south, mul is worked out in test_analogy."""

    @pytest.fixture
    def family(self) -> WordVectors:
        return WordVectors(
            ["man", "woman", "king", "queen", "apple"],
            np.array([[1, 0, 0], [1, 1, 0], [1, 0, 2], [1, 1, 2], [1, -1, -0.5]], dtype=np.float32),
        )

    @pytest.mark.parametrize("method", ["add", "mul"])
    def test_a_is_to_b_as_c_is_to(self, family, method):
        assert family.analogy("man", "woman", "king", n=1, method=method)[0][0] == "queen"

    @pytest.mark.parametrize("method", ["add", "mul"])
    def test_batch(self, family, method):
        answers = family.analogy(["man", "king"], ["woman", "queen"], ["king", "man"], n=2, method=method)
        assert [answer[0][0] for answer in answers] == ["queen", "woman"]
        assert answers[0] == [
            (word, pytest.approx(score, abs=1e-6))
            for word, score in family.analogy("man", "woman", "king", n=2, method=method)
        ]

    def test_is_most_similar_of_gensim(self, family):
        assert family.analogy("man", "woman", "king") == family.most_similar(["woman", "king"], ["man"])

    def test_no_such_method(self, family):
        with pytest.raises(OptionError, match="method='mean': expected 'add' or 'mul'"):
            family.analogy("man", "woman", "king", method="mean")


class TestUnknownWords:
    def test_raise_names_the_nearest_spellings(self, compass):
        with pytest.raises(KeyError, match="'nort' is not in the vocabulary; did you mean north"):
            compass.most_similar("nort")

    @pytest.mark.parametrize(
        "ask",
        [
            lambda v: v["west"],
            lambda v: v[["north", "west"]],
            lambda v: v.get_vector("west"),
            lambda v: v.get_index("west"),
            lambda v: v.most_similar([["north"], ["west"]]),
            lambda v: v.most_similar_cosmul("west"),
            lambda v: v.similar_by_word("west"),
            lambda v: v.similarity("north", "west"),
            lambda v: v.distances("west"),
            lambda v: v.distances("north", ["west"]),
            lambda v: v.rank("north", "west"),
            lambda v: v.analogy("north", "west", "east"),
            lambda v: v.most_similar_to_given("north", ["west"]),
            lambda v: v.get_mean_vector(["west"], ignore_missing=False),
            lambda v: v.set_vecattr("west", "count", 1),
            lambda v: v[4],
            lambda v: v[-1],
        ],
    )
    def test_every_query_raises(self, compass, ask):
        with pytest.raises(UnknownWordError):
            ask(compass)

    def test_skip(self, compass):
        assert compass.most_similar(["north", "west"], unknown="skip") == compass.most_similar("north")
        assert compass.most_similar("west", unknown="skip") == []
        assert compass.most_similar([["west"], ["north"]], topn=1, unknown="skip")[0] == []
        assert np.isnan(compass.most_similar("west", topn=None, unknown="skip")).all()
        assert compass.most_similar_cosmul("west", unknown="skip") == []
        assert compass.similarity("north", ["west", "east"], unknown="skip") == pytest.approx([np.nan, 0], nan_ok=True)
        assert compass.get_vector(["west", "north"], unknown="skip").tolist() == [[0, 1]]
        assert compass.analogy("west", "north", "east", n=1, unknown="skip")[0][0] == "northeast"

    def test_zero(self, compass):
        assert compass.get_vector("west", unknown="zero").tolist() == [0, 0]
        assert compass.similarity("north", "west", unknown="zero") == 0
        assert [score for _, score in compass.most_similar("west", unknown="zero")] == [0, 0, 0, 0]

    def test_average(self, compass):
        assert compass.get_vector(["west"], unknown="average").tolist() == [[0.75, -0.25]]
        assert compass.similarity("east", "west", unknown="average") == pytest.approx(0.75 / 0.625**0.5)
        assert compass.most_similar("west", topn=1, unknown="average")[0][0] == "east"

    def test_no_such_policy(self, compass):
        with pytest.raises(OptionError, match="unknown='guess': expected one of raise, skip, zero, average"):
            compass.most_similar("north", unknown="guess")

    def test_words_that_gensim_leaves_out(self, compass):
        assert compass.doesnt_match(["north", "west", "northeast", "south"]) == "south"
        assert compass.n_similarity(["north", "west"], ["south"]) == pytest.approx(-1)
        assert compass.wmdistance(["west"], ["north"]) == float("inf")


class TestMatrices:
    @pytest.mark.parametrize("dtype", [np.float16, np.float64])
    def test_other_precisions_answer_alike(self, dtype):
        single = many(2000, 20, np.float16)
        other = WordVectors(single.words, single.vectors.astype(dtype))
        expected = WordVectors(single.words, single.vectors.astype(np.float32)).most_similar("w3", topn=20)
        assert other.most_similar("w3", topn=20) == [(word, pytest.approx(score, abs=1e-6)) for word, score in expected]
        assert other.vectors.dtype == dtype

    @pytest.mark.parametrize("dtype", [np.float32, np.float16])
    def test_a_query_does_not_copy_the_matrix(self, dtype, tmp_path):
        many(60_000, 40, dtype).save(tmp_path / "v.firth")
        vectors = load(tmp_path / "v.firth")
        vectors.most_similar("w1")  # the lengths and the table of words are made once
        tracemalloc.start()
        vectors.most_similar("w1")
        vectors.distances("w1")
        vectors.similar_by_word([f"w{i}" for i in range(20)])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        held = vectors.vectors.astype(np.float32).nbytes
        # Half precision is widened a block of 2.6 MB at a time; a batch's block of scores is 8 MB at most.
        assert peak < held + 4_000_000 if dtype == np.float32 else peak < 2.5 * held

    def test_zero_vectors_are_like_nothing(self):
        vectors = WordVectors(["a", "b", "zero"], np.array([[1, 0], [1, 1], [0, 0]], dtype=np.float32))
        assert vectors.similarity("a", "zero") == 0
        assert vectors.most_similar("a") == [("b", pytest.approx(HALF)), ("zero", 0)]
        assert vectors.get_vector("zero", norm=True).tolist() == [0, 0]

    def test_nan_is_named_at_the_first_query(self):
        vectors = WordVectors(["a", "b"], np.array([[1, 0], [np.nan, 1]], dtype=np.float32))
        with pytest.raises(FormatError, match="vector 1 has the length nan"):
            vectors.most_similar("a")

    def test_whole_numbers_become_single_precision(self):
        assert WordVectors(["a"], [[1, 2]]).vectors.dtype == np.float32

    def test_rows_are_read_only(self, compass):
        with pytest.raises(ValueError, match="read-only"):
            compass["north"][0] = 1

    def test_new_vectors_have_new_lengths(self, compass):
        compass.most_similar("north")
        compass.vectors = -compass.vectors[:, ::-1]
        assert compass.most_similar("north", topn=1)[0] == ("northeast", pytest.approx(HALF))

    def test_written_vectors_need_new_lengths(self, compass):
        compass.fill_norms()
        compass.vectors[1] = [0, 5]
        compass.fill_norms(force=True)
        assert compass.most_similar("north", topn=1) == [("east", pytest.approx(1))]

    @pytest.mark.parametrize("shape", [(3, 2), (4,), (4, 2, 1)])
    def test_wrong_shapes(self, shape):
        with pytest.raises(ShapeError, match="for 4 words: expected one row a word"):
            WordVectors(list("abcd"), np.zeros(shape))

    def test_wrong_counts_and_outputs(self):
        with pytest.raises(ShapeError, match="'count' of shape"):
            WordVectors(["a"], [[1.0]], counts=[1, 2])
        with pytest.raises(ShapeError, match="output vectors"):
            WordVectors(["a"], [[1.0]], output_vectors=[[1.0], [2.0]])

    def test_a_word_twice(self):
        with pytest.raises(FormatError, match="'a' is word 0 and word 2"):
            WordVectors(["a", "b", "a"], np.zeros((3, 1)))

    def test_a_word_that_is_none(self):
        with pytest.raises(FormatError, match="word 1 is 5: expected a string"):
            WordVectors(["a", 5], np.zeros((2, 1)))

    def test_a_query_of_another_width(self, compass):
        with pytest.raises(ShapeError, match=r"shape \(3,\): expected \(2,\)"):
            compass.similar_by_vector(np.ones(3))

    def test_no_words(self):
        empty = WordVectors([], np.empty((0, 3), dtype=np.float32))
        assert len(empty) == 0
        assert empty.similar_by_vector(np.ones(3)) == []
        empty.add_vectors(["a"], [[1, 2, 3]])
        assert empty["a"].tolist() == [1, 2, 3]


class TestChanges:
    def test_add_vector_returns_the_row(self, compass):
        assert compass.add_vector("west", [-1, 0]) == 4
        assert compass.add_vector("north", [9, 9]) == 0
        assert compass["north"].tolist() == [0, 1]
        assert compass.counts.tolist() == [4, 3, 2, 1, 0]

    def test_item_assignment_replaces(self, compass):
        compass["north"] = [5, 5]
        compass[["west", "south"]] = [[-1, 0], [0, -1]]
        assert compass["north"].tolist() == [5, 5]
        assert compass[["west", "south"]].tolist() == [[-1, 0], [0, -1]]

    def test_extras(self, compass):
        compass.add_vectors(["west", "east"], [[-1, 0], [1, 0]], extras={"length": np.array([4, 5])})
        assert compass.get_vecattr(["west", "east", "north"], "length").tolist() == [4, 0, 0]
        compass.add_vectors(["east"], [[1, 0]], extras={"length": np.array([5])}, replace=True)
        assert compass.get_vecattr("east", "length") == 5

    def test_added_words_have_zero_output_vectors(self):
        vectors = WordVectors(["a"], [[1.0]], output_vectors=[[2.0]])
        vectors.add_vectors(["b"], [[3.0]])
        assert vectors.output_vectors.tolist() == [[2], [0]]

    def test_the_caller_s_words_and_matrix_stay(self):
        words, matrix = ["a"], np.ones((1, 1), dtype=np.float32)
        vectors = WordVectors(words, matrix)
        vectors.add_vectors(["b", "a"], [[2.0], [3.0]], replace=True)
        assert words == ["a"]
        assert matrix.tolist() == [[1]]

    def test_wrong_additions_change_nothing(self, compass):
        with pytest.raises(ShapeError, match=r"\(1, 3\) for 1 words: expected \(1, 2\)"):
            compass.add_vectors(["west"], [[1, 2, 3]])
        with pytest.raises(FormatError, match="'west' is word 0 and word 1"):
            compass.add_vectors(["west", "west"], np.ones((2, 2)))
        assert "west" not in compass
        assert len(compass) == len(compass.vectors) == 4

    def test_mapped_vectors_can_change(self, compass, tmp_path):
        compass.save(tmp_path / "v.firth")
        mapped = load(tmp_path / "v.firth")
        mapped.unit_normalize_all()
        mapped.set_vecattr("north", "count", 10)
        mapped.add_vector("west", [-1, 0])
        mapped.sort_by_descending_frequency()
        assert mapped.words == ["north", "east", "south", "northeast", "west"]
        assert mapped.vectors[1].tolist() == [1, 0]
        assert load(tmp_path / "v.firth").counts.tolist() == [4, 3, 2, 1]

    def test_sorting_takes_everything_along(self):
        vectors = WordVectors(
            ["c", "a", "b"], [[1.0], [2.0], [3.0]], counts=[1, 5, 5], output_vectors=[[-1.0], [-2.0], [-3.0]]
        )
        vectors.sort_by_descending_frequency()
        assert vectors.words == ["a", "b", "c"]
        assert vectors.get_index("c") == 2
        assert vectors.vectors.ravel().tolist() == [2, 3, 1]
        assert vectors.output_vectors.ravel().tolist() == [-2, -3, -1]
        assert vectors.counts.tolist() == [5, 5, 1]

    def test_attributes(self, compass):
        compass.set_vecattr("east", "note", "right")
        assert compass.get_vecattr(["north", "east"], "note").tolist() == ["", "right"]
        with pytest.raises(OptionError, match="no attribute 'colour': the words have count, note"):
            compass.get_vecattr("north", "colour")
        with pytest.raises(OptionError, match=r"attribute 'count' holds int64: expected such a value, not 0\.5"):
            compass.set_vecattr("north", "count", 0.5)
        with pytest.raises(OptionError, match="attribute 'count' holds int64"):
            compass.set_vecattr("north", "count", "many")


class TestFace:
    def test_repr(self, compass):
        assert repr(compass) == "<WordVectors: 4 words x 2 float32>"
        assert repr(WordVectors(["a"], [[1.0]], output_vectors=[[1.0]])).endswith(", output vectors>")

    def test_iteration_and_membership(self, compass):
        assert list(compass) == compass.words == compass.index_to_key
        assert "north" in compass
        assert 3 in compass
        assert np.int64(4) not in compass
        assert ["north"] not in compass

    def test_pickle(self, compass, tmp_path):
        compass.save(tmp_path / "v.firth")
        for vectors in (compass, load(tmp_path / "v.firth")):
            again = pickle.loads(pickle.dumps(vectors))
            assert again.most_similar("north") == compass.most_similar("north")
            assert again.counts.tolist() == [4, 3, 2, 1]

    def test_save_and_load_methods(self, compass, tmp_path):
        compass.save(tmp_path / "v.txt", format="word2vec")
        assert WordVectors.load(tmp_path / "v.txt").words == compass.words

    @pytest.mark.parametrize(
        ("ask", "told"),
        [
            (lambda v: v.most_similar(), "a query without words"),
            (lambda v: v.most_similar([]), "a query without words"),
            (lambda v: v.most_similar(3.5), "3.5 is a float; expected a word"),
            (lambda v: v.most_similar([3.5]), "3.5 is a float; expected a word"),
            (lambda v: v.most_similar("north", topn=1.5), "topn=1.5: expected a whole number"),
            (lambda v: v.most_similar("north", clip_start=-1), "rows -1 to None"),
            (lambda v: v.most_similar_cosmul(negative="north"), "without positive words"),
            (lambda v: v.most_similar(("north", 0.5)), "0.5 is a float; expected a word"),
            (lambda v: v.most_similar_cosmul([("north", 0.5)]), "weights"),
            (lambda v: v.get_mean_vector([]), "the mean of no vectors"),
            (lambda v: v.get_mean_vector(["north"], weights=[1, 2]), "2 weights for 1 keys"),
            (lambda v: v.n_similarity([], ["north"]), "an empty list"),
            (lambda v: v.doesnt_match(["west"]), "has a vector"),
            (lambda v: v.relative_cosine_similarity("north", "south", topn=0), "topn=0"),
            (lambda v: v.most_similar_to_given("north", []), "keys_list is empty"),
            (lambda v: v.wmdistance("north pole", ["north"]), "expected a list of words; split the text first"),
        ],
    )
    def test_wrong_arguments(self, compass, ask, told):
        with pytest.raises(OptionError, match=told):
            ask(compass)

    def test_indexer(self, compass):
        class Index:
            def most_similar(self, vector, topn):
                return [("asked", float(vector @ vector), topn)]

        assert compass.most_similar("northeast", topn=3, indexer=Index()) == [("asked", pytest.approx(1), 3)]
        assert len(compass.most_similar([["north"], ["east"]], indexer=Index())) == 2


def test_a_dictionary_in_place_of_words_is_answered():
    with pytest.raises(ArgumentTypeError, match=r"write firth\.WordVectors\(words, vectors\) for a list and a matrix"):
        WordVectors({"red": [1.0], "green": [0.0]})
