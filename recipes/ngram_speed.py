"""How fast are n-gram models made and asked? firth beside KenLM's programs and nltk, turn by turn, on the same text.

Made: a text file to a model on disk, by `firth.NgramLM` and by lmplz, each in a process of its own. Asked: the
probabilities of held-out words that are numbers already (KenLM's kenlm_benchmark on its probing and trie binaries), and
of sentences (the package kenlm). nltk gets a small part of the text, for it would not finish with more. Programs are
found on the PATH; what is missing is left out. Figures are processor seconds, user and system, medians of the rounds.

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
SMALL_LINES, SMALL_WORDS = 1000, 300  # nltk's share
RATE = re.compile(r"Queries per second excluding load, CPU: (\S+)")


def toy_text(folder):
    """Lines of few words, and the first of them held out."""
    words = [f"w{(i * i + j * j * j) % 97 % (3 + j)}" for i in range(400) for j in range(12)]
    lines = [" ".join(words[i : i + 12]) for i in range(0, len(words), 12)]
    for name, some in (("text.txt", lines), ("held-out.txt", lines[:40])):
        (folder / name).write_text("\n".join(some) + "\n", encoding="utf-8")
    return folder / "text.txt", folder / "held-out.txt"


def run(command, threads, source=None, target=None):
    """Run a command on some processors; return its processor seconds, seconds, and MiB at most."""

    def keep_to():
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])

    began = time.monotonic()
    with Path(source or os.devnull).open("rb") as taken, Path(target or os.devnull).open("wb") as given:
        program = subprocess.Popen(command, stdin=taken, stdout=given, stderr=subprocess.DEVNULL, preexec_fn=keep_to)
        _, status, used = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode:
        raise SystemExit(f"{command[0]} ended with {program.returncode}")
    return used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss / 1024


def makers(text, folder, order, threads):
    """Name -> a function that makes a model and returns what it took."""

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
    """A line of figures for each program."""
    taken = {name: [] for name in makers(text, folder, order, threads)}
    for _ in range(rounds):
        for name, make in makers(text, folder, order, threads).items():
            taken[name].append(make())
    for name, figures in taken.items():
        cpu, wall, memory = (statistics.median(column) for column in zip(*figures, strict=True))
        rounded = {"cpu s": round(cpu, 2), "wall s": round(wall, 2), "MiB": round(memory)}
        yield {"what": "make", "program": name, "order": order, "threads": threads, **rounded}


def askers(held_out, folder, order):
    """Name -> a function that asks for all held-out words and returns words a processor second."""
    model = firth.load(folder / f"{order}.firth")
    text = model.read([line for line in held_out.read_text(encoding="utf-8").splitlines() if line.strip()])
    lines = [line for line in held_out.read_text(encoding="utf-8").splitlines() if line.strip()]

    def timed(ask, words):
        def rate():
            began = time.process_time()
            ask()
            return words / max(time.process_time() - began, 1e-9)

        return rate

    found = {"firth": timed(lambda: model.log_probs(text), len(text))}
    some = lines[: max(len(lines) // 10, 1)]
    words = sum(len(line.split()) + 1 for line in some)
    found["firth, from sentences"] = timed(lambda: model.log_probs(model.encode(some)), words)
    if all(map(shutil.which, ("lmplz", "build_binary", "kenlm_benchmark"))):
        arpa = folder / f"{order}.arpa"
        if not arpa.exists():
            makers(held_out, folder, order, 1)["lmplz"]()
        for kind in ("probing", "trie"):
            binary = folder / f"{order}.{kind}"
            if not binary.exists():
                run(["build_binary", "-T", f"{folder}/", "-S", "2G", kind, arpa, binary], 1)
            found[f"KenLM, {kind}"] = benchmarked(binary, held_out)
        if importlib.util.find_spec("kenlm"):
            import kenlm

            peer = kenlm.Model(str(folder / f"{order}.probing"))
            found["kenlm, from sentences"] = timed(lambda: [peer.score(line) for line in some], words)
    return found


def benchmarked(binary, held_out):
    """KenLM's own count of its queries by numbers."""
    numbers = binary.with_suffix(f"{binary.suffix}.ids")
    run(["kenlm_benchmark", "-v", "-m", binary], 1, held_out, numbers)

    def rate():
        with numbers.open("rb") as file:
            command = ["kenlm_benchmark", "-q", "-t", "1", "-m", str(binary)]
            told = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
        return float(RATE.search(told.stdout + told.stderr)[1])

    return rate


