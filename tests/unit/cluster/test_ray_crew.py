"""Workers of Ray, as far as they can be tested without it; tests/cluster has the rest."""

import sys

import pytest

import firth
from firth.cli.app import build_app
from firth.cluster.ray_crew import RayCrew, ray_package
from firth.errors import MissingExtraError

MESSAGE = r"ray is needed to train on a cluster: pip install 'firth\[cluster\]'"


def test_without_ray_no_text_is_read(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=MESSAGE):
        ray_package()
    with pytest.raises(MissingExtraError, match=MESSAGE):
        firth.Cluster().train(firth.Word2Vec(), tmp_path / "none.txt")
    line = ["train", "skipgram", str(tmp_path / "none.txt"), "-o", str(tmp_path / "out.firth"), "--cluster", "local"]
    with pytest.raises(MissingExtraError, match=MESSAGE):
        build_app(line)(line, prog_name="firth", standalone_mode=False)


def test_a_crew_that_is_closed_has_ended_its_workers(monkeypatch):
    """Also where the cluster is gone."""
    killed = []

    class Ray:
        def kill(self, worker):
            killed.append(worker)
            if worker == "one":
                raise RuntimeError("the cluster is gone")

    crew = RayCrew.__new__(RayCrew)
    crew._ray, crew.workers = Ray(), ["one", "two"]
    crew.close()
    assert (killed, crew.workers) == (["one", "two"], [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers=0"),
        ({"merge_every": 10}, "merge_every=10"),
        ({"worker": 2}, "did you mean workers|use workers"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(firth.FirthError, match=message):
        firth.Cluster(**options)
