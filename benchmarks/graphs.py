"""Graph convolutional networks on Cora: seconds of 200 epochs here and in PyTorch Geometric, in turns.

Both train Kipf and Welling's network of width 16 with Adam, dropout .5 and weight decay, without evaluations. Of firth,
the time is that of `train` as a whole: the graph is read and the model is made; of PyTorch Geometric that of the epochs
alone, the edges normalised once and kept. It reads the features once as its loader gives them, dense, and once as a
sparse tensor. One thread; medians of rounds.

    python -m benchmarks.graphs --data shared/data        # needs torch_geometric; other rows are left out without it
"""

import argparse
import json
import runpy
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

import firth

RECIPE = Path(__file__).resolve().parents[1] / "recipes" / "graphs.py"
EPOCHS = 200


def ours(graph: Any, epochs: int) -> float:
    """Seconds of `train`."""
    edges, features, labels, train, *_ = graph
    known = np.where(np.isin(np.arange(len(labels)), train), labels, -1)
    options = firth.GCN()
    began = time.perf_counter()
    options.train(edges, features, known, training=replace(options.training, epochs=epochs), progress=False, threads=1)
    return time.perf_counter() - began


def geometric(graph: Any, epochs: int, *, sparse: bool) -> float:
    """Seconds of the epochs of PyTorch Geometric's network."""
    from torch.nn import functional
    from torch_geometric.nn import GCNConv

    edges, features, labels, train, *_ = graph
    pairs = torch.from_numpy(np.stack(edges.nonzero()).astype(np.int64))
    x = torch.from_numpy(features.toarray())
    x = x.to_sparse() if sparse else x
    rows, expected = torch.from_numpy(train), torch.from_numpy(labels)[train]
    first = GCNConv(features.shape[1], 16, cached=True)
    second = GCNConv(16, int(labels.max()) + 1, cached=True)
    parts = [{"params": first.parameters(), "weight_decay": 5e-4}, {"params": second.parameters(), "weight_decay": 0}]
    optimiser = torch.optim.Adam(parts, lr=0.01)
    began = time.perf_counter()
    for _ in range(epochs):
        optimiser.zero_grad()
        inputs = x if sparse else functional.dropout(x, 0.5)  # sparse inputs: without dropout, which it does not have
        hidden = functional.dropout(first(inputs, pairs).relu(), 0.5)
        loss = functional.cross_entropy(second(hidden, pairs)[rows], expected)
        loss.backward()
        optimiser.step()
    return time.perf_counter() - began


def main(argv: list[str] | None = None) -> list[dict[str, Any]]:
    """Print a row per program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    graph = runpy.run_path(str(RECIPE))["planetoid"](args.data / "graphs/planetoid/planetoid.tar.gz", "cora")
    programs: dict[str, Any] = {"firth": lambda: ours(graph, args.epochs)}
    try:
        import torch_geometric
    except ImportError:
        print("torch_geometric is not installed: firth alone")
    else:
        name = f"PyTorch Geometric {torch_geometric.__version__}"
        programs[f"{name}, dense"] = lambda: geometric(graph, args.epochs, sparse=False)
        programs[f"{name}, sparse"] = lambda: geometric(graph, args.epochs, sparse=True)
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for number in range(args.rounds + 1):
        for name, run in programs.items():
            taken = run()
            seconds[name] += [taken] if number else []  # the first round warms up
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    rows = [
        {
            "program": name,
            "seconds": round(median, 3),
            "ratio": round(median / medians["firth"], 2),
            "epochs": args.epochs,
        }
        for name, median in medians.items()
    ]
    for row in rows:
        print(json.dumps(row), flush=True)
    return rows


if __name__ == "__main__":
    main()
