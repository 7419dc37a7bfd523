"""A page per method: what it does, its formula and its sources are the docstring of its module.

`methods.toml` adds what no docstring has: when to use the method, a picture, and the main formula in LaTeX.
"""

import ast
import re
import textwrap
import tomllib
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from site_api import address
from site_pictures import picture

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "src" / "firth"
PART = re.compile(r"^(What|Objective|Source|Departures|Cost)(?=[:,]|$)", re.MULTILINE)
TITLES = {
    "What": "What it does",
    "Objective": "Formula",
    "Source": "Sources",
    "Departures": "Departures from the sources",
}


def methods() -> list[dict[str, Any]]:
    """The methods, in the order of the site."""
    listed: list[dict[str, Any]] = tomllib.loads((HERE / "methods.toml").read_text(encoding="utf-8"))["method"]
    return listed


def navigation() -> list[Any]:
    """The pages by group."""
    groups: dict[str, list[Any]] = {}
    for method in methods():
        groups.setdefault(method["group"], []).append({method["title"]: _name(method)})
    return ["methods/index.md", *({group: pages} for group, pages in groups.items())]


def pages() -> dict[str, str]:
    """The pages, by name, and an index of them."""
    listed = methods()
    rows = [
        f"| [{one['title']}]({Path(_name(one)).name}) | {one['when'].split('. ')[0].rstrip('.')} |" for one in listed
    ]
    index = ["# Methods", "", "| method | when to use it |", "|---|---|", *rows, ""]
    return {"methods/index.md": "\n".join(index), **{_name(method): _page(method) for method in listed}}


def sources() -> dict[str, str]:
    """Files of the repository that links name in place of pages, which are made of them."""
    modules = {f"src/firth/{method['module'].replace('.', '/')}.py": _name(method) for method in methods()}
    return {"docs/site/methods.toml": "methods/index.md", **modules}


def _name(method: dict[str, Any]) -> str:
    parts = method["module"].split(".")
    alone = sum(other["module"].endswith(f".{parts[-1]}") for other in methods()) == 1
    return f"methods/{'-'.join(parts[-1:] if alone else parts[-2:]).replace('_', '-')}.md"


def _page(method: dict[str, Any]) -> str:
    lead, parts = sections(method["module"])
    lines = [f"# {method['title']}", "", lead, ""]
    lines += [picture(method["picture"], method["title"]), ""]
    lines += ["## When to use it", "", method["when"], ""]
    for name, text in parts.items():
        formula = [_formula(method["formula"]), ""] if name == "Objective" else []
        lines += [f"## {TITLES.get(name, name)}", "", *formula, text, ""]
    lines += ["## In firth", "", f"In Python: {', '.join(_reference(name) for name in method['names'])}.", ""]
    if "command" in method:
        commands = ", ".join(f"`{command}`" for command in method["command"].split(", "))
        lines += [f"On the command line: {commands}.", ""]
    lines += [f"Examples: [{method['task']}](../tasks/{method['task']}.md).", ""]
    if "plain" in method:
        lines += [f"As one short file: [`examples/plain/{method['plain']}.py`](../tasks/plain.md).", ""]
    return "\n".join(lines)


def _reference(name: str) -> str:
    return f"[`firth.{name}`]({address(name)})"


def sections(module: str) -> tuple[str, dict[str, str]]:
    """Split the docstring of a module of firth into its first paragraph and its labelled parts.

    Raises:
        ValueError: a part is missing.
    """
    source = PACKAGE.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source)) or ""
    lead, *rest = PART.split(docstring)
    parts = {name: _markdown(text) for name, text in zip(rest[::2], rest[1::2], strict=True)}
    if not {"What", "Objective", "Source"} <= set(parts):
        raise ValueError(
            f"the docstring of {module} has the parts {', '.join(parts)}; expected What, Objective, Source"
        )
    return lead.strip().split("\n\n")[0].replace("\n", " "), parts


def _formula(latex: str) -> str:
    """A formula as MathML, which browsers draw without scripts."""
    return f'<div class="formula">{convert(latex, display="block")}</div>'


def _markdown(text: str) -> str:
    """The text after a label: a colon and the text, a comma and a condition, or indented lines."""
    text = textwrap.dedent(text) if text.startswith("\n") else text[1:].strip(" ")
    text = re.sub(r"^ {4}(?=\S)", "", text, flags=re.MULTILINE) if _hangs(text) else text
    text = re.sub(r"^ {4}(?=where )", "", text, flags=re.MULTILINE)  # prose after a formula
    text = re.sub(r"(?<!\n)\n(- )", r"\n\n\1", text, count=1)
    text = text.strip()
    return text[:1].upper() + text[1:]


def _hangs(text: str) -> bool:
    """Whether lines of the paragraph are indented below its label; a formula follows an empty line instead."""
    return re.search(r"\S\n {4}\S", text.split("\n\n")[0]) is not None and "\n\n" not in text.strip()
