"""The server against its own OpenAPI document: requests that it allows, and many that it does not, never fail inside.

The server runs as it does for users, a process that is asked over HTTP. Needs `pip install 'firth[browser]'`.
"""

import re

import numpy as np
import pytest

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed: pip install 'firth[browser]'")
pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import firth
from tests.browser.served import explorer

pytestmark = pytest.mark.browser
CHECKS = [
    schemathesis.checks.not_a_server_error, status_code_conformance, content_type_conformance,
    response_schema_conformance,
]  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    where = tmp_path_factory.mktemp("served")
    random = np.random.default_rng(0)
    lines = [" ".join(random.choice(["cat", "dog", "mat", "sat"], 5)) for _ in range(300)]
    for name in ("one", "two"):
        rows = random.standard_normal((30, 4))
        firth.WordVectors(["cat", "dog", *(f"w{n}" for n in range(28))], rows).save(where / f"{name}.firth")
    firth.NgramLM(order=2, discounts=1, discount_fallback=True).train(lines, progress=False).save(where / "lm.firth")
    labelled = [(line, "dogs" if "dog" in line else "none") for line in lines]
    firth.TextClassifier(epochs=2, dim=4).train(labelled, progress=False, threads=1).save(where / "labels.firth")
    (where / "texts.txt").write_text("\n".join(lines[:50]), encoding="utf-8")
    models = ("one.firth", "two.firth", "lm.firth", "labels.firth")
    with explorer(where, *models, "--corpus", "texts.txt", "--texts", "texts.txt") as address:
        yield address


def test_every_answer_is_one_that_the_document_names(address):
    operations = [each.ok() for each in schemathesis.openapi.from_url(f"{address}/openapi.json").get_all_operations()]
    assert len(operations) > 25
    answers = {status for operation in operations for status in statuses(operation)}
    assert answers >= {("/neighbors", 200), ("/score", 200), ("/map", 200), ("/info", 200), ("/v1/models", 200)}


def statuses(operation):
    """Ask an address many things, check every answer, and return the path with each status that was answered.

    Slow maps are not asked for: each takes a process for a while.
    """
    answered = set()

    @settings(
        max_examples=20, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )  # fmt: skip
    @given(operation.as_strategy())
    def asked(case):
        if not re.search("umap|tsne", f"{case.query}{case.body}"):
            answer = case.call(timeout=30)
            case.validate_response(answer, checks=CHECKS)
            answered.add((operation.path, answer.status_code))

    asked()
    return answered
