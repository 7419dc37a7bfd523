"""Run the word2vec program of 2013 and tell its training from its other work.

It prints no time of its own for a phase, so phases are told apart by runs that lack one: `-save-vocab` without
`-output` counts and stops; `-read-vocab` with a text of one word does all but the training (it makes the noise
table and the matrices and writes the vectors). The second is taken from the time of the real run.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

options = json.loads(sys.argv[1])


def run(*arguments):
    start = time.perf_counter()
    subprocess.run([options["program"], *map(str, arguments), "-debug", "0"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


with tempfile.TemporaryDirectory() as folder:
    vocabulary, tiny, output = (Path(folder) / name for name in ("vocabulary", "tiny", "vectors"))
    pruning = ["-min-count", options["min_count"]]
    counting = run("-train", options["text"], "-save-vocab", vocabulary, *pruning)
    if options["phase"] == "counting":
        print(json.dumps({"seconds": counting}))
        sys.exit()
    tiny.write_text("the\n", encoding="utf-8")
    flags = [piece for name, value in options["model"].items() for piece in (f"-{name}", value)]
    flags += ["-read-vocab", vocabulary, "-threads", options["threads"], "-binary", 1, *pruning]
    besides = run("-train", tiny, "-output", output, *flags)
    whole = run("-train", options["text"], "-output", options.get("output") or output, *flags)
print(json.dumps({"seconds": whole - besides, "besides_seconds": besides, "counting_seconds": counting}))
