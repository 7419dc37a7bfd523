"""The server under load: `/neighbors` of 50,000 words x 300, one client, then 64, and its memory over ten minutes.

The load is that of wrk (Debian's package), which asks for the ten nearest words of random words over connections that
stay open; every search is exact. Server and clients share the machine. A row of JSON per load: requests a second,
latencies in milliseconds, errors, and the server's resident memory after the first minute and at the end.

    python -m benchmarks.serving --results benchmarks/results/serving.jsonl
    python -m benchmarks.serving --seconds 5 10 20 --words 5000      # a short look
"""

import argparse
import contextlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import firth
from benchmarks.machine import describe
from benchmarks.records import append

SCRIPT = """
math.randomseed(os.time())
request = function()
  return wrk.format("GET", "/neighbors?n=10&words=w" .. math.random(0, {last}))
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d", summary.requests, e.connect + e.read + e.write + e.timeout, e.status))
  for _, p in ipairs({{50, 90, 99, 99.9}}) do io.write(string.format(" %.3f", latency:percentile(p) / 1000)) end
  io.write("\\n")
end
"""
LOADS = {"one client": 1, "64 clients": 64, "64 clients, memory": 64}


def resident(process: int) -> float:
    """Resident memory of a process in MB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1000


def load(address: str, script: Path, clients: int, seconds: float, server: int) -> dict[str, float]:
    """Ask for a while; return what wrk measured and the server's memory."""
    command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds:g}s", "--timeout", "10s", "-s", str(script), address]
    began, memory = time.monotonic(), []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as asking:
        while asking.poll() is None:
            memory.append((time.monotonic() - began, resident(server)))
            time.sleep(0.5)
        output = asking.stdout.read()
    found = re.search(r"RESULT (\d+) (\d+) (\d+) (\S+) (\S+) (\S+) (\S+)", output)
    requests, failed, refused, *latencies = map(float, found.groups())
    early = next((mb for at, mb in memory if at >= min(60, seconds / 3)), memory[-1][1])
    return {
        "requests_a_second": round(requests / seconds, 1), "failed": failed, "refused": refused,
        **dict(zip(("p50", "p90", "p99", "p99.9"), latencies, strict=True)),
        "mb_early": round(early, 1), "mb_end": round(memory[-1][1], 1),
    }  # fmt: skip


@contextlib.contextmanager
def served(folder: str, model: str) -> Iterator[tuple[str, int]]:
    """Serve a model of a folder; yields the server's address and the number of its process."""
    command = [sys.executable, "-P", "-m", "firth", "serve", model, "--port", "0", "--rate", "0"]
    log = Path(folder, "log")
    with log.open("w") as lines, subprocess.Popen(command, cwd=folder, stderr=lines) as server:
        try:
            while not (found := re.search(r"http://\S+?(?=;)", log.read_text(encoding="utf-8"))):
                time.sleep(0.1)
            yield found[0], server.pid
        finally:
            server.terminate()


def main(arguments: list[str] | None = None) -> list[dict[str, object]]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--seconds", type=float, nargs=3, default=[20, 60, 600], help="of the three loads")
    parser.add_argument("--results", type=Path, help="JSON lines file to append figures to")
    args = parser.parse_args(arguments)
    if shutil.which("wrk") is None:
        parser.error("wrk is not installed; it is a package of most systems")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        vectors = np.random.default_rng(0).standard_normal((args.words, args.dim)).astype(np.float32)
        firth.WordVectors([f"w{n}" for n in range(args.words)], vectors).save(Path(folder, "v.firth"))
        script = Path(folder, "load.lua")
        script.write_text(SCRIPT.format(last=args.words - 1), encoding="utf-8")
        with served(folder, "v.firth") as (address, process):
            load(address, script, 1, 3, process)  # the first search compiles
            for (name, clients), seconds in zip(LOADS.items(), args.seconds, strict=True):
                row = {"load": name, "words": args.words, "dim": args.dim, "seconds": seconds}
                row |= load(address, script, clients, seconds, process)
                rows.append(row)
                print(json.dumps(row), flush=True)
    if args.results:
        for row in rows:
            append(args.results, {**row, **describe()})
    return rows


if __name__ == "__main__":
    main()
