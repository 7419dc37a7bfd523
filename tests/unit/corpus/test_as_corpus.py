"""Everything that trains takes whatever `Corpus.build` takes, and learns the same from it as from the corpus."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

import firth
from firth.corpus.as_corpus import as_corpus, document_options
from firth.embeddings.ngram import characters
from firth.errors import CorpusError, OptionError
from firth.relations.patterns import count_patterns

SENTENCES = [["the", "cat", "sees", "a", "red", "dog"], ["a", "dog", "or", "the", "cat", "sees", "one"]] * 40
TEXTS = [" ".join(sentence) for sentence in SENTENCES]
SHORT: dict[str, Any] = {"dim": 4, "epochs": 1}
WHOLE: dict[str, Any] = {**SHORT, "sample": 0}
QUIET: dict[str, Any] = {"progress": False, "threads": 1}
DOCUMENTS = {"sentences": "text", "keep_empty": True}
TRAINERS: dict[str, tuple[Any, dict[str, Any]]] = {  # what trains, and what its corpus is built with
    "word2vec": (firth.Word2Vec(**WHOLE), {}),
    "fasttext": (firth.FastText(**WHOLE, buckets=100), {}),
    "structured": (firth.StructuredWord2Vec(**WHOLE), {}),
    "glove": (firth.GloVe(**SHORT), {}),
    "associations": (firth.AssociationVectors(dim=4), {}),
    "lsa": (firth.LatentSemanticAnalysis(dim=2), DOCUMENTS),
    "paragraph": (firth.ParagraphVectors(**WHOLE), DOCUMENTS),
    "ngram": (firth.NgramVectors(dim=4), {"tokens": characters, "min_count": 1}),
    "multisense": (firth.MultiSenseSkipGram(**WHOLE), {}),
    "adagram": (firth.AdaGram(**WHOLE), {}),
    "sense clusters": (firth.SenseClusters(**WHOLE), {}),
    "n-grams": (firth.NgramLM(order=2, discount_fallback=True), {"unknown": "<unk>"}),
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))


def train(trainer: Any, source: Any, **options: Any) -> Any:
    return trainer.train(source, **QUIET, **options)


def figures(name: str, made: Any) -> list[Any]:
    """What a model has learned, as plain numbers."""
    if name == "n-grams":
        return [made.perplexity(TEXTS, progress=False).value]
    return [list(getattr(made, "words", ())), made.vectors.tolist()]


@pytest.mark.parametrize("name", TRAINERS)
def test_the_same_from_a_text_as_from_its_corpus(name: str, tmp_path: Path) -> None:
    trainer, options = TRAINERS[name]
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXTS), encoding="utf-8")
    whole = figures(name, train(trainer, firth.Corpus.build(TEXTS, **options)))
    for source in (TEXTS, (text for text in TEXTS), path, polars.Series(TEXTS), pandas.DataFrame({"body": TEXTS})):
        assert figures(name, train(trainer, source)) == whole, type(source)
    frame = pandas.DataFrame({"title": TEXTS[::-1], "body": TEXTS})
    assert figures(name, train(trainer, frame, column="body")) == whole
    if name != "ngram":  # whose tokens are characters
        assert figures(name, train(trainer, SENTENCES)) == whole
    with pytest.raises(CorpusError, match="a table with the columns title, body; name the one to read with column="):
        train(trainer, frame)


@pytest.mark.parametrize("name", TRAINERS)
def test_what_is_no_text(name: str) -> None:
    trainer, _ = TRAINERS[name]
    for source, message in (
        (3, "found int 3; expected a path, .* a table, or an iterable of texts or of token lists"),
        (None, "found NoneType None"),
        ([1, 2], "item 0 is int 1"),
        ([], "the list gave nothing"),
        ("the cat sees a red dog and a dog", "pass texts as a list of strings"),
    ):
        with pytest.raises(CorpusError, match=message):
            train(trainer, source)


@pytest.mark.parametrize("name", TRAINERS)
def test_options_of_the_text(name: str) -> None:
    trainer, options = TRAINERS[name]
    least = {**options, "min_count": 50}
    assert figures(name, train(trainer, TEXTS, min_count=50)) == figures(
        name, train(trainer, firth.Corpus.build(TEXTS, **least))
    )
    with pytest.raises(OptionError, match="min_count given with a corpus that is built already"):
        train(trainer, firth.Corpus.build(TEXTS, **options), min_count=1)
    with pytest.raises(OptionError, match="thread=2: not an argument of train; use threads"):
        train(trainer, TEXTS, thread=2)


def test_every_train_is_covered() -> None:
    """What trains on a corpus, by its signature, is in the table above or in a test of its own."""
    takes_text = {
        name
        for name in firth.__all__
        if inspect.isclass(getattr(firth, name)) and "corpus" in _parameters(getattr(firth, name))
    }
    # Those of neural models are tested in their own folders.
    neural = {name for name in takes_text if firth._MODULES[name].startswith("firth.neural.")}
    elsewhere = {"Cluster"}  # of a cluster: tests/cluster
    assert takes_text - neural - elsewhere == {type(trainer).__name__ for trainer, _ in TRAINERS.values()}
    assert {"FeedForwardLM", "LogBilinearLM", "RecurrentLM", "TransformerLM"} <= neural


def _parameters(kind: type) -> set[str]:
    method = getattr(kind, "train", None)
    return set() if method is None else set(inspect.signature(method).parameters)


def test_neural_language_models() -> None:
    how = firth.RecurrentLM(dim=4, hidden=4, layers=1)
    once = firth.TrainingOptions(epochs=1, batch_size=2)
    corpus = firth.Corpus.build(TEXTS, unknown="<unk>")
    whole = how.train(corpus, training=once, **QUIET).perplexity(TEXTS, progress=False).value
    for source in (TEXTS, SENTENCES, pandas.DataFrame({"id": range(len(TEXTS)), "body": TEXTS})):
        model = how.train(source, training=once, tokens="unicode", **QUIET)
        assert model.perplexity(TEXTS, progress=False).value == whole
    units = [how.train(source, training=once, **QUIET).rules.unit for source in (TEXTS, SENTENCES)]
    assert units == ["subwords", "words"]
    with pytest.raises(OptionError, match="thread=2: not an argument of train; use threads"):
        how.train(TEXTS, thread=2)


def test_phrases_counts_and_patterns() -> None:
    corpus = firth.Corpus.build(TEXTS, min_count=1)
    phrases = firth.Phrases(threshold=1.0)
    table = phrases.learn(TEXTS, progress=False)
    assert list(table) == list(phrases.learn(corpus, progress=False)) != []
    assert list(table.apply(iter(TEXTS), progress=False)) == list(table.apply(corpus, progress=False))
    counts = firth.Cooccurrence(window=2).count(SENTENCES, progress=False)
    kept = firth.Corpus.build(SENTENCES)
    assert counts.fingerprint == firth.Cooccurrence(window=2).count(kept, progress=False).fingerprint
    assert counts["cat", "sees"] > 0
    with pytest.raises(OptionError, match="min_count given with counts"):
        firth.GloVe(**SHORT).train(counts, min_count=2, **QUIET)
    found = count_patterns(TEXTS, ["X or the Y"], progress=False)
    assert found.partners("dog")[0] == ["cat"]


def test_a_list_is_read_anew_and_equal_ones_share_a_corpus() -> None:
    texts = ["a b c a b c"] * 9
    first = as_corpus(texts, {"min_count": 1})
    assert as_corpus(list(texts), {"min_count": 1}).path == first.path
    texts.append("d e f")
    second = as_corpus(texts, {"min_count": 1})
    assert second.path != first.path
    assert "d" in second.vocabulary


def test_a_generator_that_was_gone_through() -> None:
    def lines() -> Iterator[str]:
        yield from TEXTS

    spent = lines()
    firth.Word2Vec(**WHOLE).train(spent, **QUIET)
    with pytest.raises(CorpusError, match="a generator that was gone through before"):
        firth.Word2Vec(**WHOLE).train(spent, **QUIET)


def test_what_a_document_is(tmp_path: Path) -> None:
    lines = {"sentences": "line", "keep_empty": True}
    assert document_options("a.txt") == document_options(Path("a.txt.gz")) == document_options("-") == lines
    for source in (tmp_path, "a.csv", "*.txt", ["a.txt", "b.txt"], TEXTS, pandas.DataFrame({"text": TEXTS})):
        assert document_options(source) == DOCUMENTS
    with pytest.warns(UserWarning, match="1 of 8 documents"):
        found = firth.ParagraphVectors(**WHOLE).train(
            pandas.Series(["a b\na b"] * 6 + ["c", "a b"]), min_count=2, **QUIET
        )
    assert len(found) == 8
