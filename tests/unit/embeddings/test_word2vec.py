"""Word2Vec learns what stands together, whatever its options and the shape of the corpus."""

import dataclasses

import numpy as np
import pytest

import firth
from firth.errors import DivergenceError, OptionError, ShapeError

QUIET = {"threads": 1, "progress": False}


def topics_apart(vectors):
    """The mean cosine inside a topic less the mean cosine across topics."""
    v = vectors.vectors / np.linalg.norm(vectors.vectors, axis=1, keepdims=True)
    topic = np.array([word[0] == "a" for word in vectors.words])
    cosines = v @ v.T
    same = topic[:, None] == topic
    return cosines[same & ~np.eye(len(v), dtype=bool)].mean() - cosines[~same].mean()


MODELS = {
    "skipgram": {},
    "pair": {"update": "pair"},
    "cbow": {"architecture": "cbow"},
    "cbow of the mean": {"architecture": "cbow", "cbow_gradient": "mean", "lr": 0.2},
    "window beyond a step": {"window": 30},
    "one wide": {"dim": 2},
    "one noise word": {"negative": 1},
    "twenty noise words": {"negative": 20},
    "noise of three windows": {"shared_windows": 3},
    **{name: {"objective": name, "lr": 0.05} for name in ("hierarchical", "softmax", "nce", "importance")},
    "hierarchical cbow": {"objective": "hierarchical", "architecture": "cbow"},
    "random tree": {"objective": "hierarchical", "tree": "random", "lr": 0.05},
    "cbow of scaled sums": {
        "architecture": "cbow",
        "combine": "sum",
        "score": "scaled",
        "noise_exponent": 0,
        "lr": 2.0,
    },
}


@pytest.mark.parametrize("name", MODELS)
def test_words_of_a_topic_move_together(name, pairs):
    model = firth.Word2Vec(**{"dim": 20, "sample": 0, "epochs": 10, **MODELS[name]})
    vectors = model.train(pairs, **QUIET)
    assert topics_apart(vectors) > 0.5
    # The control: vectors before training know nothing of topics.
    assert abs(topics_apart(firth.Word2Vec(dim=20, sample=0, epochs=1, lr=1e-9).train(pairs, **QUIET))) < 0.05


@pytest.mark.parametrize("name", ["skipgram", "cbow"])
def test_the_loss_falls(name, pairs):
    model = firth.Word2Vec(**{"dim": 20, "sample": 0, "epochs": 4, **MODELS[name]})
    losses = model.train(pairs, **QUIET).metadata["training"]["loss"]
    assert len(losses) == 4
    assert losses[0] <= 6 * np.log(2) * 1.01
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.95 * losses[0]


@pytest.mark.parametrize("name", ["skipgram", "pair", "cbow", "hierarchical", "importance", "random tree"])
def test_a_seed_decides_every_bit(name, zipf):
    model = firth.Word2Vec(dim=30, epochs=1, **MODELS[name])
    once, again, other = (model.train(zipf, seed=seed, **QUIET) for seed in (7, 7, 8))
    assert once.vectors.tobytes() == again.vectors.tobytes()
    assert once.output_vectors.tobytes() == again.output_vectors.tobytes()
    assert once.metadata["training"]["loss"] == again.metadata["training"]["loss"]
    assert not np.array_equal(once.vectors, other.vectors)


def test_two_threads_learn_as_one_does(pairs):
    model = firth.Word2Vec(dim=20, sample=0, epochs=10)
    vectors = model.train(pairs, threads=2, progress=False)
    assert topics_apart(vectors) > 0.5
    alone = model.train(pairs, **QUIET).metadata["training"]
    both = vectors.metadata["training"]
    assert both["threads"] == 2
    assert both["words"] == alone["words"] == 10 * pairs.num_tokens
    assert both["loss"][-1] == pytest.approx(alone["loss"][-1], rel=0.02)


