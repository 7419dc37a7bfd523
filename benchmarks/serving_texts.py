"""A server of slow answers: `/translate` with 64 clients and `/health` beside them; 2,000 clients who leave at once.

A translator is trained for seconds (words to other words, 12 to 23 in a text). Each client asks for one text, waits for
the answer and asks again, over a connection that stays open; `/health` is asked every 50 ms over new connections. Then
clients ask and leave, while `/health` and one client who stays are measured. Server and clients share the machine. A
row of JSON per load: requests, latencies in seconds, statuses other than 200, and the server's processor time per
answer.

    python -m benchmarks.serving_texts --results benchmarks/results/serving_texts.jsonl
"""

import argparse
import asyncio
import json
import re
import tempfile
import time
from pathlib import Path

import numpy as np

import firth
from benchmarks.machine import describe
from benchmarks.records import append
from benchmarks.serving import served

WORDS, PAIRS, TEXTS = 100, 1_000, 200
HEAD = "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"


def trained(folder: Path, hidden: int) -> list[str]:
    """Save a translator; return texts to translate."""
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in random.integers(0, WORDS, random.integers(12, 24))) for _ in range(PAIRS)]
    pairs = [(text, text.replace("w", "t")) for text in texts]
    how = firth.TrainingOptions(epochs=2, batch_size=16, lr=0.003, clip_norm=1, schedule="linear")
    translator = firth.Translator(source_units="words", target_units="words", hidden=hidden, dropout=0)
    translator.train(pairs, training=how, progress=False).save(folder / "mt.firth")
    return texts[:TEXTS]


class Client:
    """A connection to a server, and the seconds of its answers."""

    def __init__(self, port: int) -> None:
        self.port, self.seconds, self.others = port, list[float](), list[int]()

    async def ask(self, path: str, request: object = None, *, opened: tuple = ()) -> tuple:
        """Ask once; return the connection."""
        began = time.monotonic()
        reader, writer = opened or await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(_request(path, request))
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(re.search(rb"content-length: (\d+)", head)[1]))
        self.seconds.append(time.monotonic() - began)
        if b" 200 " not in head[:20]:
            self.others.append(int(head.split()[1]))
        return reader, writer


def _request(path: str, request: object) -> bytes:
    body = b"" if request is None else json.dumps(request).encode()
    return HEAD.format(method="GET" if request is None else "POST", path=path, length=len(body)).encode() + body


async def watch(health: Client) -> None:
    """Ask for /health until cancelled."""
    while True:
        _, writer = await health.ask("/health")
        writer.close()
        await asyncio.sleep(0.05)


async def staying(port: int, texts: list[str], clients: int, seconds: float) -> dict[str, object]:
    """Clients that wait for their answers."""
    several, health, until = [Client(port) for _ in range(clients)], Client(port), time.monotonic() + seconds

    async def asks(number: int, client: Client) -> None:
        opened: tuple = ()
        while time.monotonic() < until:
            number += clients
            opened = await client.ask("/translate", {"texts": [texts[number % TEXTS]]}, opened=opened)

    watching = asyncio.create_task(watch(health))
    await asyncio.gather(*(asks(number, client) for number, client in enumerate(several)))
    watching.cancel()
    return {**figures(several), **{f"health_{name}": value for name, value in figures([health]).items()}}


async def leaving(port: int, texts: list[str], clients: int) -> dict[str, object]:
    """Clients that ask and leave, before one who stays."""
    one, health = Client(port), Client(port)
    watching = asyncio.create_task(watch(health))
    for number in range(clients):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(_request("/translate", {"texts": [texts[number % TEXTS]]}))
        await writer.drain()
        writer.close()
    for _ in range(10):
        _, writer = await one.ask("/translate", {"texts": texts[:1]})
        writer.close()
    watching.cancel()
    return {**figures([one]), **{f"health_{name}": value for name, value in figures([health]).items()}}


def figures(clients: list[Client]) -> dict[str, object]:
    """What clients have seen."""
    seconds = sorted(each for client in clients for each in client.seconds)
    quantiles = {f"p{p}": round(float(np.percentile(seconds, p)), 3) for p in (50, 90, 99)}
    return {"requests": len(seconds), **quantiles, "others": sorted({n for client in clients for n in client.others})}


def processor(process: int) -> float:
    """Processor time of a process in seconds (Linux)."""
    user, system = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()[11:13]
    return (int(user) + int(system)) / 100


def main(arguments: list[str] | None = None) -> list[dict[str, object]]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--leaving", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--results", type=Path, help="JSON lines file to append figures to")
    args = parser.parse_args(arguments)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        texts = trained(Path(folder), args.hidden)
        with served(folder, "mt.firth") as (address, process):
            port = int(address.rpartition(":")[2])
            asyncio.run(staying(port, texts, 1, 1))
            for name, count, load in (
                ("one client", 1, lambda: staying(port, texts, 1, args.seconds / 2)),
                ("clients", args.clients, lambda: staying(port, texts, args.clients, args.seconds)),
                ("clients who leave", args.leaving, lambda: leaving(port, texts, args.leaving)),
            ):
                before = processor(process)
                row = {"load": name, "clients": count, "hidden": args.hidden, **asyncio.run(load())}
                row["processor"] = round((processor(process) - before) / row["requests"], 4)
                rows.append(row)
                print(json.dumps(row), flush=True)
    if args.results:
        for row in rows:
            append(args.results, {**row, **describe()})
    return rows


if __name__ == "__main__":
    main()
