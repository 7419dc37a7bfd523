"""Workers of Ray, as far as they can be tested without it; tests/cluster has the rest."""

import socket
import sys

import pytest

import firth
from firth.cli.app import build_app
from firth.cluster.ray_crew import RayCrew, check_reachable, ray_package
from firth.errors import ClusterError, MissingExtraError, OptionError

MESSAGE = r"ray is needed to work on a cluster: pip install .*\[cluster\]"


def test_without_ray_no_text_is_read(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=MESSAGE):
        ray_package()
    with pytest.raises(MissingExtraError, match=MESSAGE):
        firth.Cluster().train(firth.Word2Vec(), tmp_path / "none.txt")
    line = ["train", "skipgram", str(tmp_path / "none.txt"), "-o", str(tmp_path / "out.firth"), "--cluster", "local"]
    with pytest.raises(MissingExtraError, match=MESSAGE):
        build_app(line)(line, prog_name="firth", standalone_mode=False)


@pytest.fixture
def unconnected(monkeypatch):
    """A Ray that must not be asked to connect."""

    class Ray:
        def is_initialized(self):
            return False

    monkeypatch.setitem(sys.modules, "ray", Ray())


@pytest.mark.usefixtures("unconnected")
@pytest.mark.parametrize("address", ["127.0.0.1:{}", "ray://127.0.0.1:{}", "nohost.invalid:{}"])
def test_an_address_where_nobody_listens_is_said_at_once(address, tmp_path):
    """Before the text is read, which may take hours, and before Ray, which waits for minutes."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there
        address = address.format(taken.getsockname()[1])
        with pytest.raises(ClusterError, match=r"no Ray cluster at '.*expected the address and port of one"):
            firth.Cluster(address=address).train(firth.Word2Vec(), tmp_path / "none.txt")


@pytest.mark.parametrize(
    "address", ["", "nothing", "Local", "local[2]", "127.0.0.1", "127.0.0.1:x", "http://a:8265", "--workers", " a:1"]
)
def test_what_is_no_address_is_said_before_anything_is_done(address):
    with pytest.raises(OptionError, match=r"address='.*: expected 'auto' for the cluster of this machine, 'local'"):
        firth.Cluster(address=address)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workers": 2}, r"workers=2: an option of Cluster: Cluster\(workers=2\)\.train"),
        ({"merge_every": 99}, r"an option of Cluster: Cluster\(merge_every=99\)"),
        ({"threads": 2}, r"threads=2: an option of Cluster: Cluster\(workers=2\)"),
        ({"deterministic": True}, "deterministic=True: on a cluster the seed decides"),
        ({"epochs": 2}, r"epochs=2: an option of the model: firth\.Word2Vec\(epochs=2\)"),
        ({"windw": 2}, r"windw=2: "),
    ],
)
@pytest.mark.usefixtures("unconnected")
def test_arguments_that_belong_elsewhere(arguments, message):
    with pytest.raises(OptionError, match=message) as error:
        firth.Cluster().train(firth.Word2Vec(), ["a b"], **arguments)
    assert "merge_every" not in str(error.value) or "merge_every" in arguments


@pytest.mark.usefixtures("unconnected")
def test_a_head_that_has_died_is_said(monkeypatch, tmp_path):
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("127.0.0.1:1\n", encoding="utf-8")
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(ClusterError, match=r"no Ray cluster at 'auto' \(which is 127.0.0.1:1\)"):
        check_reachable("auto")


@pytest.mark.usefixtures("unconnected")
def test_a_head_that_listens_is_reached(monkeypatch, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = f"127.0.0.1:{server.getsockname()[1]}"
        monkeypatch.setenv("RAY_ADDRESS", place)
        for address in (place, f"ray://{place}", "auto", "local"):
            check_reachable(address)
    monkeypatch.delenv("RAY_ADDRESS")
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    check_reachable("auto")  # Ray says at once that it knows none


@pytest.mark.usefixtures("unconnected")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("skipgram", "a.txt"), r"model='skipgram': no training on a cluster; expected firth.Word2Vec\(...\)"),
        ((firth.Word2Vec, "a.txt"), r"model=.*Word2Vec.*: no training on a cluster"),
        ((firth.GloVe(), "none.txt"), r"none.txt: no such file"),
        ((firth.ParagraphVectors(), "a.txt"), r"model=ParagraphVectors.*: no training on a cluster"),
        ((firth.Word2Vec(), "none.txt"), r"none.txt: no such file"),
    ],
)
def test_what_is_wrong_is_said_before_ray_starts(arguments, message):
    with pytest.raises(firth.FirthError, match=message):
        firth.Cluster().train(*arguments)


@pytest.mark.usefixtures("unconnected")
def test_freeze_needs_start():
    with pytest.raises(firth.FirthError, match="freeze=True without start: expected start="):
        firth.Cluster().train(firth.Word2Vec(), "none.txt", freeze=True)


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
