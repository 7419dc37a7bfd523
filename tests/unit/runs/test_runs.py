import itertools
import warnings

import numpy as np
import pytest

import firth
from firth.errors import ArgumentTypeError, OptionError, UnknownWordError


def cosines(runs, a, b):
    return [float(run.similarity(a, b)) for run in runs if a in run.words and b in run.words]


def test_similarity_is_the_mean_and_the_interval_of_the_cosines(runs):
    found, expected = runs.similarity("w1", "w5"), cosines(runs, "w1", "w5")
    assert (found.value, found.low, found.high) == pytest.approx(
        (np.mean(expected), min(expected), max(expected)), abs=1e-5
    )
    assert found.runs == 5


def test_any_function_gets_an_interval(runs):
    assert runs.estimate(lambda run: run.similarity("w1", "w5")).value == pytest.approx(
        runs.similarity("w1", "w5").value, abs=1e-5
    )
    figures = runs.estimate(
        lambda run: {"a": run.similarity("w1", "w2"), "both": run.similarity(["w1", "w2"], ["w3", "w4"])}
    )
    assert figures["both"].value.shape == figures["both"].low.shape == (2,)
    assert runs.map(lambda run: run.metadata["run"]) == [1, 2, 3, 4, 5]
    query = firth.bias.Query({"x": ["w0", "w4"], "y": ["w1", "w5"]}, {"a": ["w8", "w12"], "b": ["w9", "w13"]})
    effects = runs.estimate(lambda run: firth.bias.weat(run, query).value)
    assert effects.low <= effects.value <= effects.high


def test_neighbours_by_the_mean_of_the_cosines(runs):
    """The same by a loop over runs and words."""
    known = {word: cosines(runs, "w1", word) for word in runs.words if word != "w1"}
    means = {word: np.mean(found) for word, found in known.items() if len(found) >= 2.5}
    best = sorted(means, key=lambda word: -means[word])[:6]
    found = runs.most_similar("w1", 6)
    assert [neighbour.word for neighbour in found] == best
    for neighbour in found:
        expected = (np.mean(known[neighbour.word]), min(known[neighbour.word]), max(known[neighbour.word]))
        assert neighbour[1:4] == pytest.approx(expected, abs=1e-5)
        near = [neighbour.word in [word for word, _ in run.most_similar("w1")] for run in runs]
        assert neighbour.share == pytest.approx(np.mean(near))


@pytest.fixture(scope="module")
def rare(runs):
    """A word that some runs lack."""
    having = {word: sum(word in run.words for run in runs) for word in runs.words}
    return next(word for word, count in having.items() if 2 <= count < len(runs))


def test_a_word_that_some_runs_lack(runs, rare):
    having = [run for run in runs if rare in run.words]
    assert runs.similarity("w1", rare).runs == len(having)
    assert len(runs.map(lambda run: run.get_vector(rare))) == len(having)
    expected = np.mean(cosines(runs, "w1", rare))
    assert runs.similarity("w1", rare).value == pytest.approx(expected, abs=1e-5)
    answers = runs.most_similar(rare)
    near = [answers[0].word in [word for word, _ in run.most_similar(rare)] for run in having]
    assert answers[0].share == pytest.approx(np.mean(near))


def test_unknown_words(runs):
    for ask in (runs.most_similar, lambda word: runs.similarity("w1", word), lambda word: runs.map(lambda r: r[word])):
        with pytest.raises(UnknownWordError, match="w999"):
            ask("w999")
    assert "w999" not in runs
    assert "w1" in runs


def test_words_in_other_forms(runs):
    assert runs.most_similar("W1") == runs.most_similar("w1")


def test_the_consensus_is_word_vectors(runs):
    consensus = runs.consensus
    assert isinstance(consensus, firth.WordVectors)
    assert (consensus.words, consensus.dim) == (runs.words, 8)
    assert consensus.counts.tolist() == runs.counts.tolist()
    assert runs.consensus is consensus
    centred = [run.vectors - run.vectors.mean(axis=0) for run in runs]
    pairs = [np.linalg.norm(part, axis=1).mean() for part in centred]
    assert 0 < np.linalg.norm(consensus.vectors, axis=1).mean() < max(pairs)


