"""Trainers of word and document vectors."""

from typing import Any

import numpy as np

import firth
from tests.hashes import seeds
from tests.hashes.registry import case, variants

SMALL: dict[str, Any] = {"dim": 8, "epochs": 2, "sample": 1e-3}


def word2vec(**options: Any) -> Any:
    """Word2vec's vectors."""
    model = firth.Word2Vec(**{**SMALL, **options})
    trained = model.train(seeds.corpus(), **seeds.HOW)
    return seeds.of_vectors(trained)


PAIRS = {
    f"{short}-{objective}": {"architecture": architecture, "objective": objective}
    for short, architecture in (("sg", "skipgram"), ("cbow", "cbow"))
    for objective in ("negative", "hierarchical", "softmax", "nce", "importance")
}
variants(
    "word2vec",
    word2vec,
    {
        **PAIRS,
        "sg-pair": {"update": "pair"},
        "sg-hierarchical-pair": {"update": "pair", "objective": "hierarchical"},
        "sg-random-tree": {"objective": "hierarchical", "tree": "random"},
        "sg-learned-tree": {"objective": "hierarchical", "tree": "learned"},
        "cbow-learned-tree": {"objective": "hierarchical", "tree": "learned", "architecture": "cbow"},
        "cbow-sum": {"architecture": "cbow", "combine": "sum"},
        "cbow-scaled": {"architecture": "cbow", "score": "scaled"},
        "cbow-gradient-mean": {"architecture": "cbow", "cbow_gradient": "mean"},
        "cbow-sum-hierarchical-scaled": {
            "architecture": "cbow",
            "combine": "sum",
            "score": "scaled",
            "objective": "hierarchical",
        },
        "sg-fixed-windows": {"shrink_windows": False, "window": 2},
        "sg-shared-windows": {"shared_windows": 4, "negative": 3},
        "sg-noise-lr": {"noise_exponent": 0.0, "lr": 0.1, "lr_end_factor": 0.5, "sample": 0},
        "sg-width-33": {"dim": 33},
        "cbow-width-50": {"dim": 50, "architecture": "cbow"},
    },
)


@case("word2vec/log-prob")
def log_prob() -> Any:
    """Probabilities of words in context under each objective."""
    answer = {}
    for objective in ("hierarchical", "softmax", "nce", "importance"):
        model = firth.Word2Vec(**SMALL, objective=objective)
        trained = model.train(seeds.corpus(), **seeds.HOW)
        words = list(trained.words)
        answer[objective] = np.asarray(model.log_prob(trained, words[:5], words[5:10]))
    return answer


@case("word2vec/start")
def continued() -> Any:
    """Training that starts with other vectors."""
    start = seeds.vectors()
    return seeds.of_vectors(firth.Word2Vec(**SMALL).train(seeds.corpus(), start=start, **seeds.HOW))


@case("word2vec/wordnet-tree")
def wordnet_tree() -> Any:
    """Hierarchical softmax over WordNet's groups."""
    with seeds.folder() as folder:
        seeds.small_wordnet(folder / "wordnet")
        tree = firth.WordTree.wordnet(folder / "wordnet")
    model = firth.Word2Vec(**SMALL, objective="hierarchical", tree=tree)
    return {
        "children": np.asarray(tree.children(seeds.corpus().vocabulary)),
        **seeds.of_vectors(model.train(seeds.corpus(), **seeds.HOW)),
    }


def stopped(model: Any, corpus: Any) -> Any:
    """Training that is broken off after an epoch, and resumed from its checkpoint."""

    class StoppedError(Exception):
        pass

    def stop(status: Any) -> None:
        if "epoch 2" in status.stage:
            raise StoppedError

    with seeds.folder() as folder:
        try:
            model.train(corpus, seed=1, threads=1, checkpoint=folder / "state", progress=stop)
        except StoppedError:
            pass
        else:
            raise AssertionError("not stopped")
        return model.train(corpus, seed=1, threads=1, checkpoint=folder / "state", progress=False)


@case("word2vec/resumed")
def resumed() -> Any:
    """Training from a checkpoint."""
    return seeds.of_vectors(stopped(firth.Word2Vec(dim=8, epochs=3, sample=1e-3), seeds.corpus()))


@case("fasttext/resumed")
def resumed_subwords() -> Any:
    """Training from a checkpoint."""
    return seeds.of_vectors(stopped(firth.FastText(dim=8, epochs=3, sample=1e-3, buckets=100), seeds.corpus()))


@case("adagram/resumed")
def resumed_senses() -> Any:
    """Training from a checkpoint."""
    return seeds.of_senses(stopped(firth.AdaGram(dim=8, epochs=3, sample=1e-3, tree="huffman"), seeds.corpus()))


variants(
    "structured",
    lambda **options: seeds.of_vectors(
        firth.StructuredWord2Vec(**{**SMALL, **options}).train(seeds.corpus(), **seeds.HOW)
    ),
    {
        "skipgram": {},
        "cwindow": {"architecture": "cwindow"},
        "skipgram-hierarchical": {"objective": "hierarchical"},
        "cwindow-hierarchical": {"architecture": "cwindow", "objective": "hierarchical"},
        "skipgram-shrink": {"shrink_windows": True, "window": 3},
    },
)


def fasttext(**options: Any) -> Any:
    """FastText's vectors, and vectors of unseen words."""
    trained = firth.FastText(**{**SMALL, "buckets": 300, **options}).train(seeds.corpus(), **seeds.HOW)
    rows, known = trained.infer(["unseen", "é", "walking"])
    return {**seeds.of_vectors(trained), "inferred": np.asarray(rows), "known": np.asarray(known)}


