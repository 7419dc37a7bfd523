"""What the page shows: maps, axes, senses, words in context, changes, bias, explanations."""

import base64

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

from starlette.testclient import TestClient

import firth
from firth.alignment.semantic_change import SemanticChange
from firth.bias.metrics import weat
from firth.bias.query import Query
from firth.directions import axis_between, project
from firth.explorer.server import build_app
from firth.explorer.text_space import TextSpace
from firth.explorer.views import column_of
from firth.vectors.sense_vectors import SenseVectors

WORDS = [f"w{number}" for number in range(80)]


def vectors(seed, words=WORDS, counts=False):
    rows = np.random.default_rng(seed).standard_normal((len(words), 8)).astype("f4")
    extra = {"counts": np.arange(len(words), 0, -1)} if counts else {}
    return firth.WordVectors(words, rows, **extra)


class Lengths:
    """An encoder whose vector of a text is a unit vector at its length."""

    def encode(self, texts):
        return np.eye(5)[[min(len(text), 5) - 1 for text in texts]][:, :4]


@pytest.fixture(scope="module")
def models():
    labelled = [("good fine film", "yes"), ("bad poor film", "no")] * 20
    rows = np.random.default_rng(3).standard_normal((5, 8)).astype("f4")
    return {
        "old": vectors(0, counts=True),
        "new": vectors(1, [*WORDS[::-1], "more"]),
        "senses": SenseVectors(["bank", "tree"], [0, 3, 5], rows, priors=[0.5, 0.3, 0.2, 0.6, 0.4]),
        "labels": firth.TextClassifier(epochs=20, dim=8, min_count=1).train(labelled, progress=False, threads=1),
        "texts": TextSpace(Lengths(), ["a", "bb", "ccc", "dddd"], np.eye(4), {"label": ["x", "y", "x", "x"]}),
        "the text": firth.Corpus.build(["the cat sat", "a cat ate"] * 5, min_count=1, progress=False),
        "runs": firth.bootstrap(firth.Word2Vec(dim=4, epochs=1), ["the cat sat", "a dog ate"] * 15, runs=3, threads=1,
                                min_count=1, progress=False),
    }  # fmt: skip


@pytest.fixture(scope="module")
def client(models):
    with TestClient(build_app(models, page=True), base_url="http://localhost") as client:
        yield client


