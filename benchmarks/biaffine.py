"""Words a second of biaffine parsers, training and parsing: firth's, and that of supar at the same sizes.

    python -m benchmarks.biaffine train.conllu --peer FOLDER

FOLDER holds the unpacked wheel of supar 1.1.4 and what it needs (dill). Both parsers read the same batches. The loops
of supar are written out here without its progress bar, its scores of each batch and its repair of heads that are no
tree, all of which take time: its figures are an upper bound.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from benchmarks.turns import Contender, Job, SpeedTable
from firth.neural.models.parsers.biaffine import BiaffineParser
from firth.neural.models.parsers.biaffine_module import BiaffineModule, BiaffineVocabulary, TreeBatch
from firth.neural.models.tokens.reader import FIRST, TokenInputs
from firth.neural.training.optimisers import make_optimiser
from firth.neural.training.options import RunConfig
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Task
from firth.readers.conllu import DependencySentence, read_conllu

RESULTS = Path(__file__).parent / "results" / "parsers"
SENTENCES, WORDS, ROUNDS = 400, 1500, 5
CLIP, CHARACTERS = 5.0, 20  # gradients' norm; characters that supar reads of a word
SIZES = {"200": (200, 500), "400": (400, 500)}  # name: width of an LSTM's state, of the vectors of arcs
PEER = "supar 1.1.4"
LEGEND = """Three layers of BiLSTMs over words, tags and characters (100 each, characters by an LSTM), {words} words to
a batch, one thread, in processor time. Training: forward, backward and update. Parsing: scores, heads and labels; firth
makes trees of the heads, supar does not here. Contenders take turns; a figure is the median of {rounds} rounds (least -
greatest). "Ratio" is that figure to supar's, the median over rounds. Written by `python -m benchmarks.biaffine`.

{machine}; torch {torch}.
"""
TABLE = SpeedTable(
    title="# Biaffine parsers: words a second",
    legend=LEGEND,
    unit="words",
    columns={"size": "LSTM width", "job": "job", "contender": "contender"},
    other=lambda names: (*names[:2], PEER),
)


def options(size: str) -> BiaffineParser:
    """The sizes of supar, at some width of the LSTMs."""
    hidden, arcs = SIZES[size]
    vectors = {"dim": 100, "column_dim": 100, "characters": "lstm", "char_dim": 50, "char_width": 100}
    return BiaffineParser(**vectors, hidden=hidden, layers=3, arc_width=arcs, label_width=100)  # type: ignore[arg-type]


def task_of(size: str, sentences: Sequence[DependencySentence]) -> tuple[BiaffineModule, Task]:
    """A module with random weights, and the task that has batches of the sentences."""
    parser = options(size)
    module = parser.build(parser.vocabulary(sentences, None), None)
    config = RunConfig(parser.training).with_training(batch_size=WORDS)
    return module, parser.task(module, sentences, sentences[:1], config)


def ours(
    module: BiaffineModule, task: Task, sentences: Sequence[DependencySentence], precision: str
) -> tuple[Job, Job]:
    """Training and parsing as firth does them."""
    batches = list(task.batches.epoch(0))
    optimiser = make_optimiser(module, "adam", lr=0.002)

    def within() -> Any:
        return torch.autocast("cpu", dtype=torch.bfloat16) if precision == "bf16" else nullcontext()

    def train() -> int:
        module.train()
        words = 0
        for batch in batches:
            with within():
                output = task.step(batch, None, TrainingProgress(0, 1, 0.0, 0.0))
            update(module, output.loss, optimiser)
            words += output.predictions
        return words

    def parse() -> int:
        module.eval()
        with within():
            return sum(len(heads) for heads, _ in module.parse(sentences))

    return train, parse


def update(module: torch.nn.Module, loss: torch.Tensor, optimiser: torch.optim.Optimizer) -> None:
    """Take a step of gradient descent."""
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(module.parameters(), CLIP)
    optimiser.step()


def peer(module: BiaffineModule, task: Task, size: str, folder: Path) -> tuple[Job, Job]:
    """Training and parsing with supar's model."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    from supar.models import BiaffineDependencyModel  # type: ignore[import-not-found]  # not in the environment

    hidden, arcs = SIZES[size]
    vocabulary = module.vocabulary
    model = BiaffineDependencyModel(
        n_words=len(vocabulary.reader),
        n_rels=len(vocabulary.relations),
        n_tags=len(vocabulary.reader.columns["upos"]) + FIRST,
        n_chars=len(vocabulary.reader.characters) + 4,
        feat=["tag", "char"],
        n_lstm_hidden=hidden,
        n_arc_mlp=arcs,
    )
    optimiser = torch.optim.Adam(model.parameters(), 0.002, (0.9, 0.9), 1e-12)
    batches = [supar_batch(batch, vocabulary) for batch in task.batches.epoch(0)]

    def train() -> int:
        model.train()
        words = 0
        for inputs, feats, heads, relations, mask in batches:
            arcs, labels = model(inputs, list(feats))
            update(model, model.loss(arcs, labels, heads, relations, mask), optimiser)
            words += int(mask.sum())
        return words

    @torch.no_grad()
    def parse() -> int:
        model.eval()
        words = 0
        for inputs, feats, _, _, mask in batches:
            model.decode(*model(inputs, list(feats)), mask, tree=False)
            words += int(mask.sum())
        return words

    return train, parse


