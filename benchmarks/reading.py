"""Readers beside DrQA's code at equal size: questions a second, in training and over many paragraphs.

    python -m benchmarks.reading SQUAD --peer FOLDER

SQUAD is a folder with the files of SQuAD 1.1, FOLDER the unpacked sources of DrQA (github.com/facebookresearch/DrQA),
whose requirements are installed. Torch and NumPy ask by now that its masks are boolean (`BoolTensor` in place of
`ByteTensor` in drqa/reader/vector.py) and for `np.float64` in place of `np.float_` in drqa/reader/data.py. Training:
the same batches of tokenised questions, from their tokens to the update; features are part of the work, as both compute
them for each batch. DrQA keeps its word vectors, firth trains them, which is more. Open: 1,000 questions over 5,000
paragraphs, from their texts to answers, the index being built before: both find five paragraphs for each question and
read them. Networks have random parameters. Start it pinned to one processor, for DrQA has worker processes.
"""

import argparse
import importlib.util
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

import firth
from benchmarks.turns import Contender, Job, SpeedTable
from firth.neural.models.reading.attentive import Reader
from firth.neural.models.reading.data import Pair, PassageReader, pair_batches, stem
from firth.neural.models.reading.examples import QuestionSet, read_all, training_pairs
from firth.neural.models.reading.predict import ReadingModel
from firth.neural.training.devices import new_parameters
from firth.neural.training.optimisers import make_optimiser
from firth.neural.training.row_updates import sparse_gradients
from firth.readers.questions import Question, read_questions

RESULTS = Path(__file__).parent / "results" / "reading"
OPTIONS = Reader(dim=100, hidden=96, dropout=0.4, window=1000)
BATCH, BATCHES, CLIP, ROUNDS = 32, 8, 10.0, 3
QUESTIONS, PARAGRAPHS, FOUND = 1000, 5000, 5
PEER = "DrQA"
LEGEND = """Three BiLSTM layers of 2 x {hidden} over paragraph and question, word vectors of {dim}. Training: batches of
{batch}. Open: {questions:,} questions over {paragraphs:,} paragraphs, {found} of which are read for each. One core,
fp32; contenders take turns; a figure is the median of {rounds} rounds (least - greatest). "Ratio" is that figure to
DrQA's, the median over rounds. Written by `python -m benchmarks.reading`.

{machine}; torch {torch}.
"""
TABLE = SpeedTable(
    title="# Readers: questions a second",
    legend=LEGEND,
    unit="questions",
    columns={"job": "job", "contender": "contender"},
    other=lambda names: (names[0], PEER),
    clock=time.perf_counter,
)


def questions_of(folder: Path, part: str) -> list[Question]:
    """The questions of a part of SQuAD."""
    path = next(each for each in (folder / f"squad-{part}-v1.1.json{end}" for end in ("", ".gz")) if each.exists())
    return list(read_questions(path))


def new_module(reader: PassageReader) -> Any:
    """The network as its seed draws it."""
    with new_parameters(0):
        return OPTIONS.build(reader)


def ours(reader: PassageReader, rows: Sequence[Sequence[Pair]]) -> Job:
    """Training as firth does it."""
    module = new_module(reader).train()
    training = firth.TrainingOptions(optimiser="adam", lr=0.002)
    optimiser: Any = None

    def train() -> int:
        nonlocal optimiser
        with sparse_gradients(module, training):
            optimiser = optimiser or make_optimiser(module, "adam", lr=0.002)
            for pairs in rows:
                (batch,) = pair_batches(reader.tokens, pairs, batch_size=BATCH, shuffle=False).epoch(0)
                module.losses(batch).mean().backward()
                torch.nn.utils.clip_grad_norm_([each for each in module.parameters() if not each.grad.is_sparse], CLIP)
                optimiser.step()
                optimiser.zero_grad(set_to_none=True)
        return sum(map(len, rows))

    return train


def arguments_of(drqa: Any) -> Any:
    """DrQA's arguments for the same sizes and features."""
    parser = argparse.ArgumentParser()
    drqa.config.add_model_args(parser)
    return parser.parse_args(
        [
            "--embedding-dim",
            str(OPTIONS.dim),
            "--hidden-size",
            str(OPTIONS.hidden),
            "--use-pos",
            "no",
            "--use-ner",
            "no",
        ]
    )


def document_reader(drqa: Any, words: Sequence[str]) -> Any:
    """DrQA's reader with a vocabulary and the four features."""
    known = drqa.data.Dictionary()
    for word in words:
        known.add(word)
    names = ("in_question", "in_question_uncased", "in_question_lemma", "tf")
    reader = drqa.DocReader(arguments_of(drqa), known, {name: number for number, name in enumerate(names)})
    reader.init_optimizer()
    return reader


def theirs(drqa: Any, reader: Any, rows: Sequence[Sequence[Pair]]) -> Job:
    """Training as DrQA does it."""
    examples = [
        [
            {
                "id": "", "document": list(pair.paragraph.sentence.forms),
                "question": list(pair.question.sentence.forms),
                "lemma": [stem(word) for word in pair.paragraph.sentence.forms],
                "qlemma": [stem(word) for word in pair.question.sentence.forms],
                "answers": [pair.span],
            }
            for pair in pairs
        ]
        for pairs in rows
    ]  # fmt: skip

    def train() -> int:
        for some in examples:
            reader.update(drqa.vector.batchify([drqa.vector.vectorize(each, reader, True) for each in some]))
        return sum(map(len, examples))

    return train


