"""`firth concordance`, as a user runs it."""

import csv
import io
import json


def test_text_csv_and_json(run, tmp_path):
    (tmp_path / "texts").mkdir()
    for name in ("a", "b"):
        (tmp_path / "texts" / f"{name}.txt").write_text(f'A "sense\nof Honour", {name}.\n\nhonours\n', encoding="utf-8")
    status, out, err = run("concordance", "texts", "honour*")
    assert status == 0
    lines = out.splitlines()
    assert [line.split()[0] for line in lines] == ["a.txt:2", "a.txt:4", "b.txt:2", "b.txt:4"]
    assert lines[0].index("Honour") == lines[1].index("honours")
    assert err == "4 occurrences in 2 files: honour 2, honours 2\n"
    _, out, err = run("concordance", "texts", "sense of honour", "--csv", "--limit", "1", "-q")
    assert list(csv.DictReader(io.StringIO(out))) == [
        {"file": "texts/a.txt", "line": "1", "before": 'A "', "match": "sense of Honour", "after": '", a.',
         "sentence": 'A "sense of Honour", a.'}
    ]  # fmt: skip
    assert err == ""
    _, out, err = run("concordance", "texts", "honour", "--json", "--sort", "right", "--limit", "1")
    assert json.loads(out)["line"] == 2
    assert err == "1 of 2 occurrences in 2 files\n"


def test_what_is_wrong(run, tmp_path):
    (tmp_path / "a.txt").write_text("honour\n", encoding="utf-8")
    assert run("concordance", "a.txt", "glory")[::2] == (
        1, "firth: a.txt: no 'glory'; expected a word of the text, of which * and ? stand for any letters and for one\n"
    )  # fmt: skip
    for command in ("concordance", "collocations"):
        assert run(command, "honour", "a.txt")[2] == (
            "firth: honour: no such file or folder, and a.txt is one; expected the text first: a.txt honour\n"
        )
    assert "--csv and --json: expected one of both" in run("concordance", "a.txt", "honour", "--csv", "--json")[2]
    assert "--sort up: expected 'file', 'left', 'right'" in run("concordance", "a.txt", "honour", "--sort", "up")[2]
