"""Word order: what is learned of it, and what tells these models from those that know none."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError, ShapeError


@pytest.fixture(scope="module")
def ordered(built):
    """Sentences of a name, a verb and a name: who acts stands before the verb, who suffers behind it."""
    random = np.random.default_rng(0)
    names, verbs = random.integers(0, 8, (3000, 2)), random.integers(0, 4, 3000)
    return built([[f"doer{a}", f"verb{v}", f"sufferer{b}"] for (a, b), v in zip(names, verbs, strict=True)])


def parts(vectors, window):
    return vectors.output_vectors.reshape(len(vectors), 2 * window, -1)


def test_a_place_has_output_vectors_of_its_own(ordered):
    """A verb expects a doer before it and a sufferer behind it; exchanged, it expects neither."""
    vectors = firth.StructuredWord2Vec(dim=20, window=1, sample=0, lr=0.05, epochs=10).train(
        ordered, threads=1, progress=False
    )
    before, behind = parts(vectors, 1).transpose(1, 0, 2)
    verbs, doers, sufferers = (
        [vectors.get_index(f"{kind}{i}") for i in range(n)] for kind, n in (("verb", 4), ("doer", 8), ("sufferer", 8))
    )
    centres = vectors.vectors[verbs]
    right = (centres @ before[doers].T).mean() + (centres @ behind[sufferers].T).mean()
    wrong = (centres @ behind[doers].T).mean() + (centres @ before[sufferers].T).mean()
    assert right > wrong + 4


def test_two_context_words_change_places(ordered):
    """The continuous window's score of a verb falls; the mean of CBOW cannot tell."""
    options = {"dim": 20, "window": 1, "sample": 0, "epochs": 10}
    wide = firth.StructuredWord2Vec(architecture="cwindow", lr=0.1, **options).train(ordered, threads=1, progress=False)
    mean = firth.Word2Vec(architecture="cbow", lr=0.1, **options).train(ordered, threads=1, progress=False)
    verb = [f"verb{i}" for i in range(4)]

    def score(vectors, context):
        h = np.concatenate(list(vectors[context])) if vectors is wide else vectors[context].mean(0)
        return (vectors.output_vectors[vectors.get_index(verb)] @ h).mean()

    assert score(wide, ["doer1", "sufferer2"]) > score(wide, ["sufferer2", "doer1"]) + 0.5
    assert score(mean, ["doer1", "sufferer2"]) == pytest.approx(score(mean, ["sufferer2", "doer1"]))


@pytest.mark.parametrize("architecture", ["skipgram", "cwindow"])
@pytest.mark.parametrize("objective", ["negative", "hierarchical"])
def test_words_of_one_topic_come_together(architecture, objective, pairs):
    model = firth.StructuredWord2Vec(architecture=architecture, objective=objective, dim=20, sample=0, epochs=3, lr=0.1)
    vectors = model.train(pairs, threads=2, progress=False)
    near = [other[0] for i in range(20) for other, _ in vectors.most_similar(f"a{i}", topn=10)]
    assert near.count("a") > 0.9 * len(near)
    losses = vectors.metadata["training"]["loss"]
    assert losses == sorted(losses, reverse=True)
    assert (vectors.output_vectors is None) == (objective == "hierarchical")


def test_a_seed_decides_every_bit_of_one_thread(zipf):
    model = firth.StructuredWord2Vec(dim=16, epochs=1)
    one, same, other = (model.train(zipf, seed=seed, threads=1, progress=False) for seed in (1, 1, 2))
    assert one.vectors.tobytes() == same.vectors.tobytes() != other.vectors.tobytes()


def test_going_on_from_vectors(pairs, tmp_path):
    model = firth.StructuredWord2Vec(dim=16, window=2, epochs=1)
    first = model.train(pairs, threads=1, progress=False)
    first.save(tmp_path / "v.firth")
    again = model.train(pairs, threads=1, start=firth.load(tmp_path / "v.firth"), progress=False)
    assert again.metadata["training"]["loss"][0] < first.metadata["training"]["loss"][0]
    with pytest.raises(ShapeError, match="width 64, expected 2 window dim = 96"):
        firth.StructuredWord2Vec(dim=16, window=3).train(pairs, start=first, progress=False)
    with pytest.raises(ShapeError, match="width 64, expected dim=16"):
        firth.Word2Vec(dim=16).train(pairs, start=first, progress=False)
    bare = firth.WordVectors(first.words, first.vectors)
    assert firth.StructuredWord2Vec(dim=16, window=3, epochs=1).train(pairs, start=bare, progress=False).dim == 16


@pytest.mark.parametrize("options", [{"architecture": "cbow"}, {"window": 0}, {"objective": "softmax"}, {"lr": 0}])
def test_options_out_of_range(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        firth.StructuredWord2Vec(**options)
