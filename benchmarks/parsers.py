"""Words a second of transition parsers, training and parsing: firth's, and UDPipe's.

    python -m benchmarks.parsers train.conllu dev.conllu

Both read gold tags, and have sentences in memory in their own form before the clock starts. UDPipe (`ufal.udpipe`) is
left out where it is not installed. The table has an iteration of training; both programs take ten by default.
"""

import argparse
import importlib.util
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import firth
from benchmarks.turns import Contender, SpeedTable, counting
from firth.readers.conllu import DependencySentence, read_conllu

RESULTS = Path(__file__).parent / "results" / "parsers"
SENTENCES, ROUNDS = 300, 5
UDPIPE = "UDPipe 1.4"
Job = Callable[[], object]

LEGEND = """Sentences of a treebank with gold tags, one thread, in processor time. Training: one pass over {sentences}
sentences, without evaluation on held-out ones. Parsing: {parsed} sentences; firth's figures contain the making of new
sentences with heads and relations. Hidden layers of 200; UDPipe has its defaults, which read morphological features,
too, and a dynamic oracle. Contenders take turns; a figure is the median of {rounds} rounds (least - greatest). "Ratio"
is that figure to UDPipe's, the median over rounds. Written by `python -m benchmarks.parsers`.

{machine}.
"""
TABLE = SpeedTable(
    title="# Transition parsers: words a second",
    legend=LEGEND,
    unit="words",
    columns={"job": "job", "contender": "contender"},
    other=lambda names: (names[0], UDPIPE),
)


def ours(train: Sequence[DependencySentence], dev: Sequence[DependencySentence]) -> Iterator[tuple[str, str, Job]]:
    """What firth runs: job, name and the job itself."""
    once = firth.TrainingOptions(epochs=1, batch_size=50, lr=0.002, device="cpu")
    few = list(train[:1])  # an evaluation on held-out sentences belongs to no pass
    for oracle in ("static", "dynamic"):
        options = firth.TransitionParser(oracle=oracle, explore_after=0)

        def fit(options: firth.TransitionParser = options) -> Any:
            return options.train(list(train), held_out=few, training=once, progress=False)

        yield "training", f"firth, {oracle} oracle", fit
    parser = fit()
    for beam in (1, 4):

        def parse(beam: int = beam) -> Any:
            parser.module.beam = beam
            return parser.predict(dev)

        yield "parsing", f"firth, beam {beam}" if beam > 1 else "firth, greedy", parse


def peer(train: Sequence[DependencySentence], dev: Sequence[DependencySentence]) -> Iterator[tuple[str, str, Job]]:
    """What UDPipe runs."""
    import ufal.udpipe as udpipe  # type: ignore[import-untyped, unused-ignore]  # it has no types

    def sentences(some: Sequence[DependencySentence]) -> list[Any]:
        reader, result, error = udpipe.InputFormat.newConlluInputFormat(), list[Any](), udpipe.ProcessingError()
        reader.setText("".join(f"{each}\n\n" for each in some))
        while reader.nextSentence(sentence := udpipe.Sentence(), error):
            result.append(sentence)
        return result

    examples, texts = udpipe.Sentences(), sentences(dev)  # of a list: udpipe.Sentences yields copies
    for each in sentences(train):
        examples.append(each)

    def fit() -> Any:
        error = udpipe.ProcessingError()
        given = ("morphodita_parsito", examples, udpipe.Sentences(), "none", "none", "iterations=1", error)
        return udpipe.Trainer.train(*given)

    found = fit()
    with tempfile.NamedTemporaryFile() as file:
        file.write(found.encode("latin1", "surrogateescape") if isinstance(found, str) else bytes(found))
        file.flush()
        model = udpipe.Model.load(file.name)

    def parse() -> None:
        for sentence in texts:
            model.parse(sentence, "")

    yield "training", UDPIPE, fit
    yield "parsing", UDPIPE, parse


def contenders(train: Sequence[DependencySentence], dev: Sequence[DependencySentence]) -> list[tuple[str, str, Job]]:
    """All that run, by job."""
    jobs = list(ours(train, dev))
    if importlib.util.find_spec("ufal") is not None:
        jobs += peer(train, dev)
    return sorted(jobs, key=lambda job: job[0], reverse=True)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description="words a second of transition parsers")
    parser.add_argument("treebank", type=Path, nargs="?", help="sentences to train on, in CoNLL-U")
    parser.add_argument("test", type=Path, nargs="?", help="sentences to parse")
    parser.add_argument("--table", action="store_true", help="write the table from the runs on disk alone")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    file = chosen.out / "transition.jsonl"
    if not chosen.table:
        if chosen.test is None:
            parser.error("a treebank and sentences to parse are needed, unless --table is given")
        train = list(islice(read_conllu(chosen.treebank), chosen.sentences))
        dev = list(islice(read_conllu(chosen.test), chosen.sentences))
        chosen.out.mkdir(parents=True, exist_ok=True)
        sizes = {"sentences": len(train), "parsed": len(dev), "rounds": chosen.rounds}
        TABLE.begin(file, sizes)
        words = {"training": sum(map(len, train)), "parsing": sum(map(len, dev))}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            jobs = contenders(train, dev)
            turns = [Contender((kind, name), partial(counting, job, words[kind])) for kind, name, job in jobs]
            TABLE.measure(turns, chosen.rounds, file)
    (chosen.out / "transition.md").write_text(TABLE.markdown(file), encoding="utf-8")


if __name__ == "__main__":
    main()
