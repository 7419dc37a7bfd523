"""The server: an application with the addresses that the models can answer, and the loop that serves it."""

import asyncio
import contextlib
import dataclasses
import errno
import gc
import inspect
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Annotated, Any

import firth
from firth.errors import MissingExtraError, OptionError, UnknownModelError

try:
    import uvicorn
    from fastapi import FastAPI, Query
    from fastapi.responses import JSONResponse, PlainTextResponse, Response

    from firth.explorer.connection import Connection
    from firth.explorer.endpoint import Endpoint
    from firth.explorer.endpoints import ENDPOINTS
    from firth.explorer.failures import explain_failures
    from firth.explorer.guard import LOG, Guard, Limits
    from firth.explorer.hosts import ANY, LOOPBACK
    from firth.explorer.maps import Maps
    from firth.explorer.metrics import Metrics
    from firth.explorer.openai_api import EMBEDDINGS, MODELS, add_models, refused
    from firth.explorer.page_routes import add_page
    from firth.explorer.schemas import HealthResponse, InfoResponse
    from firth.explorer.worker import Worker
except ImportError as error:
    raise MissingExtraError(error.name or "fastapi", "explorer", "serve models") from error

ABOUT = ("/info", "/health", "/metrics", "/openapi.json", MODELS)
CONNECTIONS = 1_000  # at one time; more are refused
ACCEPTED = 32  # connections in a turn of the loop: those that have left meanwhile are seen before more come


