"""Growing a model: old words keep every bit of their vectors where they are frozen, and new ones learn."""

import dataclasses

import pytest

import firth
from firth.embeddings import training
from firth.errors import OptionError

QUIET = {"seed": 1, "progress": False}
FAMILIES = {
    "skip-gram": firth.Word2Vec(dim=16, epochs=2),
    "by pair": firth.Word2Vec(dim=16, epochs=2, update="pair"),
    "cbow": firth.Word2Vec(dim=16, epochs=2, architecture="cbow"),
    "softmax": firth.Word2Vec(dim=16, epochs=2, objective="softmax"),
    "hierarchical": firth.Word2Vec(dim=16, epochs=2, objective="hierarchical"),
    "subwords": firth.FastText(dim=16, epochs=2, buckets=1000),
    "subwords, cbow": firth.FastText(dim=16, epochs=2, buckets=1000, architecture="cbow"),
    "floret": firth.FastText(dim=16, epochs=2, buckets=2000, hashing="floret"),
    "structured": firth.StructuredWord2Vec(dim=16, epochs=2),
    "cwindow": firth.StructuredWord2Vec(dim=16, epochs=2, architecture="cwindow"),
}
HOW = {"one thread": {"threads": 1}, "threads": {"threads": 2}, "deterministic": {"threads": 2, "deterministic": True}}


@pytest.fixture(scope="module")
def starts(growing):
    """Vectors of the old words, by family."""
    made = {}

    def start(name):
        if name not in made:
            made[name] = FAMILIES[name].train(growing[0], threads=1, **QUIET)
        return made[name]

    return start


def kept(vectors, start):
    """Whether old words have the bits that they had."""
    return all(vectors[word].tobytes() == start[word].tobytes() for word in start.words)


class TestFreeze:
    @pytest.mark.parametrize("how", HOW)
    @pytest.mark.parametrize("name", FAMILIES)
    def test_old_words_keep_every_bit_and_new_ones_learn(self, name, how, growing, starts, learned):
        start = starts(name)
        vectors = FAMILIES[name].train(growing[1], start=start, freeze=True, **HOW[how], **QUIET)
        assert kept(vectors, start)
        assert learned(vectors, start.words) > 0.6
        assert vectors.metadata["training"]["freeze"] is True

    @pytest.mark.parametrize("name", FAMILIES)
    def test_otherwise_old_words_learn_too(self, name, growing, starts):
        start = starts(name)
        vectors = FAMILIES[name].train(growing[1], start=start, threads=1, **QUIET)
        assert not any(vectors[word].tobytes() == start[word].tobytes() for word in start.words)
        assert "freeze" not in vectors.metadata["training"]

    def test_output_vectors_are_trained(self, growing, starts):
        start = starts("skip-gram")
        vectors = FAMILIES["skip-gram"].train(growing[1], start=start, freeze=True, threads=1, **QUIET)
        for word in start.words:
            before, after = (each.output_vectors[each.key_to_index[word]] for each in (start, vectors))
            assert before.tobytes() != after.tobytes()

    def test_rows_of_old_words_and_all_their_ngrams_stay(self, growing, starts):
        model, start = FAMILIES["subwords"], starts("subwords")
        vectors = model.train(growing[1], start=start, freeze=True, threads=1, **QUIET)
        buckets = model.ngrams.buckets_of(start.words)[1]
        before, after = (each.ngrams.rows(each.ngrams.positions(buckets)) for each in (start, vectors))
        assert before.tobytes() == after.tobytes()

    def test_a_learned_tree(self, growing, starts, learned):
        """Its first training is one with the same words frozen."""
        model, start = dataclasses.replace(FAMILIES["hierarchical"], tree="learned"), starts("hierarchical")
        vectors = model.train(growing[1], start=start, freeze=True, threads=1, **QUIET)
        assert kept(vectors, start)
        assert learned(vectors, start.words) > 0.6

    def test_nothing_new(self, growing, starts):
        start = starts("skip-gram")
        with pytest.warns(UserWarning, match="freeze=True: start has every word of the text .*lower min_count"):
            vectors = FAMILIES["skip-gram"].train(growing[0], start=start, freeze=True, threads=1, **QUIET)
        assert kept(vectors, start)

    @pytest.mark.parametrize(
        ("model", "how", "message"),
        [
            (firth.Word2Vec(), {"freeze": True}, "freeze=True without start: expected start="),
            (firth.Word2Vec(), {"freeze": "yes"}, "freeze='yes': expected True or False"),
            (firth.GloVe(), {"freeze": True}, "GloVe cannot leave the vectors .*expected Word2Vec, FastText or Struct"),
            (firth.MultiSenseSkipGram(), {"freeze": True}, "MultiSenseSkipGram cannot leave the vectors"),
        ],
    )
    def test_what_cannot_be(self, model, how, message, growing):
        with pytest.raises(OptionError, match=message):
            model.train(growing[1], **how, **QUIET)


class StoppedError(Exception):
    pass


def stopping(status):
    if status.stage == "training, epoch 2/2":
        raise StoppedError


class TestFrozenCheckpoint:
    @pytest.fixture
    def how(self, tmp_path, starts, monkeypatch):
        monkeypatch.setattr(training, "CHECKPOINT_SHARE", 0)  # after each epoch, however short
        return {"start": starts("skip-gram"), "seed": 1, "checkpoint": tmp_path}

    @pytest.mark.parametrize("name", HOW)
    def test_going_on(self, name, how, growing, learned):
        model, start = FAMILIES["skip-gram"], how["start"]
        with pytest.raises(StoppedError):
            model.train(growing[1], freeze=True, **how, **HOW[name], progress=stopping)
        vectors = model.train(growing[1], freeze=True, **how, **HOW[name], progress=False)
        assert kept(vectors, start)
        assert learned(vectors, start.words) > 0.6
        if name != "threads":
            whole = model.train(growing[1], freeze=True, **{**how, "checkpoint": None}, **HOW[name], progress=False)
            assert vectors.vectors.tobytes() == whole.vectors.tobytes()

    @pytest.mark.parametrize(("first", "then"), [(True, False), (False, True)])
    def test_of_a_run_that_froze_other_words(self, first, then, how, growing):
        model = FAMILIES["skip-gram"]
        with pytest.raises(StoppedError):
            model.train(growing[1], freeze=first, **how, threads=1, progress=stopping)
        with pytest.raises(OptionError, match=f"its freeze is {first}, this run's is {then}"):
            model.train(growing[1], freeze=then, **how, threads=1, progress=False)
