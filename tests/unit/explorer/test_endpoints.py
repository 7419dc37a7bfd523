"""What models of texts answer: requests that are answered together get what each gets alone."""

import json

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")
pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from starlette.testclient import TestClient

import firth
from firth.documents.jsonl import document_json
from firth.explorer.endpoints import ENDPOINTS
from firth.explorer.server import build_app
from firth.pipeline.pipeline import PipelineModel
from tests.unit.neural.models.reading.test_predict_reading_model import made_questions
from tests.unit.pipeline.treebanks import treebank

QUICKLY = firth.TrainingOptions(epochs=1, batch_size=8, lr=0.01)
PAIRS = [("a b c", "x y z"), ("c b", "z y"), ("b", "y")] * 8
LABELLED = [("good fine film", "yes"), ("bad poor film", "no")] * 20
TAGGED = [(["a", "good", "film"], ["O", "O", "B-X"]), (["films"], ["B-X"])] * 4
PATHS = {each.path: each for each in ENDPOINTS}


@pytest.fixture(scope="module")
def models():
    words = {"source_units": "words", "target_units": "words", "hidden": 8, "max_length": 9}
    questions = made_questions(12)
    reader = firth.Reader(dim=6, hidden=4, layers=1, dropout=0.0, max_answer_length=3)
    return {
        "/translate": firth.Translator(**words).train(PAIRS, held_out=PAIRS[:4], training=QUICKLY, progress=False),
        "/summarize": firth.Summarizer(hidden=8, dim=6, max_length=9).train(
            PAIRS, held_out=PAIRS[:4], training=QUICKLY, progress=False
        ),
        "/answer": reader.train(questions, held_out=questions[:4], training=QUICKLY, seed=1, progress=False),
        "/annotate": firth.Tagger(dim=2, char_dim=2, hidden=2, layers=1).train(
            TAGGED, held_out=TAGGED[:2], training=QUICKLY, progress=False
        ),
        "/classify": firth.TextClassifier(epochs=20, dim=8, min_count=1).train(LABELLED, progress=False, threads=1),
        "/score": firth.NgramLM(order=2, discounts=1, discount_fallback=True).train(
            [source for source, _ in PAIRS], progress=False
        ),
    }


TEXTS = [["a b c", "b"], ["c c b"], ["", "a"], ["good film"], ["b"] * 3]
ASKED = {
    "/translate": [{"texts": texts, "attention": n % 2 == 0, "beam": 1 + n % 3} for n, texts in enumerate(TEXTS * 2)],
    "/summarize": [{"texts": texts, "attention": n > 2} for n, texts in enumerate(TEXTS)],
    "/answer": [
        {"question": f"Where does {name} live?", "paragraph": f"Bob lives in Oslo. {name} lives in Rome.", "n": n}
        for name, n in (("Zoe", 1), ("Max", 3), ("Ada", 2))
    ],
    "/annotate": [
        *({"texts": [text for text in texts if text]} for texts in TEXTS),
        *({"texts": ["a 3. B"], **language} for language in ({}, {"language": "de"})),
    ],
    "/classify": [{"texts": texts, "n": 1 + n % 2} for n, texts in enumerate(TEXTS)],
    "/encode": [{"texts": texts} for texts in TEXTS],
    "/score": [{"texts": texts} for texts in TEXTS],
}


def rounded(value):
    return json.loads(json.dumps(value), parse_float=lambda number: round(float(number), 4))


@pytest.mark.parametrize("path", ASKED)
def test_together_is_as_alone(models, path):
    endpoint, model = PATHS[path], models["/classify" if path == "/encode" else path]
    requests = [endpoint.request(**asked) for asked in ASKED[path]]
    model = {"tagger": model} if path == "/annotate" else model
    alone = [rounded(endpoint.answer(model, request)) for request in requests]
    assert rounded(endpoint.together(model, requests)) == alone
    assert [endpoint.size(request) for request in requests] == [len(each.get("texts", "1")) for each in ASKED[path]]


def test_the_language_of_texts_counts(models):
    endpoint, model = PATHS["/annotate"], {"tagger": models["/annotate"]}
    answers = [endpoint.answer(model, endpoint.request(texts=["a 3. B"], language=code)) for code in (None, "de")]
    assert [len(answer["documents"][0]["sentences"]) for answer in answers] == [2, 1]


def test_an_empty_text_takes_no_attention_from_others(models):
    with TestClient(build_app({"mt": models["/translate"]}), base_url="http://localhost") as client:
        found = client.post("/translate", json={"texts": ["", "a b"], "attention": True}).json()
        assert found["attention"][0] is None
        assert found["attention"][1]["source"] == ["a", "b", "</s>"]
        assert client.post("/translate", json={"texts": ["a"]}).json()["attention"] is None


def test_a_pipeline_cuts_the_texts_and_annotates_them(models):
    tokeniser = firth.LearnedTokeniser(epochs=2).train(treebank(20))
    named = {"tagger": models["/annotate"], "fr": PipelineModel(tokeniser, models["/annotate"], None)}
    with TestClient(build_app({"fr": named["fr"]}), base_url="http://localhost") as client:
        found = client.post("/annotate", json={"texts": ["M. Blanc voit le parc du chat."]}).json()
        assert client.post("/annotate", json={"texts": ["a"], "language": "fr"}).status_code == 422
    assert found["models"] == ["fr"]
    (sentence,) = found["documents"][0]["sentences"]
    endpoint = PATHS["/annotate"]
    assert endpoint.answer(named, endpoint.request(texts=["M."]))["models"] == ["fr", "tagger"]
    (document,) = [named["fr"].annotate("M. Blanc voit le parc du chat.")]
    assert found["documents"] == [json.loads(document_json(document))]
    assert sentence