def test_changing_a_run_changes_no_other(runs):
    run = runs[0]
    run.add_vector("new", np.ones(8))
    assert "new" not in runs[1].words
    assert "new" not in runs.words
    assert runs[0].metadata["run"] == 1


def test_stability_is_the_overlap_of_the_nearest(runs, monkeypatch):
    band = runs.stability()[0]
    rows = [i for i, count in enumerate(runs.counts) if count >= band.least and (not band.most or count <= band.most)]
    sets = [[{word for word, _ in run.most_similar(runs.words[i])} for i in rows] for run in runs]
    shares = [len(a & b) / 10 for r in range(5) for s in range(r) for a, b in zip(sets[r], sets[s], strict=True)]
    assert band.words == len(rows)
    assert band.overlap == pytest.approx(np.mean(shares))


def test_stability_of_words_that_some_runs_lack():
    """Absent words are nobody's neighbours, and runs that lack a word say nothing of it."""
    random = np.random.default_rng(0)
    texts = [" ".join([*(f"w{i}" for i in random.integers(25, size=30)), f"rare{n}"]) for n in range(25)]
    runs = firth.bootstrap(firth.Word2Vec(dim=8, epochs=2), texts, runs=4, min_count=1, progress=False)
    near = [{word: {other for other, _ in run.most_similar(word)} for word in run.words} for run in runs]
    for band, start in zip(runs.stability(), ("w", "rare"), strict=True):
        shares = [
            len(a[word] & b[word]) / 10
            for a, b in itertools.combinations(near, 2)
            for word in a.keys() & b.keys()
            if word.startswith(start)
        ]
        assert band.overlap == pytest.approx(np.mean(shares))


@pytest.mark.parametrize("arguments", [{"topn": 0}, {"level": 2}])
def test_wrong_arguments(runs, arguments):
    with pytest.raises(OptionError):
        runs.most_similar("w1", **arguments)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda runs: runs.estimate(3), "function=3 is an int; expected a function of word vectors"),
        (lambda runs: runs["w1"], "run='w1' is a str; expected a number from 0 to 4; most_similar asks for a word"),
        (lambda runs: runs.most_similar(["w1", "w2"]), "word=.*expected one word"),
    ],
)
def test_what_is_no_function_number_or_word(runs, ask, said):
    with pytest.raises(ArgumentTypeError, match=said):
        ask(runs)


def test_names_of_word_vectors_say_what_to_use(runs):
    with pytest.raises(AttributeError, match=r"estimate.*interval of any function"):
        _ = runs.analogy
    with pytest.raises(AttributeError, match=r"runs\.consensus are word vectors"):
        _ = runs.vectors


def test_as_text(runs):
    assert repr(runs) == f"<Runs: 5 x {len(runs.words)} words x 8>"
    assert len(runs) == 5


def test_a_vocabulary_of_few_words(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = firth.bootstrap(firth.Word2Vec(dim=4, sample=0), ["a b c"] * 30, min_count=1, cache=tmp_path, runs=2)
    assert {neighbour.word for neighbour in runs.most_similar("a")} == {"b", "c"}
    assert all(neighbour.share == 1 for neighbour in runs.most_similar("a"))
    assert runs.stability()[0].words == 3


def test_overlaps_of_words(runs):
    """The mean over pairs of runs of what their ten nearest have in common."""
    word = runs.words[3]
    near = [{other for other, _ in run.most_similar(word, topn=10)} for run in runs]
    shares = [len(a & b) / 10 for a, b in itertools.combinations(near, 2)]
    assert runs.overlaps(["W3" if word == "w3" else word, runs.words[0]])[0] == pytest.approx(np.mean(shares))
    with pytest.raises(UnknownWordError):
        runs.overlaps(["nonesuch"])
