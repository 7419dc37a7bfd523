"""Entities and parts of speech: windows and BiLSTMs with a CRF, softmax or a margin, over words and characters.

    spanish    CoNLL-2002 Spanish: testa selects the epoch, testb is scored by F1 of entities
    wikigold   every fifth sentence is the test; a tenth of the others selects the epoch
    UD ...     UPOS of treebanks of Universal Dependencies: dev is the test, the last tenth of train selects the epoch

The vectors of "bilstm-crf-vectors" come from raw Spanish text and the words of the training sentences, without those of
the test set; on wikigold they are given, such as those of raw text of Wikipedia. "crfsuite" is a CRF over words, their
ends and shapes, and their neighbours (python-crfsuite). On treebanks the same tagger reads characters by an LSTM, or
only looks words up.

    python recipes/taggers.py --spanish conll2002.zip --raw spa-eng.tsv.gz --models bilstm-crf bilstm-crf-vectors
    python recipes/taggers.py --wikigold wikigold.conll.txt --ud UD_English-EWT UD_Turkish-IMST --seeds 0
    python recipes/taggers.py --toy

Raw text is plain, or a table with the text in the last column. Rows of results are added to the file as they are made.
"""

import argparse
import gzip
import json
import random
import statistics
import tempfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import firth
from firth.evaluation import score_tags
from firth.neural import learn_tag_set
from firth.readers import read_columns, read_conllu

BILSTM = {"hidden": 200, "spelling": False}
TRAINING = {"batch_size": 16, "lr": 0.002, "patience": 5}  # the same for any number of sentences
MODELS = {
    "crfsuite": {},
    "window": {
        "encoder": "window", "head": "margin", "characters": "none", "spelling": True, "hidden": 300, "dropout": 0.3,
    },
    "window-softmax": {
        "encoder": "window", "head": "softmax", "characters": "none", "spelling": True, "hidden": 300, "dropout": 0.3,
    },
    "bilstm-crf": BILSTM,
    "bilstm-softmax": {**BILSTM, "head": "softmax"},
    "bilstm-crf-vectors": BILSTM,
    "characters": {**BILSTM, "head": "softmax", "characters": "lstm"},
    "look-up": {**BILSTM, "head": "softmax", "characters": "none"},
}  # fmt: skip
OF_TASK = {
    "spanish": ("crfsuite", "window", "window-softmax", "bilstm-softmax", "bilstm-crf", "bilstm-crf-vectors"),
    "wikigold": ("crfsuite", "bilstm-softmax", "bilstm-crf", "bilstm-crf-vectors"),
    "ud": ("window", "look-up", "characters"),
}
VECTORS = {"dim": 100, "epochs": 10, "window": 5}


def spanish(path):
    """CoNLL-2002: sentences and entities of train, testa and testb."""
    parts = {}
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as archive:
        for name, file in (("train", "esp.train"), ("select", "esp.testa"), ("test", "esp.testb")):
            found = next(each for each in archive.namelist() if each.endswith(file))
            parts[name] = [(each.words, each.columns[-1]) for each in read_columns(archive.extract(found, folder))]
    return parts


def wikigold(path):
    """Every fifth sentence is the test."""
    sentences = [(each.words, each.columns[-1]) for each in read_columns(path)]
    train = [each for number, each in enumerate(sentences) if number % 5 != 4]
    return {"train": train, "select": None, "test": sentences[4::5]}


def treebank(folder):
    """Train without its last tenth, that tenth, and dev."""
    train, dev = (list(read_conllu(next(folder.glob(f"*-{name}.conllu*")))) for name in ("train", "dev"))
    cut = len(train) * 9 // 10
    return {"train": train[:cut], "select": train[cut:], "test": dev}


