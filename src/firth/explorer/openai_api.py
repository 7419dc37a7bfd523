"""Vectors of texts in the form of OpenAI's API, which many programs speak: /v1/embeddings and /v1/models.

Source: the reference of OpenAI's API, pages "Embeddings" and "Models".
Departures: vectors are those of /encode, not scaled to length 1; token ids are refused, as each model here has tokens
    of its own; usage counts the words between spaces; the model may be left out.
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from fastapi import FastAPI

from firth.errors import OptionError, UnknownModelError
from firth.explorer import schemas as schema
from firth.explorer.endpoint import TEXT_ENCODERS, WORDS, Endpoint
from firth.explorer.failures import OPENAI, REFUSALS
from firth.plots.map_page import packed
from firth.sentences.averages import SentenceAverages

MODELS = f"{OPENAI}models"


def refused(path: str) -> dict[int | str, dict[str, Any]]:
    """Return what an address gives in place of answers, for the OpenAPI document."""
    form = schema.OpenAIErrorResponse if path.startswith(OPENAI) else schema.ErrorResponse
    return {status: {"model": form, "description": what} for status, what in REFUSALS.items()}


def encoded(model: Any, texts: Sequence[str]) -> npt.NDArray[np.floating]:
    """Return a vector for each text; of word vectors, their mean."""
    encoder = model if hasattr(model, "encode") else SentenceAverages(model, weighting="mean")
    return np.asarray(encoder.encode(texts))


def embeddings(model: Any, request: schema.EmbeddingsRequest) -> dict[str, Any]:
    """Return a vector for each text."""
    return embeddings_together(model, [request])[0]


def embeddings_together(model: Any, requests: Sequence[schema.EmbeddingsRequest]) -> list[dict[str, Any]]:
    """Return a vector for each text of each request.

    Raises:
        OptionError: more dimensions are requested than the model has.
    """
    rows, first, answers = encoded(model, [text for request in requests for text in request.input]), 0, []
    for request in requests:
        own = rows[first : first + len(request.input), : request.dimensions]
        first += len(request.input)
        if request.dimensions is not None and request.dimensions > own.shape[1]:
            raise OptionError(f"dimensions={request.dimensions}: expected at most {own.shape[1]}, those of the model")
        words = sum(len(text.split()) for text in request.input)
        vectors = map(packed, own.astype(np.float32)) if request.encoding_format == "base64" else own.tolist()
        answers.append(
            {
                "data": [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)],
                "usage": {"prompt_tokens": words, "total_tokens": words},
            }
        )
    return answers


def add_models(app: FastAPI, names: Sequence[str]) -> None:
    """Add what lists the models that give vectors."""
    if not names:
        return
    opened = int(time.time())
    described = {name: schema.OpenAIModel(id=name, created=opened) for name in names}

    @app.get(MODELS, summary="The models that give vectors of texts", responses=refused(MODELS))
    async def models() -> schema.OpenAIModels:
        return schema.OpenAIModels(data=list(described.values()))

    @app.get(f"{MODELS}/{{name:path}}", summary="A model that gives vectors of texts", responses=refused(MODELS))
    async def model(name: str) -> schema.OpenAIModel:
        if name not in described:
            raise UnknownModelError(f"no model {name!r} gives vectors of texts; expected one of {', '.join(described)}")
        return described[name]


EMBEDDINGS = Endpoint(
    f"{OPENAI}embeddings", "Vectors of texts, in the form of OpenAI's API", (*TEXT_ENCODERS, *WORDS),
    schema.EmbeddingsRequest, schema.EmbeddingsResponse, embeddings, embeddings_together,
    size=lambda request: len(request.input), methods=("POST",),
)  # fmt: skip
