"""How far several trainings are."""

from firth.progress import Status
from firth.runs.pool import Meter


def test_trainings_of_unlike_length_are_done_when_all_are_finished():
    meter, shown = Meter(2, noun="pairs", each=2), []
    for number, part, words in ((0, 0, 600), (0, 1, 200), (1, 0, 500), (1, 1, 300)):
        meter.of(number, part)(Status(stage="training", done=words, total=words, unit="words"))
        meter.show(shown.append, number, 1.0)
    assert [(status.done, status.total) for status in shown[1:]] == [(800, 1600), (1300, 1733), (1600, 1600)]
    assert shown[-1].stage == "pairs, 1/2 finished"
