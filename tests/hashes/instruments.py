"""Alignment, change, bias, directions and relations."""

import functools
from typing import Any

import numpy as np

import firth
from tests.hashes import seeds
from tests.hashes.registry import case, variants


@functools.cache
def target() -> Any:
    """The vectors, turned and disturbed, under other names."""
    vectors = seeds.vectors()
    random = np.random.default_rng(5)
    turn = np.linalg.qr(random.normal(size=(8, 8)))[0]
    rows = np.asarray(vectors.vectors) @ turn + 0.05 * random.normal(size=vectors.vectors.shape)
    return firth.WordVectors([f"x{word}" for word in vectors.words], rows.astype(np.float32))


def of_alignment(alignment: Any) -> dict[str, Any]:
    """Spaces and translations."""
    words = list(alignment.source.words)[:6]
    return {
        "source": np.asarray(alignment.source.vectors),
        "target": np.asarray(alignment.target.vectors),
        "translations": alignment.translate(words, 3),
        "cosine": alignment.translate(words, 3, "cosine"),
        "back": alignment.translate(f"x{words[0]}", 3, back=True),
        "applied": np.asarray(alignment.apply(seeds.vectors()).vectors),
    }


def procrustes(**options: Any) -> Any:
    """Spaces aligned by a dictionary, and how well."""
    from firth.alignment.retrieval import evaluate_retrieval

    vectors = seeds.vectors()
    words = list(vectors.words)
    pairs = [(word, f"x{word}") for word in words]
    alignment = firth.Procrustes(**options).align(vectors, target(), pairs[:80], threads=1, progress=False)
    judged = evaluate_retrieval(alignment, pairs[80:140], seed=1)
    return {**of_alignment(alignment), "figures": [[each.metric, each.precision, each.ranks] for each in judged]}


variants(
    "procrustes",
    procrustes,
    {
        "orthogonal": {},
        "least-squares": {"method": "least-squares", "normalise": "unit"},
        "cca": {"method": "cca"},
        "weighted": {"method": "weighted", "normalise": "unit-centre"},
        "refined": {"refine": 2, "normalise": "none"},
    },
)


@case("self-learning")
def self_learning() -> Any:
    """Spaces aligned without a dictionary."""
    source = seeds.random_vectors(tuple(f"w{i}" for i in range(300)), 10)
    random = np.random.default_rng(3)
    rows = np.asarray(source.vectors) @ np.linalg.qr(random.normal(size=(10, 10)))[0]
    other = firth.WordVectors([f"x{word}" for word in source.words], rows.astype(np.float32))
    model = firth.SelfLearning(cutoff=250, start_cutoff=200, runs=1, rounds=20, patience=3)
    alignment = model.align(source, other, seed=1, threads=1, progress=False)
    return {
        "source": np.asarray(alignment.source.vectors),
        "target": np.asarray(alignment.target.vectors),
        "translations": alignment.translate(list(source.words)[:6], 3),
    }


@case("change")
def change() -> Any:
    """How far words moved between two spaces."""
    vectors = seeds.vectors()
    other = firth.WordVectors(list(vectors.words), np.asarray(target().vectors))
    moved = firth.SemanticChange(neighbours=10).measure(vectors, other)
    anchored = firth.SemanticChange(neighbours=5, anchors=60).measure(vectors, other)
    return {
        "words": moved.words,
        "distance": np.asarray(moved.distance),
        "neighbourhood": np.asarray(moved.neighbourhood),
        "kept": np.asarray(moved.kept),
        "most": moved.most_changed(10, "neighbourhood"),
        "facts": moved.facts(moved.most_changed(1)[0]),
        "anchored": np.asarray(anchored.distance),
    }


@functools.cache
def lists() -> Any:
    """Words of a made-up bias."""
    from firth.bias.methods import BiasLists

    words = list(seeds.vectors().words)
    pairs = [(words[i], words[i + 1]) for i in range(10, 22, 2)]
    return BiasLists(pairs, pairs[:4], words[10:30], words[40:90])


@functools.cache
def query() -> Any:
    """Sets of words to measure."""
    from firth.bias.query import Query

    words = list(seeds.vectors().words)
    return Query.of([words[40:48], words[48:56]], [words[60:68], words[68:76]])


def of_figure(figure: Any) -> list[Any]:
    """A figure of bias."""
    return [figure.metric, float(figure.value), dict(figure.by_word), repr(figure.facts)]


