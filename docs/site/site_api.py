"""The API reference: the public names of firth by package. Options of models are read from the classes themselves."""

import dataclasses
import importlib
import inspect
from typing import Any

import firth

GROUPS = {  # package of a name: title of the page
    "corpus": "Text and corpora", "text": "Text and corpora", "data": "Data sets",
    "embeddings": "Word and document vectors", "counts": "Counts and phrases", "vectors": "Vectors and queries",
    "readers": "Annotated data", "documents": "Annotated data", "coreference": "Annotated data",
    "postprocess": "Post-processing", "senses": "Word senses", "evaluation": "Evaluation and comparison",
    "comparison": "Evaluation and comparison", "explanation": "Evaluation and comparison",
    "resampling": "Evaluation and comparison", "alignment": "Alignment", "bias": "Bias, axes, antonyms",
    "directions": "Bias, axes, antonyms", "relations": "Bias, axes, antonyms", "plots": "Pictures",
    "classify": "Text classification", "language": "Language models", "neural": "Neural language models",
    "inference": "Language models", "hub": "The Hugging Face hub",
    "sklearn": "scikit-learn", "randomness": "Random numbers", "errors": "Errors",
}  # fmt: skip
OTHERS = "Other programs"  # page of the names in packages that are not listed: bridges to other libraries
INTERNAL = {"described", "initial_matrices", "read", "train_on", "with_defaults"}  # what trainers call on options


def navigation() -> list[Any]:
    """The pages of the reference."""
    return ["api/index.md", *({title: _page_name(title)} for title in _titles())]


def pages() -> dict[str, str]:
    """The pages, by name, and an index of all names."""
    rows = [f"| [`firth.{name}`]({address(name)[len('../api/') :]}) | {_summary(name)} |" for name in firth.__all__]
    index = ["# API reference", "", "`import firth` gives these names. Each loads its module on first use.", ""]
    index += ["| name | what it is |", "|---|---|", *rows, ""]
    return {"api/index.md": "\n".join(index), **{_page_name(title): _page(title) for title in _titles()}}


def sources() -> dict[str, str]:
    """Files of the repository that links name in place of pages, which are made of them."""
    return {"src/firth/__init__.pyi": "api/index.md"}


def address(name: str) -> str:
    """The place of a name in the reference, from a page one folder down."""
    return f"../api/{_page_name(_title(name)).removeprefix('api/')}#{path(name)}"


def path(name: str) -> str:
    """The module of a public name and the name; a package stands for itself."""
    module = firth._MODULES[name]
    return f"firth.{name}" if module == "firth" else f"{module}.{name}"


def _title(name: str) -> str:
    return GROUPS.get(path(name).split(".")[1], OTHERS)


def _titles() -> list[str]:
    used = {_title(name) for name in firth.__all__}
    return [title for title in dict.fromkeys([*GROUPS.values(), OTHERS]) if title in used]


def _page_name(title: str) -> str:
    return f"api/{title.lower().replace(', ', '-').replace(' ', '-')}.md"


def _page(title: str) -> str:
    names = [name for name in firth.__all__ if _title(name) == title]
    return "\n".join([f"# {title}", "", *(_entry(name) for name in names)])


def _entry(name: str) -> str:
    value = _value(name)
    if inspect.ismodule(value):
        homes: dict[str, str] = getattr(value, "_MODULES", {})
        named = [] if homes else getattr(value, "__all__", [each for each in vars(value) if _is_own(value, each)])
        own = [_directive(f"{home}.{each}", level=3) for each, home in homes.items()]
        return "\n".join([_directive(path(name), f"members: {list(named)}"), *own])
    if value is not None and dataclasses.is_dataclass(value) and _options(value):
        own = [each for each in dir(value) if _is_shown(value, each)]
        head = _directive(path(name), "members: false", "show_bases: false", "show_signature: false")
        methods = [_directive(f"{path(name)}.{each}", level=3) for each in own]
        return "\n".join([head, _options(value), *methods])
    return _directive(path(name), "inherited_members: true")


def _is_own(module: Any, name: str) -> bool:
    return not name.startswith("_") and getattr(getattr(module, name), "__module__", None) == module.__name__


def _is_shown(kind: type, name: str) -> bool:
    return not name.startswith("_") and name not in INTERNAL and inspect.isfunction(getattr(kind, name, None))


def _directive(identifier: str, *options: str, level: int = 2) -> str:
    lines = ["      show_root_heading: true", f"      heading_level: {level}", *(f"      {each}" for each in options)]
    return "\n".join([f"::: {identifier}", "    options:", *lines, ""])


def _options(kind: type) -> str:
    fields = [field for field in dataclasses.fields(kind) if field.init and field.metadata]
    rows = [f"| `{field.name}` | `{field.default!r}` | {_cell(field.metadata['help'])} |" for field in fields]
    return "\n".join(["| option | default | meaning |", "|---|---|---|", *rows, ""]) if rows else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _summary(name: str) -> str:
    value = _value(name)
    return _cell((inspect.getdoc(value) or "").split("\n")[0]) if value is not None else "needs PyTorch"


def _value(name: str) -> Any:
    """The object; None where PyTorch, which it needs, is not installed."""
    try:
        return importlib.import_module(f"firth.{name}") if firth._MODULES[name] == "firth" else getattr(firth, name)
    except ImportError:
        return None