def own_vectors(raw, sentences, seed):
    """Skip-gram vectors of raw text and of the words of training sentences."""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        with text.open("w", encoding="utf-8") as file:
            for path in raw:
                with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as lines:
                    file.writelines(line.rstrip("\n").split("\t")[-1] + "\n" for line in lines)
            file.writelines(" ".join(words) + "\n" for words, _ in sentences)
        return firth.Word2Vec(**VECTORS).train(text, min_count=2, seed=seed, progress=False)


def vectors_of(task, train, arguments, seed):
    """The vectors of a task, or None without any source of them."""
    if task == "spanish":
        return own_vectors(arguments.raw, train, seed) if arguments.raw else None
    return firth.load(arguments.english) if arguments.english else None


def capitals(word):
    """How a word is written: in lower or upper case, capitalised, otherwise or without letters; and with digits."""
    letters = "".join(filter(str.isalpha, word))
    kinds = {
        "none": not letters,
        "lower": letters.islower(),
        "letter": letters.isupper() and len(letters) == 1,
        "upper": letters.isupper(),
        "first": word[:1].isupper() and letters[1:].islower(),
    }
    kind = next((name for name, holds in kinds.items() if holds), "mixed")
    return f"{kind}-digit" if any(map(str.isdigit, word)) else kind


def features(words, place):
    """What the CRF of crfsuite sees of a word: itself, its ends and shape, and the two words on each side."""
    word = words[place]
    found = ["bias", f"shape={capitals(word)}", *(f"end{n}={word[-n:].lower()}" for n in (2, 3, 4))]
    for step in range(-2, 3):
        at = place + step
        other = words[at] if 0 <= at < len(words) else "<s>"
        found += [f"{step}:word={other.lower()}", f"{step}:shape={capitals(other)}"]
    return found