def supar_batch(batch: TreeBatch, vocabulary: BiaffineVocabulary) -> tuple[Any, ...]:
    """A batch as supar reads it: with a word for the root before each sentence."""
    inputs: TokenInputs = batch.inputs
    assert inputs.forms is not None
    assert inputs.spellings is not None
    spelled = inputs.spellings[:, :CHARACTERS].long()
    real = torch.arange(inputs.words.shape[1]) < inputs.lengths.unsqueeze(1)
    characters = spelled[inputs.forms] * real.unsqueeze(2)
    root = torch.zeros_like(characters[:, :1])
    root[..., 0] = 1
    words, tags, heads = (
        with_root(each, first) for each, first in ((inputs.words, 1), (inputs.columns[0], 1), (batch.heads, 0))
    )
    relations = with_root(batch.relations.clamp(min=0), 0)
    return words, (torch.cat([root, characters], 1), tags), heads, relations, with_root(real, False)


def with_root(column: torch.Tensor, value: int) -> torch.Tensor:
    """A column with a value before each sentence."""
    return torch.cat([torch.full_like(column[:, :1], value), column], 1)


def contenders(
    sentences: Sequence[DependencySentence], folder: Path | None, sizes: Sequence[str]
) -> Iterator[Contender]:
    """What runs, by size and job."""
    for size in sizes:
        module, task = task_of(size, sentences)
        jobs = {
            f"firth, {name}": ours(module, task, sentences, precision)
            for name, precision in (("float32", "fp32"), ("bfloat16", "bf16"))
        }
        if folder is not None:
            jobs[PEER] = peer(module, task, size, folder)
        for number, kind in enumerate(("training", "parsing")):
            for name, both in jobs.items():
                yield Contender((size, kind, name), both[number])


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description="words a second of biaffine parsers")
    parser.add_argument("treebank", type=Path, nargs="?", help="sentences in CoNLL-U")
    parser.add_argument("--peer", type=Path, help="folder of supar")
    parser.add_argument("--table", action="store_true", help="write the table from the runs on disk alone")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--sizes", nargs="+", choices=tuple(SIZES), default=list(SIZES))
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    file = chosen.out / "biaffine.jsonl"
    if not chosen.table:
        if chosen.treebank is None:
            parser.error("a treebank is needed, unless --table is given")
        torch.set_num_threads(1)
        torch.manual_seed(1)
        chosen.out.mkdir(parents=True, exist_ok=True)
        TABLE.begin(file, {"words": WORDS, "rounds": chosen.rounds}, torch=torch.__version__)
        sentences = list(islice(read_conllu(chosen.treebank), chosen.sentences))
        TABLE.measure(contenders(sentences, chosen.peer, chosen.sizes), chosen.rounds, file)
    (chosen.out / "biaffine.md").write_text(TABLE.markdown(file), encoding="utf-8")


if __name__ == "__main__":
    main()
