"""Documents: what their vectors know, names, empty ones, and everything a run must keep to."""

import itertools

import numpy as np
import pytest

import firth
from firth.errors import DivergenceError, OptionError, ShapeError

MODELS = {
    "dm": {},
    "dm, sum": {"combine": "sum"},
    "dm, concatenate": {"combine": "concatenate", "window": 2},
    "dbow": {"architecture": "dbow"},
    "dbow with words": {"architecture": "dbow", "words": True},
    "dm, a tree": {"objective": "hierarchical", "window": 2, "epochs": 30},
    "dbow, a tree": {"architecture": "dbow", "objective": "hierarchical"},
}
each_model = pytest.mark.parametrize("options", MODELS.values(), ids=MODELS)


def small(**options):
    return firth.ParagraphVectors(**{"dim": 16, "epochs": 10, "sample": 0, "lr": 0.05, **options})


@pytest.fixture(scope="module")
def topics(tmp_path_factory):
    """300 documents of 5 to 60 words, each of one of three topics with 20 words of its own and 20 common to all."""
    random = np.random.default_rng(0)
    documents = []
    for i in range(300):
        own, common = random.integers(0, 20, random.integers(5, 60)), random.integers(0, 20, 10)
        documents.append([*[f"{'abc'[i % 3]}{w}" for w in own], *[f"x{w}" for w in common]])
        random.shuffle(documents[-1])
    return documents


@pytest.fixture(scope="module")
def corpus(topics, built):
    return built(topics)


def same_topic(vectors, answers):
    return np.mean([int(name) % 3 == i % 3 for i, found in enumerate(answers) for name, _ in found])


@each_model
def test_documents_of_a_topic_come_together(options, corpus):
    vectors = small(**options).train(corpus, threads=1, progress=False)
    assert same_topic(vectors, vectors.most_similar([[i] for i in range(300)], topn=5)) > 0.9
    losses = vectors.metadata["training"]["loss"]
    assert losses[-1] < losses[1]


@each_model
def test_a_new_document_is_put_beside_its_like(options, corpus, topics):
    vectors = small(**options).train(corpus, threads=1, progress=False)
    outputs, words = vectors.outputs.copy(), vectors.words.vectors.copy()
    inferred = vectors.infer(topics[:60], epochs=20)
    assert same_topic(vectors, vectors.most_similar([[v] for v in inferred], topn=5)) > 0.9
    assert vectors.outputs.tobytes() == outputs.tobytes()
    assert vectors.words.vectors.tobytes() == words.tobytes()


def test_inferred_vectors_are_as_long_as_those_trained_beside_words_that_are_learned_already(corpus, topics):
    """In training the outputs begin at zero, so that a document's first passes hardly move it. Measured: see below."""
    model = small(architecture="dbow")
    first = model.train(corpus, threads=1, progress=False)
    learned = firth.WordVectors(first.words.words, first.words.vectors, output_vectors=first.outputs)
    second = model.train(corpus, threads=1, start=learned, progress=False)
    rows = (first.vectors, first.infer(topics), second.vectors)
    trained, inferred, again = (np.median(np.linalg.norm(vectors, axis=1)) for vectors in rows)  # 2.41, 2.67, 2.64
    assert inferred > 1.05 * trained
    assert inferred == pytest.approx(again, rel=0.05)


@each_model
def test_a_seed_decides_every_bit_of_one_thread(options, corpus):
    model = small(**{**options, "epochs": 1})
    one, same, other = (model.train(corpus, seed=seed, threads=1, progress=False) for seed in (1, 1, 2))
    assert one.vectors.tobytes() == same.vectors.tobytes() != other.vectors.tobytes()
    assert len(model.train(corpus, threads=2, progress=False)) == 300


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("architecture", ["dm", "dbow"])
def test_going_on_from_a_checkpoint_gives_the_same_bits(architecture, corpus, tmp_path):
    def report(status):
        if status.stage == "training, epoch 2/3":
            raise StoppedError

    model = small(architecture=architecture, epochs=3)
    with pytest.raises(StoppedError):
        model.train(corpus, threads=1, checkpoint=tmp_path, progress=report)
    ended = model.train(corpus, threads=1, checkpoint=tmp_path, progress=False)
    whole = model.train(corpus, threads=1, progress=False)
    assert ended.vectors.tobytes() == whole.vectors.tobytes()
    assert ended.outputs.tobytes() == whole.outputs.tobytes()


