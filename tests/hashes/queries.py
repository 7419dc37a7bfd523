"""Questions to vectors, indexes, sentence vectors, postprocessing and quantised vectors."""

from typing import Any

import numpy as np

import firth
from tests.hashes import seeds
from tests.hashes.registry import case, variants


@case("queries")
def queries() -> Any:
    """What vectors of words answer."""
    vectors = seeds.vectors()
    words = list(vectors.words)
    a, b, c, d = words[3:7]
    return {
        "most_similar": vectors.most_similar(a, topn=8),
        "several": vectors.most_similar([a, b], [c], topn=8),
        "batch": vectors.similar_by_word([a, b, c], topn=5),
        "vector": vectors.similar_by_vector(np.ones(8, np.float32), topn=5),
        "analogy": vectors.analogy(a, b, c, n=5),
        "analogy mul": vectors.analogy(a, b, c, n=5, method="mul"),
        "analogies": vectors.analogy([a, b], [b, c], [c, d], n=3),
        "cosmul": vectors.most_similar_cosmul([a, b], [c], topn=5),
        "similarity": [vectors.similarity(a, b), vectors.distance(a, b), vectors.n_similarity([a, b], [c, d])],
        "distances": np.asarray(vectors.distances(a, [b, c])),
        "doesnt_match": vectors.doesnt_match([a, b, c, d]),
        "centrality": vectors.rank_by_centrality([a, b, c, d]),
        "rank": vectors.rank(a, b),
        "closer": vectors.closer_than(a, b),
        "relative": vectors.relative_cosine_similarity(a, b),
        "mean": np.asarray(vectors.get_mean_vector([a, b, c])),
        "norms": np.asarray(vectors.norms),
        "average": np.asarray(vectors.average()),
        "given": vectors.most_similar_to_given(a, [b, c, d]),
        "restricted": vectors.most_similar(a, topn=4, restrict_vocab=30),
        "unknown": [np.asarray(vectors.get_vector("unseen!", unknown=how)) for how in ("zero", "average")],
        "subwords": seeds.subwords().most_similar("unseen", topn=5),
    }


def many(words: int = 20000, dim: int = 20) -> Any:
    """Enough vectors for the rounded search and for graphs."""
    return seeds.random_vectors(tuple(f"w{i}" for i in range(words)), dim)


def indexed(kind: str, words: int = 3000, **options: Any) -> Any:
    """An index and its answers."""
    vectors = many(words)
    index = vectors.index(kind, **options)
    found = index.query([f"w{i}" for i in range(40)], k=10)
    one = index.query(np.ones(20, np.float32), k=10)
    return {"words": found.words, "scores": np.asarray(found.scores), "one": [one.words, np.asarray(one.scores)]}


variants(
    "index",
    indexed,
    {
        "exact": {"kind": "exact"},
        "csls": {"kind": "exact", "csls": 5},
        "lsh": {"kind": "lsh", "tables": 8, "bits": 6},
        "hnsw": {"kind": "hnsw"},
    },
)


@case("index/rounded")
def rounded() -> Any:
    """The exact search through rounded numbers, in a vocabulary large enough for it."""
    vectors = many(60000, 24)
    answers = vectors.similar_by_word([f"w{i}" for i in range(100)], topn=10)
    return {"answers": answers, "one": vectors.most_similar("w7", topn=10)}


@case("csls")
def csls() -> Any:
    """Cross-domain similarity, as a matrix and as nearest rows."""
    from firth.vectors import csls as module

    random = np.random.default_rng(0)
    points, others = (random.normal(size=(n, 12)).astype(np.float32) for n in (60, 90))
    rows, scores = module.csls_nearest(points, others, 5, 4)
    return {
        "matrix": np.asarray(module.csls(points, others, 4)),
        "rows": np.asarray(rows),
        "scores": np.asarray(scores),
        "surroundings": np.asarray(module.surroundings(points, others, 4)),
    }


