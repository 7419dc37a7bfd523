"""The runner sees what it is told to see, on pages written for it."""

import pytest

from tests.docs.runner import Note, blocks, run_page, steps


def page(*parts: str) -> str:
    return "\n".join(parts) + "\n"


def fenced(language: str, *lines: str) -> str:
    return page(f"```{language}", *lines, "```")


def written(tmp_path, text):
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_blocks_know_their_line_and_their_note():
    text = page("# Title", "", "*Figures vary from run to run.*", "", fenced("console", "$ echo 1"))
    (block,) = blocks(text)
    assert (block.language, block.line, block.note) == ("console", 5, Note(varies=True))


def test_python_blocks_share_a_namespace_and_show_what_they_print(tmp_path):
    text = page(fenced("python", "x = 2"), fenced("python", "print(x + 1)"), fenced("text", "3"))
    assert run_page(written(tmp_path, text), tmp_path, data=None) == 2


def test_wrong_output_of_python_fails(tmp_path):
    text = page(fenced("python", "print(3)"), fenced("text", "4"))
    with pytest.raises(AssertionError, match=r"page\.md line 1"):
        run_page(written(tmp_path, text), tmp_path, data=None)


def test_wrong_output_of_a_command_fails(tmp_path):
    text = fenced("console", "$ echo one", "one", "$ echo two", "three")
    with pytest.raises(AssertionError, match="echo two"):
        run_page(written(tmp_path, text), tmp_path, data=None)


def test_a_text_block_further_down_is_not_output(tmp_path):
    text = page(fenced("python", "print(3)"), "The tree:", "", fenced("text", "src/"))
    assert run_page(written(tmp_path, text), tmp_path, data=None) == 1


def test_dots_stand_for_anything(tmp_path):
    run_page(written(tmp_path, fenced("console", "$ echo one two three", "one ... three")), tmp_path, data=None)


def test_a_failing_command_fails_unless_the_page_says_so(tmp_path):
    text = fenced("console", "$ echo no such word >&2; false", "no such word")
    with pytest.raises(AssertionError, match="exit status 1"):
        run_page(written(tmp_path, text), tmp_path, data=None)
    assert run_page(written(tmp_path, page("*This fails, as it should:*", text)), tmp_path, data=None) == 1
    with pytest.raises(AssertionError, match="exit status 0"):
        run_page(written(tmp_path, page("*This fails:*", fenced("console", "$ true"))), tmp_path, data=None)


def test_notes_leave_blocks_out():
    never = page("*Not run by the tests: it takes a week.*", fenced("console", "$ false"))
    data = page("*Needs the public data sets.*", fenced("console", "$ true"))
    assert steps(never, data=True) == []
    assert steps(data, data=False) == []
    assert len(steps(data, data=True)) == 1


def test_a_failing_block_may_need_data():
    text = page("*This fails, with exit status 1, and needs the public data sets:*", fenced("console", "$ false"))
    assert steps(text, data=False) == []
    (step,) = steps(text, data=True)
    assert step.fails


NEEDY = (
    "*Needs the public data sets.*",
    fenced("python", "import math", "pairs = 3", 'for name in "ab":', '    model.save(f"{name}.firth")'),
    "*Needs the public data sets.*",
    fenced("console", "$ firth align a.firth b.firth -o maps"),
)


@pytest.mark.parametrize(
    "dependent",
    [
        fenced("python", "print(pairs)"),
        fenced("python", "print(math.pi)"),
        fenced("python", 'firth.load("b.firth")'),
        fenced("console", "$ firth info a.firth"),
        fenced("console", "$ firth translate-words maps brother"),
    ],
)
def test_what_reads_the_result_of_a_skipped_block_is_skipped(dependent):
    assert steps(page(*NEEDY, dependent), data=False) == []
    assert len(steps(page(*NEEDY, dependent), data=True)) == 3
    further = page(*NEEDY, fenced("python", "twice = pairs * 2"), fenced("python", "print(twice)"))
    assert steps(further, data=False) == []


@pytest.mark.parametrize(
    "independent",
    [
        (fenced("python", "pairs = 4", "print(pairs)"),),
        (fenced("console", "$ firth train skipgram text -o a.firth", "$ firth info a.firth"),),
        (fenced("console", "$ firth train skipgram text -o a.firth"), fenced("console", "$ firth info a.firth")),
        (fenced("console", "$ cat texts/c.firth"),),
        (fenced("python", 'print(f"{2}.firth")'),),
    ],
)
def test_what_makes_its_own_runs_beside_a_skipped_block(independent):
    listed = steps(page(*NEEDY, *independent), data=False)
    assert [step.code for step in listed] == [step.code for step in steps(page(*independent), data=True)]


def test_a_note_without_a_reason_is_no_note():
    assert len(steps(page("*Not run by the tests*", fenced("console", "$ true")), data=False)) == 1


def test_output_below_a_varying_command_is_not_compared(tmp_path):
    text = page("*Figures vary.*", fenced("console", "$ echo 0.51", "0.52"))
    assert run_page(written(tmp_path, text), tmp_path, data=None) == 1


def test_output_of_varying_python_is_not_compared(tmp_path):
    text = page("*Figures vary.*", fenced("python", "print(3)"), fenced("text", "4"))
    assert run_page(written(tmp_path, text), tmp_path, data=None) == 1


def test_what_needs_another_program_runs_only_beside_it():
    text = page("*Needs gensim.*", fenced("python", "import gensim"), fenced("text", "1"))
    assert steps(text, data=True) == []
    assert len(steps(text, data=False, peers=["gensim"])) == 1