@case("bias/metrics")
def metrics() -> Any:
    """Every measure, on made-up sets."""
    from firth.bias.measure import METRICS, measure

    answer: dict[str, Any] = {
        name: [of_figure(each) for each in measure(seeds.vectors(), query(), name, seed=1)] for name in METRICS
    }
    from firth.bias.direction import bias_direction, direct_bias, indirect_bias

    words = list(seeds.vectors().words)
    along = bias_direction(seeds.vectors(), lists().pairs)
    answer["direct"] = of_figure(direct_bias(seeds.vectors(), along, lists().neutral))
    answer["indirect"] = of_figure(indirect_bias(seeds.vectors(), along, words[40], words[41:60]))
    answer["direction"] = np.asarray(along.direction)
    return answer


@case("bias/weat")
def weat_sets() -> Any:
    """Named tests, on vectors that are drawn."""
    from firth.bias.measure import measure
    from firth.bias.word_lists import weat_queries

    answer = []
    for each in weat_queries()[:3]:
        sets = [*each.targets.values(), *each.attributes.values()]
        words = tuple(sorted({word for some in sets for word in some}))
        vectors = seeds.random_vectors(words)
        answer.append([of_figure(figure) for figure in measure(vectors, each, "weat", seed=1)])
    return answer


def debiased(method: str, **options: Any) -> Any:
    """Debiased vectors, and what is left of the bias."""
    from firth.bias.direction import bias_direction
    from firth.bias.methods import debias
    from firth.bias.recovery import recovery

    vectors = seeds.vectors()
    after = debias(vectors, method, lists(), **options)
    along = bias_direction(vectors, lists().pairs)
    left = recovery(vectors, after, along, specific=lists().specific, count=20, classified=60, seed=1)
    return {"vectors": np.asarray(after.vectors), "recovery": repr(left.row)}


variants(
    "bias/debias",
    debiased,
    {
        "hard": {"method": "hard"},
        "double-hard": {"method": "double-hard", "components": 3, "count": 30},
        "half-sibling": {"method": "half-sibling", "alpha": 10.0},
        "null-space": {"method": "null-space", "rounds": 3, "count": 60, "seed": 1},
    },
)


@case("bias/effects")
def effects() -> Any:
    """Figures before and after."""
    from firth.bias.effects import effects as measure
    from firth.bias.methods import debias

    after = debias(seeds.vectors(), "hard", lists())
    made = measure(seeds.vectors(), after, lists(), [query()], seed=1)
    return [repr(each.row) for each in made.changes] + [repr(made.control.row), list(made.left_out)]


@case("directions")
def directions() -> Any:
    """Axes, places along them, and vectors without them."""
    from firth.directions.axis import axis, axis_between, neutralise, project

    vectors = seeds.vectors()
    words = list(vectors.words)
    one = axis(vectors, lists().pairs)
    other = axis(vectors, lists().pairs, method="pca")
    between = axis_between(vectors, words[10:12], words[14])
    return {
        "mean": np.asarray(one.direction),
        "pca": np.asarray(other.direction),
        "between": np.asarray(between.direction),
        "places": np.asarray(project(vectors, one, words[:50])),
        "neutral": np.asarray(neutralise(vectors, [one, between], words[30:60]).vectors),
    }


@case("relations")
def relations() -> Any:
    """Antonyms: patterns, features, a classifier, candidates, figures."""
    from firth.relations.classifier import train_classifier
    from firth.relations.features import PairFeatures
    from firth.relations.labelled import LabelledPairs, lexical_split
    from firth.relations.pair_evaluation import evaluate_pairs
    from firth.relations.patterns import count_patterns
    from firth.relations.ranking import antonyms

    vectors = seeds.vectors()
    words = [word for word in vectors.words if word.isalpha()][:120]
    patterns = count_patterns(seeds.corpus(), progress=False)
    pairs = LabelledPairs([(words[i], words[i + 1]) for i in range(0, 118, 2)], np.arange(59) % 3 == 0)
    train, test = lexical_split(pairs, 0.6, seed=1)
    features = PairFeatures(vectors, patterns, others=(seeds.vectors(2),))
    classifier = train_classifier(features, train)
    alone = train_classifier(PairFeatures(vectors, families=("word", "neighbours")), train)
    return {
        "patterns": [list(patterns.patterns), np.asarray(patterns.keys), np.asarray(patterns.counts)],
        "association": np.asarray(patterns.association(test.pairs)),
        "features": np.asarray(features.rows(test.pairs)),
        "split": [[tuple(pair) for pair in each.pairs] for each in (train, test)],
        "log odds": np.asarray(classifier.log_odds(test.pairs)),
        "alone": np.asarray(alone.log_odds(test.pairs)),
        "evidence": [np.asarray(each) for each in classifier.evidence(test.pairs).values()],
        "figures": evaluate_pairs(classifier.log_odds(test.pairs), test.antonyms, resamples=50),
        "candidates": [repr(each) for each in antonyms(vectors, words[3], classifier=classifier, topn=5)],
        "by pattern": [repr(each) for each in antonyms(vectors, words[0], patterns=patterns, topn=5)],
    }
