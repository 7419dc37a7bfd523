"""The probability of a word, and which output rows training can go on from."""

import dataclasses

import numpy as np
import pytest

import firth
from firth.embeddings.probability import stored_tree
from firth.errors import OptionError, UnknownWordError
from firth.kernels.trees import from_children

QUIET = {"threads": 1, "progress": False}
PROBABLE = ("hierarchical", "softmax", "nce", "importance")
SKIPGRAM = {"dim": 10, "sample": 0, "epochs": 3, "lr": 0.1}
VARIANTS = {
    "skipgram": {},
    "cbow": {"architecture": "cbow"},
    "scaled sums": {"architecture": "cbow", "combine": "sum", "score": "scaled", "lr": 1.0},
}


@pytest.fixture(scope="module")
def trained(pairs):
    """A function from an objective and a variant to the model and its vectors."""
    done = {}

    def train(objective, variant):
        if (objective, variant) not in done:
            model = firth.Word2Vec(objective=objective, **{**SKIPGRAM, **VARIANTS[variant]})
            done[objective, variant] = model, model.train(pairs, **QUIET)
        return done[objective, variant]

    return train


def by_hand(vectors, context, centre, model):
    """log P from the module's formulas, in plain loops."""
    x = vectors[context] if model.architecture == "skipgram" else sum(vectors[word] for word in context)
    x = x.astype(float) / (1 if model.architecture == "skipgram" or model.combine == "sum" else len(context))
    x /= model.dim if model.score == "scaled" else 1
    scores, row = vectors.output_vectors.astype(float) @ x, vectors.get_index(centre)
    if model.objective != "hierarchical":
        return scores[row] - np.log(sum(np.exp(score) for score in scores))
    total, item, left = 0.0, row, vectors.attributes["tree_left"].tolist()
    right, words = vectors.attributes["tree_right"].tolist(), len(vectors)
    while item != 2 * words - 2:
        sign, node = (1, left.index(item)) if item in left else (-1, right.index(item))
        total -= np.log1p(np.exp(-sign * scores[node]))
        item = words + node
    return total


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("objective", PROBABLE)
class TestLogProb:
    def contexts(self, model):
        return ["a3", "b7"] if model.architecture == "skipgram" else [["a3", "a4", "a3"], ["b7"]]

    def test_it_sums_to_one(self, objective, variant, trained):
        model, vectors = trained(objective, variant)
        found = model.log_prob(vectors, None, self.contexts(model))
        assert found.shape == (2, 40)
        assert np.exp(found).sum(axis=1) == pytest.approx([1, 1], abs=1e-5)
        assert found[0].max() > np.log(1.5 / 40)  # something was learned

    def test_it_is_what_the_formula_says(self, objective, variant, trained):
        model, vectors = trained(objective, variant)
        one, other = self.contexts(model)
        expected = [by_hand(vectors, one, "a5", model), by_hand(vectors, other, "b1", model)]
        assert model.log_prob(vectors, ["a5", "b1"], [one, other]) == pytest.approx(expected, abs=1e-6)
        assert model.log_prob(vectors, "a5", one) == pytest.approx(expected[0], abs=1e-6)
        assert isinstance(model.log_prob(vectors, "a5", one), float)
        assert model.log_prob(vectors, None, one)[vectors.get_index("a5")] == pytest.approx(expected[0], abs=1e-6)

    def test_words_of_a_topic_are_likelier(self, objective, variant, trained):
        model, vectors = trained(objective, variant)
        one, _ = self.contexts(model)
        inside, across = (np.mean(model.log_prob(vectors, [f"{t}{i}" for i in range(20)], [one] * 20)) for t in "ab")
        assert inside > across + 1

    def test_it_works_after_saving(self, objective, variant, trained, tmp_path):
        model, vectors = trained(objective, variant)
        vectors.save(tmp_path / "v.firth")
        loaded, one = firth.load(tmp_path / "v.firth"), self.contexts(model)[0]
        assert model.log_prob(loaded, None, one).tolist() == model.log_prob(vectors, None, one).tolist()


@pytest.mark.parametrize("objective", ["hierarchical", "softmax"])
@pytest.mark.parametrize("variant", ["skipgram", "cbow"])
def test_the_loss_is_the_mean_of_log_prob(objective, variant, pairs):
    """At a rate of nearly nothing, the loss of training is that of the vectors it began with."""
    model = firth.Word2Vec(objective=objective, **{**SKIPGRAM, **VARIANTS[variant], "window": 2}, shrink_windows=False)
    start = model.train(pairs, **QUIET)
    still = dataclasses.replace(model, lr=1e-12, epochs=1, shrink_windows=False)
    vectors = still.train(pairs, start=start, **QUIET)
    losses = []
    for sentence in list(pairs)[:200]:
        for t, word in enumerate(sentence):
            around = [*sentence[max(0, t - 2) : t], *sentence[t + 1 : t + 3]]
            contexts = around if variant == "skipgram" else [around]
            losses += [-model.log_prob(vectors, word, context) for context in contexts]
    assert vectors.metadata["training"]["loss"][0] == pytest.approx(np.mean(losses), rel=0.02)


