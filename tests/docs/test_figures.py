"""Figures of README, of the pages and of docstrings stand in the tables of measurements that they name."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from benchmarks import deterministic, pages, records, table
from tests.docs.figures import blocks, figures, holds, missing, parsed, passages

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = [path for path in (ROOT / "src").rglob("*.py") if "benchmarks/" in path.read_text(encoding="utf-8")]

# Beginnings of tables whose figures were not measured.
NOT_MEASURED = {
    "| option": "defaults of options; `test_options.py` checks them",
    "| part | bytes |": "memory, computed by the formulas beside it",
}

# Page, the head of its table of speed, and the results that hold its columns of firth and of other programs, in turn.
SPEED = {
    "README.md": ("| task | firth | others |", ("README.md",)),
    "docs/tasks/speed.md": ("| task | firth, AVX-512 |", ("README.md", "avx2/README.md")),
}
SKIP_GRAM = "skip-gram, d = 100, {threads}: training"
# Beginning of a row, and of the jobs that its figures are of; `{threads}` follows from the row.
JOBS = {
    "skip-gram, 100 dimensions": [SKIP_GRAM],
    "skip-gram, d = 100, one epoch": [SKIP_GRAM],
    "the same": [SKIP_GRAM],
    "skip-gram, d = 300": ["skip-gram, d = 300, {threads}: training"],
    "skip-gram, d = 100, file to saved vectors": ["skip-gram, d = 100, {threads}: whole process"],
    "CBOW": ["CBOW, d = 100, {threads}"],
    "skip-gram, hierarchical softmax": ["skip-gram, hierarchical softmax, d = 100, {threads}"],
    "structured skip-gram": ["structured skip-gram, d = 100, {threads}"],
    "skip-gram with subwords": ["skip-gram with subwords of 3 to 6 characters, d = 100, {threads}"],
    "fastText's skip-gram": ["skip-gram with subwords of 3 to 6 characters, d = 100, {threads}"],
    "paragraph vectors": [
        "paragraph vectors, PV-DBOW, d = 100, {threads}",
        "paragraph vectors, PV-DM, d = 100, {threads}",
    ],
    "classifier": [
        "fastText classifier, training of {any}, {threads}",
        "fastText classifier, predicting of {any}, {threads}",
    ],
    "co-occurrence counts": ["co-occurrence, window 10, {threads}"],
    "GloVe": ["GloVe, d = 100, 2 epochs, {threads}"],
    "PPMI": ["PPMI of 30,000 words, 100 components, {threads}"],
    "phrases": ["phrases by npmi found and joined, {threads}"],
    "count and encode words": ["corpus from whitespace-tokenised text"],
    "count and encode raw text": ["corpus from raw UTF-8"],
    "ten neighbours": ["most_similar of 1,000 words, 200,000 x 300, BLAS threads: {number}"],
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_figures_stand_in_the_tables_that_a_page_names(page):
    assert wrong(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(ROOT / "src").as_posix())
def test_figures_stand_in_the_tables_that_a_docstring_names(module):
    assert wrong(ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or "") == []


def wrong(text: str) -> list[str]:
    """The figures that the tables named beside them do not hold."""
    return [figure for passage in passages(text) for figure in missing(passage)]


def test_a_table_of_figures_says_where_they_were_measured():
    """Of decisions this is not asked: each is the record of its own measurement."""
    unnamed = []
    checked = (*NOT_MEASURED, *(head for head, _ in SPEED.values()))
    for page in (page for page in PAGES if page.parent.name != "decisions"):
        text = page.read_text(encoding="utf-8")
        named = {passage.line for passage in passages(text)}
        for line, block in blocks(text):
            measured = block.startswith("|") and sum("." in figure for figure in figures(block)) >= 4
            if measured and line not in named and not block.startswith(checked):
                unnamed.append(f"{page.relative_to(ROOT)}, line {line}")
    assert unnamed == []


@pytest.mark.parametrize("page", SPEED)
def test_each_cell_of_a_table_of_speed_is_the_median_of_its_job(page):
    head, results = SPEED[page]
    text = (ROOT / page).read_text(encoding="utf-8")
    rows = next(block for _, block in blocks(text) if block.startswith(head)).splitlines()[2:]
    assert [part for row in rows for part in wrong_cells(row, [seconds(RESULTS / name) for name in results])] == []


def seconds(page: Path) -> dict[str, dict[str, list[str]]]:
    """Job -> program -> median seconds, in the order of the table."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) > 2 and (median := re.fullmatch(r"([\d.]+) \([\d.]+-[\d.]+\)", cells[2])):
            found[cells[0]][re.split("[ ,:]", cells[1])[0]].append(median[1])
    return found


