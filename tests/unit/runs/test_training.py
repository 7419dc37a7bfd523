import os
import signal

import numpy as np
import pytest

import firth
from firth.errors import ArgumentTypeError, CorpusError, OptionError
from firth.runs.samples import sampled
from firth.runs.training import Plan
from firth.storage.files import cache_folder
from firth.storage.partial import partial_folder
from firth.workers import lending
from tests.here_workers import HereWorkers

MODELS = {
    "word2vec": firth.Word2Vec(dim=4, epochs=1, sample=0),
    "hierarchical": firth.Word2Vec(dim=4, epochs=1, sample=0, objective="hierarchical"),
    "structured": firth.StructuredWord2Vec(dim=4, epochs=1, sample=0),
    "fasttext": firth.FastText(dim=4, epochs=1, sample=0, buckets=100),
    "glove": firth.GloVe(dim=4, epochs=1),
    "ppmi": firth.AssociationVectors(dim=4),
    "lsa": firth.LatentSemanticAnalysis(dim=4),
}


def matrices(runs):
    return [run.vectors for run in runs]


def equal(one, other):
    return len(one) == len(other) and all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_the_same_bits_with_any_number_of_threads(name, corpus):
    one, three = (firth.bootstrap(MODELS[name], corpus, runs=3, seed=5, threads=threads) for threads in (1, 3))
    assert equal(matrices(one), matrices(three))
    assert not np.array_equal(one[0].vectors[:5], one[1].vectors[:5])


@pytest.mark.parametrize("name", ["word2vec", "glove"])
def test_workers_of_a_cluster_train_the_same_bits(name, corpus, tmp_path):
    here = firth.bootstrap(MODELS[name], corpus, runs=3, seed=5, threads=2)
    workers = HereWorkers()
    with lending(workers):
        there = firth.bootstrap(MODELS[name], corpus, runs=2, seed=5, checkpoint=tmp_path / "r")
        assert workers.pieces == 2
        there = firth.bootstrap(MODELS[name], corpus, runs=3, seed=5, checkpoint=tmp_path / "r")
    assert workers.pieces == 3
    assert equal(matrices(there), matrices(here))
    assert [run.counts.tolist() for run in there] == [run.counts.tolist() for run in here]


def test_ctrl_c_keeps_the_runs_that_workers_have_finished(corpus, model, tmp_path):
    class Interrupted(HereWorkers):
        def map(self, function, pieces, *shared):
            for result in super().map(function, pieces, *shared):
                if self.pieces == 2:
                    os.kill(os.getpid(), signal.SIGTERM)
                yield result

    with lending(Interrupted()), pytest.warns(UserWarning, match="^interrupted: 1 of 3 runs are finished and kept"):
        runs = firth.bootstrap(model, corpus, runs=3, seed=1, checkpoint=tmp_path / "r")
    assert runs.numbers == [1]
    assert equal(matrices(runs), matrices(firth.bootstrap(model, corpus, runs=2, seed=1))[:1])


def test_a_run_is_a_training_on_its_sample(corpus, model, tmp_path):
    runs = firth.bootstrap(model, corpus, runs=2, seed=5)
    plan = Plan.make(model, corpus, 2, "documents", 5, 1, False, {})
    trained = model.train(sampled(corpus, plan.run_seed(2), tmp_path), seed=plan.run_seed(2), threads=1)
    words = [word for word, count in zip(trained.words, trained.counts, strict=True) if count]
    assert runs[1].words == words
    assert runs[1].counts.tolist() == [count for count in trained.counts.tolist() if count]
    steps = np.abs(trained.get_vector(words)).max(axis=1, keepdims=True) / 127
    assert (np.abs(runs[1].vectors - trained.get_vector(words)) <= 0.51 * steps).all()


def test_a_run_is_the_same_among_more(corpus, model):
    assert equal(
        matrices(firth.bootstrap(model, corpus, runs=4, seed=1))[:2],
        matrices(firth.bootstrap(model, corpus, runs=2, seed=1)),
    )


def test_without_samples_all_words_stay(corpus, model):
    runs = firth.bootstrap(model, corpus, runs=2, resample="none", seed=1)
    assert [run.words for run in runs] == [list(corpus.vocabulary.words)] * 2
    assert not np.array_equal(runs[0].vectors, runs[1].vectors)


def test_it_goes_on_where_it_was(corpus, model, tmp_path):
    whole = firth.bootstrap(model, corpus, runs=4, seed=1)
    firth.bootstrap(model, corpus, runs=2, seed=1, checkpoint=tmp_path / "r")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "r").glob("run-*/model.safetensors")}
    more = firth.bootstrap(model, corpus, runs=4, seed=1, checkpoint=tmp_path / "r")
    assert equal(matrices(more), matrices(whole))
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert equal(matrices(firth.load(tmp_path / "r")), matrices(whole))


