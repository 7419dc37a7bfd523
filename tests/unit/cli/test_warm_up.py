import json

import pytest

from firth.cli import warm_up
from firth.comparison.models import vector_models
from firth.errors import MissingExtraError


def test_every_step_is_taken(monkeypatch, capsys):
    """Without PyTorch the steps of neural models are left out, and the others are not."""
    taken = []

    def without_torch():
        raise MissingExtraError("torch", "neural", "train")

    steps = [("first", lambda: taken.append(1)), ("tagger", without_torch), ("last", lambda: taken.append(2))]
    monkeypatch.setattr(warm_up, "_steps", lambda folder: steps)
    warm_up.warm_up(quiet=False)
    captured = capsys.readouterr()
    assert taken == [1, 2]
    assert captured.out.startswith("All kernels are compiled (")
    assert captured.err.startswith("compiling kernels")
    warm_up.warm_up(quiet=True, json=True)
    captured = capsys.readouterr()
    assert json.loads(captured.out)["seconds"] >= 0
    assert captured.err == ""


def test_every_model_of_vectors_has_a_step(tmp_path):
    names = [name for name, _ in warm_up._steps(tmp_path)]
    assert set(vector_models()) < set(names)
    assert len(set(names)) == len(names)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_steps_run(tmp_path):
    for _, use in warm_up._steps(tmp_path):
        use()
