"""The recipe on made-up texts, with a tagger and a parser of rules."""

import json

import firth
from firth.readers.gap import COLUMNS


class Chain:
    """Capitals are names, "He" and "She" pronouns; the second word is the root and the head of all others."""

    def predict(self, sentences, *, tagger=None):
        found = []
        for sentence in sentences:
            tags = ["PRON" if w in ("She", "He") else "PROPN" if w[0].isupper() else "VERB" for w in sentence.words]
            heads = [0 if number == 2 else 2 for number in range(1, len(sentence) + 1)]
            relations = ["root" if not head else "nsubj" if not n else "obj" for n, head in enumerate(heads)]
            found.append(sentence.annotated(tags=tags, heads=heads, relations=relations))
        return found


def test_a_row_for_each_task_and_method(recipe, tmp_path, monkeypatch, capsys):
    """Hobbs prefers the subject of the sentence before, the most recent is its object."""
    text = "Ann met Eve. She left."
    rows = [[f"x-{i}", text, "She", "13", "Ann", "0", "TRUE", "Eve", "8", "FALSE", "u"] for i in range(3)]
    path = tmp_path / "gap.tsv"
    path.write_text("\n".join("\t".join(row) for row in (COLUMNS, *rows)) + "\n", encoding="utf-8")
    monkeypatch.setattr(firth, "load", lambda path: Chain())
    results = tmp_path / "results.jsonl"
    made = recipe["main"]([str(path), "--tagger", "t", "--parser", "p", "--results", str(results)])
    assert [(row["task"], row["method"], row["accuracy"]) for row in made] == [
        ("names given", "Hobbs", 100.0),
        ("names given", "most recent", 0.0),
        ("text alone", "Hobbs", 100.0),
        ("text alone", "most recent", 0.0),
    ]
    written = [json.loads(line)["method"] for line in results.read_text(encoding="utf-8").splitlines()]
    assert written == ["Hobbs", "most recent"] * 2
    assert "only Hobbs is right 3 times" in capsys.readouterr().out