def test_what_comes_back(zipf):
    vectors = firth.Word2Vec(dim=30, epochs=2, window=3).train(zipf, seed=5, **QUIET)
    assert vectors.words == list(zipf.vocabulary.words)
    assert vectors.vectors.shape == vectors.output_vectors.shape == (1000, 30)
    assert vectors.vectors.dtype == np.float32
    assert vectors.counts.tolist() == zipf.vocabulary.counts.tolist()
    facts = vectors.metadata["training"]
    assert facts["options"]["model"] == "word2vec"
    assert (facts["options"]["window"], facts["options"]["lr"]) == (3, 0.025)
    assert (facts["seed"], facts["threads"], facts["words"]) == (5, 1, 2 * zipf.num_tokens)
    assert (facts["interrupted"], facts["corpus"]) == (False, zipf.fingerprint)
    assert facts["seconds"] > 0
    assert len(facts["loss"]) == 2


def test_vectors_begin_small_and_centred(zipf):
    """Uniform in +-1/D: mean 0, standard deviation 1 / (D sqrt 3), and output vectors of zeros."""
    vectors = firth.Word2Vec(dim=50, epochs=1, lr=1e-12, lr_end_factor=1).train(zipf, **QUIET)
    assert np.abs(vectors.vectors).max() <= 1 / 50
    assert vectors.vectors.std() == pytest.approx(1 / (50 * np.sqrt(3)), rel=0.01)
    assert abs(vectors.vectors.mean()) < 4 / (50 * np.sqrt(3 * vectors.vectors.size))
    assert np.abs(vectors.output_vectors).max() < 1e-9


SHAPES = {
    "sentences of one word": [["a"], ["b"], ["a"]],
    "sentences of two": [["a", "b"], ["b", "a"]],
    "one giant sentence": [list("abcdefgh") * 1000],
    "one word alone": [["a", "a", "a"]],
    "one word between long sentences": [list("abc") * 5, ["d"], list("abc") * 5],
}


@pytest.mark.filterwarnings("ignore:training made no prediction")
@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
@pytest.mark.parametrize("objective", ["negative", "hierarchical", "nce"])
@pytest.mark.parametrize("shape", SHAPES)
def test_any_shape_of_corpus(shape, objective, architecture, threads, built):
    """Also with more threads than sentences, or than words; "one word alone" is a tree without a node."""
    corpus = built(SHAPES[shape])
    model = firth.Word2Vec(objective=objective, architecture=architecture, dim=5, sample=0, epochs=2, window=40)
    vectors = model.train(corpus, threads=threads, progress=False)
    assert vectors.words == list(corpus.vocabulary.words)
    assert np.isfinite(vectors.vectors).all()
    assert vectors.metadata["training"]["words"] == 2 * corpus.num_tokens


@pytest.mark.parametrize(("sentences", "sample"), [([["a"], ["b"], ["a"]], 0), ([["a", "b", "a", "c"]], 1e-9)])
def test_a_corpus_that_leaves_nothing_to_predict_is_said(sentences, sample, built):
    model = firth.Word2Vec(dim=5, sample=sample, epochs=2)
    with pytest.warns(UserWarning, match="training made no prediction.*use sample=0 for a small corpus"):
        model.train(built(sentences), **QUIET)


@pytest.mark.parametrize("dim", [1, 3, 16, 17, 100, 300])
@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
def test_any_width(dim, architecture, pairs):
    vectors = firth.Word2Vec(architecture=architecture, dim=dim, epochs=1, sample=0).train(pairs, **QUIET)
    assert vectors.vectors.shape == (40, dim)
    assert np.isfinite(vectors.vectors).all()
    assert (vectors.output_vectors != 0).all()


