"""Measures the speed of n-gram models: firth, KenLM's programs and nltk in turn on the same text.

Training: from a text file to a model on disk, with `firth.NgramLM` and lmplz, each in its own process. Queries: the
probabilities of held-out words that are already ids (KenLM's kenlm_benchmark on its probing and trie binaries), and of
sentences (the package kenlm). nltk gets a small part of the text; it would not finish with more. Programs are searched
on the PATH and left out if missing. Figures are processor seconds, user and system, medians of the rounds.

    python recipes/ngram_speed.py wiki.txt held-out.txt --orders 3 5 --folder models
    python recipes/ngram_speed.py --toy
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import firth

OURS = """
import sys, firth
text, model, cache, order, threads = sys.argv[1:]
corpus = firth.Corpus.build(text, min_count=1, tokens="whitespace", cache=cache, progress=False)
trained = firth.NgramLM(order=int(order), discount_fallback=True).train(corpus, threads=int(threads), progress=False)
trained.save(model)
"""
SMALL_LINES, SMALL_WORDS = 1000, 300  # nltk's part of the text
RATE = re.compile(r"Queries per second excluding load, CPU: (\S+)")


def toy_text(folder):
    """Lines of few distinct words; the first lines are held out."""
    words = [f"w{(i * i + j * j * j) % 97 % (3 + j)}" for i in range(400) for j in range(12)]
    lines = [" ".join(words[i : i + 12]) for i in range(0, len(words), 12)]
    for name, some in (("text.txt", lines), ("held-out.txt", lines[:40])):
        (folder / name).write_text("\n".join(some) + "\n", encoding="utf-8")
    return folder / "text.txt", folder / "held-out.txt"


def run(command, threads, source=None, target=None):
    """Run a command on some processors; return processor seconds, elapsed seconds, and peak MiB."""

    def keep_to():
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])

    began = time.monotonic()
    with Path(source or os.devnull).open("rb") as stdin, Path(target or os.devnull).open("wb") as stdout:
        program = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL, preexec_fn=keep_to)
        _, status, usage = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode:
        raise SystemExit(f"{command[0]} ended with {program.returncode}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024


def makers(text, folder, order, threads):
    """Name -> function that trains a model and returns its cost as `run` does."""

    def ours():
        with tempfile.TemporaryDirectory(dir=folder) as cache:  # so that reading the text is counted
            return run(
                [sys.executable, "-P", "-c", OURS, text, folder / f"{order}.firth", cache, str(order), str(threads)],
                threads,
            )

    def lmplz():
        command = ["lmplz", "-o", str(order), "-S", "4G", "-T", f"{folder}/", "--discount_fallback"]
        return run(command, threads, text, folder / f"{order}.arpa")

    return {"firth": ours, **({"lmplz": lmplz} if shutil.which("lmplz") else {})}


def measure_making(text, folder, order, threads, rounds):
    """One line of figures per program."""
    runs = {name: [] for name in makers(text, folder, order, threads)}
    for _ in range(rounds):
        for name, make in makers(text, folder, order, threads).items():
            runs[name].append(make())
    for name, figures in runs.items():
        cpu, wall, memory = (statistics.median(column) for column in zip(*figures, strict=True))
        figures_of_run = {"cpu s": round(cpu, 2), "wall s": round(wall, 2), "MiB": round(memory)}
        yield {"what": "make", "program": name, "order": order, "threads": threads, **figures_of_run}


def askers(held_out, folder, order):
    """Name -> function that scores all held-out words and returns words per processor second."""
    model = firth.load(folder / f"{order}.firth")
    text = model.read([line for line in held_out.read_text(encoding="utf-8").splitlines() if line.strip()])
    lines = [line for line in held_out.read_text(encoding="utf-8").splitlines() if line.strip()]

    def timed(ask, words):
        def rate():
            began = time.process_time()
            ask()
            return words / max(time.process_time() - began, 1e-9)

        return rate

    rates = {"firth": timed(lambda: model.log_probs(text), len(text))}
    some = lines[: max(len(lines) // 10, 1)]
    words = sum(len(line.split()) + 1 for line in some)
    rates["firth, from sentences"] = timed(lambda: model.log_probs(model.token_ids(some)), words)
    if all(map(shutil.which, ("lmplz", "build_binary", "kenlm_benchmark"))):
        arpa = folder / f"{order}.arpa"
        if not arpa.exists():
            makers(held_out, folder, order, 1)["lmplz"]()
        for kind in ("probing", "trie"):
            binary = folder / f"{order}.{kind}"
            if not binary.exists():
                run(["build_binary", "-T", f"{folder}/", "-S", "2G", kind, arpa, binary], 1)
            rates[f"KenLM, {kind}"] = benchmarked(binary, held_out)
        if importlib.util.find_spec("kenlm"):
            import kenlm

            peer = kenlm.Model(str(folder / f"{order}.probing"))
            rates["kenlm, from sentences"] = timed(lambda: [peer.score(line) for line in some], words)
    return rates


def benchmarked(binary, held_out):
    """KenLM's own measurement of queries by ids."""
    numbers = binary.with_suffix(f"{binary.suffix}.ids")
    run(["kenlm_benchmark", "-v", "-m", binary], 1, held_out, numbers)

    def rate():
        with numbers.open("rb") as file:
            command = ["kenlm_benchmark", "-q", "-t", "1", "-m", str(binary)]
            result = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
        return float(RATE.search(result.stdout + result.stderr)[1])

    return rate