def build_app(
    models: Mapping[str, Any],
    *,
    hosts: tuple[str, ...] = LOOPBACK,
    limits: Limits | None = None,
    token: str | None = None,
    page: bool = False,
    scores: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> Guard:
    """Return the server as an ASGI application.

    Args:
        hosts: names by which the server may be called, without ports.
        limits: of requests; None for the defaults.
        token: that every request must bear; None for none.
        scores: results of evaluations by model, with set, metric, value, low and high.

    Raises:
        OptionError: no model answers anything.
    """
    limits = limits or Limits()
    answering = {endpoint: endpoint.answering(models) for endpoint in ENDPOINTS}
    if not any(answering.values()):
        kinds = ", ".join(sorted({type(model).__name__ for model in models.values()})) or "none"
        raise OptionError(
            f"models: {kinds}, none of which answers a request; expected word vectors or a model of texts"
        )
    workers = {id(m): Worker(m, limits.waiting) for able in answering.values() for m in able.values()}
    joined: dict[str, Worker] = {}
    paths = {path: endpoint for endpoint in ENDPOINTS for path in (endpoint.path, endpoint.also) if path}
    metrics = Metrics([*paths, *ABOUT])

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        every = [*workers.values(), *joined.values()]
        tasks = [asyncio.create_task(worker.run()) for worker in every]
        yield
        for task in tasks:
            task.cancel()
        for worker in every:
            worker.close()
            if isinstance(worker.model, Maps):
                worker.model.close()

    app = FastAPI(
        title="firth", version=firth.__version__, lifespan=lifespan, docs_url=None, redoc_url=None,
        redirect_slashes=False,
        description="What the models of this server can answer. Each address takes a JSON object, or its fields in the "
        "query.",
    )  # fmt: skip
    for endpoint, able in answering.items():
        if not able:
            continue
        if endpoint.joined is not None:
            together = endpoint.joined(able)
            if isinstance(together, Maps):
                together.slow = page  # a server starts no processes, and writes nothing
            joined[endpoint.path] = Worker(together, limits.waiting)
            _add(app, endpoint, {endpoint.path: joined[endpoint.path]}, limits)
        else:
            _add(app, endpoint, {name: workers[id(model)] for name, model in able.items()}, limits)
    _add_about(app, models, answering, metrics, scores or {})
    add_models(app, list(answering[EMBEDDINGS]))
    if page:
        add_page(app, joined.get("/map"), limits.seconds)
    else:
        _add_index(app)
    explain_failures(app, paths, limits.seconds)
    return Guard(app, hosts=hosts, limits=limits, metrics=metrics, token=token)


def _add(app: FastAPI, endpoint: Endpoint, workers: Mapping[str, Worker], limits: Limits) -> None:
    """Add an address."""
    written = {name: _written(endpoint, {} if endpoint.joined is not None else {"model": name}) for name in workers}

    async def answer(request: Any) -> Response:
        name = next(iter(workers)) if endpoint.joined is not None or request.model is None else request.model
        if name not in workers:
            raise UnknownModelError(f"no model {name!r} answers here; expected one of {', '.join(workers)}")
        async with asyncio.timeout(limits.seconds):
            return Response(await workers[name].answer(written[name], request), media_type="application/json")

    route_options: dict[str, Any] = {
        "response_model": endpoint.response, "summary": endpoint.summary, "responses": refused(endpoint.path),
    }  # fmt: skip
    for method in endpoint.methods:
        route = _handler_of(Annotated[endpoint.request, Query()] if method == "GET" else endpoint.request, answer)
        app.add_api_route(endpoint.path, route, methods=[method], **route_options)
        if endpoint.also:
            app.add_api_route(endpoint.also, route, methods=[method], include_in_schema=False, **route_options)


def _written(endpoint: Endpoint, more: Mapping[str, Any]) -> Endpoint:
    """Return an address whose answers are checked and written as JSON where they are computed, not in the loop."""

    def text(answer: Mapping[str, Any]) -> str:
        written: str = endpoint.response.model_validate({**more, **answer}).model_dump_json()
        return written

    together = endpoint.together
    return dataclasses.replace(
        endpoint,
        answer=lambda model, request: text(endpoint.answer(model, request)),
        together=None
        if together is None
        else lambda model, requests: [text(result) for result in together(model, requests)],
    )


def _handler_of(kind: Any, answer: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a handler with a signature from which FastAPI reads the type of requests."""

    async def route(request: Any) -> Any:
        return await answer(request)

    parameter = inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=kind)
    route.__signature__ = inspect.Signature([parameter])  # type: ignore[attr-defined]  # functions have it
    return route


def _add_about(
    app: FastAPI,
    models: Mapping[str, Any],
    answering: Mapping[Endpoint, Mapping[str, Any]],
    metrics: Metrics,
    scores: Mapping[str, Sequence[Mapping[str, Any]]],
) -> None:
    """Add the addresses about the server itself."""
    info = {
        "version": firth.__version__,
        "models": [
            {
                "name": name,
                "kind": type(model).__name__,
                "description": repr(model).strip("<>"),
                "answers": [endpoint.path for endpoint, able in answering.items() if name in able],
                "scores": list(scores.get(name, ())),
            }
            for name, model in models.items()
        ],
    }

    @app.get("/info", response_model=InfoResponse, summary="The models")
    async def about() -> Any:
        return info

    @app.get("/health", response_model=HealthResponse, summary="Whether the server works")
    async def health() -> Any:
        return {"status": "ok"}

    @app.get("/metrics", response_class=PlainTextResponse, summary="Counts and times of requests, for Prometheus")
    async def counts() -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_index(app: FastAPI) -> None:
    """Say at the root what this is."""

    @app.get("/", include_in_schema=False)
    async def root() -> JSONResponse:
        return JSONResponse(
            {"firth": firth.__version__, "info": "/info has the models and what they answer; /openapi.json all fields"}
        )


def serve_app(
    app: Guard,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    log: bool = True,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve an application until Ctrl-C or SIGTERM; requests that are being answered are finished.

    Args:
        app: of `build_app`.
        port: port to listen on; 0 for a free one.
        ready: called with the address once the server answers; slow work must run in its own thread.

    Raises:
        OptionError: the address is not this machine's, or another program listens there.
    """
    if log:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        LOG.addHandler(handler)
        LOG.setLevel(logging.INFO)
        LOG.propagate = False
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        cure = "another program listens there: --port 0 takes a free port" if error.errno == errno.EADDRINUSE else error
        if isinstance(error, socket.gaierror):
            cure = "no address of this machine; expected one such as 127.0.0.1, or 0.0.0.0 for all"
        raise OptionError(f"{host}, port {port}: {cure}") from None
    # Accepted connections inherit it: without it an answer waits 40 ms for the client to acknowledge its headers.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    name = "localhost" if host in ANY else f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        app, http=Connection, log_level="warning", access_log=False, server_header=False, date_header=False,
        timeout_keep_alive=5, timeout_graceful_shutdown=10, limit_concurrency=CONNECTIONS, backlog=ACCEPTED,
        proxy_headers=False,
    )  # fmt: skip

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            listening.listen(CONNECTIONS)  # length of the queue of connections
            gc.collect()
            gc.freeze()  # models and programs stay: to look through them for garbage takes 60 ms, twice a second
            ready(f"http://{name}:{listening.getsockname()[1]}")

    with listening:
        try:
            Server(config).run(sockets=[listening])
        finally:
            gc.unfreeze()
