"""Compare models on one corpus: train each in turn, evaluate it, and keep the results in a folder.

The folder holds `run.json` (corpus, options, seed, environment), `metrics.jsonl` (one line per finished model),
`vectors/` (one folder per model) and `state/` (checkpoints of interrupted trainings). The text is encoded once. Models
that need the same co-occurrence counts share them.
"""

import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from firth.arguments import explained
from firth.comparison.models import trainer
from firth.comparison.results import Comparison
from firth.comparison.saved import FORMAT, METRICS, RUN, VERSION, read_rows, read_run
from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.errors import FirthError, OptionError
from firth.evaluation.evaluate import check_sets
from firth.kernels.threads import usable_threads
from firth.signals import last_signal
from firth.storage.checksums import with_checksum
from firth.storage.files import json_bytes, replacing_file, sync_folder

WORKER = "import sys; sys.path[:] = sys.argv[1:]; from firth.comparison.worker import main; sys.exit(main())"
PACKAGES = ("firth", "numpy", "scipy", "numba", "llvmlite")


@explained
def compare(
    corpus: Corpus | Any,
    models: Sequence[str],
    output: str | os.PathLike[str],
    *,
    common: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
    sets: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> Comparison:
    """Train models on a corpus and evaluate them.

    Each model is trained in its own process, one after the other. A model that the folder has results for is not
    trained again; an interrupted training continues from its checkpoint.

    Args:
        corpus: an encoded corpus, or what `Corpus.build` takes: a path, texts, lists of tokens, a table.
        models: names of models, as in `firth train`, with options after colons: "skipgram", "skipgram:window=10",
            "glove:epochs=50".
        output: folder of the comparison.
        common: options for every model that has them, such as dim=100 and window=5.
        sets: arguments of `firth.evaluate`: similarity, analogies, data.
        progress: whether to show progress.

    Returns:
        The results, in the order of the models.

    Raises:
        OptionError: a model or an option is unknown, or the folder is of another corpus or other options.
        FormatError: the folder holds something else.
        FirthError: a model could not be trained or evaluated.
    """
    shared, test_sets = dict(common or {}), {name: _plain(value) for name, value in (sets or {}).items()}
    if len(set(models)) != len(models) or not models:
        raise OptionError(f"models {', '.join(models) or '(none)'}: expected one or more, each once")
    options = {spec: _described(trainer(spec, shared)) for spec in models}
    check_sets(**(sets or {}))
    many, folder = usable_threads(threads), Path(output)
    corpus = as_corpus(corpus, {}, progress=progress)
    run = {
        "format": FORMAT, "version": VERSION, "corpus": corpus.fingerprint, "tokens": corpus.num_tokens,
        "words": len(corpus.vocabulary), "seed": seed, "threads": many, "sets": test_sets, "models": options,
        "environment": environment(),
    }  # fmt: skip
    finished = _begin(folder, run)
    for spec in models:
        if spec in finished:
            continue
        task = {
            "model": spec, "common": shared, "corpus": str(corpus.path.absolute()), "seed": seed, "threads": many,
            "vectors": str(folder / "vectors" / file_name(spec)), "state": str(folder / "state" / file_name(spec)),
            "progress": None if progress else False, "sets": test_sets,
        }  # fmt: skip
        finished[spec] = {"model": spec, **_measured(task)}
        _append(folder / METRICS, finished[spec])
    return Comparison([finished[spec] for spec in models], run)


def environment() -> dict[str, Any]:
    """Return the versions and the machine, which speeds depend on."""
    return {
        "python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(), **{name: version(name) for name in PACKAGES},
    }  # fmt: skip


def file_name(spec: str) -> str:
    """Return the name of a model's folder: its spec, without characters that file systems reject."""
    return "".join(c if c.isalnum() or c in "-_.=" else "-" for c in spec) + ".firth"


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, int | float | str):
        return value
    return str(value) if isinstance(value, os.PathLike) else [str(item) for item in value]


def _described(model: Any) -> dict[str, Any]:
    return {
        name: value if isinstance(value, bool | int | float | str | None) else str(value)
        for name, value in vars(model).items()
    }


def _begin(folder: Path, run: dict[str, Any]) -> dict[str, Any]:
    """Create the folder, or check that it belongs to this comparison; return the rows that it holds."""
    if not (folder / RUN).exists():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise OptionError(f"{folder} exists and is not a comparison; expected a new name")
        _write_run(folder, run)
        return {}
    before = read_run(folder)
    for name in ("corpus", "seed", "sets"):
        if before[name] != run[name]:
            raise OptionError(
                f"{folder} is a comparison with another {name}: {before[name]!r}, not {run[name]!r}; name another "
                "folder, or continue with the same"
            )
    for spec, options in run["models"].items():
        there = before["models"].get(spec, options)
        if differing := [name for name, value in options.items() if there.get(name) != value]:
            old = ", ".join(f"{name}={there.get(name)!r}" for name in differing)
            new = ", ".join(f"{name}={options[name]!r}" for name in differing)
            raise OptionError(f"{folder} has {spec} with {old}, not {new}; name another folder")
    _write_run(folder, {**before, "models": {**before["models"], **run["models"]}})
    return {row["model"]: row for row in read_rows(folder / METRICS)}


def _write_run(folder: Path, run: Mapping[str, Any]) -> None:
    with replacing_file(folder / RUN) as file:
        file.write(json_bytes(with_checksum(run), indent=2))


def _append(path: Path, row: Mapping[str, Any]) -> None:
    rows = [with_checksum(record) for record in [*read_rows(path), row]]
    with replacing_file(path) as file:
        file.writelines(json_bytes(record) + b"\n" for record in rows)
    sync_folder(path.parent)


def _module_folders() -> list[str]:
    """Return where this process finds modules, but for the current folder, whose files are data and no code.

    Python looks there first for `-c`, `-m` and at its prompt.
    """
    here, home = Path.cwd(), Path(__file__).resolve().parents[2]
    return [name for name in sys.path if (name and Path(name) != here) or home == here]


def _measured(task: Mapping[str, Any]) -> dict[str, Any]:
    command = [sys.executable, "-P", "-c", WORKER, *_module_folders()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(json.dumps(task) + "\n")
            child.stdin.flush()  # and open: where it ends, the child does
            answer = child.stdout.read()
        except KeyboardInterrupt:
            if last_signal() == signal.SIGTERM:  # Ctrl-C in a terminal has reached the child, too
                child.terminate()
            child.wait()  # the child keeps its results
            raise
    if child.returncode == 130:
        raise KeyboardInterrupt
    if child.returncode != 0 or not answer:
        raise FirthError(
            f"{task['model']}: its process ended with status {child.returncode} and no figures; try it alone"
        )
    result = json.loads(answer)
    if "error" in result:
        raise FirthError(f"{task['model']}: {result['error']}")
    return dict(result)
