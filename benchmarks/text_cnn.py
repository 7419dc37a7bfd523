"""Training speed of Kim's CNN in sentences per second, compared with a plain PyTorch loop on one thread.

    python -m benchmarks.text_cnn sentence/sentclass/rt-polarity.all -o results/text_cnn.jsonl

The loop is what tutorials have: `nn.Embedding`, three `nn.Conv1d`, batches in random order padded to their longest
sentence, `torch.optim` over all parameters, max-norm after each update. firth trains with `train`. Both have the same
sentences, words, widths, filters, batch size and optimiser. A round is one run of each side, one after the other; the
updates before the first evaluation are excluded for both. Speeds are by processor time: another program on the machine
then changes little.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import firth
from benchmarks import machine, records
from firth.neural.models.classification.reader import learn_reader

BATCH, DIM, FILTERS, WIDTHS, LIMIT = 50, 300, 100, (3, 4, 5), 3.0
OPTIMISERS = {"adam": (torch.optim.Adam, 0.001), "adadelta": (torch.optim.Adadelta, 1.0)}


class PlainCNN(nn.Module):
    """Kim's model as tutorials write it."""

    def __init__(self, words, labels):
        super().__init__()
        self.embedding = nn.Embedding(words, DIM, padding_idx=0)
        self.convolutions = nn.ModuleList(nn.Conv1d(DIM, FILTERS, width, padding=width - 1) for width in WIDTHS)
        self.dropout, self.output = nn.Dropout(0.5), nn.Linear(FILTERS * len(WIDTHS), labels)

    def forward(self, ids):
        x = self.embedding(ids).transpose(1, 2)
        pooled = [torch.relu(convolution(x)).max(2).values for convolution in self.convolutions]
        return self.output(self.dropout(torch.cat(pooled, 1)))


def plain_rate(examples, words, optimiser, every, intervals):
    """The loop's sentences per second of processor time, the median of intervals of `every` updates."""
    make, lr = OPTIMISERS[optimiser]
    labels = sorted({label for _, label in examples})
    items = [(torch.from_numpy(ids), labels.index(label)) for ids, label in examples]
    model = PlainCNN(words, len(labels)).train()
    steps = make(model.parameters(), lr=lr)
    loader = torch.utils.data.DataLoader(items, BATCH, shuffle=True, collate_fn=padded)
    times, step = [], 0
    while len(times) <= intervals:
        for ids, targets in loader:
            steps.zero_grad()
            nn.functional.cross_entropy(model(ids), targets).backward()
            steps.step()
            with torch.no_grad():
                norms = model.output.weight.norm(dim=1, keepdim=True)
                model.output.weight.mul_((LIMIT / norms).clamp(max=1.0))
            step += 1
            if step % every == 0:
                times.append(time.process_time())
    return BATCH * every / statistics.median(np.diff(times[: intervals + 1]))


def padded(items):
    """Return the ids and the labels of a batch."""
    ids, labels = zip(*items, strict=True)
    return nn.utils.rnn.pad_sequence(ids, batch_first=True), torch.tensor(labels)


def own_rate(texts, optimiser, every, intervals):
    """firth's sentences per second of processor time, likewise; two sentences are held out."""
    options = firth.CNNClassifier(dim=DIM, filters=FILTERS, widths=WIDTHS, tokens="whitespace", min_count=1)
    updates = every * (intervals + 1)
    epochs = -(-updates // (len(texts) // BATCH))
    training = firth.TrainingOptions(
        epochs=epochs, batch_size=BATCH, optimiser=optimiser, lr=OPTIMISERS[optimiser][1], evaluate_every=every
    )
    times = []
    options.train(
        texts, held_out=texts[:2], training=training, progress=False,
        callbacks=[lambda row: times.append((row["step"], time.process_time()))],
    )  # fmt: skip
    even = [clock for step, clock in times if step % every == 0]
    return BATCH * every / statistics.median(np.diff(even[: intervals + 1]))


def compare(args):
    """Run all rounds; save and print one row per optimiser."""
    torch.set_num_threads(1)
    lines = Path(args.text).read_text(encoding="latin-1").split("\n")
    texts = [(text, label) for label, _, text in (line.partition(" ") for line in lines) if text]
    reader = learn_reader([text for text, _ in texts], "whitespace", min_count=1, max_length=1000)
    examples = [(reader.shorten(reader.read(text)), label) for text, label in texts]
    rows = []
    for optimiser in args.optimisers:
        rates = []
        for _ in range(args.rounds):
            plain = plain_rate(examples, len(reader), optimiser, args.every, args.intervals)
            rates.append((own_rate(texts, optimiser, args.every, args.intervals), plain))
        ratios = [round(float(own / plain), 2) for own, plain in rates]
        own, plain = (round(float(statistics.median(side))) for side in zip(*rates, strict=True))
        row = {
            "optimiser": optimiser, "sentences": len(texts), "words": len(reader), "firth": own, "loop": plain,
            "ratio": statistics.median(ratios), "ratios": ratios, "load": machine.load(),
            "machine": machine.describe(), "torch": torch.__version__,
        }  # fmt: skip
        if args.output:
            records.append(args.output, row)
        print(json.dumps(row), flush=True)
        rows.append(row)
    return rows


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", help="labelled sentences: label token token ...")
    parser.add_argument("-o", "--output", type=Path, help="file that rows are appended to")
    parser.add_argument("--optimisers", nargs="+", default=list(OPTIMISERS), choices=list(OPTIMISERS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--every", type=int, default=20, help="updates per interval")
    parser.add_argument("--intervals", type=int, default=5, help="intervals that count, per run")
    return compare(parser.parse_args(arguments))


if __name__ == "__main__":
    main()
