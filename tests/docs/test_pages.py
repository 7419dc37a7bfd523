"""Every example of README and docs runs, with the output that the page shows."""

import ast
import gzip
import inspect
import lzma
import os
from itertools import islice
from pathlib import Path

import pytest

from tests.docs.runner import blocks, run_page

ROOT = Path(__file__).resolve().parents[2]
TASKS = sorted((ROOT / "docs" / "tasks").glob("*.md"))
OTHERS = [ROOT / "CONTRIBUTING.md", *sorted(set((ROOT / "docs").rglob("*.md")) - set(TASKS))]
NEURAL = {"neural-language-models", "neural-training"}  # pages whose examples need PyTorch
PARTS = {  # pages that train much get one such part of the text
    "align": 2,
    "compare": 2,
    "count": 2,
    "files": 3,
    "neighbours": 3,
    "neural-training": 3,
    "ngrams": 4,
    "objectives": 2,
    "plot": 3,
    "query": 2,
    "senses": 2,
    "structured": 3,
    "subwords": 3,
}
README_LINES = 12_000  # paragraphs of Wikipedia in place of the reader's own texts


def python_documentation() -> list[str]:
    """Return lines of English: the reference manual inside Python, and the docstrings of the standard library."""
    from pydoc_data.topics import topics

    texts = [str(text) for _, text in sorted(topics.items())]
    for path in sorted(Path(inspect.getfile(os)).parent.glob("*.py")):
        tree = ast.parse(path.read_bytes())
        documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        texts += [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented)]
    return [line for text in texts for line in text.split("\n\n") if line.strip()]


@pytest.fixture(scope="module")
def documentation() -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in python_documentation()]


def public_data() -> Path | None:
    folder = Path(os.environ.get("FIRTH_DATA", ROOT.parent / "shared" / "data"))
    return folder if folder.is_dir() else None


@pytest.mark.parametrize("page", TASKS, ids=lambda page: page.stem)
def test_page(page, documentation, tmp_path):
    if page.stem in NEURAL:
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    texts = tmp_path / "texts"
    texts.mkdir()
    documentation = documentation[:: PARTS.get(page.stem, 1)]
    half = len(documentation) // 2
    (texts / "manual.txt").write_text("\n".join(documentation[:half]), encoding="utf-8")
    with gzip.open(texts / "library.txt.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(documentation[half:]))
    count = run_page(page, tmp_path, data=public_data())
    assert count > 0 or page.stem == "speed"


def test_readme(shared_data, tmp_path):
    """README uses the reader's own texts; here they are a part of Wikipedia."""
    texts = tmp_path / "my-texts"
    texts.mkdir()
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz", "rt", encoding="utf-8") as file:
        (texts / "wiki.txt").write_text("".join(islice(file, README_LINES)), encoding="utf-8")
    assert run_page(ROOT / "README.md", tmp_path, data=shared_data) > 0


@pytest.mark.parametrize("page", OTHERS, ids=lambda page: str(page.relative_to(ROOT)))
def test_other_pages_hold_no_example_that_could_run(page):
    """Pages outside `docs/tasks` have no texts to run on, so their examples say that they are not run."""
    runnable = [block for block in blocks(page.read_text(encoding="utf-8")) if block.language in {"python", "console"}]
    assert all(block.note.startswith("Not run") for block in runnable)
