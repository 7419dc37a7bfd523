"""What users ask the search of the site leads to the page that shows how."""

import re

import pytest

from tests.site.ranking import SITE, Search

pytest.importorskip("material", reason="mkdocs-material is not installed: pip install 'firth[docs]'")
pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed: pip install 'firth[docs]'")
pytestmark = pytest.mark.slow

QUESTIONS = {  # one of these pages must be among the first three
    "how do I load GloVe vectors": "tasks/files",
    "save model": "tasks/files",
    "convert vectors to text format": "tasks/files",
    "open word2vec bin": "tasks/files",
    "online training": "tasks/train",
    "continue training with new text": "tasks/train",
    "train word2vec": "tasks/train",
    "explorer": "tasks/explore",
    "stop words": "tasks/words",
    "lowercase": "tasks/words",
    "chinese text": "tasks/words",
    "install": "getting-started",
    "install on windows": "getting-started",
    "which model should I use": "which-model",
    "most similar words": "tasks/query",
    "analogy king queen": "tasks/query",
    "cosine similarity of two words": "tasks/query",
    "fast nearest neighbours": "tasks/neighbours",
    "read csv file": "tasks/corpus",
    "corpus larger than memory": "tasks/corpus",
    "concordance": "tasks/concordance",
    "keywords of a text": "tasks/keywords",
    "collocations": "tasks/keywords",
    "bpe": "tasks/tokenise",
    "bigrams new york": "tasks/phrases",
    "unknown words": "tasks/subwords tutorials/unseen-words",
    "doc2vec": "tasks/documents",
    "sentence embeddings": "tasks/sentences",
    "semantic search": "tasks/sentences",
    "find near duplicates": "tasks/sentences",
    "classify texts": "tasks/classify",
    "sentiment analysis": "tasks/classify",
    "named entity recognition": "tasks/tagging",
    "part of speech tagging": "tasks/tagging",
    "dependency parser": "tasks/parsing",
    "coreference": "tasks/coreference",
    "translate": "tasks/translation tutorials/translate",
    "summarize": "tasks/summaries",
    "question answering": "tasks/reading",
    "perplexity": "tasks/language-models",
    "generate text": "tasks/language-models",
    "pretrain BERT": "tasks/pretraining",
    "evaluate vectors": "tasks/evaluate",
    "confidence intervals": "tasks/runs",
    "gender bias": "tasks/bias",
    "semantic change over time": "tasks/align",
    "plot a map of words": "tasks/plot tutorials/map",
    "t-SNE": "tasks/plot",
    "docker": "tasks/serve",
    "REST API": "tasks/serve",
    "jupyter notebook": "tasks/notebooks",
    "scikit-learn pipeline": "tasks/scikit-learn",
    "use a GPU": "tasks/neural-training",
    "migrate from gensim": "migrate/gensim",
    "same results every time": "reproducibility",
    "how much memory does it need": "cost",
    "polars dataframe": "tasks/exchange",
}


@pytest.fixture(scope="module")
def search(site) -> Search:
    return Search(site / "search" / "search_index.json")


def test_questions_of_users_lead_to_the_page_that_shows_how(search):
    assert len(QUESTIONS) >= 50
    first = {question: [page.strip("/") for page in search.pages(question)[:3]] for question in QUESTIONS}
    wrong = {question: found for question, found in first.items() if not set(QUESTIONS[question].split()) & set(found)}
    assert wrong == {}


def test_decisions_and_benchmarks_stay_out_of_the_search(search):
    folders = {doc["location"].partition("/")[0] for doc in search.docs}
    assert folders & {"benchmarks", "decisions", "CHANGELOG"} == set()
    assert folders >= {"tasks", "tutorials", "migrate", "methods", "api"}


def test_the_worker_takes_common_words_out_of_a_question(site, search):
    (worker,) = (site / "assets" / "javascripts" / "workers").glob("search.*.min.js")
    content = worker.read_text(encoding="utf-8")
    assert content.startswith((SITE / "search.js").read_text(encoding="utf-8"))
    assert "event.data.type !== 2" in content
    assert re.search(r"case 2:\w*[^;]*\w\.data", content)  # the number of a query in the theme
    assert search.terms("How do I load GloVe vectors?") == ["load", "glove", "vector"]
    assert search.terms("what is it") == ["what", "is", "it"]
