"""Trains and evaluates one model of a comparison in its own process, so that its memory can be measured.

`python -m firth.comparison.worker` reads a task as JSON from standard input and writes the results as JSON to standard
output; progress goes to standard error.
"""

import inspect
import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firth.comparison.models import trainer
from firth.corpus.encoded import Corpus
from firth.errors import FirthError
from firth.evaluation.evaluate import evaluate
from firth.progress import COMPILING, LOADING, Status, reporting
from firth.signals import interruptible
from firth.training_facts import check_whole
from firth.vectors.document_vectors import DocumentVectors
from firth.vectors.sense_vectors import SenseVectors


def measure(task: Mapping[str, Any]) -> dict[str, Any]:
    """Train, save and evaluate one model.

    Args:
        task: "model" (its name and options), "common" (options), "corpus", "vectors" and "state" (folders), "seed",
            "threads", "progress", "sets" (arguments of `firth.evaluate`).
    """
    model, corpus = trainer(task["model"], task["common"]), Corpus.open(task["corpus"])
    resumed, apart = Path(task["state"]).exists(), _StageSeconds()
    with reporting(task["progress"]) as show:

        def report(status: Status) -> None:
            apart.add(status)
            show(Status(**{**vars(status), "stage": f"{task['model']}: {status.stage}"}))

        resumes = "checkpoint" in inspect.signature(model.train).parameters
        further = {"checkpoint": task["state"]} if resumes else {}
        began = time.monotonic()
        trained_model = model.train(corpus, seed=task["seed"], threads=task["threads"], progress=report, **further)
        wall = time.monotonic() - began
    peak, facts = _peak_bytes(), trained_model.metadata["training"]
    check_whole(trained_model)
    # Only the training record knows the time that an interrupted run had spent.
    seconds = max(wall - apart.compiling - apart.counting, facts["seconds"] if resumed else 0.0, 1e-9)
    trained_model.metadata["name"] = task["model"]
    trained_model.save(task["vectors"])
    rows = evaluate({task["model"]: _of_words(trained_model)}, **task["sets"])
    size = sum(file.stat().st_size for file in Path(task["vectors"]).rglob("*") if file.is_file())
    words = facts.get("words", corpus.num_tokens)
    return {
        "options": facts["options"],
        "seconds": round(seconds, 3),
        "counting_seconds": round(apart.counting, 3),
        "compiling_seconds": round(apart.compiling, 3),
        "resumed": resumed,
        "words_per_second": round(words / seconds),
        "peak_bytes": peak,
        "loss": facts["loss"],
        **({"sample_loss": facts["sample_loss"]} if "sample_loss" in facts else {}),
        "file_bytes": size,
        "figures": [json.loads(line) for line in rows.to_json().splitlines()],
    }


def _of_words(model: Any) -> Any:
    """The word vectors to evaluate: those beside document vectors, or the means of sense vectors."""
    if isinstance(model, SenseVectors):
        return model.single()
    return model.words if isinstance(model, DocumentVectors) else model


class _StageSeconds:
    """Seconds of compiling and counting, measured apart from training by the stages that progress reports."""

    def __init__(self) -> None:
        self.compiling = self.counting = self._before = 0.0

    def add(self, status: Status) -> None:
        more = status.seconds - (self._before if status.seconds >= self._before else 0.0)  # each stage begins at 0
        self._before = status.seconds
        if status.stage in (COMPILING, LOADING):
            self.compiling += more
        elif status.stage.startswith("counting"):
            self.counting += more


def _peak_bytes() -> int | None:
    """Return the peak memory of this process in bytes; None if the system does not report it."""
    try:
        # On Linux a child inherits the figure of getrusage from its parent, but not this one.
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ModuleNotFoundError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024)


def _end_with_parent() -> None:
    """End this process when the parent does: it then closes our standard input."""
    while os.read(0, 1):
        pass
    os._exit(1)


def main() -> int:
    """Do one task; print the results, or an error of firth, as a line of JSON."""
    line = b""
    while not line.endswith(b"\n"):
        line += os.read(0, 1 << 16) or b"\n"
    threading.Thread(target=_end_with_parent, daemon=True).start()
    task = json.loads(line)
    try:
        with interruptible():
            result = measure(task)
    except (FirthError, OSError, MemoryError) as error:
        result = {"error": str(error) or type(error).__name__}
    except KeyboardInterrupt:
        return 130
    print(json.dumps(result))  # ASCII, for any encoding of the locale
    return 0


if __name__ == "__main__":
    sys.exit(main())