class TestGoingOn:
    """`start=`: training that goes on from vectors."""

    MODEL = firth.Word2Vec(dim=8, sample=0, epochs=2)

    @pytest.fixture
    def start(self, built):
        return self.MODEL.train(built([["old", "shared", "both"]] * 50), **QUIET)

    @pytest.fixture
    def corpus(self, built):
        return built([["new", "shared", "both", "fresh"]] * 40)

    def test_words_and_counts_are_joined(self, start, corpus):
        vectors = self.MODEL.train(corpus, start=start, **QUIET)
        assert vectors.words == [*corpus.vocabulary.words, "old"]
        assert {word: vectors.get_vecattr(word, "count") for word in vectors.words} == {
            "both": 90, "shared": 90, "fresh": 40, "new": 40, "old": 50,
        }  # fmt: skip

    def test_words_that_only_start_has_stay_as_they_are(self, start, corpus):
        vectors = self.MODEL.train(corpus, start=start, **QUIET)
        row = vectors.key_to_index["old"]
        assert vectors["old"].tolist() == start["old"].tolist()
        assert vectors.output_vectors[row].tolist() == start.output_vectors[start.key_to_index["old"]].tolist()

    def test_both_sides_go_on_and_new_words_begin_at_random(self, start, corpus):
        vectors = dataclasses.replace(self.MODEL, lr=1e-12, epochs=1).train(corpus, start=start, **QUIET)
        for word in ("shared", "both"):
            here, there = vectors.key_to_index[word], start.key_to_index[word]
            assert vectors.vectors[here] == pytest.approx(start.vectors[there], abs=1e-7)
            assert vectors.output_vectors[here] == pytest.approx(start.output_vectors[there], abs=1e-7)
        assert 0 < np.abs(vectors["new"]).max() <= 1 / 8
        assert np.abs(vectors.output_vectors[vectors.key_to_index["new"]]).max() < 1e-9

    def test_vectors_without_an_output_side_can_be_gone_on_from(self, start, corpus):
        bare = firth.WordVectors(start.words, start.vectors.astype(np.float16))
        vectors = self.MODEL.train(corpus, start=bare, **QUIET)
        assert vectors.vectors.dtype == np.float32
        assert vectors["old"].tolist() == bare["old"].astype(np.float32).tolist()

    def test_going_on_learns_on(self, pairs):
        model = firth.Word2Vec(dim=8, sample=0, epochs=1, lr=0.005)
        first = model.train(pairs, **QUIET)
        second = model.train(pairs, start=first, **QUIET)
        assert second.metadata["training"]["loss"][0] < first.metadata["training"]["loss"][0]
        assert topics_apart(second) > topics_apart(first)

    def test_start_is_left_as_it_was(self, start, corpus):
        before = start.vectors.copy(), start.output_vectors.copy()
        self.MODEL.train(corpus, start=start, **QUIET)
        assert np.array_equal(start.vectors, before[0])
        assert np.array_equal(start.output_vectors, before[1])

    def test_another_width_is_refused(self, start, corpus):
        with pytest.raises(ShapeError, match="start holds vectors of width 8, the options ask for dim=9: use dim=8"):
            firth.Word2Vec(dim=9).train(corpus, start=start, **QUIET)

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_numbers_that_are_not_finite_are_refused(self, bad, start, corpus):
        broken = start.vectors.copy()
        broken[1, 3] = bad
        with pytest.raises(OptionError, match=f"NaN or infinity, first for '{start.words[1]}'"):
            self.MODEL.train(corpus, start=firth.WordVectors(start.words, broken), **QUIET)


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"dim": 0}, "dim=0: expected a whole number of at least 1"),
            ({"dim": 2.5}, "dim=2.5: expected a whole number of at least 1"),
            ({"window": -1}, "window=-1: expected a whole number of at least 1"),
            ({"negative": 0}, "negative=0: expected a whole number of at least 1"),
            ({"epochs": 0}, "epochs=0: expected a whole number of at least 1"),
            ({"lr": float("nan")}, "lr=nan: expected a finite number above 0"),
            ({"lr": 0.0}, "lr=0.0: expected a finite number above 0"),
            ({"lr": float("inf")}, "lr=inf: expected a finite number above 0"),
            ({"lr": "fast"}, "lr='fast': expected a finite number above 0"),
            ({"sample": -1}, "sample=-1: expected a finite number from 0 to 1"),
            ({"architecture": "glove"}, "architecture='glove': expected one of skipgram, cbow"),
            ({"architecture": "cbow", "update": "pair"}, "CBOW makes one prediction per window"),
            ({"update": "pair", "shared_windows": 2}, "draws noise words for each pair"),
            ({"objective": "glove"}, "expected one of negative, hierarchical, softmax, nce, importance"),
            ({"objective": "nce", "shared_windows": 2}, "only objective='negative' shares noise"),
            ({"tree": "random"}, "tree='random': only objective='hierarchical' uses a tree"),
            ({"objective": "hierarchical", "tree": "oak"}, "expected one of huffman, random, learned, wordnet"),
            ({"objective": "hierarchical", "tree": [["a", "b"]]}, "expected one of huffman"),
            ({"combine": "sum"}, "only CBOW combines vectors"),
            ({"score": "scaled"}, "only CBOW combines vectors"),
            ({"architecture": "cbow", "combine": "sum", "cbow_gradient": "mean"}, "a sum has no mean gradient"),
        ],
    )
    def test_out_of_range(self, options, message):
        with pytest.raises(OptionError, match=message):
            firth.Word2Vec(**options)

    @pytest.mark.parametrize("threads", [0, -1, 1.5, True, "two"])
    def test_threads(self, threads, pairs):
        with pytest.raises(OptionError, match=r"threads=.*: expected a whole number of at least 1"):
            firth.Word2Vec(dim=2).train(pairs, threads=threads, progress=False)

    def test_options_are_values(self):
        assert firth.Word2Vec(dim=5) == firth.Word2Vec(dim=5)
        assert hash(firth.Word2Vec(dim=5)) == hash(firth.Word2Vec(dim=5))
        with pytest.raises(dataclasses.FrozenInstanceError):
            firth.Word2Vec().dim = 3


