"""AdaGram: senses that are there are found, others are not, and one sense is plain hierarchical skip-gram."""

import dataclasses

import numpy as np
import pytest

import firth
from firth.embeddings.checkpoint import FILE
from firth.errors import OptionError
from firth.kernels.trees import huffman

TOPICS = 2


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    cache = tmp_path_factory.mktemp("corpora")
    return lambda sentences: firth.Corpus.build(sentences, min_count=1, cache=cache)


@pytest.fixture(scope="module")
def topics(built):
    """6,000 sentences of two topics of 20 words each; "bank" stands in both, three times in four in the first."""
    random = np.random.default_rng(0)
    sentences = []
    for _ in range(6000):
        topic = random.choice(["a", "b"], p=[0.6, 0.4])
        words = [f"{topic}{i}" for i in random.integers(0, 20, 8)]
        if random.random() < (0.6 if topic == "a" else 0.3):  # 0.36 of the sentences, and 0.12
            words[random.integers(8)] = "bank"
        sentences.append(words)
    return built(sentences)


MODEL = firth.AdaGram(dim=16, window=3, epochs=3, sample=0, lr=0.05, alpha=0.1, tree="huffman")


@pytest.fixture(scope="module")
def senses(topics):
    return MODEL.train(topics, seed=1, threads=1, progress=False)


class TestSenses:
    def test_the_word_of_two_topics_has_two_and_the_others_one(self, senses):
        assert dict(zip(senses.words, senses.num_senses.tolist(), strict=True)) == {
            word: 2 if word == "bank" else 1 for word in senses.words
        }

    def test_priors_are_the_shares_of_the_topics(self, senses):
        assert sorted(sense.prior for sense in senses.senses("bank")) == pytest.approx([0.25, 0.75], abs=0.04)

    def test_contexts_tell_them_apart(self, senses, topics):
        right, common = 0, int(np.argmax([sense.prior for sense in senses.senses("bank")]))
        occurrences = [sentence for sentence in topics if "bank" in sentence]
        for words in occurrences:
            at = words.index("bank")
            around = words[max(0, at - 3) : at] + words[at + 1 : at + 4]
            right += (senses.disambiguate("bank", around).argmax() == common) == (around[0][0] == "a")
        assert right == len(occurrences) > 2000

    def test_neighbours_are_of_the_senses_topic(self, senses):
        found = [{word[0] for (word, _), _ in senses.sense_neighbours("bank", number, 10)} for number in (0, 1)]
        assert sorted(map(sorted, found)) == [["a"], ["b"]]

    def test_the_result_tells_of_the_run(self, senses, topics):
        facts = senses.metadata["training"]
        assert facts["options"] == {"model": "adagram", **vars(MODEL)}
        assert (facts["words"], len(facts["loss"])) == (3 * topics.num_tokens, 3)
        assert not facts["interrupted"]
        np.testing.assert_array_equal(senses.counts, topics.vocabulary.counts)

    def test_they_are_saved_with_what_tells_them_apart(self, senses, tmp_path):
        senses.save(tmp_path / "senses")
        again = firth.load(tmp_path / "senses")
        for context in ("a1 a2 b3", "b1"):
            np.testing.assert_array_equal(again.disambiguate("bank", context), senses.disambiguate("bank", context))


