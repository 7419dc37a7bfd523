"""What recipes, documentation and benchmarks import from firth exists, and is public in what users copy from.

Read from the syntax trees: nothing is imported.
"""

import ast
import functools
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
SCRIPTS = sorted((*(ROOT / "recipes").glob("*.py"), *(ROOT / "benchmarks").rglob("*.py")))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
STUBS = sorted(SOURCE.rglob("__init__.pyi"))
CODE = re.compile(r"^([ >]*)```(?:python|pycon)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r"^(?:>>> )?from (firth[\w.]*) import ([\w, ]+)", re.MULTILINE)


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """The modules, and the names from them, that a file imports from this repository."""
    if path.suffix == ".md":
        for _, code in CODE.findall(path.read_text(encoding="utf-8")):
            for module, names in IMPORT.findall(textwrap.dedent(code)):
                yield from ((module, name.split()[0]) for name in names.split(","))
        return
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def top_level(path: Path) -> frozenset[str]:
    """The names that a module binds as it is imported."""
    names: set[str] = set()
    nodes = list(tree(path).body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        else:
            nodes += ast.iter_child_nodes(node)
    return frozenset(names)


def exists(module: str, name: str) -> bool:
    """Whether a module of this repository exists and has a name, or a submodule of it."""
    home = (SOURCE if module.split(".")[0] == "firth" else ROOT).joinpath(*module.split("."))
    files = [file for file in (home.with_suffix(".py"), home / "__init__.py", home / "__init__.pyi") if file.is_file()]
    if not files or not name:
        return bool(files)
    submodule = (home / name).is_dir() or (home / f"{name}.py").is_file()
    return submodule or any(name in top_level(file) for file in files)


@functools.cache
def public() -> dict[str, frozenset[str]]:
    """The public names of each public module: those that its stub or `__all__` lists, or all of a public module."""
    found = {}
    for package in ("firth", *top_level(SOURCE / "firth" / "__init__.pyi")):
        home = SOURCE / "firth" if package == "firth" else SOURCE / "firth" / package
        for file in (home / "__init__.pyi", home / "__init__.py", home.with_suffix(".py")):
            if file.is_file():
                names = {name for name in top_level(file) if not name.startswith("_")}
                listed = [node for node in tree(file).body if isinstance(node, ast.Assign)
                          and ast.unparse(node.targets[0]) == "__all__"]  # fmt: skip
                found[home.relative_to(SOURCE).as_posix().replace("/", ".")] = frozenset(
                    ast.literal_eval(listed[0].value) if listed else names
                )
                break
    return found


def test_what_is_missing_or_inner_is_noticed():
    assert exists("firth.text.word_rules", "TEXT_OPTIONS") is False
    assert not exists("firth.texts", "split_sentences")
    assert exists("firth.text", "split_sentences")
    assert "capitals" not in public()["firth.neural"]
    assert "SETS" in public()["firth.data"]
    assert "firth.options" not in public()


def from_firth(paths: Iterable[Path]) -> Iterator[tuple[Path, str, str]]:
    for path in paths:
        for module, name in imports(path):
            if module.split(".")[0] == "firth":
                yield path.relative_to(ROOT), module, name


def test_imported_names_exist():
    ours = [*from_firth([*SCRIPTS, *PAGES, *STUBS])]
    assert len({path for path, _, _ in ours}) > 100
    assert [imported for imported in ours if not exists(*imported[1:])] == []
    for path in SCRIPTS:
        for module, name in imports(path):
            assert not module.startswith("benchmarks") or exists(module, name), (path, module, name)


def test_recipes_and_pages_import_public_names_only():
    ours = [*from_firth(path for path in [*SCRIPTS, *PAGES] if "benchmarks" not in path.parts)]
    inner = [imported for imported in ours if imported[2] not in public().get(imported[1], frozenset())]
    assert [imported for imported in inner if imported[1:] != ("firth", "")] == []


def test_no_module_hides_a_name_of_its_package():
    for stub in STUBS:
        package = ".".join(stub.parent.relative_to(SOURCE).parts)
        for _, home, name in from_firth([stub]):
            assert home != f"{package}.{name}"
