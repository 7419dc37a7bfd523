"""Pipelines from raw text: firth's and UDPipe 1's, trained on the same treebank.

    python -m benchmarks.pipelines firth FOLDER... [--parser transition] [--size 300]
    python -m benchmarks.pipelines udpipe FOLDER... [--size 300]    # needs ufal.udpipe
    python -m benchmarks.pipelines table

Folders and parts are those of `benchmarks.parse_sizes`. Both programs learn from the first sentences of the training
file (all of them for --size 0) with their own defaults, and annotate the raw text of the test file: its tokens with
spaces between them, but after SpaceAfter=No. Scores are those of the CoNLL 2018 shared task; rows go to
results/small/pipelines.jsonl, and what is there is not trained again.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import firth
from benchmarks import records
from benchmarks.parse_sizes import FIRTH, RESULTS, UDPIPE, parts, trained_udpipe
from firth.evaluation import score_pipeline
from firth.pipeline.raw_text import raw_text
from firth.readers.conllu import DependencySentence, read_conllu

METRICS = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS", "BLEX")

LEGEND = """# Pipelines from raw text

`python -m benchmarks.pipelines`: F1 of the CoNLL 2018 shared task, in per cent, from the raw text of the test file (the
development file where there is no other), with bootstrap intervals over its sentences for LAS. Both programs learn from
the same sentences by their own defaults; seconds are the processor's, on one thread of a busy machine. A treebank
without a row of UDPipe was not measured with it.
"""

Trees = Sequence[DependencySentence]
Annotate = Callable[[str], Trees]


def firth_pipeline(parser: str, sentences: Trees) -> Annotate:
    """Firth's pipeline by default but for its parser."""
    pipeline = firth.Pipeline(parser=parser).train(list(sentences), seed=1, progress=False)
    return lambda text: pipeline.annotate(text).sentences


def udpipe_pipeline(sentences: Trees) -> Annotate:
    """UDPipe's pipeline by default."""
    udpipe, model = trained_udpipe(sentences, "", "")

    def annotate(text: str) -> Trees:
        default = udpipe.Pipeline.DEFAULT
        pipeline = udpipe.Pipeline(model, "tokenize", default, default, "conllu")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "out.conllu"
            file.write_text(pipeline.process(text, udpipe.ProcessingError()), encoding="utf-8")
            return list(read_conllu(file, trees=False))

    return annotate


def measure(name: str, train: Callable[[Trees], Annotate], arguments: argparse.Namespace) -> None:
    """Train on every treebank, annotate its test text, and keep a row of scores."""
    file = RESULTS / "pipelines.jsonl"
    done = {(row["program"], row["treebank"], row["size"]) for row in records.read(file)}
    for folder in arguments.folders:
        if (name, folder.name, arguments.size) in done:
            continue
        first, last = parts(folder)
        sentences = list(read_conllu(first, trees=False))[: arguments.size or None]
        gold = list(read_conllu(last, trees=False))
        began = time.process_time()
        annotate = train(sentences)
        trained = time.process_time()
        scores = score_pipeline(gold, annotate(raw_text(gold).text))
        row: dict[str, Any] = {
            "program": name, "treebank": folder.name, "size": arguments.size, "sentences": len(sentences),
            "seconds": round(trained - began, 1), "annotation": round(time.process_time() - trained, 1),
            **{metric: round(100 * scores[metric].f1, 2) for metric in METRICS},
            "interval": [round(100 * end, 2) for end in scores["LAS"].interval],
        }  # fmt: skip
        records.append(file, row)
        print(*row.values(), flush=True)


def table(rows: Sequence[records.Row]) -> str:
    """The results as Markdown."""
    head = ("treebank", "sentences", "program", *METRICS, "95 % of LAS", "training", "annotation")
    lines = ["| " + " | ".join(head) + " |", "|---|---:|---|" + "---:|" * (len(head) - 3)]
    for row in sorted(rows, key=lambda row: (row["treebank"], row["sentences"], row["program"])):
        low, high = row["interval"]
        cells = [
            row["treebank"],
            f"{row['sentences']:,}",
            row["program"],
            *(f"{row[metric]:.2f}" for metric in METRICS),
        ]
        cells += [f"{low:.1f} to {high:.1f}", f"{row['seconds']:.0f} s", f"{row['annotation']:.0f} s"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([LEGEND, *lines, ""])


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("firth", "udpipe", "table"))
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--parser", choices=("biaffine", "transition"), default="transition")
    parser.add_argument("--size", type=int, default=0, help="sentences, the first ones; 0 for all")
    arguments = parser.parse_args()
    if arguments.what == "table":
        (RESULTS / "pipelines.md").write_text(table(records.read(RESULTS / "pipelines.jsonl")), encoding="utf-8")
    elif arguments.what == "udpipe":
        measure(UDPIPE, udpipe_pipeline, arguments)
    else:
        name = f"{FIRTH}, {arguments.parser}"
        measure(name, lambda sentences: firth_pipeline(arguments.parser, sentences), arguments)


if __name__ == "__main__":
    main()
