"""The server: what it answers is what the models answer; no request makes it fail."""

import socket
import threading
import time

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

import uvicorn
from starlette.testclient import TestClient

import firth
from firth.errors import OptionError
from firth.explorer.endpoints import ENDPOINTS
from firth.explorer.guard import Limits
from firth.explorer.server import build_app, serve_app

WORDS = [f"w{number}" for number in range(60)]
LINES = ["the cat sat on the mat", "the dog sat on the log", "a cat and a dog ate"] * 10


def vectors(seed=0, words=WORDS):
    return firth.WordVectors(words, np.random.default_rng(seed).standard_normal((len(words), 8)).astype("f4"))


@pytest.fixture(scope="module")
def models():
    labelled = [("good fine film", "yes"), ("bad poor film", "no")] * 20
    return {
        "small": vectors(),
        "other": vectors(1, [*WORDS, "<b>&\u202e'\"\x00"]),
        "lm": firth.NgramLM(order=3, discounts=1, discount_fallback=True).train(LINES, progress=False),
        "labels": firth.TextClassifier(epochs=20, dim=8, min_count=1).train(labelled, progress=False, threads=1),
    }


@pytest.fixture(scope="module")
def client(models):
    with TestClient(build_app(models), base_url="http://localhost:8000") as client:
        yield client


def post(client, path, **request):
    answer = client.post(path, json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_neighbors_are_those_of_the_vectors(client, models):
    found = post(client, "/neighbors", words=["w3", "nothing", "w9"], n=4, among=30)
    assert found["model"] == "small"
    expected = [models["small"].most_similar(word, topn=4, restrict_vocab=30) for word in ("w3", "w9")]
    first, unknown, last = found["results"]
    for answer, pairs in zip((first, last), expected, strict=True):
        assert answer["known"]
        assert [each["word"] for each in answer["neighbors"]] == [word for word, _ in pairs]
        assert [each["similarity"] for each in answer["neighbors"]] == pytest.approx([score for _, score in pairs])
    assert unknown == {"word": "nothing", "known": False, "neighbors": [], "suggestions": unknown["suggestions"]}
    assert client.get("/neighbors?words=w3&words=nothing&words=w9&n=4&among=30").json() == found


def test_sums_and_similarities(client, models):
    other = models["other"]
    found = post(client, "/analogy", model="other", positive=["w1", "w2"], negative=["w3"], n=5)
    expected = other.most_similar(["w1", "w2"], ["w3"], topn=5)
    assert [each["word"] for each in found["neighbors"]] == [word for word, _ in expected]
    found = post(client, "/similarity", model="other", words=["w1", "none", "w2"])["similarities"]
    assert found[0][2] == pytest.approx(other.similarity("w1", "w2"))
    assert found[0][1] is None
    assert found[0][0] == pytest.approx(1)
    assert client.post("/analogy", json={"positive": ["none"]}).status_code == 404


def test_methods(client):
    answer = client.put("/neighbors")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD, POST"
    assert client.post("/info").headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "path", ["/", "/info", "/health", "/openapi.json", "/neighbors?words=w1", "/neighbors", "/none"]
)
def test_head_is_get_without_the_body(client, path):
    got, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (got.status_code, b"")
    assert dict(head.headers) == dict(got.headers)


def test_head_of_the_page(models):
    with TestClient(build_app(models, page=True), base_url="http://localhost") as client:
        for path in ("/", "/main.js", "/export/html?model=small"):
            assert int(client.head(path).headers["content-length"]) == len(client.get(path).content) > 1000


def test_texts(client, models):
    texts = ["the cat sat", "zebra", ""]
    np.testing.assert_allclose(
        post(client, "/encode", model="labels", texts=texts)["vectors"], models["labels"].encode(texts), rtol=1e-6
    )
    means = post(client, "/encode", texts=["w1 w2"])["vectors"]
    np.testing.assert_allclose(means, firth.sentence_vectors(models["small"], ["w1 w2"], weighting="mean"), rtol=1e-6)
    labels = post(client, "/classify", texts=["good film", "bad"], n=2)["results"]
    assert [[each["label"] for each in some] for some in labels] == [["yes", "no"], ["no", "yes"]]
    scores = post(client, "/score", texts=texts)["results"]
    for found, expected in zip(scores, models["lm"].score(texts), strict=True):
        assert found["tokens"] == list(expected.tokens)
        assert found["log_probs"] == pytest.approx(expected.log_probs.tolist())
        assert found["perplexity"] == pytest.approx(expected.perplexity)
    words = post(client, "/next", prompt="the cat", n=3)["words"]
    assert [(each["word"], each["probability"]) for each in words] == models["lm"].next_words("the cat", 3)


