"""The page: its files, held in memory, and what it saves of a map."""

import tempfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query
from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask

from firth.explorer import requests as schema
from firth.explorer.page_file import SAVED, page_of
from firth.explorer.views import first_of
from firth.explorer.worker import Worker
from firth.plots.atlas import embedding_atlas
from firth.vectors.io.projector import METADATA, VECTORS

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
MANY = 20_000  # words from which neighbours are left out of Parquet, which compares all pairs
MOST = 20_000  # words of a page that is saved as one file
KINDS = {"html": "text/html", "parquet": "application/vnd.apache.parquet", "tsv": "text/tab-separated-values",
         "words.tsv": "text/tab-separated-values"}  # fmt: skip


class ExportRequest(schema.Request):
    """A model's map."""

    method: Literal["pca", "umap", "tsne"] = "pca"


def page_files() -> dict[str, tuple[bytes, str]]:
    """Return the files of the page, and their types, by name."""
    folder = files("firth.explorer") / "page"
    served = (each for each in folder.iterdir() if Path(each.name).suffix in TYPES and each.name != SAVED)
    found = {each.name: each.read_bytes() for each in served}
    return {name: (content, TYPES[Path(name).suffix]) for name, content in found.items()}


def add_page(app: FastAPI, models: Mapping[str, Any], maps: Worker | None) -> None:
    """Add the page to an application.

    Args:
        app: the application.
        models: word vectors by name.
        maps: answers for maps; None where no model has words.
    """
    content = page_files()

    def file(name: str) -> Response:
        body, kind = content[name]
        return Response(body, media_type=f"{kind}; charset=utf-8", headers={"cache-control": "no-cache"})

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return file("index.html")

    for name in content:
        app.add_api_route(f"/{name}", _returning(file, name), methods=["GET"], include_in_schema=False)
    if maps is None:
        return

    @app.get("/export/{kind}", include_in_schema=False)
    def export(
        kind: Literal["html", "parquet", "tsv", "words.tsv"], request: Annotated[ExportRequest, Query()]
    ) -> Response:
        name = first_of(models, request.model)
        folder = tempfile.TemporaryDirectory()
        path = Path(folder.name) / kind
        vectors = models[name]
        if kind == "html":
            places = maps.model.places(name, request.method) or maps.model.places(name, "pca")
            path.write_text(page_of(vectors, name, places, maps.model.groups(name), most=MOST), encoding="utf-8")
        elif kind == "parquet":
            path = path.with_name("map.parquet")
            embedding_atlas(vectors, path, method="pca", neighbours=0 if len(vectors) > MANY else 15)
        else:
            vectors.save(path, format="projector")
            path /= VECTORS if kind == "tsv" else METADATA
        return FileResponse(path, media_type=KINDS[kind], background=BackgroundTask(folder.cleanup))


def _returning(file: Any, name: str) -> Any:
    async def route() -> Response:
        found: Response = file(name)
        return found

    return route