variants(
    "fasttext",
    fasttext,
    {
        f"{architecture}-{objective}": {"architecture": architecture, "objective": objective}
        for architecture in ("skipgram", "cbow")
        for objective in ("negative", "hierarchical", "softmax")
    }
    | {
        "floret": {"hashing": "floret", "hash_count": 3},
        "words-alone": {"max_n": 0},
        "short": {"min_n": 2, "max_n": 3, "shrink_windows": False, "shared_windows": 1},
    },
)


def paragraph(**options: Any) -> Any:
    """Vectors of documents, those of new documents, and neighbours."""
    corpus = seeds.build(seeds.LINES[:120], sentences="text", keep_empty=True)
    trained = firth.ParagraphVectors(**{**SMALL, **options}).train(corpus, **seeds.HOW)
    names = list(trained.names)
    words = getattr(trained, "word_vectors", None)
    return {
        "names": names,
        "vectors": np.asarray(trained.vectors),
        "words": None if words is None else np.asarray(words.vectors),
        "inferred": np.asarray(trained.infer(seeds.HELD_OUT[:8], seed=1, threads=1)),
        "inferred longer": np.asarray(trained.infer(seeds.HELD_OUT[:3], epochs=4, lr=0.05, seed=2, threads=1)),
        "neighbours": trained.most_similar(names[0], topn=5),
    }


variants(
    "paragraph",
    paragraph,
    {
        "dm": {},
        "dm-sum": {"combine": "sum"},
        "dm-concatenate": {"combine": "concatenate", "window": 3},
        "dm-hierarchical": {"objective": "hierarchical"},
        "dm-concatenate-hierarchical": {"combine": "concatenate", "objective": "hierarchical"},
        "dbow": {"architecture": "dbow"},
        "dbow-words": {"architecture": "dbow", "words": True},
        "dbow-hierarchical": {"architecture": "dbow", "objective": "hierarchical"},
        "dbow-words-hierarchical": {"architecture": "dbow", "words": True, "objective": "hierarchical"},
        "dbow-shared": {"architecture": "dbow", "words": True, "shared_windows": 3, "shrink_windows": False},
    },
)


@case("ngram-vectors")
def ngram_vectors() -> Any:
    """Vectors of character n-grams in text without spaces."""
    model = firth.NgramVectors(dim=8, max_length=4, units=500, min_unit=3)
    characters = seeds.build(["".join(line.split()) for line in seeds.LINES], tokens=list, min_count=1)
    return seeds.of_vectors(model.train(characters, **seeds.HOW))


variants(
    "glove",
    lambda **options: seeds.of_vectors(
        firth.GloVe(**{"dim": 8, "epochs": 3, "x_max": 10.0, **options}).train(seeds.counts(), **seeds.HOW)
    ),
    {"plain": {}, "power": {"alpha": 0.5, "lr": 0.1, "dim": 13}},
)


@case("glove/corpus")
def glove_of_corpus() -> Any:
    """GloVe that counts by itself, and goes on from its own vectors."""
    model = firth.GloVe(dim=8, epochs=2, window=3, weights="flat")
    first = model.train(seeds.corpus(), **seeds.HOW)
    return {
        "first": np.asarray(first.vectors),
        **seeds.of_vectors(model.train(seeds.corpus(), start=first, **seeds.HOW)),
    }


variants(
    "associations",
    lambda **options: seeds.of_vectors(
        firth.AssociationVectors(**{"dim": 8, **options}).train(seeds.corpus(), **seeds.HOW)
    ),
    {
        "ppmi": {},
        "ppmi-shifted": {"shift": 3.0, "smoothing": 1.0, "exponent": 0.0, "window": 2, "weights": "flat"},
        "coals": {"association": "correlation"},
        "counts": {"association": "counts", "cap": 5, "drop": 1, "skip": 3},
        "contexts": {"contexts": 60, "max_words": 150},
    },
)


def lsa(**options: Any) -> Any:
    """Latent semantic analysis of words and documents."""
    corpus = seeds.build(sentences="text", keep_empty=True)
    model = firth.LatentSemanticAnalysis(**{"dim": 8, **options})
    trained = model.train(corpus, **seeds.HOW)
    return {**seeds.of_vectors(trained), "documents": np.asarray(model.documents(corpus, trained).vectors)}


variants(
    "lsa",
    lsa,
    {
        "log-entropy": {},
        "tf-idf": {"weighting": "tf-idf", "drop": 1},
        "counts": {"weighting": "counts", "exponent": 0.5},
    },
)


def composed(**options: Any) -> Any:
    """Phrases composed of their words."""
    random = np.random.default_rng(0)
    rows, words = random.normal(size=(8, 3)), [f"v{i}" for i in range(8)]
    pairs = [(a, b) for a in words for b in words]
    made = [rows[int(a[1:])] + 2 * rows[int(b[1:])] for a, b in pairs]
    vectors = firth.WordVectors([*words, *(f"{a}_{b}" for a, b in pairs)], np.concatenate([rows, made]))
    types = ["xy"[i % 2] for i in range(40)] if options.pop("types", False) else None
    model = firth.TensorIndexing(**{"rank": 1, "iterations": 8, **options})
    composition = model.train(vectors, pairs[:40], types, progress=False)
    from firth.embeddings import compositional

    new = pairs[40:45]
    return {
        "composed": np.asarray(composition.compose(new, None if types is None else ["x"] * 5)),
        "added": np.asarray(compositional.additive(vectors, new)),
        "multiplied": np.asarray(compositional.multiplicative(vectors, new)),
        "ranks": np.asarray(compositional.reciprocal_ranks(compositional.additive(vectors, new), vectors, new, pairs)),
    }


variants(
    "composition",
    composed,
    {"ranking": {}, "squares": {"objective": "squares", "rank": 2}, "types": {"types": True, "rank": 2}},
)
