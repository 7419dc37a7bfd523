"""The repr of a result fits a screen, whatever it holds: what a prompt or a notebook's cell shows of it."""

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "firth"
UNBOUNDED = re.compile(r"NDArray|Floats|Matrix|list\[|dict\[|Sequence\[|Mapping\[|tuple\[[^]]*\.\.\.\]")
SHOWN = {"__str__", "_repr_html_"}  # of results that people look at


def results():
    """Classes of results whose fields hold any number of things, with the names in their bodies."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "@dataclass" not in text:
            continue
        for each in ast.parse(text).body:
            if not isinstance(each, ast.ClassDef) or each.name.startswith("_"):
                continue
            methods = {part.name for part in each.body if isinstance(part, ast.FunctionDef)}
            values = {name.id: part.value for part in each.body if isinstance(part, ast.Assign)
                      for name in part.targets if isinstance(name, ast.Name)}  # fmt: skip
            fields = [part for part in each.body if isinstance(part, ast.AnnAssign)
                      and not (part.value is not None and "repr=False" in ast.unparse(part.value))]  # fmt: skip
            generated = any("dataclass" in ast.unparse(decorator) for decorator in each.decorator_list)
            if generated and methods & SHOWN and any(UNBOUNDED.search(ast.unparse(f.annotation)) for f in fields):
                yield f"{path.relative_to(SOURCE)}: {each.name}", methods | values.keys()


def test_results_are_short():
    found = dict(results())
    assert len(found) > 25
    assert [name for name, body in found.items() if "__repr__" not in body] == []
