"""Tokens a second of annotation, from raw text to a file of CoNLL-U: firth's stages, and UDPipe's pipeline.

    python -m benchmarks.annotate train.conllu novel.txt

Models are trained for one epoch on a few sentences, which gives them their sizes; what they answer does not change how
long they take. UDPipe (`ufal.udpipe`) is left out where it is not installed.
"""

import argparse
import importlib.util
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import firth
from benchmarks.turns import Contender, SpeedTable
from firth.readers.conllu import DependencySentence, read_conllu

RESULTS = Path(__file__).parent / "results" / "annotate"
SENTENCES, ROUNDS = 1000, 5
UDPIPE = "UDPipe 1.4: tokens, tags, lemmas, trees"
DEFAULT, SMALL = "the default tagger (CRF, 200 units, character CNN)", "a small tagger (softmax, 100 units)"
PARSER = "the transition parser"
Job = Callable[[Path], Any]

LEGEND = """From a raw text of {characters:,} characters ({tokens:,} tokens) to a file of CoNLL-U with tags, trees and
places of tokens; one process, one thread, in processor time without the start of Python and the loading of models.
Contenders take turns; a figure is the median of {rounds} rounds (least - greatest). Written by
`python -m benchmarks.annotate`.

{machine}.
"""
TABLE = SpeedTable(
    title="# `firth annotate`: tokens a second", legend=LEGEND, unit="tokens", columns={"contender": "contender"}
)


def ours(train: Sequence[DependencySentence], text: Path) -> Iterator[tuple[str, Job]]:
    """What firth runs: name and job."""
    few = list(train[:10])
    once = firth.TrainingOptions(epochs=1)
    default = firth.Tagger(targets="upos", hidden=200, spelling=False).train(
        list(train), held_out=few, training=once, progress=False
    )
    small = firth.Tagger(targets="upos", hidden=100, spelling=False, head="softmax").train(
        list(train), held_out=few, training=once, progress=False
    )
    parser = firth.TransitionParser(tag="upos").train(list(train), held_out=few, training=once, progress=False)
    stages: dict[str, dict[str, Any]] = {
        "sentences and tokens": {},
        SMALL: {"tagger": small},
        f"{SMALL} and {PARSER}": {"tagger": small, "parser": parser},
        DEFAULT: {"tagger": default},
        f"{DEFAULT} and {PARSER}": {"tagger": default, "parser": parser},
    }
    for name, models in stages.items():

        def job(out: Path, models: dict[str, Any] = models) -> None:
            firth.annotate_files(text, out / "out.conllu", **models, progress=False)

        yield f"firth: {name}", job


def peer(train: Sequence[DependencySentence], text: Path) -> Iterator[tuple[str, Job]]:
    """What UDPipe runs."""
    import ufal.udpipe as udpipe  # type: ignore[import-untyped, unused-ignore]  # it has no types

    reader, examples, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.Sentences(), udpipe.ProcessingError()
    reader.setText("".join(f"{each}\n\n" for each in train))
    while reader.nextSentence(sentence := udpipe.Sentence(), error):
        examples.append(sentence)
    options = ("epochs=2", "models=1;iterations=5", "iterations=1")
    found = udpipe.Trainer.train("morphodita_parsito", examples, udpipe.Sentences(), *options, error)
    with tempfile.NamedTemporaryFile() as file:
        file.write(found.encode("latin1", "surrogateescape") if isinstance(found, str) else bytes(found))
        file.flush()
        model = udpipe.Model.load(file.name)

    def job(out: Path) -> None:  # which keeps the model, as a pipeline does not
        pipeline = udpipe.Pipeline(model, "tokenize", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")
        (out / "out.conllu").write_text(pipeline.process(text.read_text("utf-8"), error), "utf-8")

    yield UDPIPE, job


def in_a_folder(job: Job, tokens: int) -> int:
    """Run a job that writes to a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        job(Path(folder))
    return tokens


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description="tokens a second of annotation")
    parser.add_argument("treebank", type=Path, nargs="?", help="sentences to train on, in CoNLL-U")
    parser.add_argument("text", type=Path, nargs="?", help="raw text to annotate")
    parser.add_argument("--table", action="store_true", help="write the table from the runs on disk alone")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    file = chosen.out / "annotate.jsonl"
    if not chosen.table:
        if chosen.text is None:
            parser.error("a treebank and a text are needed, unless --table is given")
        text = chosen.text.read_text("utf-8")
        tokens = len(firth.Document.from_text(text))
        train = list(islice(read_conllu(chosen.treebank), chosen.sentences))
        jobs = list(ours(train, chosen.text))
        if importlib.util.find_spec("ufal") is not None:
            jobs += peer(train, chosen.text)
        chosen.out.mkdir(parents=True, exist_ok=True)
        sizes = {"characters": len(text), "tokens": tokens, "rounds": chosen.rounds}
        TABLE.begin(file, sizes)
        contenders = [Contender((name,), partial(in_a_folder, job, tokens)) for name, job in jobs]
        TABLE.measure(contenders, chosen.rounds, file)
    (chosen.out / "annotate.md").write_text(TABLE.markdown(file), "utf-8")
    print(TABLE.markdown(file))


if __name__ == "__main__":
    main()
