"""Every example of README and docs runs, with the output that the page shows. Each page starts in an empty folder."""

import importlib.util
import lzma
from itertools import islice
from pathlib import Path

import pytest

from tests.docs.runner import DATA, blocks, run_page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [*(DOCS / name for name in ("getting-started.md", "reproducibility.md")), *sorted(DOCS.glob("*/*.md"))]
PAGES = [page for page in PAGES if page.parent.name != "decisions"]
OTHERS = [ROOT / "CONTRIBUTING.md", *sorted(set(DOCS.rglob("*.md")) - set(PAGES))]
NEURAL = {
    "entities",
    "neural-classifiers",
    "neural-language-models",
    "neural-training",
    "pipeline",
    "pointers",
    "sentences",
    "treebank",
    "trees",
}  # pages whose examples need PyTorch
SLOW = {  # the tutorials that cost most
    "axes",
    "classify-texts",
    "compare-models",
    "entities",
    "few-labels",
    "language-model",
    "map",
    "phrases",
    "pretrain",
    "read-a-method",
    "search-documents",
    "translate",
    "treebank",
    "two-texts",
}
WITHOUT_EXAMPLES = {"speed", "README", "plain"}
README_LINES = 24_000, 25_500  # paragraphs of Wikipedia in place of the reader's own texts; they know paris and bike
PEERS = ("gensim", "fasttext", "kenlm")


def name_of(page: Path) -> str:
    return page.stem if page.parent.name == "tasks" else page.relative_to(ROOT / "docs").with_suffix("").as_posix()


def marked(page: Path) -> object:
    slow = page.parent.name == "tutorials" and page.stem in SLOW
    slow = slow or page.parent.name == "migrate"  # .ci/run runs these pages whole, with the other programs
    marks = [pytest.mark.slow] if slow else []
    return pytest.param(page, id=name_of(page), marks=marks)


@pytest.mark.parametrize("page", [marked(page) for page in PAGES])
def test_page(page, tmp_path):
    if page.stem in NEURAL:
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    count = run_page(page, tmp_path, data=None)
    assert count > 0 or page.stem in WITHOUT_EXAMPLES


WITH_DATA = [
    page for page in PAGES if any(block.note.needs == DATA for block in blocks(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("page", WITH_DATA, ids=name_of)
def test_page_with_public_data(page, shared_data, tmp_path):
    """Whole, with the blocks that need the public data sets."""
    run_page(page, tmp_path, data=shared_data)


@pytest.mark.peer
@pytest.mark.parametrize("page", sorted((DOCS / "migrate").glob("*.md")), ids=lambda page: page.stem)
def test_both_versions_of_a_migration_guide_run(page, tmp_path):
    """The other program's examples run, too, and each opens the other's files as the page says."""
    needs = {block.note.needs for block in blocks(page.read_text(encoding="utf-8"))} & set(PEERS)
    missing = [name for name in sorted(needs) if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: pip install 'firth[peers]'")
    assert run_page(page, tmp_path, data=None, peers=needs) > 0


def test_readme(shared_data, tmp_path):
    """README uses the reader's own texts; here they are a part of Wikipedia."""
    texts = tmp_path / "my-texts"
    texts.mkdir()
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz", "rt", encoding="utf-8") as file:
        (texts / "wiki.txt").write_text("".join(islice(file, *README_LINES)), encoding="utf-8")
    assert run_page(ROOT / "README.md", tmp_path, data=shared_data) > 0


@pytest.mark.parametrize("page", OTHERS, ids=lambda page: str(page.relative_to(ROOT)))
def test_other_pages_hold_no_example_that_could_run(page):
    """These pages explain; what they show of code says that it is not run."""
    runnable = [block for block in blocks(page.read_text(encoding="utf-8")) if block.language in {"python", "console"}]
    assert all(block.note.never for block in runnable)
