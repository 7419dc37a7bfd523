"""A comparison of an earlier version goes on: its folder has options under former names."""

import pytest

from firth.comparison.models import trainer
from firth.comparison.run import _begin, _described, _write_run
from firth.comparison.saved import FORMAT, VERSION
from firth.errors import OptionError

FORMER = {
    "mssg": {"min_share": "min_prior"},
    "np-mssg": {"min_share": "min_prior"},
    "sense-clusters": {
        "merge_above": "alike",
        "min_share": "least_share",
        "max_contexts": "contexts",
        "min_contexts": "least_contexts",
        "n_init": "starts",
    },
}


@pytest.mark.parametrize("model", FORMER)
def test_options_under_former_names(model, tmp_path):
    options = _described(trainer(model, {}))
    run = {"format": FORMAT, "version": VERSION, "corpus": "x", "seed": 0, "sets": {}, "models": {model: options}}
    former = {FORMER[model].get(name, name): value for name, value in options.items()}
    assert former != options
    _write_run(tmp_path, {**run, "models": {model: former}})
    assert _begin(tmp_path, run) == {}
    _write_run(tmp_path, {**run, "models": {model: {**former, "dim": 7}}})
    with pytest.raises(OptionError, match="with dim=7, not dim="):
        _begin(tmp_path, run)
