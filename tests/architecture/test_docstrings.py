"""Every public name says what it does, and its docstring names the arguments and errors that the code has.

Checked on the syntax tree, so that nothing is imported:

- every public module, class, function and method has a docstring;
- `Args:` names parameters, in their order: those that their name and type do not explain. A function that `firth`
  exports, and a method of an exported class, explains all if there are more than three, but for those of
  `firth.arguments.COMMON`, which mean the same everywhere;
- an error of firth's own family that the body of a method, or of a function that a package exports, raises is named in
  its docstring or in that of its class; inner functions say it in the message;
- the errors named under `Raises:` exist.

A compiled kernel documents its parameters by a trailing comment on each line instead of `Args:`; a function that passes
its parameters on refers to the one that explains them ("as in `name`", "see `name`"); a command's docstring is the help
that `firth COMMAND --help` shows, where flags have help of their own and errors are sentences on the screen.
"""

import ast
import builtins
import functools
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import firth
from firth.arguments import COMMON

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "firth"
MODULES = sorted(PACKAGE.rglob("*.py"))
SECTION = re.compile(r"^(Args|Returns|Yields|Warns|Raises|Attributes|Source|Examples?|Note):", re.MULTILINE)
REFERENCE = re.compile(r"\b(?:see|as in|as for|arguments of) `[\w.]+`", re.IGNORECASE)
ENTRY = re.compile(r"^ {4}(\*{0,2}\w[\w., *]*?)(?: \([^)]*\))?:", re.MULTILINE)

FIRTH_ERRORS = {
    node.name
    for node in ast.parse((PACKAGE / "errors.py").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef)
}
EXPORTED = {
    f"{(node.module or '').removeprefix('firth.').replace('.', '/')}.py:{alias.name}"
    for path in (*PACKAGE.rglob("__init__.py"), *PACKAGE.rglob("__init__.pyi"))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
BUILTIN_ERRORS = {
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Public:
    """A public function or class: its place, its node, and the class that it belongs to."""

    place: str
    node: Function | ast.ClassDef
    owner: ast.ClassDef | None = None

    @property
    def doc(self) -> str:
        return ast.get_docstring(self.node) or ""


@functools.cache
def syntax_tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def names_in(path: Path) -> Iterator[Public]:
    tree = syntax_tree(path)
    place = str(path.relative_to(PACKAGE))
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield Public(f"{place}:{node.name}", node)
            if isinstance(node, ast.ClassDef):
                for inner in node.body:
                    if isinstance(inner, Function) and not inner.name.startswith("_"):
                        yield Public(f"{place}:{node.name}.{inner.name}", inner, node)


def public_names() -> Iterator[Public]:
    return (name for path in MODULES for name in names_in(path))


def functions() -> Iterator[Public]:
    return (name for name in public_names() if not isinstance(name.node, ast.ClassDef))


def decorators(node: Function | ast.ClassDef) -> str:
    return " ".join(ast.unparse(decorator) for decorator in node.decorator_list)


def sections(doc: str) -> dict[str, str]:
    """The text under each section heading of a Google docstring."""
    marks = list(SECTION.finditer(doc))
    ends = [*(mark.start() for mark in marks[1:]), len(doc)]
    return {mark[1]: doc[mark.end() : end] for mark, end in zip(marks, ends, strict=False)}


def entries(section: str) -> list[str]:
    """The names that a section explains; `a, b: ...` explains two."""
    return [name.strip().lstrip("*") for match in ENTRY.finditer(section) for name in match[1].split(",")]


def parameters(node: Function) -> list[str]:
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return [argument.arg for argument in [*named, *rest] if argument.arg not in {"self", "cls"}]


def raised(node: Function) -> set[str]:
    """The errors of firth's family that the body itself raises, without those of functions inside it."""
    names, pending = set(), list(ast.iter_child_nodes(node))
    while pending:
        child = pending.pop()
        if isinstance(child, Function):
            continue
        if isinstance(child, ast.Raise) and isinstance(child.exc, ast.Call) and isinstance(child.exc.func, ast.Name):
            names.add(child.exc.func.id)
        pending.extend(ast.iter_child_nodes(child))
    return names & FIRTH_ERRORS


def is_overload(node: Function | ast.ClassDef) -> bool:
    return not isinstance(node, ast.ClassDef) and re.search(r"\boverload\b|\.setter\b", decorators(node)) is not None


def explains_arguments_elsewhere(name: Public) -> bool:
    """Kernels explain theirs in trailing comments, commands in the help of their flags, overloads at the real one."""
    compiled = re.search(r"jit|compiled|intrinsic|overload", decorators(name.node))
    return bool(compiled) or name.place.startswith("cli")


def test_modules_and_public_names_are_documented():
    undocumented = [str(path.relative_to(PACKAGE)) for path in MODULES if not ast.get_docstring(syntax_tree(path))]
    undocumented += [name.place for name in public_names() if not name.doc and not is_overload(name.node)]
    assert undocumented == []


def test_arguments_are_the_parameters():
    wrong = []
    for name in functions():
        explained, expected = entries(sections(name.doc).get("Args", "")), parameters(name.node)
        exported = name.place.partition(":")[2].partition(".")[0] in firth.__all__
        required = exported and len(expected) > 3 and not REFERENCE.search(name.doc)
        if explains_arguments_elsewhere(name):
            continue
        known = [each for each in expected if each in explained]
        if explained != known or (required and not {*expected} - {*explained} <= COMMON.keys()):
            wrong.append(f"{name.place}: Args: explains {explained}, the function takes {expected}")
    assert wrong == []


def test_help_shows_common_arguments():
    assert f"progress: {COMMON['progress']}" in (inspect.getdoc(firth.Word2Vec.train) or "")


def test_raised_errors_are_documented():
    undocumented = []
    for name in functions():
        if name.place.startswith("cli") or not (name.owner or name.place in EXPORTED):
            continue
        doc = name.doc + (ast.get_docstring(name.owner) or "" if name.owner else "")
        if name.owner is not None and "options_class" in decorators(name.owner):
            doc += "OptionError"  # which the decorator adds to the docstring
        undocumented += [f"{name.place} raises {error}" for error in raised(name.node) if error not in doc]
    assert undocumented == []


def test_documented_errors_exist():
    unknown = []
    for name in public_names():
        documented = {error.rsplit(".", 1)[-1] for error in entries(sections(name.doc).get("Raises", ""))}
        unknown += [f"{name.place}: {error}" for error in documented - FIRTH_ERRORS - BUILTIN_ERRORS]
    assert unknown == []


def test_modules_do_not_refer_to_themselves():
    """A file that takes in another no longer sends its readers there."""
    circular = []
    for path in MODULES:
        module = ".".join(("firth", *path.relative_to(PACKAGE).with_suffix("").parts))
        if f"`{module}`" in (ast.get_docstring(syntax_tree(path)) or ""):
            circular.append(module)
    assert circular == []


# The checks themselves, on a function that breaks each rule once.

BROKEN = '''
def pick(words, count, *rest):
    """Pick words.

    Args:
        words: some words.
        number: how many.

    Raises:
        NoSuchError: never.
    """
    if not words:
        raise OptionError("none")

    def inner():
        raise FormatError("not pick's own")
'''


def test_the_checks_see_what_they_are_for():
    (node,) = ast.parse(BROKEN).body
    parts = sections(ast.get_docstring(node))
    assert entries(parts["Args"]) == ["words", "number"]
    assert parameters(node) == ["words", "count", "rest"]
    assert raised(node) == {"OptionError"}
    assert entries(parts["Raises"]) == ["NoSuchError"]
