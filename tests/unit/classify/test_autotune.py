import numpy as np
import pytest

import firth
from firth.classify.autotune import RANGES, AutotuneOptions, mutate
from firth.errors import DivergenceError, OptionError

WORDS = list("abcdefgh")


def data(seed, count=60):
    """The label is told by a pair of words: single words know nothing of it."""
    random = np.random.default_rng(seed)
    texts = [" ".join(random.permutation(WORDS)) for _ in range(count)]
    return texts, ["before" if text.index("a") < text.index("b") else "behind" for text in texts]


def test_it_finds_better_options_than_it_began_with():
    texts, labels = data(0, 150)
    validation, gold = data(1)
    model = firth.TextClassifier(dim=10)
    tuned = model.autotune(
        texts, labels, validation=validation, validation_labels=gold, trials=14, seconds=3600, threads=1, progress=False
    )
    assert len(tuned.trials) == 14
    assert tuned.trials[0].options == firth.TextClassifier(dim=10, epochs=100, lr=0.5, word_ngrams=1)  # by the size
    assert tuned.score == max(trial.score for trial in tuned.trials) > tuned.trials[0].score
    assert tuned.classifier.test(validation, gold).f1 == tuned.score
    assert {trial.options.dim for trial in tuned.trials} == {10}  # it was given, and is not moved
    assert len({trial.options.lr for trial in tuned.trials}) > 5
    assert tuned.classifier.metadata["autotune"]["score"] == tuned.score
    page = tuned._repr_html_()
    assert f'<td style="text-align:right">{tuned.score:.4f}<' in page
    assert page.count("<tr>") == 3 + 1 + 5
    assert "lr=" in page


def test_a_seed_decides_the_search():
    texts, labels = data(0)
    found = [
        firth.TextClassifier(dim=4).autotune(
            texts, labels, validation=texts, trials=4, seconds=3600, threads=1, seed=seed, progress=False
        )
        for seed in (3, 3, 4)
    ]
    # How far a move goes depends on the time that is over, but of so short a search nothing is over yet.
    assert [trial.options.word_ngrams for trial in found[0].trials] == [t.options.word_ngrams for t in found[1].trials]
    assert [trial.options for trial in found[0].trials] != [trial.options for trial in found[2].trials]


def test_the_time_ends_the_search(clock):
    clock.tick = 0.02
    texts, labels = data(0)
    tuned = firth.TextClassifier(dim=4).autotune(
        texts, labels, validation=texts, seconds=0.5, threads=1, progress=False
    )
    assert 1 <= len(tuned.trials) < 25  # the clock is read at least once per trial


def test_one_label_is_searched_for():
    texts, labels = data(0)
    how = {"validation": texts, "seconds": 60, "trials": 2, "threads": 1, "progress": False}
    tuned = firth.TextClassifier(dim=4).autotune(texts, labels, metric="f1:behind", **how)
    assert tuned.score == tuned.classifier.test(texts, labels).by_label["behind"].f1
    with pytest.raises(OptionError, match="no validation text has the label 'nowhere'; its labels"):
        firth.TextClassifier(dim=4).autotune(texts, labels, metric="f1:nowhere", **how)


CHOSEN = {"epochs": 20, "lr": 0.5, "dim": 100, "word_ngrams": 2}  # by the size of the data


def test_moves_stay_in_their_ranges():
    random, best = np.random.default_rng(0), firth.TextClassifier(**CHOSEN)
    for _ in range(300):
        best = mutate(best, firth.TextClassifier(), 0.0, random)
        for name, (low, high, _) in RANGES.items():
            assert low <= getattr(best, name) <= high
    assert best.max_n in (0, 5, 6)


def test_moves_grow_smaller():
    first = firth.TextClassifier(**CHOSEN)

    def spread(share):
        random = np.random.default_rng(0)
        return np.std([np.log2(mutate(first, firth.TextClassifier(), share, random).lr) for _ in range(300)])

    assert spread(1.0) < spread(0.0) / 2


def test_a_search_of_which_every_trial_diverges():
    texts, labels = data(0)
    with pytest.raises(DivergenceError):
        firth.TextClassifier(dim=4, lr=1000.0, epochs=50).autotune(
            texts, labels, validation=texts, trials=2, seconds=60, threads=1, progress=False
        )


@pytest.mark.parametrize("search", [{"seconds": 0}, {"trials": 0}, {"metric": "accuracy"}])
def test_searches_out_of_range(search):
    with pytest.raises(OptionError, match=next(iter(search))):
        AutotuneOptions(**search)
