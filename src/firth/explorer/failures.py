"""Why a request is not answered, said so that the next one is."""

import difflib
from collections.abc import Collection, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi import Request as HttpRequest
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as StarletteError

from firth.errors import BusyError, FirthError, UnknownModelError, UnknownWordError
from firth.explorer.endpoint import Endpoint

REFUSALS = {
    400: "invalid JSON or Host", 401: "no token", 403: "another site's page",
    404: "no such model, or a word that it does not know", 408: "the body came too slowly", 413: "too large a body",
    421: "another Host", 422: "a request that cannot be answered", 429: "too many requests",
    503: "too many requests wait", 504: "no answer in time",
}  # fmt: skip
OPENAI = "/v1/"  # addresses in the form of OpenAI's API


def refusal(path: str, status: int, message: str, param: str | None = None) -> dict[str, Any]:
    """Return the body of an error response, in the form that clients of the address expect.

    Args:
        param: the field that is wrong, if one is.
    """
    if not path.startswith(OPENAI):
        return {"error": message}
    kind = "server_error" if status >= 500 else "rate_limit_error" if status == 429 else "invalid_request_error"
    code = {401: "invalid_api_key", 404: "model_not_found" if param == "model" else "not_found"}.get(status)
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


ALIASES = {  # names that other programs give to fields
    "topn": "n", "top_n": "n", "top_k": "n", "topk": "n", "k": "n", "limit": "n", "word": "words", "text": "texts",
    "input": "texts", "sentences": "texts", "query": "text", "max_tokens": "max_length", "context": "paragraph",
    "restrict_vocab": "among", "num_beams": "beam", "num_return_sequences": "n", "max_new_tokens": "max_length",
}  # fmt: skip
HIDDEN = ("/", "/docs", "/redoc")
NO_OBJECT = ("missing", "model_attributes_type", "model_type")  # names that pydantic gives to mistakes
LONGEST_MISTAKE = 300  # characters


def _problem_of(error: Mapping[str, Any], fields: Collection[str]) -> str:
    """Return a description of the error in a field of a request."""
    *_, name = [str(part) for part in error["loc"][1:]] or ["request"]
    if error["type"] == "json_invalid":
        return f"the body is not valid JSON: {error.get('ctx', {}).get('error', 'unreadable')}, character {name}"
    if error["type"] == "extra_forbidden" and fields:
        alias = ALIASES.get(name)
        near = [alias] if alias in fields else difflib.get_close_matches(name, fields, n=1)
        expectation = f"did you mean {near[0]}?" if near else f"expected some of {', '.join(fields)}"
        return f"{name}: no such field; {expectation}"
    if not error["loc"][1:] and error["type"] in NO_OBJECT:
        return f"the request is not a JSON object; expected one with fields such as {', '.join(fields) or 'model'}"
    where = ".".join(str(part) for part in error["loc"][1:]) or "request"
    return f"{where}: {str(error['msg']).removeprefix('Value error, ')}"


def explain_failures(app: FastAPI, paths: Mapping[str, Endpoint], seconds: float) -> None:
    """Give all errors one form that repeats little of what was sent, which may not be JSON."""

    @app.exception_handler(RequestValidationError)
    async def invalid(request: HttpRequest, error: RequestValidationError) -> JSONResponse:
        endpoint = paths.get(request.url.path)
        fields = list(endpoint.request.model_fields) if endpoint else []
        problems = [_problem_of(mistake, fields)[:LONGEST_MISTAKE] for mistake in error.errors()[:5]]
        locations = [mistake["loc"][1] for mistake in error.errors()[:1] if len(mistake["loc"]) > 1]
        names = [name for name in locations if isinstance(name, str)]  # a number is a position in invalid JSON
        said = "; ".join(problems).encode("utf-8", "replace").decode()
        return _refused(request, 422, said, param=names[0] if names else None)

    @app.exception_handler(StarletteError)
    async def refused(request: HttpRequest, error: StarletteError) -> JSONResponse:
        headers = {name.lower(): value for name, value in (error.headers or {}).items()}
        if error.status_code == 405:  # collects the methods of all routes of the path
            methods = {method for route in app.routes if getattr(route, "path", None) == request.url.path
                       for method in getattr(route, "methods", None) or ()}  # fmt: skip
            headers["allow"] = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
        said = str(error.detail)
        if error.status_code == 405:
            said = f"this address is not asked by this method; expected {headers['allow'].replace(', ', ' or ')}"
        if error.status_code == 404:
            said = _unknown_path(request.url.path, paths, {getattr(route, "path", "") for route in app.routes})
        return _refused(request, error.status_code, said, headers)

    @app.exception_handler(TimeoutError)
    async def late(request: HttpRequest, error: TimeoutError) -> JSONResponse:
        return _refused(request, 504, f"no answer in {seconds:g} s")

    @app.exception_handler(BusyError)
    async def busy(request: HttpRequest, error: BusyError) -> JSONResponse:
        return _refused(request, 503, str(error), {"retry-after": "1"})

    @app.exception_handler(FirthError)
    async def unanswerable(request: HttpRequest, error: FirthError) -> JSONResponse:
        status = 404 if isinstance(error, UnknownWordError | UnknownModelError) else 422
        return _refused(request, status, str(error), param="model" if isinstance(error, UnknownModelError) else None)


def _refused(
    request: HttpRequest, status: int, message: str, headers: Mapping[str, str] | None = None, param: str | None = None
) -> JSONResponse:
    path = request.url.path
    if status == 422 and path.startswith(OPENAI):  # OpenAI's API does not use 422
        status = 400
    return JSONResponse(refusal(path, status, message, param), status, headers)


def _unknown_path(path: str, paths: Mapping[str, Endpoint], answered: Collection[str]) -> str:
    """Return the message for an unknown path, with similar paths."""
    if path in paths:
        return f"none of the models here answers {path}; /info says what they answer"
    near = difflib.get_close_matches(path[:LONGEST_MISTAKE], [other for other in answered if other not in HIDDEN], n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"no such address{hint}; /info says what the models answer, /openapi.json how they are asked"
