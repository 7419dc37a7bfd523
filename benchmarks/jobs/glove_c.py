"""Run GloVe's programs: `counting` is cooccur and shuffle, `training` is glove alone, less the reading and writing
around it.

What the programs write is kept from one run to the next where `folder` names a place, for training reads what counting
wrote.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

options = json.loads(sys.argv[1])
programs = Path(options["programs"])


def run(name, *arguments, source=None, target=None):
    command = [str(programs / name), *map(str, arguments)]
    with Path(source or os.devnull).open("rb") as stdin, Path(target or os.devnull).open("wb") as stdout:
        start = time.perf_counter()
        process = subprocess.run(command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True, check=True)
        return time.perf_counter() - start, process.stderr


def count(folder):
    folder.mkdir(parents=True, exist_ok=True)
    words, pairs, shuffled = folder / "words", folder / "pairs", folder / "shuffled"
    run("vocab_count", "-min-count", options["min_count"], "-verbose", 0, source=options["text"], target=words)
    how = ["-memory", 4, "-verbose", 0]
    counting, _ = run(
        "cooccur", "-vocab-file", words, "-window-size", options["window"], "-overflow-file", folder / "overflow", *how,
        source=options["text"], target=pairs,
    )  # fmt: skip
    shuffling, _ = run("shuffle", "-temp-file", folder / "temporary", *how, source=pairs, target=folder / "part")
    pairs.unlink()
    (folder / "part").replace(shuffled)
    return words, shuffled, {"counting_seconds": counting, "shuffling_seconds": shuffling}


def train(words, shuffled, output):
    model = options["model"]
    how = [
        "-vector-size",
        model["dim"],
        "-x-max",
        model["x_max"],
        "-eta",
        model["lr"],
        "-threads",
        options["threads"],
        "-binary",
        0,
    ]
    common = [
        "-input-file",
        shuffled,
        "-vocab-file",
        words,
        "-save-file",
        output,
        "-write-header",
        0,
        "-verbose",
        2,
        *how,
    ]
    whole, said = run("glove", *common, "-iter", model["epochs"], "-seed", options.get("seed", 1))
    besides, _ = run("glove", *common[:4], "-save-file", f"{output}-none", *common[6:], "-iter", 0)
    Path(f"{output}.txt").replace(output)  # the program names its text so
    costs = [float(cost) for cost in re.findall(r"cost: ([\d.]+)", said)]
    return {"seconds": whole - besides, "besides_seconds": besides, "costs": costs, "loss": costs[-1]}


with tempfile.TemporaryDirectory() as temporary:
    kept = Path(options.get("folder") or temporary)
    if (kept / "shuffled").exists():
        words, shuffled, report = kept / "words", kept / "shuffled", {}
    else:
        words, shuffled, report = count(kept)
    if options["phase"] == "counting":
        report["seconds"] = report["counting_seconds"] + report["shuffling_seconds"]
    else:
        report |= train(words, shuffled, Path(options.get("output") or Path(temporary) / "vectors"))
print(json.dumps(report))
