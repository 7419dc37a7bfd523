"""Vectors of texts in the form of OpenAI's API, as its clients ask for them and read them."""

import base64
import json

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

from starlette.testclient import TestClient

import firth
from firth.explorer.guard import Limits
from firth.explorer.server import build_app

PATH = "/v1/embeddings"


def words(seed):
    rows = np.random.default_rng(seed).standard_normal((3, 4)).astype("f4")
    return firth.WordVectors(["red", "green", "blue"], rows)


@pytest.fixture(scope="module")
def models():
    lm = firth.NgramLM(order=2, discounts=1, discount_fallback=True).train(["a b", "b a"] * 9, progress=False)
    return {"lm": lm, "wiki": words(0), "en/news": words(1)}


@pytest.fixture(scope="module")
def client(models):
    with TestClient(build_app(models), base_url="http://localhost") as client:
        yield client


def ask(client, **request):
    answer = client.post(PATH, json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_texts(client, models):
    found = ask(client, model="en/news", input=["red green", "blue", ""])
    expected = firth.sentence_vectors(models["en/news"], ["red green", "blue", ""], weighting="mean")
    assert [found["object"], found["model"]] == ["list", "en/news"]
    assert [(each["object"], each["index"]) for each in found["data"]] == [("embedding", n) for n in range(3)]
    np.testing.assert_allclose([each["embedding"] for each in found["data"]], expected, rtol=1e-6)
    assert found["usage"] == {"prompt_tokens": 3, "total_tokens": 3}
    (one,) = ask(client, model="en/news", input="blue", user="me", encoding_format="float", dimensions=None)["data"]
    assert one == {**found["data"][1], "index": 0}
    assert ask(client, input="blue")["model"] == "wiki"


def test_base64_and_fewer_dimensions(client):
    numbers = ask(client, input=["red", "green blue"])["data"]
    packed = ask(client, input=["red", "green blue"], encoding_format="base64", dimensions=3)["data"]
    read = [np.frombuffer(base64.b64decode(each["embedding"]), "<f4") for each in packed]
    np.testing.assert_array_equal(read, np.array([each["embedding"][:3] for each in numbers], np.float32))


def test_models(client):
    listed = client.get("/v1/models").json()
    assert listed["object"] == "list"
    assert [each["id"] for each in listed["data"]] == ["wiki", "en/news"]
    assert listed["data"][0]["created"] > 1.7e9
    assert client.get("/v1/models/en/news").json() == listed["data"][1]
    assert client.get("/v1/models/en%2Fnews").json() == listed["data"][1]


@pytest.mark.parametrize(
    ("request_", "status", "param", "said"),
    [
        ({"input": [1, 2]}, 400, "input", "token ids, which are those of another model's tokeniser; expected a text"),
        ({"input": [[1, 2], [3]]}, 400, "input", "check_embedding_ctx_length=False"),
        ({"input": []}, 400, "input", "at least 1 item"),
        ({"input": ["a"] * 2049}, 400, "input", "at most 2048 items"),
        ({"input": {"a": 1}}, 400, "input", "input: expected a text or a list of texts"),
        ({"input": None}, 400, "input", "input: expected a text or a list of texts"),
        ({"input": [None]}, 400, "input", "valid string"),
        ({"input": "\ud800"}, 400, "input", "unable to parse raw data as a unicode string"),
        ({}, 400, "input", "Field required"),
        ({"input": "red", "encoding_format": "hex"}, 400, "encoding_format", "'float' or 'base64'"),
        ({"input": "red", "dimensions": 0}, 400, "dimensions", "greater than or equal to 1"),
        ({"input": "red", "dimensions": 5}, 400, None, "dimensions=5: expected at most 4"),
        ({"input": "red", "texts": ["a"]}, 400, "texts", "no such field; expected some of model, input"),
        ({"input": "red", "model": "lm"}, 404, "model", "no model 'lm' answers here; expected one of wiki, en/news"),
    ],
)  # fmt: skip
def test_mistakes(client, request_, status, param, said):
    answer = client.post(PATH, content=json.dumps(request_).encode())
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (answer.status_code, error["type"], error["param"]) == (status, "invalid_request_error", param)
    assert said in error["message"]
    assert error["code"] == ("model_not_found" if status == 404 else None)


def test_what_is_no_request_is_told_what_is_expected(client):
    for body, said in [
        (b"garbage", "not valid JSON"),
        (b"", "not a JSON object; expected one with fields such as model, input"),
        (b"[1]", "not a JSON object"),
    ]:
        error = client.post(PATH, content=body).json()["error"]
        assert (error["param"], said in error["message"]) == (None, True), error
    many = client.post("/neighbors", json={"words": ["red"] * 100, "n": 1000}).json()["error"]
    assert many.startswith("request: 100 words with 1000 neighbours each")
    assert client.get(PATH).json()["error"]["message"].endswith("expected POST")
    assert client.delete("/neighbors").json()["error"].endswith("expected GET or HEAD or POST")


def test_all_refusals_have_this_form(models):
    def error(answer):
        return answer.status_code, answer.json()["error"]["type"], answer.json()["error"]["code"]

    app = build_app(models, token="secret", limits=Limits(rate=0.5, body=200))
    with TestClient(app, base_url="http://localhost") as client:
        assert error(client.post(PATH, json={"input": "red"})) == (401, "invalid_request_error", "invalid_api_key")
        client.headers["authorization"] = "Bearer secret"
        assert client.post(PATH, json={"input": "red"}).status_code == 200
        assert error(client.post(PATH, json={"input": "red"})) == (429, "rate_limit_error", None)
        client.headers["host"] = "evil.com"
        assert error(client.get("/v1/models")) == (421, "invalid_request_error", None)
    with TestClient(build_app(models, limits=Limits(waiting=0, body=200)), base_url="http://localhost") as client:
        assert error(client.post(PATH, json={"input": "red"})) == (503, "server_error", None)
        assert error(client.post(PATH, json={"input": "x" * 300})) == (413, "invalid_request_error", None)
        assert error(client.post(PATH, content=b"{")) == (400, "invalid_request_error", None)
        assert error(client.get(PATH)) == (405, "invalid_request_error", None)
        assert error(client.get("/v1/none")) == (404, "invalid_request_error", "not_found")
        assert error(client.get("/v1/models/none")) == (404, "invalid_request_error", "model_not_found")
        assert client.get("/none").json()["error"].startswith("no such address")


def test_no_model_gives_vectors(models):
    with TestClient(build_app({"lm": models["lm"]}), base_url="http://localhost") as client:
        assert {client.get(path).status_code for path in ("/v1/models", "/v1/embeddings")} == {404}