class TestLearnedTree:
    def test_it_is_the_default_and_finds_the_senses_too(self, topics):
        model = dataclasses.replace(MODEL, tree="learned")
        assert firth.AdaGram().tree == "learned"
        found = model.train(topics, seed=1, threads=1, progress=False)
        assert dict(zip(found.words, found.num_senses.tolist(), strict=True)) == {
            word: 2 if word == "bank" else 1 for word in found.words
        }

    def test_its_turns_tell_topics_apart(self, built):
        """Two topics of 16 words, all as frequent, which Huffman's tree mixes: two turns make four groups."""
        random = np.random.default_rng(3)
        corpus = built([[f"{'ab'[i % 2]}{j}" for j in random.integers(0, 16, 8)] for i in range(4000)])

        def purity(tree):
            model = dataclasses.replace(MODEL, tree=tree, epochs=1)
            senses = model.train(corpus, seed=1, threads=1, progress=False)
            paths, groups = senses.reader.tree, {}
            for start, word in zip(paths.starts[:-1], senses.words, strict=True):
                groups.setdefault(tuple(paths.signs[start : start + 2].tolist()), []).append(word[0])
            return sum(max(group.count("a"), group.count("b")) for group in groups.values()) / 32

        assert purity("learned") > 0.9
        assert purity("huffman") < 0.8

    def test_interrupted_before_there_is_a_tree_every_word_has_one_sense(self, topics):
        def stop(status):
            if status.stage.startswith("training, epoch 2"):
                raise KeyboardInterrupt

        model = dataclasses.replace(MODEL, tree="learned")
        with pytest.warns(UserWarning, match="interrupted in epoch 2 of 3"):
            found = model.train(topics, seed=1, threads=1, progress=stop)
        assert (found.num_senses == 1).all()
        assert found.metadata["training"]["interrupted"]


class TestBound:
    def test_it_rises_from_the_tree_alone_towards_the_entropy(self, topics, senses):
        """Before training each turn is 1/2; a model that knows the topic is left with its 20 words."""
        losses = senses.metadata["training"]["loss"]
        counts = topics.vocabulary.counts
        untrained = counts / counts.sum() @ huffman(counts).lengths * np.log(2)
        assert losses[0] < untrained - 0.3
        assert losses[-1] == pytest.approx(np.log(20), abs=0.12)

    def test_senses_raise_it(self, topics, senses):
        one = firth.AdaGram(**{**vars(MODEL), "max_senses": 1}).train(topics, seed=1, threads=1, progress=False)
        assert senses.metadata["training"]["loss"][-1] < one.metadata["training"]["loss"][-1] - 0.02


class TestOneSense:
    def test_with_alpha_near_0_every_word_has_one(self, topics):
        trained = [
            firth.AdaGram(**{**vars(MODEL), "epochs": 1, **options}).train(topics, seed=1, threads=1, progress=False)
            for options in ({"alpha": 1e-9}, {"max_senses": 1})
        ]
        assert (trained[0].num_senses == 1).all()
        np.testing.assert_allclose(trained[0].vectors, trained[1].vectors, atol=1e-6)
        np.testing.assert_allclose(
            trained[0].metadata["training"]["loss"], trained[1].metadata["training"]["loss"], rtol=1e-6
        )

    def test_it_is_then_plain_hierarchical_skipgram(self, built):
        """In sentences of two words each is the other's window; hierarchical skip-gram predicts the centre from its
        context and AdaGram the context from its centre, so that one learns of "x y" what the other learns of "y x"."""
        random = np.random.default_rng(2)
        law = 1 / np.arange(1, 61)
        pairs = random.choice(60, (2000, 2), p=law / law.sum())
        sentences = [[f"w{x}", f"w{y}"] for x, y in pairs]
        how = {"dim": 20, "window": 1, "epochs": 2, "sample": 0, "lr": 0.1}
        senses = firth.AdaGram(alpha=1e-9, tree="huffman", **how).train(built(sentences), threads=1, progress=False)
        plain = firth.Word2Vec(objective="hierarchical", lr_end_factor=1e-4, **how).train(
            built([sentence[::-1] for sentence in sentences]), threads=1, progress=False
        )
        assert senses.words == plain.words
        np.testing.assert_allclose(senses.vectors, plain.vectors, atol=1e-5 * np.abs(plain.vectors).max())
        np.testing.assert_allclose(senses.reader.outputs, plain.output_vectors, atol=1e-5)
        assert senses.metadata["training"]["loss"] == pytest.approx(plain.metadata["training"]["loss"], rel=1e-5)


