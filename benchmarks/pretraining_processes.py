"""Pretraining in two processes beside Hugging Face's `BertForMaskedLM` in torch's `DistributedDataParallel`.

    python -m benchmarks.pretraining_processes TEXT

The work of `benchmarks.pretraining`, its text, windows and sizes; each process has half of every batch and a thread of
its own. firth runs the updates of its training loop, the peer the usual loop around its model. Both wait for their turn
with their processes started, so that the start is not counted. The figures are by the clock, for two cores with nothing
else to do.
"""

import argparse
import itertools
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

import firth
from benchmarks.pretraining import (
    BATCH,
    BATCHES,
    CLIP,
    LENGTH,
    LR,
    MODELS,
    RESULTS,
    ROUNDS,
    SIZE,
    batches_of,
    masked,
    peer_model,
    update,
    within,
)
from benchmarks.turns import Contender, SpeedTable
from firth.neural.models.pretraining.data import PieceText, Windows
from firth.neural.models.pretraining.train import pretraining_task
from firth.neural.training.devices import new_parameters, select_runtime
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.neural.training.processes import Group, launch
from firth.neural.training.run import new_run

PROCESSES = 2
LEGEND = """Masked language model of 4 blocks of 256, 4 heads, {size} word pieces, windows of {length}, {batch} to a
batch, of which each of {processes} processes has its part; one thread each. By the clock; contenders take turns; a
figure is the median of {rounds} rounds (least - greatest). "Ratio" is that figure to the peer's in the same precision,
the median over rounds. Written by `python -m benchmarks.pretraining_processes`.

{machine}; torch {torch}.
"""
TABLE = SpeedTable(
    title="# Pretraining in two processes: word pieces a second",
    legend=LEGEND,
    unit="pieces",
    columns={"contender": "contender"},
    other=lambda names: (f"transformers, {names[0][-4:]}",),
    clock=time.perf_counter,
)
CONTEXT: Any = multiprocessing.get_context("fork")


def ours(text: PieceText, precision: str, orders: Connection) -> None:
    """Updates of firth's training loop, whenever ordered."""
    options = MODELS["masked"]
    training = TrainingOptions(
        batch_size=BATCH, optimiser="adamw", lr=LR, weight_decay=0.01, clip_norm=CLIP, precision=precision, warmup=0,
        processes=PROCESSES,
    )  # fmt: skip
    with new_parameters(0):
        objective = options.build_objective(options.config(text.pieces), text.pieces)

    def work(group: Group) -> None:
        task = pretraining_task(objective, Windows(text=text, length=LENGTH, batch_size=BATCH), None, options.mask_rate)
        run = new_run(task, RunConfig(training), select_runtime(training), group)
        batches = list(itertools.islice(run.batches.epoch(0, 0), BATCHES))
        while group.broadcast(orders.recv() if group.rank == 0 else None):
            for batch in batches:
                run.learn(batch)
                run.add_time(0.0, False)  # the processes agree on the time after each update
            if group.rank == 0:
                orders.send(BATCHES * BATCH * LENGTH)

    launch(work, PROCESSES, torch.device("cpu"))


def theirs(text: PieceText, precision: str, orders: Connection) -> None:
    """Updates of the peer's model in torch's wrapper, whenever ordered."""
    with tempfile.NamedTemporaryFile() as meeting:
        processes = [
            CONTEXT.Process(target=_their_process, args=(text, precision, orders, rank, meeting.name))
            for rank in range(PROCESSES)
        ]
        for each in processes:
            each.start()
        for each in processes:
            each.join()


def _their_process(text: PieceText, precision: str, orders: Connection, rank: int, meeting: str) -> None:
    torch.distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=PROCESSES)
    model = torch.nn.parallel.DistributedDataParallel(peer_model(text))
    optimiser = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=0.01, fused=True)
    batches = [ids[rank::PROCESSES] for ids in batches_of(text)]
    special = torch.from_numpy(text.pieces.special)
    while True:
        order = [orders.recv() if rank == 0 else None]
        torch.distributed.broadcast_object_list(order)
        if not order[0]:
            break
        for ids in batches:
            inputs, labels = masked(ids, special, text.pieces.mask_id, len(text.pieces))
            with within(precision):
                loss = model(input_ids=inputs, labels=labels).loss
            update(model, optimiser, loss)
        if rank == 0:
            orders.send(BATCHES * BATCH * LENGTH)
    torch.distributed.destroy_process_group()


class Workers:
    """Processes that wait for orders: each call is a turn."""

    def __init__(self, work: Callable[[PieceText, str, Connection], None], text: PieceText, precision: str) -> None:
        self._orders, there = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=work, args=(text, precision, there))
        self._process.start()

    def __call__(self) -> int:
        self._orders.send(True)
        while not self._orders.poll(1):
            if not self._process.is_alive():
                raise RuntimeError("a process has ended: see its error above")
        return int(self._orders.recv())

    def close(self) -> None:
        """End the processes."""
        self._orders.send(False)
        self._process.join()


def contenders(path: Path) -> Iterator[tuple[tuple[str], Workers]]:
    """What takes turns."""
    corpus = firth.Corpus.build(path, tokens="wordpieces", max_size=SIZE, progress=False)
    text = PieceText.of(corpus)
    for precision in ("fp32", "bf16"):
        for name, work in (("firth", ours), ("transformers", theirs)):
            yield (f"{name}, {precision}",), Workers(work, text, precision)


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    args = parser.parse_args()
    torch.set_num_threads(1)
    file = args.output / "processes.jsonl"
    sizes = {"size": SIZE, "length": LENGTH, "batch": BATCH, "processes": PROCESSES, "rounds": args.rounds}
    TABLE.begin(file, sizes, torch=torch.__version__)
    workers = list(contenders(args.text))
    try:
        TABLE.measure([Contender(names, each) for names, each in workers], args.rounds, file)
    finally:
        for _, each in workers:
            each.close()
    (args.output / "processes.md").write_text(TABLE.markdown(file), encoding="utf-8")


if __name__ == "__main__":
    main()