def wrong_cells(row: str, results: list[dict[str, dict[str, list[str]]]]) -> list[str]:
    """The figures of a row that are not the medians of its jobs."""
    label, *cells = [cell.strip() for cell in row.strip("|").split("|")]
    begins = max((name for name in JOBS if label.startswith(name)), key=len)
    numbers = [1, 2] if "1 / 2 threads" in label else [1] if "1 thread" in label else [2]
    jobs = [
        job.format(threads=f"{n} thread{'s' * (n > 1)}", number=n, any="[^,]+") for n in numbers for job in JOBS[begins]
    ]
    found = []
    for place, cell in enumerate(cells):
        known = [programs for job in jobs for name, programs in results[place // 2].items() if re.match(job, name)]
        for part in filter(None, cell.split(", ")):
            own = "firth" if place % 2 == 0 else next(name for one in known for name in one if name in part)
            medians = known[0][own] if len(known) == 1 else [programs[own][0] for programs in known if programs[own]]
            shown = re.findall(r"[\d.]+(?= s\b)", part)
            right = len(medians) >= len(shown) > 0 and all(map(rounds_to, medians, shown))
            found += [] if right else [f"{label}: {part}, measured {medians}"]
    return found


def rounds_to(median: str, shown: str) -> bool:
    return holds([parsed(median)], shown)


@pytest.mark.parametrize("folder", ["", "avx2"])
def test_tables_of_results_are_those_of_their_rows(folder):
    assert table.render(RESULTS / folder) == (RESULTS / folder / "README.md").read_text(encoding="utf-8")


def test_the_table_of_deterministic_training_is_that_of_its_rows():
    rows = records.read(RESULTS / "deterministic.jsonl")
    assert deterministic.table(rows) in (RESULTS / "deterministic.md").read_text(encoding="utf-8")


def test_figures_of_pages_are_those_of_their_rows():
    assert pages.table(records.read(RESULTS / "pages.jsonl")) == (RESULTS / "pages.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["captions", "graphs", "lattice", "reading", "generation/hybrid"])
def test_transcribed_rows_stand_in_their_page(name):
    text = re.sub(r"\*\*|`", "", (RESULTS / f"{name}.md").read_text(encoding="utf-8"))
    lines = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()]
    rows = [row for row in records.read(RESULTS / f"{name}.jsonl") if "transcribed" in row.get("source", "")]
    assert rows
    assert [row for row in rows if not any(set(row["row"].values()) <= set(cells) for cells in lines)] == []


NAMED = "[all](../benchmarks/results/growing.md) "


@pytest.mark.parametrize(
    "text",
    [
        NAMED + "59.9 and 20.8",
        "`benchmarks/results/defaults.md` 46.8 %, .468, 0.47",
        "`benchmarks/results/growing.md` 84,000 and 84,455 words",
        "<!-- figures: benchmarks/results/growing.md; 6.3 = 20.81 - 14.5 -->\n\n6.3 points",
        "<!-- figures: benchmarks/results/growing.md by row -->\n\n| all | 59.5 | 55.4 |\n| a novel | 43.6 | 36.8 |",
        "Those of it (`benchmarks/results/growing.md`):\n\n- 59.9",
    ],
)
def test_right_figures_are_found(text):
    assert wrong(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NAMED + "59.8 and 20.8", ["59.8"]),
        (NAMED + "WordSim-353, 95 % intervals, 2016, `lr=7.7`, 5.95", ["5.95"]),
        ("`benchmarks/results/growing.md` 83,000 and 84,456 words", ["83,000", "84,456"]),
        ("<!-- figures: benchmarks/results/growing.md; 6.4 = 20.81 - 14.5 -->\n\n6.4 points", ["6.4"]),
        ("<!-- figures: benchmarks/results/growing.md; 6.3 = 20.87 - 14.57 -->\n\n6.3 points", ["6.3"]),
        ("<!-- figures: benchmarks/results/growing.md by row -->\n\n| all | 59.5 | 36.8 |", ["36.8"]),
        ("Those of it (`benchmarks/results/growing.md`):\n\n- 59.8", ["59.8"]),
    ],
)
def test_wrong_figures_are_noticed(text, expected):
    assert wrong(text) == expected


@pytest.mark.parametrize(
    "cells", ["2.9 s | gensim 40 s |", "2.8 s | gensim 40 s, word2vec.c 80 s |", "2.8 s | gensim 81 s |"]
)
def test_a_wrong_cell_of_a_table_of_speed_is_noticed(cells):
    assert len(wrong_cells(f"| skip-gram, 100 dimensions, one epoch | {cells}", [seconds(RESULTS / "README.md")])) == 1


def test_an_unknown_section_is_an_error():
    with pytest.raises(ValueError, match="no heading"):
        wrong("[all](../benchmarks/results/growing.md#nowhere) 59.9")