def their_pipeline(folder: Path, work: Path, reader: Any, texts: Sequence[str], asked: Sequence[str]) -> Job:
    """Retrieval and reading as DrQA does them, from a database and an index that its script builds."""
    from drqa import pipeline, retriever  # type: ignore[import-not-found]  # not in the environment

    with sqlite3.connect(work / "docs.db") as database:
        database.execute("CREATE TABLE documents (id PRIMARY KEY, text)")
        lines = (" ".join(text.split("\n")) for text in texts)  # a document is one paragraph
        database.executemany(
            "INSERT INTO documents VALUES (?, ?)", ((str(row), text) for row, text in enumerate(lines))
        )
    place = folder / "scripts" / "retriever" / "build_tfidf.py"
    spec: Any = importlib.util.spec_from_file_location("build_tfidf", place)
    script: Any = importlib.util.module_from_spec(spec)
    sys.modules["build_tfidf"] = script
    spec.loader.exec_module(script)
    how = SimpleNamespace(tokenizer="simple", num_workers=1, ngram=2, hash_size=1 << 24)
    counts, documents = script.get_count_matrix(how, "sqlite", {"db_path": work / "docs.db"})
    facts = {"doc_freqs": script.get_doc_freqs(counts), "doc_dict": documents, "tokenizer": "simple"}
    facts |= {"hash_size": how.hash_size, "ngram": how.ngram}
    retriever.utils.save_sparse_csr(work / "index.npz", script.get_tfidf_matrix(counts), facts)
    reader.args.use_lemma = False  # its simple tokeniser has none
    torch.serialization.add_safe_globals([type(reader.word_dict), argparse.Namespace])  # what its file holds
    reader.save(str(work / "reader.mdl"))
    pipeline.DEFAULTS["reader_model"] = str(work / "reader.mdl")
    whole = pipeline.DrQA(
        tokenizer="simple", cuda=False, num_workers=1, max_loaders=0, batch_size=64,
        db_config={"options": {"db_path": work / "docs.db"}},
        ranker_config={"options": {"tfidf_path": str(work / "index.npz"), "strict": False}},
    )  # fmt: skip

    def run() -> int:
        found = whole.process_batch(list(asked), n_docs=FOUND)
        return len(found)

    return run


def contenders(folder: Path, peer: Path | None, work: Path, *, whole: bool) -> Iterator[Contender]:
    """What runs, by job."""
    questions = questions_of(folder, "train")[: 40 * BATCH]
    tokens = OPTIONS.learn_reader(
        (text.split() for each in questions for text in (each.paragraph, each.question)), None
    )
    reader = PassageReader(tokens)
    read = read_all(QuestionSet("squad", questions), reader)
    pairs = training_pairs(read, "squad", window=OPTIONS.window, no_answer=False)
    batches = pair_batches(tokens, pairs, batch_size=BATCH)
    rows = [[pairs[row] for row in some] for some in batches.plan(0)[:BATCHES]]
    yield Contender(("training", "firth"), ours(reader, rows))
    drqa: Any = None
    if peer is not None:
        sys.path.insert(0, str(peer))
        from drqa import reader as drqa  # type: ignore[import-not-found]  # not in the environment

        yield Contender(("training", PEER), theirs(drqa, document_reader(drqa, tokens.words), rows))
    if not whole:
        return
    dev = questions_of(folder, "dev")
    texts = sorted({each.paragraph for part in (dev, questions_of(folder, "train")) for each in part})[:PARAGRAPHS]
    asked = [each.question for each in dev][:: len(dev) // QUESTIONS][:QUESTIONS]
    model = ReadingModel(new_module(reader), OPTIONS, reader)
    index = firth.TfidfIndex(texts, progress=False)
    yield Contender(("open", "firth"), lambda: len(model.answer_from(asked, index, paragraphs=FOUND)), warm_up=False)
    if peer is not None:
        pipeline = their_pipeline(peer, work, document_reader(drqa, tokens.words), texts, asked)
        yield Contender(("open", PEER), pipeline, warm_up=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("squad", type=Path)
    parser.add_argument("--peer", type=Path)
    parser.add_argument("--only-training", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.output.mkdir(parents=True, exist_ok=True)
    file = args.output / "speed.jsonl"
    shown = {"dim": OPTIONS.dim, "hidden": OPTIONS.hidden, "batch": BATCH, "rounds": args.rounds}
    shown |= {"questions": QUESTIONS, "paragraphs": PARAGRAPHS, "found": FOUND}
    TABLE.begin(file, shown, torch=torch.__version__)
    with tempfile.TemporaryDirectory() as work:
        jobs = list(contenders(args.squad, args.peer, Path(work), whole=not args.only_training))
        TABLE.measure(jobs, args.rounds, file)
    (args.output / "speed.md").write_text(TABLE.markdown(file), encoding="utf-8")
    print(TABLE.markdown(file))


if __name__ == "__main__":
    main()