def test_generation_is_that_of_the_seed(client, models):
    options = firth.GenerationOptions(max_length=6, temperature=0.5)
    expected = models["lm"].generate("the", 3, options, seed=5)
    found = post(client, "/generate", prompt="the", n=3, max_length=6, temperature=0.5, seed=5)
    assert found["texts"] == expected
    bad = client.post("/generate", json={"min_length": 9, "max_length": 3})
    assert bad.status_code == 422
    assert "min_length=9: expected less than max_length=3" in bad.json()["error"]


def test_what_the_models_cannot_answer_has_no_address(client):
    info = client.get("/info").json()
    words = [
        "/neighbors", "/analogy", "/similarity", "/encode", "/v1/embeddings", "/words", "/map", "/axes", "/changes",
        "/bias",
    ]  # fmt: skip
    assert {each["name"]: each["answers"] for each in info["models"]} == {
        "small": words,
        "other": words,
        "lm": ["/score", "/next", "/generate"],
        "labels": ["/encode", "/classify", "/v1/embeddings", "/explain"],
    }
    assert client.post("/translate", json={"texts": ["a"]}).status_code == 404
    document = client.get("/openapi.json").json()
    assert set(document["paths"]) == {
        "/neighbors", "/analogy", "/similarity", "/encode", "/words", "/map", "/axes", "/changes", "/bias",
        "/classify",
        "/explain", "/score", "/next", "/generate", "/info", "/health", "/metrics", "/v1/embeddings", "/v1/models",
        "/v1/models/{name}",
    }  # fmt: skip
    assert client.post("/neighbors", json={"model": "lm", "words": ["a"]}).status_code == 404
    with pytest.raises(OptionError, match="Phrases, none of which answers a request"):
        build_app({"other": firth.Phrases()})


