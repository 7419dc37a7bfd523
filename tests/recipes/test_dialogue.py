"""Turns are found in every style of quotation marks; novels are held out; a toy model gives generic answers."""

import tarfile

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

DOUBLE = """It was late; he was "tired" of it all.

"Yes," said he, "I'm going--now, at_last_."

She said, "Why?"

They went on.

"A first paragraph of a long speech,

"and its second one," he cried.

"Who is there?"
"""
SINGLE = """'Tis late,' said Nell. 'Don't go!'

He took the boys' lamp, and said: 'I must.'

'Well, well; 'tis your "duty," I know.'
"""
CURLY_SINGLE = """‘I don’t,’ said the boys’ uncle, ‘know ‘em.’

‘No?’
"""


def test_turns(recipe):
    """Narration ends a conversation, also with a word in quotation marks; a speech goes on behind an open one."""
    assert list(recipe["conversations"](DOUBLE)) == [
        ["Yes, I'm going—now, atlast.", "Why?"],
        ["A first paragraph of a long speech, and its second one,", "Who is there?"],
    ]
    curly = DOUBLE.replace('"tired"', "“tired”").replace('Why?"', "Why?”").replace('cried."', "cried.”")
    for mark in ('"Yes', '"I', '"Why', '"A', '"and', '"Who'):
        curly = curly.replace(mark, "“" + mark[1:])
    curly = curly.replace('"', "”")
    assert list(recipe["conversations"](curly)) == list(recipe["conversations"](DOUBLE))


def test_single_marks_are_apostrophes_too(recipe):
    assert list(recipe["conversations"](SINGLE)) == [
        ["Tis late, Don't go!", "I must.", 'Well, well; \'tis your "duty," I know.']
    ]
    assert list(recipe["conversations"](CURLY_SINGLE)) == [["I don’t, know ‘em.", "No?"]]


def test_the_style_is_that_of_most_paragraphs(recipe):
    for style, text in (("double", DOUBLE), ("single", SINGLE), ("curly single", CURLY_SINGLE)):
        assert recipe["style_of"](recipe["paragraphs"](text)) == style
    assert list(recipe["conversations"]("—Yes, says he.\n\n—No.\n")) == []


def test_plain_words(recipe):
    assert recipe["plain"]("‘Don’t—go to-night,’ Mr. B…,") == "'don't - go to-night , ' mr . b ... ."
    assert recipe["plain"]("It is —") == "it is ."


def test_pairs_are_short_and_occur_once(recipe):
    long = " ".join(f"w{i}" for i in range(40))
    turns = ["No.", "Why?", "No.", "Why?", long + ".", "So.", "...", "Oh!"]
    text = "\n\n".join(f"“{turn}”" for turn in turns)
    end = " ".join([f"w{i}" for i in range(11, 40)] + ["."])
    assert recipe["pairs_of"](text) == [("no .", "why ?"), ("why ?", "no ."), (end, "so .")]


def test_no_novel_and_no_pair_is_in_two_parts(recipe):
    texts = recipe["toy_novels"](0)
    own = {name: f"“Who?”\n\n“A{name.replace(' ', '')}.”\n\n" + text for name, text in texts.items()}
    parts = recipe["parts_of"](own, 0)
    for one, other in (("training", "test"), ("training", "development"), ("development", "test")):
        assert not set(parts[one]) & set(parts[other])
    counts = [sum(prompt == "who ?" for prompt, _ in parts[part]) for part in ("training", "development", "test")]
    assert counts == [17, 1, 2]


def test_novels_in_archives_and_files(recipe, tmp_path, monkeypatch):
    folder = tmp_path / "books"
    folder.mkdir()
    texts = recipe["toy_novels"](1, novels=4)
    with tarfile.open(folder / "litbank-novels.tar.gz", "w:gz") as archive:
        for name, text in texts.items():
            path = tmp_path / f"{name}.txt"
            path.write_text(text, encoding="utf-8")
            archive.add(path, f"original/{name}.txt")
    monkeypatch.setenv("FIRTH_DATA", str(tmp_path))
    assert dict(recipe["novels"]()) == texts
    files = [str(tmp_path / f"{name}.txt") for name in texts]
    parts = recipe["main"](["--text", *files, "--pairs", str(tmp_path / "pairs.tsv")])
    lines = (tmp_path / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    assert [tuple(line.split("\t")) for line in lines] == parts["training"]


def test_toy(recipe, tmp_path):
    """Half of the answers are one: a beam search gives hardly any other, samples vary as people do."""
    rows = recipe["main"](
        ["--toy", "--table", str(tmp_path / "t.md"), "--results", str(tmp_path / "t.jsonl"), "-o", str(tmp_path)]
    )
    assert rows["20 beams"]["top-5"] > 0.9
    assert rows["sampling"]["top-5"] < 0.8
    assert rows["5 beams"]["loss"] < rows["people"]["loss"]
    assert rows["sampling"]["text-entropy"] > rows["20 beams"]["text-entropy"] + 1
    assert (tmp_path / "t.md").read_text(encoding="utf-8").count(
        "| mutual information"
    ) == 4  # the table, three prompts
    assert len((tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()) == len(rows) == 17
