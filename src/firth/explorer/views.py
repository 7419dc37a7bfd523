"""Views of the page: maps, search by meaning, axes, senses, contexts, changes, bias, explanations."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from firth import data
from firth.alignment.semantic_change import SemanticChange, SemanticChanges
from firth.bias.measure import measure
from firth.bias.query import Query
from firth.bias.word_lists import weat_queries
from firth.corpus.spaced_contexts import spaced_contexts
from firth.directions import axis_between, project
from firth.errors import OptionError, UnknownWordError
from firth.explanation.explain import explain
from firth.explorer import view_schemas as schema
from firth.explorer.concordance_pages import ConcordancePages, pages
from firth.explorer.endpoint import (
    CORPUS,
    EXPLAINED,
    RUNS,
    SENSE_VECTORS,
    TEXT_SPACE,
    WORD_VECTORS,
    Endpoint,
    first_of,
    writable,
)
from firth.explorer.maps import Maps
from firth.explorer.schemas import SimilarityRequest
from firth.explorer.text_space import TextSpace
from firth.plots.map_page import packed

COMPARED = 10_000  # common words of two models that are compared, from the most frequent
KEPT = 8  # comparisons
MOST_VALUES = 65_536  # different values of a column of text
LONGEST = 2_000  # characters of a text that is found


def first_words(vectors: Any, request: schema.WordsRequest) -> dict[str, Any]:
    """Return the first words, which are there before a map is."""
    counts = None if vectors.counts is None else vectors.counts[: request.n].tolist()
    return {"words": writable(vectors.words[: request.n]), "counts": counts, "total": len(vectors)}


def word_map(maps: Maps, request: schema.MapRequest) -> dict[str, Any]:
    """Return words with their positions and groups."""
    name = first_of(maps.models, request.model)
    map_id = {"model": name, "method": request.method}
    result = maps.positions(name, request.method)
    if result is None:
        return {**map_id, "ready": False}
    positions, caption = result[0][: request.n], result[1]
    groups, vectors = maps.groups(name), maps.models[name]
    n = len(positions)
    counts = None if vectors.counts is None else packed(vectors.counts[:n].astype(np.float64))
    return {
        **map_id, "ready": True, "caption": caption, "words": writable(vectors.words[:n]), "places": packed(positions),
        "groups": packed(groups.labels[:n]), "group_names": writable(groups.names), "counts": counts,
        "columns": [
            column for title, values in vectors.attributes.items()
            if title != "count" and (column := column_of(str(title), values[:n]))
        ],
    }  # fmt: skip


def column_of(name: str, values: Any) -> dict[str, Any] | None:
    """Return a column as the page takes it: numbers, or indices into names; None for one of too many values."""
    if values.dtype.kind in "fiub":
        return {"name": name, "values": packed(values.astype(np.float64))}
    texts = writable([str(value) for value in values])
    codes_of_values = {value: code for code, (value, _) in enumerate(Counter(texts).most_common())}
    if len(codes_of_values) > MOST_VALUES:
        return None
    codes = np.array([codes_of_values[text] for text in texts], dtype=np.uint16)
    return {"name": name, "values": packed(codes), "names": list(codes_of_values)}


def search(space: TextSpace, request: schema.SearchRequest) -> dict[str, Any]:
    """Return the texts of nearest meaning.

    Raises:
        OptionError: neither a text nor a row is given, or both are.
    """
    query = request.text if request.row is None else request.row
    if query is None or (request.text is not None and request.row is not None):
        raise OptionError("expected a text or a row, one of both")
    matches = space.nearest(query, request.n)
    return {
        "text": query if isinstance(query, str) else writable([space.texts[query][:LONGEST]])[0],
        "results": [
            {"row": row, "text": text, "similarity": cosine}
            for (row, cosine), text in zip(
                matches, writable([space.texts[row][:LONGEST] for row, _ in matches]), strict=True
            )
        ],
    }


def axes(vectors: Any, request: schema.AxesRequest) -> dict[str, Any]:
    """Return the cosines of the first words with one axis or two."""
    poles = [(request.first, request.second)]
    if request.third or request.fourth:
        poles.append((request.third, request.fourth))
    directions = [axis_between(vectors, *pair) for pair in poles]
    words = vectors.words[: request.n]
    cosines = [project(vectors, axis, words).astype(np.float32) for axis in directions]
    return {
        "names": [axis.name for axis in directions],
        "places": packed(np.stack(cosines, 1)),
        "missing": [word for axis in directions for word in axis.missing],
    }


def neighbor_intervals(runs: Any, request: schema.WordRequest) -> dict[str, Any]:
    """Return the nearest words of a word over several runs."""
    asked = {"word": request.word, "runs": len(runs)}
    try:
        near = runs.most_similar(request.word, request.n)
    except UnknownWordError as error:
        return {**asked, "known": False, "suggestions": error.suggestions}
    return {
        **asked,
        "known": True,
        "neighbors": [
            {"word": word, **_interval(item.similarity, item.low, item.high), "share": item.share}
            for word, item in zip(writable([item.word for item in near]), near, strict=True)
        ],
    }


def similarity_intervals(runs: Any, request: SimilarityRequest) -> dict[str, Any]:
    """Return the cosines of all pairs over several runs."""
    words, n = request.words, len(request.words)
    pairs = {(i, j): _similarity(runs, words[i], words[j]) for i in range(n) for j in range(i, n)}
    rows = [[pairs[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]
    return {"words": words, "runs": len(runs), "similarities": rows}


def _similarity(runs: Any, a: str, b: str) -> dict[str, float | None] | None:
    try:
        estimate = runs.similarity(a, b)
    except UnknownWordError:
        return None
    return _interval(estimate.value, estimate.low, estimate.high)


def _interval(*figures: float) -> dict[str, float | None]:
    finite = [figure if math.isfinite(figure) else None for figure in figures]
    return dict(zip(("value", "low", "high"), finite, strict=True))


def senses(model: Any, request: schema.WordRequest) -> dict[str, Any]:
    """Return the senses of a word; none if it is unknown."""
    if request.word not in model:
        return {"senses": []}
    return {
        "senses": [
            {
                "number": sense.number, "share": sense.prior, "label": sense.label,
                "neighbors": [
                    {"word": word, "similarity": cosine}
                    for (word, _), cosine in model.sense_neighbours(request.word, sense.number, request.n)
                ],
            }
            for sense in model.senses(request.word)
        ]
    }  # fmt: skip


def contexts(corpus: Any, request: schema.ContextsRequest) -> dict[str, Any]:
    """Return a word in its sentences; none if it does not occur."""
    try:
        occurrences, count = spaced_contexts(corpus, request.word, n=request.n, width=request.width)
    except UnknownWordError:
        return {"occurrences": 0, "contexts": []}
    return {"occurrences": count, "contexts": [vars(occurrence) for occurrence in occurrences]}


class Changes:
    """Comparisons of pairs of models; the last ones are kept.

    Args:
        models: vectors by name.
    """

    def __init__(self, models: Mapping[str, Any]) -> None:
        self.models = models
        self._made: dict[tuple[str, str, int], SemanticChanges] = {}

    def between(self, old: str, new: str, min_count: int) -> SemanticChanges:
        """Return how the first words of a model differ from those of another."""
        key = first_of(self.models, old), first_of(self.models, new), min_count
        if key not in self._made:
            sides = [self.models[name] for name in key[:2]]
            few = [side.first(COMPARED) if len(side) > COMPARED else side for side in sides]
            self._made[key] = SemanticChange(min_count=min_count).measure(*few)
            if len(self._made) > KEPT:
                del self._made[next(iter(self._made))]
        return self._made[key]


def changes(compared: Changes, request: schema.ChangesRequest) -> dict[str, Any]:
    """Return the words that moved most."""
    result = compared.between(request.old, request.new, request.min_count)
    words = result.most_changed(request.n) if request.word is None else [request.word]
    sides = [compared.models[name] for name in (request.old, request.new)]
    counted = all(side.counts is not None for side in sides)
    return {
        "words": len(result.words),
        "kept": float(result.kept.mean()),
        "changes": [
            {
                **result.facts(word, 8),
                "counts": [int(side.get_vecattr(word, "count")) for side in sides] if counted else None,
            }
            for word in words
        ],
    }


def bias(vectors: Any, request: schema.BiasRequest) -> dict[str, Any]:
    """Return the association of targets with attributes.

    Raises:
        OptionError: the words of the test are not on this machine.
    """
    if request.test is not None:
        if not data.is_here("weat"):  # no request makes the server go online
            raise OptionError("the words of this test are not on this machine: firth data get weat brings them")
        (query,) = weat_queries([request.test])
    else:
        query = Query.of(request.targets, request.attributes)
    (score,) = measure(vectors, query, "weat")
    return {name: value for name, value in score.row.items() if name in schema.BiasResponse.model_fields}


def explained(model: Any, request: schema.ExplainRequest) -> dict[str, Any]:
    """Return what each token contributes to an answer."""
    explanation = explain(model, request.text, target=request.target, method=request.method).described()
    return {name: explanation[name] for name in ("target", "probability", "tokens")}


VIEWS = (
    Endpoint("/words", "The first words", (WORD_VECTORS,), schema.WordsRequest, schema.WordsResponse, first_words),
    Endpoint(
        "/map", "A map of words or texts", (WORD_VECTORS, TEXT_SPACE), schema.MapRequest, schema.MapResponse, word_map,
        joined=Maps,
    ),
    Endpoint(
        "/search", "The texts of nearest meaning", (TEXT_SPACE,), schema.SearchRequest, schema.SearchResponse, search
    ),
    Endpoint("/axes", "Words between poles", (WORD_VECTORS,), schema.AxesRequest, schema.AxesResponse, axes),
    Endpoint(
        "/neighbors/intervals", "The nearest words of a word over several runs", (RUNS,), schema.WordRequest,
        schema.NeighborIntervalsResponse, neighbor_intervals,
    ),
    Endpoint(
        "/similarity/intervals", "Cosines of words over several runs", (RUNS,), SimilarityRequest,
        schema.SimilarityIntervalsResponse, similarity_intervals,
    ),
    Endpoint("/senses", "The senses of a word", (SENSE_VECTORS,), schema.WordRequest, schema.SensesResponse, senses),
    Endpoint(
        "/contexts", "A word in its sentences", (CORPUS,), schema.ContextsRequest, schema.ContextsResponse, contexts
    ),
    Endpoint(
        "/concordance", "Every occurrence of a word, a phrase or a pattern, page by page", (CORPUS,),
        schema.ConcordanceRequest, schema.ConcordanceResponse, pages, joined=ConcordancePages,
    ),
    Endpoint(
        "/changes", "Words that moved between two models", (WORD_VECTORS,), schema.ChangesRequest,
        schema.ChangesResponse, changes, joined=Changes,
    ),
    Endpoint(
        "/bias", "Associations of sets of words (WEAT)", (WORD_VECTORS,), schema.BiasRequest, schema.BiasResponse, bias
    ),
    Endpoint(
        "/explain", "Which words an answer comes from", EXPLAINED, schema.ExplainRequest, schema.ExplainResponse,
        explained,
    ),
)  # fmt: skip