@case("sentence-vectors")
def sentences() -> Any:
    """Averages of words' vectors, plain and weighted."""
    texts = [*seeds.HELD_OUT[:20], ""]
    learned = firth.SentenceAverages.learn(seeds.vectors(), seeds.LINES[:100])
    return {
        "mean": np.asarray(firth.sentence_vectors(seeds.vectors(), texts, weighting="mean")),
        "sif": np.asarray(firth.sentence_vectors(seeds.vectors(), texts)),
        "like": np.asarray(firth.sentence_vectors(seeds.vectors(), texts, like=seeds.LINES[:50], smoothing=1e-2)),
        "learned": np.asarray(learned.encode(texts)),
        "direction": None if learned.direction is None else np.asarray(learned.direction),
        "subwords": np.asarray(firth.sentence_vectors(seeds.subwords(), texts)),
    }


def of_words(vectors: Any) -> list[Any]:
    """Words and rows."""
    return [list(vectors.words), np.asarray(vectors.vectors)]


@case("postprocess")
def postprocess() -> Any:
    """Every step."""
    from firth.postprocess import ensembles, linear
    from firth.postprocess.counter_fitting import CounterFitting, counter_fit
    from firth.postprocess.fidelity import fidelity
    from firth.postprocess.retrofitting import retrofit

    vectors, other = seeds.vectors(), seeds.vectors(2)
    words = list(vectors.words)
    synonyms = [(words[i], words[i + 1]) for i in range(0, 40, 2)] + [("unseen!", words[0])]
    antonyms = [(words[i], words[i + 3]) for i in range(50, 80, 3)]
    fitted = retrofit(vectors, synonyms, iterations=5)
    return {
        "centre": of_words(linear.centre(vectors)),
        "centre frequency": of_words(linear.centre(vectors, frequency=True)),
        "components": of_words(linear.remove_components(vectors, 2)),
        "components frequency": of_words(linear.remove_components(vectors, frequency=True)),
        "reduce": of_words(linear.reduce(vectors, 4, components=1)),
        "whiten": of_words(linear.whiten(vectors)),
        "whiten zca": of_words(linear.whiten(vectors, "zca", ridge=0.1, frequency=True)),
        "l2": of_words(linear.normalise(vectors)),
        "retrofit": of_words(fitted),
        "counter-fit": of_words(counter_fit(vectors, synonyms, antonyms, CounterFitting(epochs=5))),
        "average": of_words(ensembles.average([vectors, other])),
        "average weighted": of_words(ensembles.average([vectors, other.first(50)], words="union", weights=[1, 2])),
        "concatenate": of_words(ensembles.concatenate([vectors, other], dim=6)),
        "fidelity": fidelity(vectors, fitted, k=5, sample=50),
        "spread": linear.principal_components(np.asarray(vectors.vectors)).explained(3),
    }


@case("quantise")
def quantised() -> Any:
    """Vectors as codes, and what they answer."""
    answer: dict[str, Any] = {}
    for name, vectors, how in (
        ("int8", seeds.vectors(), {"kind": "int8"}),
        ("product", seeds.vectors(), {"kind": "product", "width": 2}),
        ("product lengths", seeds.vectors(), {"kind": "product", "width": 4, "lengths": False}),
        ("subwords", seeds.subwords(), {}),
    ):
        made = vectors.quantise(**how)
        answer[name] = [np.asarray(made.vectors[:]), made.most_similar(list(made.words)[2], topn=5)]
    return answer


@case("vectors/changes")
def changes() -> Any:
    """Vectors that grow, are cut and sorted."""
    vectors = firth.WordVectors(list(seeds.vectors().words), np.array(seeds.vectors().vectors))
    vectors.add_vector("new!", np.ones(8, np.float32))
    vectors.add_vectors(["x!", "y!"], np.ones((2, 8), np.float32) * 2)
    cut = vectors.vectors_for_all(["x!", "the", "unseen!"])
    return {"grown": of_words(vectors), "first": of_words(vectors.first(9)), "cut": of_words(cut),
            "trainable": of_words(seeds.subwords().trainable())}  # fmt: skip