def crfsuite(parts, seed):
    """Scores of a CRF over features, without any of the sentences that select an epoch."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False, params={"c1": 0.1, "c2": 0.1, "max_iterations": 100})
    known = learn_tag_set([tags for _, tags in parts["train"]], "bio")
    for words, tags in parts["train"]:
        trainer.append([features(words, place) for place in range(len(words))], known.normal(tags))
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/crf")
        tagger = pycrfsuite.Tagger()
        tagger.open(f"{folder}/crf")
        found = [tagger.tag([features(words, place) for place in range(len(words))]) for words, _ in parts["test"]]
    vocabulary = {word.lower() for words, _ in parts["train"] for word in words}
    known_words = [[word.lower() in vocabulary for word in words] for words, _ in parts["test"]]
    gold = [known.normal(tags) for _, tags in parts["test"]]
    return score_tags(gold, found, spans=True, known=known_words, seed=seed)


def row_of(task, model, seed, scores, seconds, facts):
    """A row of results."""
    low, high = scores.interval
    best = facts.get("best") or {}
    row = {
        "task": task, "model": model, "seed": seed, "score": round(scores.score, 4), "low": round(low, 4),
        "high": round(high, 4), "unknown": round(scores.unknown_accuracy, 4) if scores.unknown_words else None,
        "unknown_words": scores.unknown_words, "epochs": best.get("epoch"),
        "held_out": round(1 - best["held_out_error"], 4) if best else None,
        "ranking": best.get("held_out_ranking"), "seconds": round(seconds, 1),
    }  # fmt: skip
    print(json.dumps(row), flush=True)
    return row


def run(data, arguments, training, **sizes):
    """Train and judge everything that is asked for."""
    rows = []
    for task, parts in data.items():
        target, names = ("ner", OF_TASK[task]) if task in OF_TASK else ("upos", OF_TASK["ud"])
        for name in names:
            if arguments.models and name not in arguments.models:
                continue
            for seed in arguments.seeds:
                start = time.perf_counter()
                vectors = vectors_of(task, parts["train"], arguments, seed) if name.endswith("-vectors") else None
                if name.endswith("-vectors") and vectors is None:
                    print(f"{task}, {name}: left out, for there are no vectors; see --raw and --english")
                    break
                if name == "crfsuite":
                    scores, facts = crfsuite(parts, seed), {}
                else:
                    tagger = firth.Tagger(targets=target, **{**MODELS[name], **sizes}).train(
                        parts["train"], held_out=parts["select"], vectors=vectors, training=training, seed=seed
                    )
                    scores, facts = tagger.test(parts["test"])[target], tagger.metadata["training"]
                rows.append(row_of(task, name, seed, scores, time.perf_counter() - start, facts))
                with arguments.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    return rows


def table(rows):
    """The rows as Markdown: means over seeds, with the interval of the first."""
    lines = [
        "| data | model | F1 or accuracy | 95 % interval, first seed | unknown words | seeds | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    groups = {}
    for row in rows:
        groups.setdefault((row["task"], row["model"]), []).append(row)
    for (task, model), some in groups.items():
        figures = [100 * row["score"] for row in some]
        unknown = [100 * row["unknown"] for row in some if row["unknown"] is not None]
        spread = f" +- {statistics.stdev(figures):.1f}" if len(figures) > 1 else ""
        interval = f"{100 * some[0]['low']:.1f} to {100 * some[0]['high']:.1f}"
        seconds = statistics.median(row["seconds"] for row in some)
        of_unknown = f"{statistics.mean(unknown):.1f}" if unknown else ""
        lines.append(
            f"| {task} | {model} | {statistics.mean(figures):.2f}{spread} | {interval} | {of_unknown} | {len(some)} | "
            f"{seconds:,.0f} |"
        )
    return "\n".join(lines) + "\n"


def toy(count, seed):
    """Sentences whose names are places behind "in" and people elsewhere."""
    chance = random.Random(seed)

    def name():
        return chance.choice(["Ka", "Lo", "Mi", "Ru", "Te"]) + chance.choice(["ra", "to", "ven", "dil", "sa"])

    sentences = []
    for _ in range(count):
        people = chance.randint(1, 2)
        words = [*(name() for _ in range(people)), chance.choice(["walks", "sings"]), "in", "old", name()]
        tags = ["B-PER", *["I-PER"] * (people - 1), "O", "O", "O", "B-LOC"]
        sentences.append((words, tags))
    return sentences


def main(arguments=None):
    """Train, judge, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spanish", type=Path, help="zip file with esp.train, esp.testa and esp.testb of CoNLL-2002")
    parser.add_argument("--raw", type=Path, nargs="+", default=[], help="raw Spanish text")
    parser.add_argument("--english", help="word vectors of English text")
    parser.add_argument("--wikigold", type=Path, help="file of WikiGold")
    parser.add_argument("--ud", type=Path, nargs="+", default=[], help="folders of treebanks, with train and dev")
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), help="default: all of a task")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--minutes", type=float, help="limit on the training of each tagger")
    parser.add_argument("--results", type=Path, default=Path(tempfile.gettempdir()) / "taggers.jsonl")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--toy", action="store_true", help="made-up sentences, in seconds")
    options = parser.parse_args(arguments)
    training = replace(firth.Tagger.training, epochs=options.epochs, minutes=options.minutes, **TRAINING)
    sizes = {}
    if options.toy:
        options.seeds, data = [0], {"spanish": {"train": toy(200, 0), "select": toy(50, 1), "test": toy(100, 2)}}
        training = replace(training, epochs=6, lr=0.01)
        sizes = {"dim": 12, "hidden": 20}
    else:
        given = [("spanish", spanish, options.spanish), ("wikigold", wikigold, options.wikigold)]
        data = {task: reader(path) for task, reader, path in given if path is not None}
        data |= {folder.name: treebank(folder) for folder in options.ud}
        if not data:
            parser.error("--spanish, --wikigold or --ud is needed, or --toy")
    rows = run(data, options, training, **sizes)
    if options.table:
        options.table.write_text(table(rows), encoding="utf-8")
    print(table(rows))
    return rows


if __name__ == "__main__":
    main()