def post(client, path, **request):
    answer = client.post(path, json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()


def floats(text, kind="<f4"):
    return np.frombuffer(base64.b64decode(text), kind)


def test_words(client, models):
    assert post(client, "/words", n=2) == {"model": "old", "words": ["w0", "w1"], "counts": [80, 79], "total": 80}
    assert post(client, "/words", model="new")["counts"] is None


def test_map(client, models):
    found = post(client, "/map", n=50)
    assert (found["model"], found["ready"], len(found["words"])) == ("old", True, 50)
    assert floats(found["places"]).shape == (100,)
    assert floats(found["counts"], "<f8").tolist() == list(range(80, 30, -1))
    assert max(floats(found["groups"], "u1")) < len(found["group_names"])
    other = post(client, "/map", model="new")
    assert other["counts"] is None
    assert other["words"] == models["new"].words
    assert client.post("/map", json={"model": "none"}).status_code == 404


def test_a_map_of_texts_with_a_column(client):
    found = post(client, "/map", model="texts")
    assert found["words"] == ["a", "bb", "ccc", "dddd"]
    (column,) = found["columns"]
    assert (column["name"], column["names"]) == ("label", ["x", "y"])
    assert floats(column["values"], "<u2").tolist() == [0, 1, 0, 0]
    assert len(found["group_names"]) == 4


def test_search_by_meaning(client):
    found = post(client, "/search", text="zz", n=1)
    assert (found["model"], found["text"]) == ("texts", "zz")
    assert found["results"] == [{"row": 1, "text": "bb", "similarity": 1.0}]
    assert post(client, "/search", row=2, n=1)["text"] == "ccc"
    for wrong in ({}, {"text": "a", "row": 1}, {"row": 4}, {"text": "zzzzz"}):
        assert client.post("/search", json=wrong).status_code == 422


def test_columns_of_numbers(client):
    found = column_of("n", np.array([1, 2]))
    assert floats(found["values"], "<f8").tolist() == [1.0, 2.0]
    assert column_of("n", np.array([str(i) for i in range(70_000)], dtype=object)) is None


def test_axes(client, models):
    old = models["old"]
    found = post(client, "/axes", first=["w1", "none"], second=["w2"], third=["w3"], fourth=["w4"], n=30)
    expected = [project(old, axis_between(old, *poles), WORDS[:30]) for poles in (("w1", "w2"), ("w3", "w4"))]
    np.testing.assert_allclose(floats(found["places"]).reshape(30, 2), np.stack(expected, 1), atol=1e-6)
    assert found["names"] == ["w1 → w2", "w3 → w4"]
    assert found["missing"] == ["none"]
    one = post(client, "/axes", first=["w1"], second=["w2"], n=30)
    np.testing.assert_allclose(floats(one["places"]), expected[0], atol=1e-6)
    assert client.post("/axes", json={"first": ["none"], "second": ["w1"]}).status_code == 404


def test_senses(client, models):
    found = post(client, "/senses", word="bank", n=3)["senses"]
    assert [each["share"] for each in found] == pytest.approx([0.5, 0.3, 0.2])
    near = models["senses"].sense_neighbours("bank", 1, 3)
    assert [each["word"] for each in found[1]["neighbors"]] == [word for (word, _), _ in near]
    assert post(client, "/senses", word="none")["senses"] == []


def test_contexts(client):
    found = post(client, "/contexts", word="cat", n=100)
    assert found["occurrences"] == 10
    assert found["contexts"][0] == {"sentence": 0, "before": ["the"], "after": ["sat"]}
    assert post(client, "/contexts", word="Cat", n=100) == found  # in any form
    assert post(client, "/contexts", word="none") == {"model": "the text", "occurrences": 0, "contexts": []}


def test_runs_answer_with_intervals(client, models):
    runs = models["runs"]
    found = post(client, "/neighbors/intervals", word="cat", n=3)
    assert (found["model"], found["known"], found["runs"]) == ("runs", True, 3)
    for row, expected in zip(found["neighbors"], runs.most_similar("cat", 3), strict=True):
        assert [row[name] for name in ("word", "value", "low", "high", "share")] == [expected.word, *expected[1:]]
    assert post(client, "/neighbors/intervals", word="cats")["suggestions"] == ["cat"]
    rows = post(client, "/similarity/intervals", words=["cat", "dog", "none"])["similarities"]
    expected = runs.similarity("cat", "dog")
    assert rows[0][1] == rows[1][0] == {"value": expected.value, "low": expected.low, "high": expected.high}
    assert rows[0][2] is rows[2][2] is None


def test_where_vectors_answer_runs_answer_by_their_consensus(client, models):
    consensus = models["runs"].consensus
    assert post(client, "/map", model="runs")["words"] == consensus.words
    (found,) = post(client, "/neighbors", model="runs", words=["cat"], n=2)["results"]
    assert [each["word"] for each in found["neighbors"]] == [word for word, _ in consensus.most_similar("cat", topn=2)]
    asked = next(each for each in client.get("/info").json()["models"] if each["name"] == "runs")
    assert {"/map", "/analogy", "/neighbors/intervals"} <= set(asked["answers"])
    assert asked["description"] == "Runs: 3 x 6 words x 4"


def test_changes(client, models):
    found = post(client, "/changes", old="old", new="new", n=5)
    expected = SemanticChange().measure(models["old"], models["new"])
    assert found["words"] == 80
    assert found["kept"] == pytest.approx(expected.kept.mean())
    assert [each["word"] for each in found["changes"]] == expected.most_changed(5)
    facts = {**expected.facts("w7", 8), "counts": None}  # of the new text none are known
    assert post(client, "/changes", old="old", new="new", word="w7")["changes"][0] == facts
    twice = post(client, "/changes", old="old", new="old", n=200, min_count=20)
    assert sorted(each["counts"][0] for each in twice["changes"]) == list(range(20, 81))
    assert client.post("/changes", json={"old": "old", "new": "senses"}).status_code == 404


def test_bias(client, models):
    sets = [["w1", "w2", "w3"], ["w4", "w5", "none"]], [["w6", "w7"], ["w8", "w9"]]
    found = post(client, "/bias", targets=sets[0], attributes=sets[1])
    expected = weat(models["old"], Query.of(*sets))
    assert found["effect"] == pytest.approx(expected.value)
    assert found["p"] == pytest.approx(expected.p)
    assert found["missing"] == ["none"]
    for sets in ({}, {"test": "weat-99"}, {"targets": [["w1"]], "attributes": [["w2"]]}):
        assert client.post("/bias", json=sets).status_code == 422


def test_explanations(client, models):
    found = post(client, "/explain", text="good film", method="leave-one-out")
    expected = firth.explain(models["labels"], "good film", method="leave-one-out").described()
    assert found["tokens"] == expected["tokens"]
    assert found["target"] == "yes"


def test_what_is_saved(client, tmp_path):
    page = client.get("/export/html?model=new").text
    assert '"more"' in page
    assert "class Scatter" in page
    assert "@" + "data@" not in page
    table = client.get("/export/tsv?model=old").text.splitlines()
    assert len(table) == 80
    assert len(table[0].split("\t")) == 8
    assert client.get("/export/words.tsv?model=old").text.splitlines()[1].split("\t")[0] == "w0"
    (tmp_path / "map.parquet").write_bytes(client.get("/export/parquet?model=old").content)
    exported = firth.load(tmp_path / "map.parquet")
    places = floats(post(client, "/map", model="old")["places"]).reshape(-1, 2)
    np.testing.assert_array_equal(np.stack([exported.attributes[axis] for axis in "xy"], 1), places)
    for path in ("/export/../secret", "/export/exe", "/export/html?model=none", "/%2e%2e/server.py", "/saved.html"):
        assert client.get(path).status_code in (404, 422), path


def test_the_page_has_no_inline_script(client):
    page = client.get("/")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "<script type" in page.text
    assert "onclick" not in page.text
    for name in ("main.js", "scatter.js", "views.js", "dom.js", "api.js", "style.css", "icon.svg"):
        assert client.get(f"/{name}").status_code == 200
        assert "http" not in client.get(f"/{name}").text.replace("http://www.w3.org/2000/svg", "")
