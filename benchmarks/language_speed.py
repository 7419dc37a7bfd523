"""Training speed of language models in tokens per second, compared with PyTorch's example program on one thread.

    python -m benchmarks.language_speed TEXT --peer examples/word_language_model -o results/language/speed.jsonl

The peer is the unchanged program `main.py`; its figure is the one it prints, the time per batch of its loop. firth
trains with `train`, and its figure comes from its progress. Both read the same words of one text in batches of the same
shape, with the same widths, layers, dropout and optimiser (plain gradient descent, clipped at 0.25); rare words are
`<unk>` for both. The batches before the first printed line are excluded for both. A round is one run of each side, one
after the other.

There are two figures: by elapsed time, and by processor time (Linux). They agree on an idle machine; on a busy one the
second is reliable.
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
    """Write train.txt, valid.txt and test.txt of a text with rare words replaced by `<unk>`."""
    lines, count = [], 0
    with Path(text).open(encoding="utf-8") as file:
        for line in file:
            lines.append(line.split())
            count += len(lines[-1]) + 1
            if count >= tokens:
                break
    frequent = collections.Counter(word for line in lines for word in line).most_common(words - 2)
    vocabulary = {word for word, _ in frequent}
    rows = [" ".join(word if word in vocabulary else "<unk>" for word in line) for line in lines if line]
    for name, part in (("train", rows), ("valid", rows[:50]), ("test", rows[:50])):
        (folder / f"{name}.txt").write_text("\n".join(part) + "\n", encoding="utf-8")


def environment():
    """The environment of both sides: one thread."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}


def peer_rate(peer, folder, size, intervals, interval):
    """The example program's tokens per second, by elapsed time (median of all lines but one) and processor time."""
    model, width, inner, layers, heads = SIZES[size]
    command = [sys.executable, "-u", "main.py", "--data", str(folder), "--model", model, "--epochs", "1"]
    command += ["--emsize", str(width), "--nhid", str(inner), "--nlayers", str(layers), "--nhead", str(heads)]
    command += ["--batch_size", str(BATCH), "--bptt", str(STEPS), "--log-interval", str(interval), "--lr", "1"]
    command += ["--save", str(folder / "model.pt")]
    times, processor_times = [], []
    with subprocess.Popen(command, cwd=peer, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if match := LINE.search(line):
                times.append(float(match[1]) / 1000)
                processor_times.append(processor_seconds(process.pid))
            if len(times) > intervals:
                process.terminate()
                break
    by_processor = BATCH * STEPS * interval * (len(processor_times) - 1) / (processor_times[-1] - processor_times[0])
    return BATCH * STEPS / statistics.median(times[1:]), by_processor


def processor_seconds(pid):
    """Seconds of processor time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def options_of(size):
    """The same model in firth."""
    import firth

    model, width, inner, layers, heads = SIZES[size]
    if model == "LSTM":
        return firth.RecurrentLM(cell="lstm", dim=width, hidden=inner, layers=layers, dropout=0.2, bptt=STEPS)
    return firth.TransformerLM(
        dim=width, ffn_dim=inner, layers=layers, heads=heads, context=STEPS, positions="sinusoidal", norm="post",
        activation="relu", dropout=0.1, tie_weights=False, bptt=STEPS,
    )  # fmt: skip


def own_rate(folder, size, batches, first):
    """firth's training speed in tokens per second, after the first batches."""
    import firth
    from firth.language.text import training_text

    os.environ["FIRTH_CACHE"] = str(folder / "cache")
    corpus = firth.Corpus.build(folder / "train.txt", min_count=1, tokens="whitespace", progress=False)
    whole = training_text(corpus)
    text = whole.part(0, BATCH * STEPS * batches)
    progress_rows = []
    training = firth.TrainingOptions(epochs=1, batch_size=BATCH, optimiser="sgd", lr=1.0, clip_norm=0.25)
    options_of(size).train(
        text,
        training=training,
        progress=lambda status: progress_rows.append((status.done, status.seconds, time.process_time())) or None,
    )
    late = [row for row in progress_rows if row[0] >= BATCH * STEPS * first and row[1]]
    (first_tokens, clock, processor_start), (last, clock_end, processor_end) = late[0], late[-1]
    rates = (last - first_tokens) / (clock_end - clock), (last - first_tokens) / (processor_end - processor_start)
    return {"rates": rates, "words": len(whole.vocabulary)}


def own_process(folder, size, batches, first):
    """`own_rate` in a separate process, like the peer."""
    command = [sys.executable, "-m", "benchmarks.language_speed", "--own", str(folder), size, str(batches), str(first)]
    process = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if process.returncode:
        raise SystemExit(process.stderr)
    return json.loads(process.stdout.splitlines()[-1])


def compare(args):
    """Run all rounds; save and print one row per size."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(args.text, folder, args.words, args.tokens)
        for size in args.sizes:
            firth, peer, words = [], [], 0
            for _ in range(args.rounds):
                peer.append(peer_rate(args.peer, folder, size, args.intervals, args.interval))
                batches = args.interval * (args.intervals + 1)
                result = own_process(folder, size, batches, args.interval)
                firth.append(result["rates"])
                words = result["words"]
            rows.append(row_of(size, words, firth, peer))
            records.append(args.output, rows[-1])
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
    argv = sys.argv[1:] if arguments is None else arguments
    if argv[:1] == ["--own"]:
        print(json.dumps(own_rate(Path(argv[1]), argv[2], int(argv[3]), int(argv[4]))))
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
    return compare(parser.parse_args(argv))


if __name__ == "__main__":
    main()
