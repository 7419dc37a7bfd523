"""What gensim's KeyedVectors and our WordVectors are both asked: each question is a call under gensim's names.

The vectors are `small.txt`, the pairs and analogies the files beside it. This file imports neither library.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent
VECTORS, BINARY, GLOVE = FOLDER / "small.txt", FOLDER / "small.bin", FOLDER / "small.glove.txt"
ANSWERS = FOLDER / "answers.json"
OWN = np.linspace(-1, 1, 12, dtype=np.float32)  # a vector of the caller's own


def with_attribute(vectors: Any) -> Any:
    vectors.set_vecattr("word7", "length", 5)
    vectors.set_vecattr("word8", "length", 6)
    return [int(vectors.get_vecattr(f"word{i}", "length")) for i in range(10)]


def with_more_words(vectors: Any) -> Any:
    vectors.add_vectors(["new1", "word3", "new2"], [OWN, OWN, -OWN])
    kept = vectors.get_vector("word3").tolist()
    vectors.add_vectors(["word3"], [OWN], replace=True)
    return [len(vectors), vectors.get_index("new2"), kept, vectors["word3"], vectors.most_similar("new1", topn=5)]


def sorted_by_count(vectors: Any) -> Any:
    for i in range(len(vectors)):
        vectors.set_vecattr(i, "count", (i * 7) % 61)
    vectors.sort_by_descending_frequency()
    return [vectors.index_to_key[:60], vectors.get_vector("word9"), vectors.most_similar("word9", topn=3)]


def made_unit(vectors: Any) -> Any:
    vectors.unit_normalize_all()
    return [vectors.vectors[:5], vectors.most_similar("word2", topn=3)]


def subset(vectors: Any) -> Any:
    found = vectors.vectors_for_all(["word4", "nowhere", "word2", "word4"])
    return [found.index_to_key, found.vectors]


QUESTIONS: Mapping[str, Callable[[Any], Any]] = {
    "len": len,
    "contains": lambda v: ["word3" in v, "nowhere" in v, 3 in v, 10_000 in v],
    "index_to_key": lambda v: v.index_to_key,
    "key_to_index": lambda v: v.key_to_index,
    "vector_size": lambda v: v.vector_size,
    "vectors": lambda v: v.vectors,
    "item": lambda v: [v["word5"], v[["word5", "café"]], v[7]],
    "get_index": lambda v: [v.get_index("word5"), v.get_index("nowhere", -1), v.get_index(4)],
    "has_index_for": lambda v: [v.has_index_for("word5"), v.has_index_for("nowhere")],
    "get_vector": lambda v: [v.get_vector("word5"), v.get_vector("word5", norm=True), v.get_vector(3, norm=True)],
    "get_normed_vectors": lambda v: v.get_normed_vectors(),
    "get_mean_vector": lambda v: v.get_mean_vector(["word1", "word2", "nowhere", 5, OWN]),
    "get_mean_vector weighted": lambda v: v.get_mean_vector(["word1", "word2", OWN], weights=[2, -1, 0.5]),
    "get_mean_vector raw": lambda v: v.get_mean_vector(["word1", "word2"], pre_normalize=False, post_normalize=True),
    "most_similar": lambda v: v.most_similar("word1"),
    "most_similar list": lambda v: v.most_similar(["word1", "word2"], topn=7),
    "most_similar negative": lambda v: v.most_similar(positive=["word1", "word2"], negative=["word3"]),
    "most_similar only negative": lambda v: v.most_similar(negative="word3"),
    "most_similar weighted": lambda v: v.most_similar(positive=[("word1", 0.3), "word2"], negative=[("word3", -2.0)]),
    "most_similar vector": lambda v: v.most_similar(positive=[OWN, "word1"]),
    "most_similar vectors": lambda v: v.most_similar(positive=np.stack([OWN, OWN**2])),
    "most_similar row": lambda v: v.most_similar(5),
    "most_similar restricted": lambda v: v.most_similar("word1", restrict_vocab=20),
    "most_similar clipped": lambda v: v.most_similar("word1", clip_start=10, clip_end=30),
    "most_similar all": lambda v: v.most_similar("word1", topn=None),
    "most_similar none": lambda v: v.most_similar("word1", topn=0),
    "most_similar too many": lambda v: v.most_similar("word1", topn=1000),
    "most_similar_cosmul": lambda v: v.most_similar_cosmul(positive=["word1", "word2"], negative=["word3"]),
    "most_similar_cosmul positive": lambda v: v.most_similar_cosmul("word1", topn=4),
    "most_similar_cosmul vector": lambda v: v.most_similar_cosmul(positive=[OWN / 4, "word4"], negative=["word3"]),
    "most_similar_cosmul all": lambda v: v.most_similar_cosmul(["word1", "word2"], ["word3"], topn=None),
    "similar_by_word": lambda v: v.similar_by_word("word1", 5),
    "similar_by_key": lambda v: v.similar_by_key("word1", topn=5, restrict_vocab=30),
    "similar_by_vector": lambda v: v.similar_by_vector(OWN, topn=5, restrict_vocab=30),
    "most_similar_to_given": lambda v: v.most_similar_to_given("word1", ["word2", "word3", "café"]),
    "similarity": lambda v: [v.similarity("word1", "word2"), v.similarity("word1", "word1"), v.similarity(3, "word7")],
    "distance": lambda v: v.distance("word1", "word2"),
    "distances": lambda v: v.distances("word1"),
    "distances to some": lambda v: v.distances(OWN, ["word1", "word2"]),
    "cosine_similarities": lambda v: v.cosine_similarities(OWN, v.vectors[:7]),
    "closer_than": lambda v: v.closer_than("word1", "word2"),
    "rank": lambda v: [v.rank("word1", f"word{i}") for i in range(2, 20)],
    "relative_cosine_similarity": lambda v: v.relative_cosine_similarity("word1", "word2", topn=6),
    "n_similarity": lambda v: v.n_similarity(["word1", "word2", "nowhere"], ["word3"]),
    "rank_by_centrality": lambda v: v.rank_by_centrality(["word1", "word2", "word3", "word4"]),
    "rank_by_centrality raw": lambda v: v.rank_by_centrality(["word1", "word2", "word3", "word4"], use_norm=False),
    "doesnt_match": lambda v: v.doesnt_match(["word1", "word2", "word3", "word4", "café"]),
    "wmdistance": lambda v: v.wmdistance(["word1", "word2", "word2", "nowhere"], ["word3", "word1", "word5"]),
    "wmdistance even": lambda v: v.wmdistance(["word1", "word2", "word4"], ["word3", "word1", "word5"], norm=False),
    "wmdistance same": lambda v: v.wmdistance(["word1", "word1"], ["word1"]),
    "wmdistance unknown": lambda v: v.wmdistance(["nowhere"], ["word1"]),
    "evaluate_word_pairs": lambda v: v.evaluate_word_pairs(str(FOLDER / "pairs.tsv")),
    "evaluate_word_pairs dummy": lambda v: v.evaluate_word_pairs(str(FOLDER / "pairs.tsv"), dummy4unknown=True),
    "evaluate_word_pairs case": lambda v: v.evaluate_word_pairs(
        str(FOLDER / "pairs.tsv"), case_insensitive=False, restrict_vocab=30
    ),
    "evaluate_word_analogies": lambda v: v.evaluate_word_analogies(str(FOLDER / "analogies.txt")),
    "evaluate_word_analogies dummy": lambda v: v.evaluate_word_analogies(
        str(FOLDER / "analogies.txt"), dummy4unknown=True, case_insensitive=False, restrict_vocab=40
    ),
    "vectors_for_all": subset,
    # These change the vectors that they are asked of.
    "set_vecattr": with_attribute,
    "add_vectors": with_more_words,
    "sort_by_descending_frequency": sorted_by_count,
    "unit_normalize_all": made_unit,
}


def plain(answer: Any) -> Any:
    """The answer in the types of JSON: arrays and tuples are lists, sections are dictionaries."""
    if isinstance(answer, Mapping):
        return {key: plain(value) for key, value in answer.items()}
    if isinstance(answer, np.ndarray):
        return answer.astype(np.float64).tolist()
    if isinstance(answer, np.generic):
        return answer.item()
    if isinstance(answer, list | tuple):
        return [plain(value) for value in answer]
    return answer


def difference(ours: Any, theirs: Any, place: str = "answer") -> str | None:
    """The first place where two plain answers differ by more than 1e-6, or None."""
    if isinstance(theirs, float) and isinstance(ours, int | float):
        close = ours == theirs or abs(ours - theirs) <= 1e-6 * max(1.0, abs(theirs))
        return None if close else f"{place}: {ours!r}, gensim {theirs!r}"
    if isinstance(theirs, dict) and isinstance(ours, dict) and theirs.keys() == ours.keys():
        pairs = [(f"{place}[{key!r}]", ours[key], theirs[key]) for key in theirs]
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        pairs = [(f"{place}[{i}]", one, other) for i, (one, other) in enumerate(zip(ours, theirs, strict=True))]
    else:
        return (
            None if ours == theirs and type(ours) is type(theirs) else f"{place}: {ours!r:.200}, gensim {theirs!r:.200}"
        )
    return next((found for name, one, other in pairs if (found := difference(one, other, name))), None)
