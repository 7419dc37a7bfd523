"""The table of a novel's speeds, from the runs on disk."""

from benchmarks.novel import table
from benchmarks.records import append

HEADER = {
    "kind": "series", "machine": {"processor": "Some processor"}, "title": "persuasion", "characters": 466_818,
    "tokens": 1000, "pipeline": "tagger, parser", "treebank": "train.conllu", "sentences": 300, "rounds": 3,
    "cores": 2, "load": 17.4,
}  # fmt: skip


def test_an_interrupted_file_has_the_rounds_that_were_run(tmp_path):
    append(tmp_path / "novel.jsonl", HEADER)
    for number, seconds in enumerate((2.0, 4.0)):
        append(tmp_path / "novel.jsonl", {"contender": "firth", "round": number, "processor": seconds, "clock": 8.0})
    page = table(tmp_path / "novel.jsonl")
    assert "| firth | 375 (250 - 500) | 125 (125 - 125) |" in page
    assert "the median of 2 rounds" in page
    assert "2 processors, whose load was 17." in page