def measure_asking(held_out, folder, order, rounds):
    """A line of figures for each way of asking."""
    ways = askers(held_out, folder, order)
    rates = {name: [] for name in ways}
    for _ in range(rounds):
        for name, ask in ways.items():
            rates[name].append(ask())
    for name, found in rates.items():
        yield {"what": "ask", "program": name, "order": order, "threads": 1, "words/s": round(statistics.median(found))}


def measure_small(text, held_out, rounds):
    """Order 3 of a small text, by firth and by nltk: the same lines, asked for the same words."""
    with text.open(encoding="utf-8") as file:
        lines = [line.split() for _, line in zip(range(SMALL_LINES), file, strict=False)]
    asked = held_out.read_text(encoding="utf-8").split()[:SMALL_WORDS]
    corpus = firth.Corpus.build(lines, min_count=1, progress=False)
    model = firth.NgramLM(order=3, discounts=1, discount_fallback=True).train(corpus)
    ids = model.read([" ".join(asked)])
    ways = {"firth, small text": lambda: model.log_probs(ids)}
    if importlib.util.find_spec("nltk"):
        from nltk.lm import KneserNeyInterpolated, StupidBackoff
        from nltk.lm.preprocessing import padded_everygram_pipeline

        for kind in (KneserNeyInterpolated, StupidBackoff):
            peer = kind(order=3)
            peer.fit(*padded_everygram_pipeline(3, lines))
            places = [(asked[i], asked[max(i - 2, 0) : i]) for i in range(len(asked))]
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
            rates.append(times * len(asked) / max(time.process_time() - began, 1e-9))
        yield {"what": "ask", "program": name, "order": 3, "threads": 1, "words/s": round(statistics.median(rates))}


def main(arguments=None):
    parser = argparse.ArgumentParser(description="N-gram models made and asked, beside KenLM and nltk.")
    parser.add_argument("text", nargs="?", type=Path, help="a file with a sentence a line; none with --toy")
    parser.add_argument("held_out", nargs="?", type=Path, help="another one; none with --toy")
    parser.add_argument("--toy", action="store_true", help="a small text, one round")
    parser.add_argument("--orders", type=int, nargs="+", default=[3, 5])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where models are kept; binaries that are there are taken")
    parser.add_argument("--only", choices=["make", "ask"], help="one of the two alone")
    parser.add_argument("--results", type=Path, help="file of JSON lines to add the figures to")
    chosen = parser.parse_args(arguments)
    if not chosen.toy and (chosen.text is None or chosen.held_out is None):
        parser.error("a text and a held-out text are missing; or pass --toy")
    folder = chosen.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    text, held_out = toy_text(folder) if chosen.toy else (chosen.text, chosen.held_out)
    lines = list(measured(chosen, text, held_out, folder))
    if chosen.results:
        with chosen.results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({**line, "version": firth.__version__}) + "\n" for line in lines)
    return lines


def measured(chosen, text, held_out, folder):
    """Every line of figures, printed as it comes."""
    rounds = 1 if chosen.toy else chosen.rounds

    def every():
        if chosen.only != "ask":
            for order in chosen.orders:
                for threads in chosen.threads:
                    yield from measure_making(text, folder, order, threads, rounds)
        if chosen.only != "make":
            for order in chosen.orders:
                yield from measure_asking(held_out, folder, order, rounds)
            yield from measure_small(text, held_out, rounds)

    for line in every():
        print(json.dumps(line), flush=True)
        yield line


if __name__ == "__main__":
    main()
