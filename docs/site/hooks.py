"""What MkDocs calls while it builds the site: pages made from the code, and links to files outside of `docs`."""

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import site_api
import site_methods
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")  # pages of the repository itself
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")
SECOND = ("benchmarks/", "decisions/", "CHANGELOG.md", "CODE_OF_CONDUCT.md")  # reached by links, not by the search
BOOST = {"tutorials/": 0.5, "migrate/": 0.5, "methods/": 0.1, "api/": 0.02}  # in the search: how, before what and why
WORDS = tomllib.loads((ROOT / "docs/site/search.toml").read_text("utf-8"))["words"]
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_config(config: Any) -> Any:
    """Add pages made from the code to the navigation, in place of METHODS and API, and tasks that it does not list."""
    listed = set(_pages(config.nav))
    more = sorted(page for page in _tasks() if page not in listed)
    config.nav = [_filled(entry, more) for entry in config.nav]
    return config


def _tasks() -> list[str]:
    docs = ROOT / "docs"
    return [path.relative_to(docs).as_posix() for path in (docs / "tasks").glob("*.md")]


def _pages(entry: Any) -> Iterator[str]:
    """All pages of a part of the navigation."""
    if isinstance(entry, str):
        yield entry
    for part in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
        yield from _pages(part)


def _filled(entry: Any, more: list[str]) -> Any:
    made = {"METHODS": site_methods.navigation, "API": site_api.navigation}
    if isinstance(entry, dict) and "Tasks" in entry and more:
        return {"Tasks": [*entry["Tasks"], {"More": more}]}
    if isinstance(entry, dict):
        return {
            title: made[value]() if isinstance(value, str) and value in made else value
            for title, value in entry.items()
        }
    return entry


def on_files(files: Files, config: Any) -> Files:
    """Add the pages made from the code, and the pages outside of `docs` that others link to."""
    for name, content in {**site_methods.pages(), **site_api.pages()}.items():
        files.append(File.generated(config, name, content=content))
    for path in _outside():
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def _outside() -> list[Path]:
    results = ROOT / "benchmarks"
    return [*(ROOT / name for name in OUTSIDE), *sorted(results.rglob("*.md")), *sorted(results.rglob("*.png"))]


def _describe(page: Any) -> None:
    name = page.file.src_uri
    boost = next((factor for folder, factor in BOOST.items() if name.startswith(folder)), 1)
    page.meta["search"] = {"exclude": True} if name.startswith(SECOND) else {"boost": boost}
    if name in WORDS:
        page.meta["tags"] = WORDS[name].split()


def on_post_build(config: Any) -> None:
    """Put the choice of words of a query at the head of the theme's search worker."""
    (worker,) = Path(config.site_dir, "assets", "javascripts", "workers").glob("search.*.min.js")
    own = (ROOT / "docs/site/search.js").read_text("utf-8")
    worker.write_text(own + worker.read_text("utf-8"), "utf-8")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Say what the search knows of a page, and point links to where files of the repository stand on the site.

    Files that the site lacks lose their link.
    """
    _describe(page)
    if page.file.abs_src_path is None:
        return markdown
    here = Path(page.file.abs_src_path)
    places = {Path(file.abs_src_path): file.src_uri for file in files if file.abs_src_path}
    places |= {ROOT / path: page for path, page in {**site_methods.sources(), **site_api.sources()}.items()}

    def moved(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(here.parent / match[3]))
        if target.is_dir() and (target / "README.md") in places:
            target /= "README.md"
        if target not in places:
            return match[0] if target.is_relative_to(ROOT / "docs") else match[2]
        place = os.path.relpath(places[target], Path(page.file.src_uri).parent)
        return f"{match[1]}[{match[2]}]({Path(place).as_posix()}{match[4] or ''})"

    parts = FENCE.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(moved, part) for part in parts)
