"""The addresses of the server: which models answer each, and how. A new one is one more line of the table."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from firth.documents.annotate import annotate
from firth.documents.jsonl import document_json
from firth.errors import OptionError, UnknownWordError
from firth.explorer import schemas as schema
from firth.explorer.endpoint import (
    CHAINS,
    LABELS,
    LANGUAGE_MODEL,
    PARSER,
    PIPELINE,
    READER,
    SUBSTITUTES,
    SUMMARIZER,
    TAGGER,
    TEXT_ENCODERS,
    TRANSLATOR,
    WORDS,
    Endpoint,
    by_texts,
    class_names,
    writable,
)
from firth.explorer.openai_api import EMBEDDINGS, encoded
from firth.explorer.views import VIEWS
from firth.inference.generation_options import GenerationOptions
from firth.storage.untrusted import parse_json

END = "</s>"


# Words


def known_words(vectors: Any, words: Sequence[str]) -> dict[str, list[str] | None]:
    """Return for each word None if it has a vector, else known words with similar spellings."""
    suggestions: dict[str, list[str] | None] = {}
    for word in words:
        try:
            vectors.get_vector(word)
            suggestions[word] = None
        except UnknownWordError as error:
            suggestions[word] = error.suggestions
    return suggestions


def neighbors(vectors: Any, request: schema.NeighborsRequest) -> dict[str, Any]:
    """Return the nearest words of each word."""
    return neighbors_together(vectors, [request])[0]


def neighbors_together(vectors: Any, requests: Sequence[schema.NeighborsRequest]) -> list[dict[str, Any]]:
    """Return the nearest words of each word of several requests, by one search for each number of words searched."""
    words = dict.fromkeys(word for request in requests for word in request.words)
    unknown = known_words(vectors, list(words))
    answer_of: dict[tuple[int | None, str], Any] = {}
    for among in {request.among for request in requests}:
        same_range = [request for request in requests if request.among == among]
        covered = [
            word for word in dict.fromkeys(w for request in same_range for w in request.words) if unknown[word] is None
        ]
        largest_n = max(request.n for request in same_range)
        answers = (
            vectors.most_similar([[word] for word in covered], topn=largest_n, restrict_vocab=among) if covered else []
        )
        answer_of |= {(among, word): answer for word, answer in zip(covered, answers, strict=True)}
    return [
        {
            "results": [
                {"word": word, "known": True, "neighbors": _pairs(answer_of[request.among, word][: request.n])}
                if unknown[word] is None
                else {"word": word, "known": False, "suggestions": unknown[word]}
                for word in request.words
            ]
        }
        for request in requests
    ]


def analogy(vectors: Any, request: schema.AnalogyRequest) -> dict[str, Any]:
    """Return the words nearest to a sum."""
    return {"neighbors": _pairs(vectors.most_similar(request.positive, request.negative or None, topn=request.n))}


def similarity(vectors: Any, request: schema.SimilarityRequest) -> dict[str, Any]:
    """Return the cosines of all pairs."""
    words = request.words
    pairs = vectors.similarity([word for word in words for _ in words], list(words) * len(words), unknown="skip")
    flat = [_finite(value) for value in pairs.clip(-1, 1).tolist()]
    rows = [flat[first : first + len(words)] for first in range(0, len(flat), len(words))]
    return {"words": words, "similarities": rows}


def _pairs(neighbors: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    words = writable([word for word, _ in neighbors])
    return [{"word": word, "similarity": score} for word, (_, score) in zip(words, neighbors, strict=True)]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


# Texts


def encode(model: Any, request: schema.TextsRequest) -> dict[str, Any]:
    """Return a vector for each text; of word vectors, their mean."""
    return {"vectors": encoded(model, request.texts).tolist()}


def classify(model: Any, request: schema.ClassifyRequest) -> dict[str, Any]:
    """Return the most probable labels."""
    answers = model.predict(request.texts, request.n, threads=1)
    return {"results": [[{"label": label, "probability": p} for label, p in labels] for labels in answers]}


def score(model: Any, request: schema.TextsRequest) -> dict[str, Any]:
    """Return the log-probability of each token."""
    return {
        "results": [
            {
                "tokens": list(text_score.tokens),
                "log_probs": [_finite(value) for value in text_score.log_probs.tolist()],
                "perplexity": _finite(text_score.perplexity),
            }
            for text_score in model.score(request.texts)
        ]
    }


def next_words(model: Any, request: schema.NextRequest) -> dict[str, Any]:
    """Return the most probable next words."""
    ranked = model.next_words(request.prompt, request.n)
    return {"words": [{"word": word, "probability": p} for word, p in ranked]}


def generate(model: Any, request: schema.GenerateRequest) -> dict[str, Any]:
    """Return texts that start with a prompt."""
    names = ("max_length", "min_length", "temperature", "top_k", "top_p", "min_p", "repetition_penalty")
    options = GenerationOptions(**{name: getattr(request, name) for name in names})
    return {"texts": model.generate(request.prompt, request.n, options, request.search, seed=request.seed)}


def annotated(models: Any, request: schema.AnnotateRequest) -> dict[str, Any]:
    """Return documents with the annotations of all taggers, the first parser and the first model of chains.

    The first pipeline, where there is one, cuts the texts, and its parser is that which answers.
    """
    classes = {name: class_names(model) for name, model in models.items()}
    pipelines = [name for name in models if PIPELINE in classes[name]][:1]
    taggers = [name for name in models if TAGGER in classes[name]]
    parsers = [name for name in models if PARSER in classes[name] and not pipelines][:1]
    chains = [name for name in models if not classes[name].isdisjoint(CHAINS)][:1]
    stages = {"pipeline": pipelines, "parser": parsers, "coref": chains}
    documents = annotate(
        request.texts,
        language=request.language,
        tagger=[models[name] for name in taggers] or None,
        **{stage: models[names[0]] for stage, names in stages.items() if names},
    )
    return {
        "models": [*pipelines, *taggers, *parsers, *chains],
        "documents": [parse_json(document_json(document)) for document in documents],
    }


def translate(model: Any, request: schema.TranslateRequest) -> dict[str, Any]:
    """Return the best translation of each text."""
    return _written(model.translate, request)


def summarize(model: Any, request: schema.TranslateRequest) -> dict[str, Any]:
    """Return the best summary of each text."""
    return _written(model.summarize, request)


def _written(write: Callable[..., Any], request: schema.TranslateRequest) -> dict[str, Any]:
    """Return texts that a decoder writes, with its attention if it has any: none for an empty text."""
    attends = request.attention
    try:
        translations = write(request.texts, beam=request.beam, return_attention=attends)
    except OptionError:  # there is no attention
        if not attends:
            raise
        attends, translations = False, write(request.texts, beam=request.beam)
    texts = {"texts": [translation.text for translation in translations]}
    return {**texts, "attention": [_attention(translation) for translation in translations]} if attends else texts


def _attention(translation: Any) -> dict[str, Any] | None:
    if translation.attention is None:
        return None
    return {
        "source": [*translation.source_tokens, END],
        "target": [*translation.tokens, END],
        "weights": np.asarray(translation.attention, dtype=np.float64).round(4).tolist(),
    }


def answer(model: Any, request: schema.AnswerRequest) -> dict[str, Any]:
    """Return the most probable answers."""
    return answer_together(model, [request])[0]


def answer_together(model: Any, requests: Sequence[schema.AnswerRequest]) -> list[dict[str, Any]]:
    """Return the most probable answers to several questions, each about its own paragraph."""
    largest_n = max(request.n for request in requests)
    asked, paragraphs = [request.question for request in requests], [request.paragraph for request in requests]
    return [
        {
            "answers": [
                {"text": span.text, "start": span.start, "end": span.end, "probability": span.probability}
                for span in (best, *best.others)[: request.n]
            ]
        }
        for request, best in zip(requests, model.answer(asked, paragraphs, n=largest_n), strict=True)
    ]


def substitutes(model: Any, request: schema.SubstitutesRequest) -> dict[str, Any]:
    """Return the words that fit a gap best, with their scores."""
    return {"neighbors": _pairs(model.substitutes(request.text, n=request.n))}


ENDPOINTS = (
    Endpoint(
        "/neighbors", "The nearest words of each word", WORDS, schema.NeighborsRequest, schema.NeighborsResponse,
        neighbors, neighbors_together, also="/neighbours",
    ),
    Endpoint(
        "/analogy", "The words nearest to a sum of words", WORDS, schema.AnalogyRequest, schema.AnalogyResponse, analogy
    ),
    Endpoint(
        "/similarity", "Cosines of words", WORDS, schema.SimilarityRequest, schema.SimilarityResponse, similarity
    ),
    Endpoint(
        "/encode", "Vectors of texts", (*TEXT_ENCODERS, *WORDS), schema.TextsRequest, schema.EncodeResponse,
        **by_texts(encode, "vectors"),
    ),
    Endpoint(
        "/classify", "Labels of texts", LABELS, schema.ClassifyRequest, schema.ClassifyResponse,
        **by_texts(classify, "results"),
    ),
    Endpoint(
        "/score", "Log-probabilities of texts, token by token", (LANGUAGE_MODEL,), schema.TextsRequest,
        schema.ScoreResponse, **by_texts(score, "results"),
    ),
    Endpoint(
        "/next", "The most probable next words", (LANGUAGE_MODEL,), schema.NextRequest, schema.NextResponse, next_words
    ),
    Endpoint(
        "/generate", "Texts that go on", (LANGUAGE_MODEL,), schema.GenerateRequest, schema.GenerateResponse, generate
    ),
    Endpoint(
        "/annotate", "Tags, entities, trees and chains", (PIPELINE, TAGGER, PARSER, *CHAINS), schema.AnnotateRequest,
        schema.AnnotateResponse, **by_texts(annotated, "documents"), joined=dict,
    ),
    Endpoint(
        "/translate", "Translations", (TRANSLATOR,), schema.TranslateRequest, schema.TextsResponse,
        **by_texts(translate, "texts", "attention"),
    ),
    Endpoint(
        "/summarize", "Summaries", (SUMMARIZER,), schema.TranslateRequest, schema.TextsResponse,
        **by_texts(summarize, "texts", "attention"),
    ),
    Endpoint(
        "/answer", "Answers that stand in a paragraph", (READER,), schema.AnswerRequest, schema.AnswerResponse,
        answer, answer_together,
    ),
    Endpoint(
        "/substitutes", "Words that fit a place in a sentence", SUBSTITUTES, schema.SubstitutesRequest,
        schema.AnalogyResponse, substitutes,
    ),
    EMBEDDINGS,
    *VIEWS,
)  # fmt: skip
