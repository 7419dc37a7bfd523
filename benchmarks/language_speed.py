"""Tokens a second that language models train on, beside PyTorch's own example program, in turns on one thread.

    python -m benchmarks.language_speed TEXT --peer examples/word_language_model -o results/language/speed.jsonl

The peer is the program itself, `main.py`, unchanged: its figure is the one that it prints, batches' times with all
that its loop does. firth trains through `train`, and its figure is that of its own progress. Both read the same words
of one text, batch for batch of the same shape, with the same widths, layers, places of dropout and update (plain
gradient descent, clipped at 0.25); words beyond the most frequent are `<unk>` for both. What comes before the first
printed line, and as many batches of firth's, is left out. A round is one run of each side, one after the other.

Two figures: by the clock, and by the processor time that a side used (Linux), which says the same on a machine at rest
and is the one to trust on a busy one.
"""

import argparse
import collections
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import machine, records

BATCH, STEPS = 20, 35
SIZES = {  # model, width, inner width of a block, layers, heads
    "lstm 2x200": ("LSTM", 200, 200, 2, 2),
    "lstm 2x650": ("LSTM", 650, 650, 2, 2),
    "transformer 2x200": ("Transformer", 200, 200, 2, 2),
    "transformer 4x256": ("Transformer", 256, 1024, 4, 4),
}
LINE = re.compile(r"ms/batch\s+([\d.]+)")


def prepare(text, folder, words, tokens):
    """Write train.txt, valid.txt and test.txt of a text whose rarer words are one."""
    lines, count = [], 0
    with Path(text).open(encoding="utf-8") as file:
        for line in file:
            lines.append(line.split())
            count += len(lines[-1]) + 1
            if count >= tokens:
                break
    frequent = collections.Counter(word for line in lines for word in line).most_common(words - 2)
    kept = {word for word, _ in frequent}
    rows = [" ".join(word if word in kept else "<unk>" for word in line) for line in lines if line]
    for name, part in (("train", rows), ("valid", rows[:50]), ("test", rows[:50])):
        (folder / f"{name}.txt").write_text("\n".join(part) + "\n", encoding="utf-8")


def environment():
    """One thread for everybody, and this tree's firth."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}


def peer_rate(peer, folder, size, intervals, interval):
    """Tokens a second that the example program says, the median of its lines but the first; and by processor time."""
    model, width, inner, layers, heads = SIZES[size]
    command = [sys.executable, "-u", "main.py", "--data", str(folder), "--model", model, "--epochs", "1"]
    command += ["--emsize", str(width), "--nhid", str(inner), "--nlayers", str(layers), "--nhead", str(heads)]
    command += ["--batch_size", str(BATCH), "--bptt", str(STEPS), "--log-interval", str(interval), "--lr", "1"]
    command += ["--save", str(folder / "model.pt")]
    times, used = [], []
    with subprocess.Popen(command, cwd=peer, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if found := LINE.search(line):
                times.append(float(found[1]) / 1000)
                used.append(processor_seconds(process.pid))
            if len(times) > intervals:
                process.terminate()
                break
    by_processor = BATCH * STEPS * interval * (len(used) - 1) / (used[-1] - used[0])
    return BATCH * STEPS / statistics.median(times[1:]), by_processor


def processor_seconds(pid):
    """Seconds of processor time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def options_of(size):
    """What firth calls the same model."""
    import firth

    model, width, inner, layers, heads = SIZES[size]
    if model == "LSTM":
        return firth.RecurrentLM(cell="lstm", dim=width, hidden=inner, layers=layers, dropout=0.2, bptt=STEPS)
    return firth.TransformerLM(
        dim=width, ffn_dim=inner, layers=layers, heads=heads, context=STEPS, positions="sinusoidal", norm="post",
        activation="relu", dropout=0.1, tie_weights=False, bptt=STEPS,
    )  # fmt: skip


def own_rate(folder, size, batches, first):
    """Tokens a second of firth's training, after the first batches."""
    import firth
    from firth.language.text import training_text

    os.environ["FIRTH_CACHE"] = str(folder / "cache")
    corpus = firth.Corpus.build(folder / "train.txt", min_count=1, tokens="whitespace", progress=False)
    whole = training_text(corpus)
    text = whole.part(0, BATCH * STEPS * batches)
    seen = []
    training = firth.TrainingOptions(epochs=1, batch_size=BATCH, optimiser="sgd", lr=1.0, clip_norm=0.25)
    options_of(size).train(
        text,
        training=training,
        progress=lambda status: seen.append((status.done, status.seconds, time.process_time())) or None,
    )
    late = [row for row in seen if row[0] >= BATCH * STEPS * first and row[1]]
    (done, clock, used), (last, clock_end, used_end) = late[0], late[-1]
    rates = (last - done) / (clock_end - clock), (last - done) / (used_end - used)
    return {"rates": rates, "words": len(whole.vocabulary)}


def own_process(folder, size, batches, first):
    """`own_rate` in a process of its own, as the peer has one."""
    command = [sys.executable, "-m", "benchmarks.language_speed", "--own", str(folder), size, str(batches), str(first)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def compare(chosen):
    """Run all rounds; one row a size is kept, and printed as it is done."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(chosen.text, folder, chosen.words, chosen.tokens)
        for size in chosen.sizes:
            firth, peer, words = [], [], 0
            for _ in range(chosen.rounds):
                peer.append(peer_rate(chosen.peer, folder, size, chosen.intervals, chosen.interval))
                batches = chosen.interval * (chosen.intervals + 1)
                told = own_process(folder, size, batches, chosen.interval)
                firth.append(told["rates"])
                words = told["words"]
            rows.append(row_of(size, words, firth, peer))
            records.append(chosen.output, rows[-1])
            print(json.dumps(rows[-1]), flush=True)
    return rows


def row_of(size, words, firth, peer):
    """Medians, all runs, and the ratios within rounds, by the clock and by processor time.

    Args:
        size: a name of `SIZES`.
        words: of the vocabulary.
        firth: of each run, tokens a second by the clock and by processor time.
        peer: the same of the peer's runs.
    """
    row = {"size": size, "words": words, "batch": BATCH, "steps": STEPS}
    for place, kind in enumerate(("clock", "processor")):
        ours, theirs = [run[place] for run in firth], [run[place] for run in peer]
        ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True))
        row[kind] = {
            "firth": round(statistics.median(ours)), "peer": round(statistics.median(theirs)),
            "ratio": round(statistics.median(ratios), 3), "least": round(ratios[0], 3),
            "greatest": round(ratios[-1], 3),
            "runs": {"firth": [round(rate) for rate in ours], "peer": [round(rate) for rate in theirs]},
        }  # fmt: skip
    return {**row, "load": machine.load(), "machine": machine.describe(), "torch": _torch()}


def _torch():
    import importlib.metadata

    return importlib.metadata.version("torch")


def main(arguments=None):
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["--own"]:
        print(json.dumps(own_rate(Path(given[1]), given[2], int(given[3]), int(given[4]))))
        return None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", help="a file of text, a sentence a line")
    parser.add_argument("--peer", type=Path, required=True, help="the folder word_language_model of pytorch/examples")
    parser.add_argument("-o", "--output", type=Path, required=True, help="file that rows are appended to")
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--words", type=int, default=10_000, help="words of the vocabulary")
    parser.add_argument("--tokens", type=int, default=400_000, help="tokens of the text that are read")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--intervals", type=int, default=3, help="lines of the peer that count, a run")
    parser.add_argument("--interval", type=int, default=10, help="batches a line")
    return compare(parser.parse_args(given))


if __name__ == "__main__":
    main()