def test_names(corpus):
    names = [f"document {i}" for i in range(300)]
    vectors = small(epochs=1).train(corpus, names=names, threads=1, progress=False)
    assert vectors.names == names
    assert "document 7" in vectors
    assert vectors["document 7"].tolist() == vectors.vectors[7].tolist()
    with pytest.raises(OptionError, match=r"299 names for 300 documents: .* keep_empty=True"):
        small().train(corpus, names=names[1:], progress=False)


def test_a_name_that_occurs_twice_is_said_before_training(corpus):
    names = [f"document {i % 299}" for i in range(300)]
    with pytest.raises(OptionError, match=r"documents 0 and 299 are both called 'document 0'; .*share_names=True"):
        small(epochs=10**5).train(corpus, names=names, progress=False)


@pytest.mark.parametrize("architecture", ["dm", "dbow"])
def test_documents_of_one_name_share_a_vector(corpus, topics, built, architecture):
    """The 100 documents of a topic are one that holds their words in order."""
    model = small(architecture=architecture, epochs=2)
    shared = model.train(corpus, names=["abc"[i % 3] for i in range(300)], share_names=True, threads=1, progress=False)
    assert shared.names == ["a", "b", "c"]
    joined = [list(itertools.chain.from_iterable(topics[first::3])) for first in range(3)]
    alone = model.train(built(joined), names=["a", "b", "c"], threads=1, progress=False)
    np.testing.assert_array_equal(shared.vectors, alone.vectors)


@pytest.mark.parametrize("architecture", ["dm", "dbow"])
def test_documents_without_words_are_zero(architecture, topics, tmp_path):
    texts = [[], *topics[:20], ["rare"], *topics[20:40]]
    corpus = firth.Corpus.build(texts, min_count=2, keep_empty=True, cache=tmp_path)
    with pytest.warns(UserWarning, match="2 of 42 documents hold no word of the vocabulary: their vectors are zero"):
        vectors = small(architecture=architecture).train(corpus, threads=1, progress=False)
    assert np.flatnonzero(~vectors.vectors.any(axis=1)).tolist() == [0, 21]


def test_bags_of_words_have_the_words_that_they_learn(corpus):
    """Output vectors: a word lies near the documents of its topic."""
    vectors = small(architecture="dbow").train(corpus, threads=1, progress=False)
    near = [name for i in range(20) for name, _ in vectors.most_similar([vectors.words[f"b{i}"]], topn=5)]
    assert np.mean([int(name) % 3 == 1 for name in near]) > 0.9


def test_words_may_begin_where_others_ended(corpus):
    start = small(architecture="dbow", words=True).train(corpus, threads=1, progress=False).words
    known = firth.WordVectors([*start.words, "unheard-of"], np.vstack([start.vectors, np.ones((1, 16))]))
    model = small(epochs=1, lr=1e-9)
    vectors = model.train(corpus, start=known, threads=1, progress=False)
    assert np.abs(vectors.words.vectors - start.vectors).max() < 1e-6
    assert "unheard-of" not in vectors.words
    with pytest.raises(ShapeError, match="width 16, the options ask for dim=8"):
        small(dim=8).train(corpus, start=known, progress=False)


def test_divergence_is_told(corpus):
    with pytest.raises(DivergenceError, match=r"lr=1e\+20"):
        small(lr=1e20).train(corpus, threads=1, progress=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"architecture": "pv"}, "expected one of dm, dbow"),
        ({"combine": "max"}, "expected one of mean, sum, concatenate"),
        ({"words": True}, "words=True: dm always trains word vectors"),
        ({"objective": "nce"}, "expected one of negative, hierarchical"),
        ({"epochs": 0}, "epochs=0"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(OptionError, match=message):
        firth.ParagraphVectors(**options)
