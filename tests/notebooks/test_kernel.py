"""A real kernel: progress bars by default, Ctrl-C keeps what was learned, and results show themselves."""

import os
import queue
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

ROOT = Path(__file__).resolve().parents[2]
TEXT = "texts = [' '.join(f'w{(i * j) % 997}' for j in range(40)) for i in range(4000)]"
LONG = 300.0  # seconds


class Kernel:
    """A Python kernel, as a notebook starts it."""

    def __init__(self, folder: Path) -> None:
        start_new_kernel = pytest.importorskip(
            "jupyter_client.manager", reason="Jupyter is not installed: pip install -e '.[programs]'"
        ).start_new_kernel
        pytest.importorskip("ipykernel", reason="ipykernel is not installed: pip install -e '.[programs]'")
        path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": path}
        self.manager, self.client = start_new_kernel(LONG, "python3", cwd=str(folder), env=environment)

    def run(self, code: str, *, interrupt_at: str = "") -> list[dict]:
        """Run a cell; return what it shows. Interrupt it when a bar with a certain text is shown."""
        request, shown = self.client.execute(code), []
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=LONG)
            except queue.Empty:
                raise AssertionError(f"no answer within {LONG} s to {code!r}") from None
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["header"]["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return shown
            shown.append({"kind": kind, **content})
            if interrupt_at and interrupt_at in str(content):
                interrupt_at = ""
                time.sleep(0.5)
                self.manager.interrupt_kernel()

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    kernel = Kernel(tmp_path_factory.mktemp("notebook"))
    assert not [each for each in kernel.run(f"import firth\n{TEXT}") if each["kind"] == "error"]
    yield kernel
    kernel.stop()


def text_of(shown: list[dict]) -> str:
    assert not [each for each in shown if each["kind"] == "error"], shown
    return "".join(each["text"] for each in shown if each["kind"] == "stream" and each["name"] == "stdout")


def bars(shown: list[dict]) -> list[str]:
    return [each["data"]["text/html"] for each in shown if "display_data" in each["kind"]]


def test_a_bar_without_asking(kernel):
    shown = kernel.run("vectors = firth.Word2Vec(dim=50, epochs=40, window=8).train(texts, min_count=1, threads=1)")
    assert text_of(shown) == ""
    shows = [(each["kind"], each["transient"]["display_id"]) for each in shown if "display_data" in each["kind"]]
    made = [place for kind, place in shows if kind == "display_data"]
    assert len(made) == len(set(made)) == len({place for _, place in shows})  # reading and training: a bar each
    assert len(made) < len(shows)
    assert "<progress" in bars(shown)[-1]
    assert "epoch 40/40" in bars(shown)[-1]
    assert not bars(kernel.run("firth.Word2Vec(epochs=1).train(texts[:9], min_count=1, progress=False)"))


@pytest.mark.parametrize(
    ("train", "stage"),
    [
        ("firth.Word2Vec(dim=200, epochs=100_000, window=9).train(texts, min_count=1, threads=2)", "training, epoch"),
        (
            "firth.RecurrentLM(dim=16, hidden=16).train(texts, training=firth.TrainingOptions(epochs=9999))",
            "training, epoch",
        ),
    ],
)
def test_an_interrupt_keeps_what_was_learned(kernel, train, stage):
    shown = kernel.run(f"model = {train}", interrupt_at=stage)
    assert not [each for each in shown if each["kind"] == "error"]
    warning = "".join(each["text"] for each in shown if each["kind"] == "stream")
    assert "training was interrupted in epoch" in warning
    assert text_of(kernel.run("print(model.metadata['training']['interrupted'])")) == "True\n"
    assert text_of(kernel.run("print(len(model.words if hasattr(model, 'words') else model.vocabulary))")) > "1"


def test_an_interrupt_elsewhere_is_one_as_ever(kernel):
    shown = kernel.run("import time\nprint('begun', flush=True)\ntime.sleep(600)", interrupt_at="begun")
    assert [each["ename"] for each in shown if each["kind"] == "error"] == ["KeyboardInterrupt"]
    assert text_of(kernel.run("print(1 + 1)")) == "2\n"


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("vectors", ["w1", "float32"]),
        ("vectors.metadata['training']", ["Training of word2vec", "epoch"]),
        ("firth.Corpus.build(texts)", ["Corpus", "sentences"]),
        (
            "firth.NgramLM(order=2, smoothing='add-k').train(texts, min_count=1).perplexity(texts[:50])",
            ["Perplexity", "bits per token"],
        ),
        ("firth.TextClassifier().train(texts[:99], ['a', 'b', 'c'] * 33).test(texts[:9], list('abc') * 3)", ["F1"]),
    ],
)
def test_results_show_themselves(kernel, code, parts):
    (result,) = [each for each in kernel.run(code) if each["kind"] == "execute_result"]
    html = result["data"]["text/html"]
    assert all(part in html for part in parts)
    assert "text/plain" in result["data"]


def test_a_plot_is_a_picture(kernel):
    (result,) = [each for each in kernel.run("firth.plots.similarity_heat_map(vectors, vectors.words[:5])")
                 if each["kind"] == "execute_result"]  # fmt: skip
    assert result["data"]["image/png"].startswith("iVBORw0KGgo")
    assert result["metadata"]["image/png"]["width"] > 300
