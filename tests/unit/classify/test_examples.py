"""Labelled texts as strings."""

from firth.classify.examples import Examples
from firth.progress import reporting


def test_texts_without_a_label_or_a_word_are_not_usable(tmp_path):
    (tmp_path / "a.txt").write_text("__label__x  red   tea\nblue\n__label__y\n", encoding="utf-8")
    with reporting(False) as report:
        examples = Examples.read(str(tmp_path / "a.txt"), None, None, report)
    assert (examples.texts, examples.labels) == ([("red tea",), ("blue",), ("",)], [["x"], [], ["y"]])
    usable = examples.usable()
    assert (usable.texts, usable.labels, usable.name) == ([("red tea",)], [["x"]], examples.name)