class TestKept:
    def test_senses_below_the_floors_are_dropped(self):
        """Alpha 1. Of 899, 100 and 1 occurrences the stick makes 0.898, 0.100 and 0.002, and the last is below 0.01.
        Of 2, 0 and 1 it makes 3/5, 2/5 1/3 and 2/5 2/3; the second sense has less than one occurrence, and of the
        others 9/13 and 4/13 are left."""
        model = firth.AdaGram(max_senses=3, dim=2, alpha=1.0, min_share=0.01)
        assert self.kept(model, [[1000, 0, 0], [899, 100, 1], [2, 0, 1]]) == [[1.0], [0.9, 0.1], [0.69, 0.31]]
        assert self.kept(firth.AdaGram(**{**vars(model), "min_share": 0.2}), [[899, 100, 1]]) == [[1.0]]

    def test_a_word_that_no_sense_has_keeps_its_likeliest(self):
        assert self.kept(firth.AdaGram(max_senses=2, dim=2), [[0.5, 0.2]]) == [[1.0]]

    def kept(self, model, occurrences):
        from firth.embeddings.matrices import Matrices
        from firth.kernels.rows import aligned_rows
        from firth.senses.adagram import STATE

        n = np.array(occurrences, dtype=np.float64)
        words = [f"w{i}" for i in range(len(n))]
        counts = np.ones(len(n), dtype=np.int64)
        rows = aligned_rows(n.size, 2), aligned_rows(len(n), 2)
        matrices = Matrices(words, counts, *rows, 2, {STATE: n})
        found = model.sense_vectors(matrices, huffman(counts), {})
        return [[round(sense.prior, 2) for sense in found.senses(word)] for word in words]


class TestRuns:
    def test_a_seed_decides_every_bit_and_a_checkpoint_keeps_the_occurrences(self, topics, tmp_path):
        model = firth.AdaGram(**{**vars(MODEL), "epochs": 2})
        whole = model.train(topics, seed=4, threads=1, progress=False)

        def stop(status):
            if status.stage.startswith("training, epoch 2"):
                raise KeyboardInterrupt

        with pytest.warns(UserWarning, match="interrupted in epoch 2 of 2"):
            model.train(topics, seed=4, threads=1, progress=stop, checkpoint=tmp_path)
        assert (tmp_path / FILE).exists()
        resumed = model.train(topics, seed=4, threads=1, progress=False, checkpoint=tmp_path)
        np.testing.assert_array_equal(resumed.offsets, whole.offsets)
        np.testing.assert_array_equal(resumed.priors, whole.priors)
        np.testing.assert_array_equal(resumed.vectors, whole.vectors)

    def test_two_threads_find_the_same_senses(self, topics):
        # With alpha 0.1 the second sense arises early or not at all, as the two threads' steps happen to fall.
        found = dataclasses.replace(MODEL, alpha=0.3).train(topics, seed=1, threads=2, progress=False)
        assert found.num_senses.sum() == len(found) + 1
        assert sorted(sense.prior for sense in found.senses("bank")) == pytest.approx([0.25, 0.75], abs=0.06)

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"alpha": 0}, "alpha=0: expected a finite number above 0"),
            ({"max_senses": 0}, "max_senses=0: expected a whole number of at least 1"),
            ({"threshold": 0.5}, "threshold=0.5: expected a finite number from 0 to 0.1"),
            ({"min_share": 2}, "min_share=2: expected a finite number from 0 to 1"),
        ],
    )
    def test_options_out_of_range(self, wrong, message):
        with pytest.raises(OptionError, match=message):
            firth.AdaGram(**wrong)

    @pytest.mark.parametrize("sentences", [[["one"] * 30], [["one"], ["two"]]])
    def test_without_a_window_nothing_is_learned_and_that_is_said(self, built, sentences):
        with pytest.warns(UserWarning, match="no prediction"):
            found = firth.AdaGram(dim=4, sample=0).train(built(sentences), threads=1, progress=False)
        assert (found.num_senses == 1).all()