def test_hostile_words_come_back_as_they_are(client):
    word = "<b>&\u202e'\"\x00"
    found = post(client, "/neighbors", model="other", words=[word], n=1)
    assert found["results"][0]["word"] == word
    assert "application/json" in client.get("/info").headers["content-type"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"words": ["a"], "n": NaN}', 422),
        (b'{"words": ["\\ud800"]}', 422),
        (b'{"words": ["' + b"x" * 5000 + b'"]}', 422),
        (b'{"words": []}', 422),
        (b'{"words": ["a"], "n": 1e400}', 422),
        (b'{"words": ["a"], "n": 100000000000000000000000}', 422),
        (b'{"words": ["a"], "among": 0}', 422),
        (b'{"words": ["a"], "path": "/etc/passwd"}', 422),
        (b'{"words": "a"}', 422),
        (b"[" * 100_000, 400),
        (b"\xff\xfe", 400),
        (b"", 422),
        (b"null", 422),
        (b'{"words": ["a"]', 422),
    ],
)
def test_requests_that_are_none(client, body, status):
    answer = client.post("/neighbors", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (status, 400, 422), answer.text
    assert set(answer.json()) == {"error"}
    assert len(answer.text) < 2000


@pytest.mark.parametrize(
    ("path", "request_", "said"),
    [
        ("/neighbors", {"words": ["w1"], "topn": 3}, "topn: no such field; did you mean n?"),
        ("/neighbors", {"word": "w1"}, "word: no such field; did you mean words?"),
        ("/neighbors", {"words": ["w1"], "amung": 3}, "amung: no such field; did you mean among?"),
        ("/neighbors", {"words": ["w1"], "zzz": 3}, "zzz: no such field; expected some of model, words, n, among"),
        ("/neighbors", {"words": ["w1"] * 100, "n": 1000}, "expected 20,000 in all"),
        ("/bias", {}, "expected test, or two sets of targets and two of attributes, none of them empty"),
        ("/bias", {"targets": [["w1"], []], "attributes": [["w2"], ["w3"]]}, "none of them empty"),
    ],
)
def test_mistakes_are_explained(client, path, request_, said):
    answer = client.post(path, json=request_)
    assert answer.status_code == 422
    assert said in answer.json()["error"]


def test_a_body_that_is_no_json(client):
    said = client.post("/neighbors", content=b'{"words": [}').json()["error"]
    assert said.startswith("the body is not valid JSON: ")
    assert said.endswith("character 11")


def test_addresses_that_are_none(client):
    assert "did you mean /neighbors?" in client.get("/neighbor").json()["error"]
    assert client.get("/translate").json()["error"].startswith("none of the models here answers /translate")
    assert client.get("/nothing-like-it").json()["error"].startswith("no such address; /info says")
    assert client.get("/neighbours?words=w1&n=2").json() == client.get("/neighbors?words=w1&n=2").json()
    assert "/neighbours" not in client.get("/openapi.json").json()["paths"]
    assert "/openapi.json" in client.get("/").json()["info"]


def test_a_server_computes_no_slow_maps(client):
    answer = client.get("/map?method=umap")
    assert (answer.status_code, "expected pca" in answer.json()["error"]) == (422, True)


def test_words_that_utf8_cannot_hold():
    rows = np.eye(4, dtype=np.float32)
    space = firth.WordVectors(
        ["a", "b", "\ud800", "c"], rows, attributes={"kind": np.array(["\udfff", "", "", ""], object)}
    )
    with TestClient(build_app({"one": space}), base_url="http://localhost") as client:
        assert "?" in client.get("/map").json()["words"]
        assert "?" in [each["word"] for each in client.get("/neighbors?words=a").json()["results"][0]["neighbors"]]


def test_a_model_that_stops_its_iteration_stops_nothing_else():
    class Stopping(firth.WordVectors):
        def most_similar(self, *args, **options):
            return next(iter(()))

    space = Stopping(["a", "b", "c"], np.eye(3, dtype=np.float32))
    with TestClient(build_app({"one": space}), base_url="http://localhost", raise_server_exceptions=False) as client:
        assert client.post("/analogy", json={"positive": ["a"]}).status_code == 500
        assert client.post("/similarity", json={"words": ["a", "b"]}).status_code == 200


def test_counts(client):
    before = client.get("/metrics").text
    client.get("/neighbors?words=w1")
    client.get("/whatever")
    text = client.get("/metrics").text
    assert 'firth_requests_total{method="GET",path="other",status="404"}' in text
    assert "/whatever" not in text

    def of(text):
        line = 'firth_requests_total{method="GET",path="/neighbors",status="200"} '
        return next((float(each.removeprefix(line)) for each in text.splitlines() if each.startswith(line)), 0.0)

    assert of(text) == of(before) + 1


class Slow(firth.WordVectors):
    """Waits before it answers."""

    entered = threading.Event()

    def most_similar(self, *arguments, **options):
        self.entered.set()
        time.sleep(0.6)
        return super().most_similar(*arguments, **options)


def test_a_slow_model_holds_up_no_other_and_is_given_up():
    slow = Slow(WORDS, np.random.default_rng(0).standard_normal((60, 8)).astype("f4"))
    app = build_app({"slow": slow, "quick": vectors()}, limits=Limits(seconds=0.2))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        answers = []
        thread = threading.Thread(target=lambda: answers.append(client.get("/analogy?model=slow&positive=w1")))
        thread.start()
        assert slow.entered.wait(10)
        began = time.monotonic()
        assert client.get("/neighbors?model=quick&words=w1").status_code == 200
        assert time.monotonic() - began < 0.4
        thread.join()
    assert answers[0].status_code == 504
    assert answers[0].json() == {"error": "no answer in 0.2 s"}


def test_too_many_wait():
    slow = Slow(WORDS, np.random.default_rng(0).standard_normal((60, 8)).astype("f4"))
    with TestClient(build_app({"slow": slow}, limits=Limits(waiting=0)), base_url="http://127.0.0.1") as client:
        answer = client.get("/analogy?positive=w1")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"


def test_addresses_that_are_taken_or_of_others():
    """That it serves and ends is tested with the command, in a process of its own."""
    app = build_app({"small": vectors()})
    message = "another program listens there: --port 0 takes a free port"
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OptionError, match=message):
        serve_app(app, port=taken.getsockname()[1], log=False)
    with pytest.raises(OptionError, match=r"192\.0\.2\.1, port 0: "):
        serve_app(app, host="192.0.2.1", port=0, log=False)


def test_every_address_is_described():
    assert len({each.path for each in ENDPOINTS}) == len(ENDPOINTS)
    for each in ENDPOINTS:
        assert each.answer.__doc__
        for path in each.classes:
            module, _, name = path.partition(":")
            home = pytest.importorskip(module, reason="PyTorch is not installed: pip install 'firth[neural]'")
            assert hasattr(home, name), path


def test_answers_do_not_wait_for_acknowledgements(monkeypatch):
    options = []

    def run(self, sockets):
        (listening,) = sockets
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            options.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            accepted.close()

    monkeypatch.setattr(uvicorn.Server, "run", run)
    space = firth.WordVectors(["a", "b"], np.eye(2, dtype=np.float32))
    serve_app(build_app({"one": space}), port=0, log=False)
    assert options != [0]
    assert len(options) == 1
