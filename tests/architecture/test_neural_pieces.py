"""Neural models stand on shared pieces: none trains, cuts batches or searches by itself, and every piece is told of."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "firth"
MODELS = sorted((PACKAGE / "neural" / "models").rglob("*.py"))
# What a loop, a batcher or a search cannot be written without.
OWN = {"backward", "zero_grad", "optim", "DataLoader", "topk", "multinomial", "argmax", "clip_grad_norm_"}


def called(path: Path) -> set[str]:
    """Every attribute and name that a file speaks of."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return {node.attr for node in nodes if isinstance(node, ast.Attribute)} | {
        node.id for node in nodes if isinstance(node, ast.Name)
    }


def test_the_loop_speaks_of_what_models_must_not():
    """Were the words above not those of a loop and a search, the next test could not fail."""
    training = set().union(*map(called, (PACKAGE / "neural" / "training").glob("*.py")))
    assert {"backward", "optim", "zero_grad"} <= training


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_no_model_owns_a_loop_a_batcher_or_a_search(path):
    assert called(path) & OWN == set()


def test_every_piece_stands_in_the_table():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## The pieces of the neural part")[2].partition("\n## ")[0]
    told = set(re.findall(r"(\w+)\.py", table))
    folders = [PACKAGE / "neural" / "layers", PACKAGE / "neural" / "training", PACKAGE / "inference"]
    pieces = {path.stem for folder in folders for path in folder.glob("*.py")} - {"__init__"}
    assert pieces - told == set()
