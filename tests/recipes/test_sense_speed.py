"""The speed of senses beside skip-gram, at toy size."""


def test_every_model_is_compared_with_the_first(recipe, tmp_path, capsys):
    results = tmp_path / "speed.jsonl"
    models = ["skipgram", "mssg", "np-mssg"]
    lines = recipe["main"](["--toy", "--threads", "1", "--models", *models, "--results", str(results)])
    assert [line["model"] for line in lines] == models
    assert lines[0]["share"] == 1
    assert all(line["words"] == 10_000 for line in lines)
    assert all(line["words/s"] == line["rounds"][0] > 0 for line in lines)
    assert len(results.read_text().splitlines()) == len(capsys.readouterr().out.splitlines()) - 2 == 3
