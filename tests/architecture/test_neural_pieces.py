"""Neural models are built of shared parts: no model file holds a training loop, an optimiser, a batcher or a search.

The checks look at what code does, not at single words. A training loop runs backpropagation or steps an optimiser. A
search is a loop, or a recursion, that reads scores from a model and picks the next symbol from them, or that gives a
symbol that was picked to a model. `argmax` and `topk` alone are no search: pooling, gates and decoders of labels use
them, too.
"""

import ast
import builtins
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
LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
GRADIENTS = r"torch\.(optim\b|autograd\.(grad|backward)\b)"


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


def mentioned(node: ast.AST) -> set[str]:
    """Every name and attribute inside a node."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def assignments(tree: ast.AST) -> Iterator[tuple[set[str], set[str]]]:
    """The names that each assignment binds, and those that its value mentions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield set().union(*map(mentioned, targets)), mentioned(node.value)


def depending(tree: ast.AST, names: set[str]) -> set[str]:
    """The names that are computed from others, directly or by way of further names."""
    result, size = set(names), -1
    while len(result) > size:
        size = len(result)
        for targets, values in assignments(tree):
            if values & result:
                result |= targets - {"self"}
    return result


def runs_a_model(call: ast.Call) -> bool:
    """Whether a part of a model is called: `self.decoder(x)`, `net(x)`, `scorer.advance(x)`; no method of a tensor."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr in SCORING or ast.unparse(function.value) == "self"
    return isinstance(function, ast.Name) and not hasattr(builtins, function.id)


def feeds_back(scope: ast.AST, picks: set[str]) -> bool:
    """Whether what is picked from scores inside a node becomes an argument of the model."""
    chosen = depending(scope, picks) - picks
    calls = [node for node in ast.walk(scope) if isinstance(node, ast.Call) and runs_a_model(node)]
    arguments = [each for call in calls for each in (*call.args, *(keyword.value for keyword in call.keywords))]
    return any(mentioned(each) & chosen for each in arguments)


def violations(text: str) -> list[str]:
    """What a model file holds that belongs to training or inference."""
    tree = ast.parse(text)
    attributes = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names = {*imported(tree), *attributes}
    kinds = []
    if any(re.match(GRADIENTS, name) for name in names):
        kinds.append("optimiser")
    if called(tree) & TRAINING:
        kinds.append("training loop")
    if any(name.rpartition(".")[2] in DATA for name in names):
        kinds.append("batcher")
    picks = SELECTION | {name for names, values in assignments(tree) if values & SELECTION for name in names}
    aliases = picks & called(tree) | SELECTION
    loops = [node for node in ast.walk(tree) if isinstance(node, LOOPS)]
    recursions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in called(node)]
    reads = [node for node in loops if called(node) & aliases and called(node) & SCORING]
    if reads or any(feeds_back(node, aliases) for node in (*loops, *recursions)):
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
        ("for t in range(n):\n    ids = self.decoder(ids).argmax(-1)", ["search"]),
        ("for t in range(n):\n    best = net(ids).topk(1).indices\n    ids = torch.cat([ids, best])", ["search"]),
        ("pick = torch.argmax\nfor t in range(n):\n    ids = pick(net(ids))", ["search"]),
        ("texts = [ids := net(ids).argmax(-1) for t in range(n)]", ["search"]),
        ("def go(ids):\n    best = net(ids).argmax(-1)\n    return go(best)", ["search"]),
        ("for x in batches:\n    slopes = torch.autograd.grad(loss(x), parameters)", ["optimiser"]),
        ("for t in range(n):\n    best = back.gather(1, score.argmax(1))\n    path.append(best)", []),
        ("heads = [torch.argmax(head(rows), -1) for head in self.heads]", []),
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
