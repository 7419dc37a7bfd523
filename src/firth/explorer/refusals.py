"""Responses to refused requests: a status, and a JSON object with the reason."""

from typing import Any

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
