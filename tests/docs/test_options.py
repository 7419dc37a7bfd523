"""Options are written once, in the code; the tables of the documentation repeat them word for word."""

import dataclasses
from pathlib import Path

import pytest

import firth
from firth.corpus.options import CorpusOptions
from firth.postprocess import CounterFitting

TASKS = Path(__file__).resolve().parents[2] / "docs" / "tasks"


def table(options: type) -> str:
    """The options of a dataclass as the documentation shows them."""
    fields = dataclasses.fields(options)
    rows = [f"| `{field.name}` | `{field.default!r}` | {field.metadata['help']} |" for field in fields]
    return "\n".join(["| option | default | meaning |", "|---|---|---|", *rows])


@pytest.mark.parametrize(
    ("page", "options"),
    [
        ("train", firth.Word2Vec),
        ("corpus", CorpusOptions),
        ("documents", firth.ParagraphVectors),
        ("classify", firth.TextClassifier),
        ("structured", firth.StructuredWord2Vec),
        ("subwords", firth.FastText),
        ("count", firth.Cooccurrence),
        ("count", firth.AssociationVectors),
        ("count", firth.GloVe),
        ("count", firth.LatentSemanticAnalysis),
        ("count", firth.NgramVectors),
        ("ngrams", firth.NgramLM),
        ("phrases", firth.Phrases),
        ("phrases", firth.TensorIndexing),
        ("postprocess", CounterFitting),
    ],
)
def test_table_repeats_the_options(page, options):
    expected = table(options)
    assert expected in (TASKS / f"{page}.md").read_text(encoding="utf-8"), f"expected:\n{expected}"
