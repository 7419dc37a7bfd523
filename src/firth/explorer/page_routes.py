"""Routes of the page: its files, held in memory, and exports of a map."""

import asyncio
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query
from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask

from firth.explorer import schemas as schema
from firth.explorer.endpoint import Endpoint, first_of
from firth.explorer.maps import Maps
from firth.explorer.worker import Worker
from firth.plots.atlas import embedding_atlas
from firth.plots.map_page import SCRIPT, grouped_page, scatter_script
from firth.vectors.io.projector import METADATA, VECTORS

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
MANY = 20_000  # words from which neighbours are left out of Parquet, which compares all pairs
KINDS = {"html": "text/html", "parquet": "application/vnd.apache.parquet", "tsv": "text/tab-separated-values",
         "words.tsv": "text/tab-separated-values"}  # fmt: skip


Kind = Literal["html", "parquet", "tsv", "words.tsv"]


class ExportRequest(schema.Request):
    """A model's map."""

    method: Literal["pca", "umap", "tsne"] = "pca"


def page_files() -> dict[str, tuple[bytes, str]]:
    """Return the files of the page, and their types, by name."""
    folder = files("firth.explorer") / "page"
    served = (entry for entry in folder.iterdir() if Path(entry.name).suffix in TYPES)
    contents = {SCRIPT: scatter_script().encode(), **{entry.name: entry.read_bytes() for entry in served}}
    return {name: (content, TYPES[Path(name).suffix]) for name, content in contents.items()}


def add_page(app: FastAPI, maps: Worker | None, seconds: float) -> None:
    """Add the page to an application.

    Args:
        maps: answers for maps; None where no model has words.
        seconds: in which a file must be ready.
    """
    content = page_files()

    def file(name: str) -> Response:
        body, kind = content[name]
        return Response(body, media_type=f"{kind}; charset=utf-8", headers={"cache-control": "no-cache"})

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return file("index.html")

    for name in content:
        app.add_api_route(f"/{name}", _serving(file, name), methods=["GET"], include_in_schema=False)
    if maps is None:
        return

    @app.get("/export/{kind}", include_in_schema=False)
    async def export(kind: Kind, request: Annotated[ExportRequest, Query()]) -> Response:
        async with asyncio.timeout(seconds):
            path, folder = await maps.answer(EXPORT, (kind, request))
        return FileResponse(path, media_type=KINDS[kind], background=BackgroundTask(folder.cleanup))


def exported(maps: Maps, asked: tuple[str, ExportRequest]) -> Any:
    """Write a map to a file of a temporary folder; return both. Runs in the thread that answers for maps."""
    kind, request = asked
    name = first_of(maps.models, request.model)
    folder = tempfile.TemporaryDirectory()
    path, vectors = Path(folder.name) / kind, maps.models[name]
    if kind in ("html", "parquet"):
        positions = maps.positions(name, request.method) or maps.positions(name, "pca")
        assert positions is not None, "principal components are computed at once"
        path = path.with_name(f"map.{kind}")
        if kind == "html":
            what = "text" if name in maps.texts else "word"
            grouped_page(vectors.words, positions, maps.groups(name), name=name, what=what).save(path)
        else:
            first = vectors if len(positions[0]) == len(vectors) else vectors.first(len(positions[0]))
            embedding_atlas(first, path, places=positions[0], neighbours=0 if len(first) > MANY else 15)
    else:
        vectors.save(path, format="projector")
        path /= VECTORS if kind == "tsv" else METADATA
    return path, folder


EXPORT = Endpoint("/export", "A map to take home", (), ExportRequest, Response, exported)


def _serving(file: Any, name: str) -> Any:
    async def route() -> Response:
        response: Response = file(name)
        return response

    return route