class TestRefusals:
    def test_negative_sampling_defines_no_probability(self, pairs):
        model = firth.Word2Vec(**SKIPGRAM)
        with pytest.raises(OptionError, match="objective='negative' defines no probability"):
            model.log_prob(model.train(pairs, **QUIET), "a1", "a2")

    def test_vectors_of_another_objective(self, trained):
        _, vectors = trained("softmax", "skipgram")
        with pytest.raises(OptionError, match=r"trained with objective='softmax': expected .* objective='nce'"):
            firth.Word2Vec(objective="nce", dim=10).log_prob(vectors, "a1", "a2")

    def test_vectors_without_an_output_side(self, trained):
        model, vectors = trained("softmax", "skipgram")
        bare = firth.WordVectors(vectors.words, vectors.vectors, metadata=vectors.metadata)
        with pytest.raises(OptionError, match="vectors without output vectors"):
            model.log_prob(bare, "a1", "a2")

    def test_vectors_without_their_tree(self, trained):
        model, vectors = trained("hierarchical", "skipgram")
        bare = firth.WordVectors(
            vectors.words, vectors.vectors, metadata=vectors.metadata, output_vectors=vectors.output_vectors
        )
        with pytest.raises(OptionError, match="vectors without a tree"):
            model.log_prob(bare, "a1", "a2")

    def test_a_word_that_is_unknown(self, trained):
        model, vectors = trained("softmax", "skipgram")
        for centre, context in (("zebra", "a1"), ("a1", "zebra")):
            with pytest.raises(UnknownWordError, match="zebra"):
                model.log_prob(vectors, centre, context)

    def test_lists_that_differ_and_an_empty_context(self, trained):
        model, vectors = trained("softmax", "skipgram")
        with pytest.raises(OptionError, match="2 centre words for 1 contexts"):
            model.log_prob(vectors, ["a1", "a2"], ["a3"])
        model, vectors = trained("softmax", "cbow")
        with pytest.raises(OptionError, match="an empty context"):
            model.log_prob(vectors, "a1", [])


class TestGoingOn:
    """`start=`: output rows are gone on from where they mean the same."""

    def still(self, objective, **options):
        return firth.Word2Vec(objective=objective, **{**SKIPGRAM, "lr": 1e-12, "epochs": 1, **options})

    @pytest.mark.parametrize("objective", ["negative", *PROBABLE])
    def test_the_same_objective_goes_on(self, objective, pairs):
        start = firth.Word2Vec(objective=objective, **SKIPGRAM).train(pairs, **QUIET)
        vectors = self.still(objective).train(pairs, start=start, **QUIET)
        assert vectors.output_vectors == pytest.approx(start.output_vectors, abs=1e-6)
        assert np.abs(start.output_vectors).max() > 0.1

    @pytest.mark.parametrize(
        ("one", "other"), [("negative", "softmax"), ("hierarchical", "nce"), ("nce", "hierarchical")]
    )
    def test_another_objective_begins_at_zero(self, one, other, pairs):
        start = firth.Word2Vec(objective=one, **SKIPGRAM).train(pairs, **QUIET)
        vectors = self.still(other).train(pairs, start=start, **QUIET)
        assert np.abs(vectors.output_vectors).max() < 1e-7
        assert vectors.vectors == pytest.approx(start.vectors, abs=1e-6)

    def test_another_tree_begins_at_zero(self, pairs):
        start = firth.Word2Vec(objective="hierarchical", **SKIPGRAM).train(pairs, **QUIET)
        vectors = self.still("hierarchical", tree="random").train(pairs, start=start, **QUIET)
        assert np.abs(vectors.output_vectors).max() < 1e-7

    def test_words_that_only_start_has_are_not_predicted(self, built, trained):
        model, start = trained("softmax", "skipgram")
        vectors = model.train(built([["new", "a1", "a2"]] * 20), start=start, **QUIET)
        assert len(vectors) == 41
        assert np.exp(model.log_prob(vectors, None, "a1")).sum() == pytest.approx(1, abs=1e-5)
        assert model.log_prob(vectors, None, "a1").shape == (3,)
        with pytest.raises(UnknownWordError, match="b4"):
            model.log_prob(vectors, "b4", "a1")


class TestLearnedTrees:
    MODEL = firth.Word2Vec(objective="hierarchical", tree="learned", **SKIPGRAM)

    def test_it_parts_the_topics(self, pairs):
        vectors = self.MODEL.train(pairs, **QUIET)
        tree = from_children(stored_tree(vectors))
        first = dict(zip(vectors.words, tree.signs[tree.starts[:-1]], strict=True))
        sides = [sum(first[f"{topic}{i}"] for i in range(20)) for topic in "ab"]
        # The cut is where the occurrences are halved: a word may be on the other topic's side for that.
        assert min(map(abs, sides)) >= 18
        assert sides[0] * sides[1] < 0

    def test_start_gives_the_vectors_where_it_knows_every_word(self, pairs):
        words = sorted(pairs.vocabulary.words, key=lambda word: word[::-1])
        line = np.zeros((40, 10), np.float32)
        line[:, 0] = np.where([word[-1] in "02468" for word in words], 1, -1)
        vectors = self.MODEL.train(pairs, start=firth.WordVectors(words, line), **QUIET)
        tree = from_children(stored_tree(vectors))
        first = dict(zip(vectors.words, tree.signs[tree.starts[:-1]], strict=True))
        assert first["a0"] == first["b2"] == first["a14"] != first["a1"] == first["b3"]

    def test_a_checkpoint_keeps_the_tree(self, pairs, tmp_path):
        once = self.MODEL.train(pairs, checkpoint=tmp_path / "c", **QUIET)
        again = self.MODEL.train(pairs, checkpoint=tmp_path / "c", **QUIET)
        assert np.array_equal(once.output_vectors, again.output_vectors)
        assert np.array_equal(stored_tree(once), stored_tree(again))
        assert (tmp_path / "c" / "first").is_dir()
