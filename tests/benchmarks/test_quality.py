"""The comparison of quality, with judges that only look figures up."""

import pytest

from benchmarks import records
from benchmarks.contest import Contest, best_rate, run
from benchmarks.suites import families, quality

RATES = (1.0, 2.0, 3.0, 4.0)


def contest(**changes):
    settings = {"key": "toy", "title": "a toy", "options": {"lr": 2.0}, "names": ("ours", "theirs"), "lr": 2.0}
    return Contest(**{**settings, "judge": None, **changes})


@pytest.fixture
def series(tmp_path):
    return records.open_series(tmp_path / "quality.jsonl", contest().header)


class Judge:
    """Gives each program the figures that a table holds by its rate."""

    def __init__(self, **figures):
        self.figures = figures
        self.asked = []

    def __call__(self, name, lr, seed):
        self.asked.append((name, lr, seed))
        figures = [{"set": "s", "value": self.figures[name][RATES.index(lr)], "low": 0, "high": 1}]
        return {"contender": name, "lr": lr, "seed": seed, "seconds": 1, "figures": figures}


def quiet(line):
    pass


def test_equal_options_alone(series):
    judge = Judge(ours=(0, 1, 0, 0), theirs=(0, 1, 0, 0))
    run(contest(judge=judge), series, seeds=2, say=quiet)
    assert judge.asked == [("ours", 2.0, 1), ("theirs", 2.0, 1), ("ours", 2.0, 2), ("theirs", 2.0, 2)]


def test_a_climb_stops_where_neither_neighbour_is_better(series):
    judge = Judge(ours=(9, 1, 2, 3), theirs=(0, 5, 4, 9))
    run(contest(judge=judge, rates=RATES), series, seeds=1, say=quiet)
    assert [lr for name, lr, _ in judge.asked if name == "ours"] == [2.0, 3.0, 4.0]
    assert [lr for name, lr, _ in judge.asked if name == "theirs"] == [2.0, 3.0, 1.0]
    assert best_rate(series.runs, "ours") == 4.0
    assert best_rate(series.runs, "theirs") == 2.0


def test_the_best_rate_is_answered_by_every_seed_and_nothing_twice(series):
    judge = Judge(ours=(0, 1, 2, 1), theirs=(0, 2, 1, 0))
    for _ in range(2):
        run(contest(judge=judge, rates=RATES), series, seeds=3, say=quiet)
    assert {seed for name, lr, seed in judge.asked if (name, lr) == ("ours", 3.0)} == {1, 2, 3}
    assert len(judge.asked) == len(set(judge.asked)) == 6 + 2 + 2 + 2


def test_every_program_gets_the_options_of_a_family_in_its_own_words():
    for job in families.JUDGED:
        theirs = [job.gensim[1], job.word2vec, job.fasttext]
        for told in filter(None, theirs):
            rates = [told[name] for name in ("alpha", "lr") if name in told]
            assert rates == [job.firth["lr"]], job.key
            assert job.firth["dim"] in told.values(), job.key
    assert len(set(quality.KEYS)) == len(quality.KEYS)