def measure_asking(held_out, folder, order, rounds):
    """One line of figures per kind of query."""
    ways = askers(held_out, folder, order)
    rates = {name: [] for name in ways}
    for _ in range(rounds):
        for name, ask in ways.items():
            rates[name].append(ask())
    for name, speeds in rates.items():
        yield {
            "what": "ask",
            "program": name,
            "order": order,
            "threads": 1,
            "words/s": round(statistics.median(speeds)),
        }


def measure_small(text, held_out, rounds):
    """Order 3 on a small text with firth and nltk: the same training lines and the same queries."""
    with text.open(encoding="utf-8") as file:
        lines = [line.split() for _, line in zip(range(SMALL_LINES), file, strict=False)]
    words = held_out.read_text(encoding="utf-8").split()[:SMALL_WORDS]
    corpus = firth.Corpus.build(lines, min_count=1, progress=False)
    model = firth.NgramLM(order=3, discounts=1, discount_fallback=True).train(corpus)
    ids = model.read([" ".join(words)])
    ways = {"firth, small text": lambda: model.log_probs(ids)}
    if importlib.util.find_spec("nltk"):
        from nltk.lm import KneserNeyInterpolated, StupidBackoff
        from nltk.lm.preprocessing import padded_everygram_pipeline

        for kind in (KneserNeyInterpolated, StupidBackoff):
            peer = kind(order=3)
            peer.fit(*padded_everygram_pipeline(3, lines))
            places = [(words[i], words[max(i - 2, 0) : i]) for i in range(len(words))]
            ways[f"nltk {kind.__name__}, small text"] = lambda peer=peer, places=places: [
                peer.score(*at) for at in places
            ]
    for name, ask in ways.items():
        rates = []
        for _ in range(rounds):
            began = time.process_time()
            times = 1 if "nltk" in name else 1000
            for _ in range(times):
                ask()
            rates.append(times * len(words) / max(time.process_time() - began, 1e-9))
        yield {"what": "ask", "program": name, "order": 3, "threads": 1, "words/s": round(statistics.median(rates))}


def main(arguments=None):
    parser = argparse.ArgumentParser(description="N-gram models made and asked, beside KenLM and nltk.")
    parser.add_argument("text", nargs="?", type=Path, help="text with one sentence per line; none with --toy")
    parser.add_argument("held_out", nargs="?", type=Path, help="held-out text; none with --toy")
    parser.add_argument("--toy", action="store_true", help="a small text, one round")
    parser.add_argument("--orders", type=int, nargs="+", default=[3, 5])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="folder for models; existing binaries are reused")
    parser.add_argument("--only", choices=["make", "ask"], help="measure only training or only queries")
    parser.add_argument("--results", type=Path, help="JSON lines file to append the figures to")
    args = parser.parse_args(arguments)
    if not args.toy and (args.text is None or args.held_out is None):
        parser.error("a text and a held-out text are missing; or pass --toy")
    folder = args.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    text, held_out = toy_text(folder) if args.toy else (args.text, args.held_out)
    lines = list(measured(args, text, held_out, folder))
    if args.results:
        with args.results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({**line, "version": firth.__version__}) + "\n" for line in lines)
    return lines


def measured(args, text, held_out, folder):
    """Yield and print every line of figures."""
    rounds = 1 if args.toy else args.rounds

    def every():
        if args.only != "ask":
            for order in args.orders:
                for threads in args.threads:
                    yield from measure_making(text, folder, order, threads, rounds)
        if args.only != "make":
            for order in args.orders:
                yield from measure_asking(held_out, folder, order, rounds)
            yield from measure_small(text, held_out, rounds)

    for line in every():
        print(json.dumps(line), flush=True)
        yield line


if __name__ == "__main__":
    main()