class TestDivergence:
    @pytest.mark.parametrize("lr", [10.0, 100.0, 1000.0, 1e6, 1e30])
    @pytest.mark.parametrize(
        "name",
        ["skipgram", "pair", "cbow", "cbow of the mean", "one noise word", "twenty noise words", "hierarchical", "nce"],
    )
    def test_an_absurd_rate_stops(self, name, lr, zipf):
        model = firth.Word2Vec(**{"dim": 20, "epochs": 3, **MODELS[name], "lr": lr})
        with pytest.raises(DivergenceError) as caught:
            model.train(zipf, **QUIET)
        message = str(caught.value)
        assert message.startswith("training diverged in epoch 1 after ")
        assert f"words with lr={model.lr}: " in message
        assert message.endswith("use a smaller learning rate, such as lr=0.05")

    def test_numbers_that_explode_are_seen_behind_a_loss_that_looks_good(self, built):
        """Rows so large that every score saturates: each pair seems certain, and the loss is near zero."""
        random = np.random.default_rng(0)
        corpus = built([[f"w{i}" for i in random.integers(0, 30, 200)] for _ in range(20)])
        rows = np.full((30, 4), 1e9, dtype=np.float32)
        start = firth.WordVectors(corpus.vocabulary.words, rows, output_vectors=np.zeros_like(rows))
        with pytest.raises(DivergenceError, match=": numbers up to"):
            firth.Word2Vec(dim=4, sample=0, epochs=1).train(corpus, start=start, **QUIET)

    def test_a_rare_word_is_looked_at_too(self, built):
        """A word beyond the thousand most frequent, which are all that is watched while training runs."""
        corpus = built([[f"w{i:04}" for i in range(1500)]])
        rows = np.zeros((1500, 4), dtype=np.float32)
        rows[1400] = 1e7
        start = firth.WordVectors(corpus.vocabulary.words, rows)
        with pytest.raises(DivergenceError, match=r": numbers up to 1e\+07"):
            firth.Word2Vec(dim=4, sample=0, epochs=1).train(corpus, start=start, **QUIET)

    @pytest.mark.parametrize("dim", [1, 20])
    @pytest.mark.parametrize("negative", [1, 5, 20])
    @pytest.mark.parametrize("model", [{"lr": 0.05}, {"architecture": "cbow", "lr": 0.1}], ids=["skipgram", "cbow"])
    def test_usual_rates_never_stop(self, model, negative, dim, built):
        """Tiny corpora, where a few unlikely pairs are a whole epoch, and many epochs of them."""
        for seed in range(5):
            words = np.random.default_rng(seed).integers(0, 12, (4, 6))
            corpus = built([[f"w{i}" for i in row] for row in words])
            trained = firth.Word2Vec(dim=dim, negative=negative, sample=0, epochs=30, **model)
            losses = trained.train(corpus, seed=seed, **QUIET).metadata["training"]["loss"]
            assert max(losses) < 1.2 * (negative + 1) * np.log(2)
