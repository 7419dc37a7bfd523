"""Neural models are built of shared parts: no model file holds a training loop, an optimiser, a batcher or a search.

The checks look at what code does, not at single words. A training loop is a loop that runs backpropagation or steps an
optimiser. A search is a loop that reads scores from a model and picks the next symbol from them: `argmax` and `topk`
alone are no search, for pooling, decoding of labels and gates use them too.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "firth"
MODELS = sorted((PACKAGE / "neural" / "models").rglob("*.py"))

TRAINING = {"backward", "zero_grad", "clip_grad_norm_", "clip_grad_value_"}
DATA = {"DataLoader", "BatchSampler"}
SELECTION = {"argmax", "topk", "multinomial", "argsort"}
SCORING = {"self", "model", "module", "scorer", "forward", "advance", "log_prob", "decode_step", "__call__"}
Loop = ast.For | ast.AsyncFor | ast.While


def called(node: ast.AST) -> set[str]:
    """The names of all functions and methods that are called inside a node."""
    calls = [each.func for each in ast.walk(node) if isinstance(each, ast.Call)]
    return {call.attr for call in calls if isinstance(call, ast.Attribute)} | {
        call.id for call in calls if isinstance(call, ast.Name)
    }


def imported(tree: ast.Module) -> Iterator[str]:
    """Every module and name that a file imports, such as torch.optim.Adam."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def violations(text: str) -> list[str]:
    """What a model file holds that belongs to training or inference."""
    tree = ast.parse(text)
    attributes = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names = {*imported(tree), *attributes}
    kinds = []
    if any(re.match(r"torch\.optim\b", name) for name in names):
        kinds.append("optimiser")
    if called(tree) & TRAINING:
        kinds.append("training loop")
    if any(name.rpartition(".")[2] in DATA for name in names):
        kinds.append("batcher")
    loops = [node for node in ast.walk(tree) if isinstance(node, Loop)]
    if any(called(loop) & SELECTION and called(loop) & SCORING for loop in loops):
        kinds.append("search")
    return kinds


def test_no_model_holds_a_training_loop_an_optimiser_a_batcher_or_a_search():
    found = {str(path.relative_to(PACKAGE)): violations(path.read_text(encoding="utf-8")) for path in MODELS}
    assert len(found) > 10
    assert {name: kinds for name, kinds in found.items() if kinds} == {}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("for x in batches:\n    loss(x).backward()", ["training loop"]),
        ("from torch.optim import Adam", ["optimiser"]),
        ("import torch\nsteps = torch.optim.SGD(parameters)", ["optimiser"]),
        ("from torch.utils.data import DataLoader", ["batcher"]),
        ("for t in range(n):\n    ids = self(ids).argmax(-1)", ["search"]),
        ("while ids:\n    scores = model.advance(ids)\n    best = scores.topk(4)", ["search"]),
        ("labels = scores.argmax(-1)", []),
        ("for t in range(n):\n    score, back = (score + transition).max(0)\n    best = score.argmax()", []),
        ("pooled = rows.topk(3, dim=1).values.mean(1)", []),
        ("for layer in self.layers:\n    rows = layer(rows)", []),
    ],
)
def test_the_check_tells_searches_from_other_uses(text, kinds):
    assert violations(text) == kinds


def test_the_shared_loop_is_what_the_check_calls_a_training_loop():
    """If the names above were not those of the loop, the check of the models could not fail."""
    training = "\n".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "neural" / "training").glob("*.py"))
    calls, names = set(re.findall(r"\.(\w+)\(", training)), set(re.findall(r"torch\.optim", training))
    assert {"backward", "zero_grad"} <= calls
    assert names


def test_every_part_stands_in_the_table_of_the_architecture():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## Parts of `neural`")[2].partition("\n## ")[0]
    listed = set(re.findall(r"(\w+)\.py", table))
    folders = [PACKAGE / "neural" / "layers", PACKAGE / "neural" / "training", PACKAGE / "inference"]
    parts = {path.stem for folder in folders for path in folder.glob("*.py")} - {"__init__"}
    assert parts - listed == set()
