"""The speed of n-gram models, at toy size and without the peers' programs."""


def test_models_are_trained_and_queried(recipe, tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    results = tmp_path / "speed.jsonl"
    lines = recipe["main"](
        ["--toy", "--orders", "2", "--threads", "1", "--folder", str(tmp_path / "m"), "--results", str(results)]
    )
    assert [(line["what"], line["program"]) for line in lines] == [
        ("make", "firth"),
        ("ask", "firth"),
        ("ask", "firth, from sentences"),
        ("ask", "firth, small text"),
    ]
    assert lines[0]["cpu s"] > 0
    assert all(line["words/s"] > 1000 for line in lines[1:])
    assert len(results.read_text().splitlines()) == len(lines)