def test_ctrl_c_keeps_finished_runs(corpus, model, tmp_path):
    sent = []

    def interrupt(status):
        if "1/3" in status.stage and not sent:
            sent.append(os.kill(os.getpid(), signal.SIGINT))

    slow = firth.Word2Vec(dim=8, epochs=100, sample=0)
    with pytest.warns(
        UserWarning, match=r"^interrupted: 1 of 3 runs are finished and kept; the same call goes on"
    ) as said:
        runs = firth.bootstrap(slow, corpus, runs=3, seed=1, threads=1, progress=interrupt, checkpoint=tmp_path / "r")
    assert len(said) == 1
    assert runs.numbers == [1]
    assert repr(firth.load(tmp_path / "r")).startswith("<Runs: 1 of 3 x ")


def test_ctrl_c_before_the_first_run(corpus, tmp_path):
    sent = []

    def interrupt(status):
        if not sent:
            sent.append(os.kill(os.getpid(), signal.SIGINT))

    with pytest.raises(KeyboardInterrupt):
        firth.bootstrap(firth.Word2Vec(dim=8, epochs=10_000), corpus, runs=2, threads=1, progress=interrupt)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_samples_leave_nothing_behind(corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))
    firth.bootstrap(MODELS["ppmi"], corpus, runs=2, seed=1)
    assert list(cache_folder("samples").iterdir()) == []
    assert not cache_folder("cooccurrences").exists()


def test_what_a_killed_process_left_is_removed(corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))
    cache_folder("samples").mkdir()
    with partial_folder(cache_folder("samples") / "sample") as folder:
        left = folder.name
    (cache_folder("samples") / left).mkdir()
    firth.bootstrap(MODELS["word2vec"], corpus, runs=2, seed=1)
    assert list(cache_folder("samples").iterdir()) == []


def test_a_folder_that_cannot_be_written(corpus, tmp_path, monkeypatch):
    (tmp_path / "samples").write_text("in the way")
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))
    with pytest.raises(CorpusError, match=r"a sample cannot be written to .*samples.*FIRTH_CACHE"):
        firth.bootstrap(MODELS["word2vec"], corpus, runs=2, seed=1)


def test_options_by_the_size_of_the_text_are_those_of_the_whole(corpus, caplog):
    with caplog.at_level("INFO", "firth"):
        runs = firth.bootstrap(firth.Word2Vec(dim=4), corpus, runs=3, seed=1)
    trained = [run.metadata["training"]["options"] for run in runs]
    assert trained[0] == trained[1] == trained[2]
    assert caplog.text.count("chosen for") == 1


def test_an_error_of_a_run_is_that_of_the_call(corpus):
    with pytest.raises(firth.errors.DivergenceError):
        firth.bootstrap(firth.Word2Vec(dim=4, epochs=40, lr=1e6, sample=0), corpus, runs=4, threads=2)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"runs": 1}, OptionError, "runs=1: expected a whole number of at least 2"),
        ({"resample": "halves"}, OptionError, "expected 'documents' or 'none'"),
        ({"seed": -1}, OptionError, "seed=-1"),
        ({"threads": 0}, OptionError, "threads=0"),
        (
            {"model": firth.AdaGram(dim=4)},
            OptionError,
            "AdaGram learns SenseVectors: expected a model that learns word",
        ),
        ({"model": firth.Word2Vec}, ArgumentTypeError, "the options of a model"),
        ({"model": "skipgram"}, ArgumentTypeError, "the options of a model"),
    ],
)
def test_wrong_arguments(arguments, error, said, corpus, model):
    with pytest.raises(error, match=said):
        firth.bootstrap(**{"model": model, "corpus": corpus, **arguments})


def test_the_same_lines_in_other_documents_are_other_runs(model, tmp_path):
    lines = ["a b c d"] * 60
    one, other = (["\n".join(lines[i : i + n]) for i in range(0, 60, n)] for n in (2, 2))
    other[0], other[1] = "\n".join(lines[:3]), lines[0]  # as many documents, divided elsewhere
    corpora = [firth.Corpus.build(texts, min_count=1, cache=tmp_path) for texts in (one, other)]
    assert corpora[0].fingerprint == corpora[1].fingerprint
    firth.bootstrap(model, corpora[0], runs=2, checkpoint=tmp_path / "r")
    with pytest.raises(OptionError, match="holds runs with another division"):
        firth.bootstrap(model, corpora[1], runs=2, checkpoint=tmp_path / "r")


def test_a_folder_of_other_runs(corpus, model, folder, tmp_path):
    with pytest.raises(OptionError, match="holds runs with another seed; expected those of this call"):
        firth.bootstrap(model, corpus, runs=2, seed=4, checkpoint=folder)
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(OptionError, match="something else than runs"):
        firth.bootstrap(model, corpus, runs=2, checkpoint=tmp_path)
