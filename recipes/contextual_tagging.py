"""Taggers with and without a language model: chunks, entities and parts of speech; classifiers with and without CoVe.

    lm      trains a bidirectional language model on raw text without the sentences of the annotated data
    tag     trains taggers: without a language model, with ELMo or TagLM, on all labels and on half of them
    cove    trains a translator and word vectors, and classifiers over both

Sentences of raw text are left out if their letters and digits are those of a sentence of any annotated set, training
data as well; the sentences that are kept are checked once more.

    chunking   CoNLL-2000: every tenth sentence of train selects the epoch, test is scored by F1 of chunks
    spanish    CoNLL-2002 Spanish: testa selects the epoch, testb is scored by F1 of entities
    ewt        UPOS of the English Web Treebank: dev selects the epoch, test is scored by accuracy; without a test part
               dev is the test, and the last tenth of train selects
    trec, sst  questions in six classes; sentences of film reviews, positive or negative

    python recipes/contextual_tagging.py lm -o lm --data DATA --text corpus/wiki.txt.xz --minutes 40
    python recipes/contextual_tagging.py tag --data DATA --lm lm --tasks chunking ewt
    python recipes/contextual_tagging.py lm -o lm-es --data DATA --text parallel/tatoeba-spa-eng.tsv.gz --minutes 15
    python recipes/contextual_tagging.py tag --data DATA --lm lm-es --tasks spanish
    python recipes/contextual_tagging.py cove --data DATA -o cove --minutes 20
    python recipes/contextual_tagging.py toy

Rows of results are added to the file as they are made, and a table is printed at the end. One thread.
"""

import argparse
import gzip
import json
import lzma
import random
import statistics
import tempfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import firth
from firth.readers import read_columns, read_conllu
from firth.text import fingerprint, sentences_and_tokens

HELD_OUT = 200  # one sentence of so many measures the perplexity
LONGEST = 100  # words of a sentence that a language model reads in training
LM = {"dim": 256, "layers": 2, "output": "adaptive"}
TAGGER = {"hidden": 200, "spelling": False}
MODELS = {  # options of the tagger, embedders of the language model
    "base": ({}, lambda lm: None),
    "base-2": ({"layers": 2}, lambda lm: None),
    "elmo": ({}, lambda lm: firth.ELMo(lm)),
    "elmo-output": ({}, lambda lm: firth.ELMo(lm, output=True)),
    "taglm": ({"layers": 2}, lambda lm: firth.TagLM(lm)),
}
OPENERS = {".gz": gzip.open, ".xz": lzma.open}


# -- annotated data


def zipped(path, names):
    """Words and tags of files of columns in an archive."""
    found = []
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as archive:
        for name in names:
            member = next(each for each in archive.namelist() if each.endswith(name))
            found.append([(each.words, each.columns[-1]) for each in read_columns(archive.extract(member, folder))])
    return found


def chunking(data):
    """CoNLL-2000."""
    train, test = zipped(data / "entities/conll2000/conll2000.zip", ("train.txt", "test.txt"))
    kept = [each for number, each in enumerate(train) if number % 10]
    return {"train": kept, "select": train[::10], "test": test}


def spanish(data):
    """CoNLL-2002 Spanish."""
    names = ("esp.train", "esp.testa", "esp.testb")
    return dict(zip(("train", "select", "test"), zipped(data / "entities/conll2002/conll2002.zip", names), strict=True))


def ewt(data):
    """The English Web Treebank; where its test part is missing, dev is the test, and train's last tenth selects."""
    folder, parts = data / "dependencies/UD_English-EWT", {}
    for part in ("train", "dev", "test"):
        path = next(folder.glob(f"*-{part}.conllu*"), None)
        if path is not None:
            parts[part] = [(each.words, each.tags) for each in read_conllu(path, trees=False)]
    if "test" in parts:
        return {"train": parts["train"], "select": parts["dev"], "test": parts["test"]}
    tenth = len(parts["train"]) // 10
    return {"train": parts["train"][:-tenth], "select": parts["train"][-tenth:], "test": parts["dev"]}


TASKS = {"chunking": chunking, "spanish": spanish, "ewt": ewt}


def labelled(path):
    """Texts with labels: lines with a label and a text."""
    lines = path.read_text(encoding="latin-1").splitlines()
    return [tuple(reversed(line.split(" ", 1))) for line in lines if " " in line]


def classified(data):
    """TREC and SST-2: train, what selects the epoch, test."""
    folder = data / "sentence/sentclass"
    trec = labelled(folder / "TREC.train.all")
    return {
        "trec": ([each for i, each in enumerate(trec) if i % 10], trec[::10], labelled(folder / "TREC.test.all")),
        "sst": tuple(labelled(folder / f"stsa.binary.{part}") for part in ("train", "dev", "test")),
    }


# -- raw text


def annotated_keys(data):
    """The digests of all sentences of the annotated sets that are there."""
    keys = set()
    for read in TASKS.values():
        try:
            parts = read(data)
        except (OSError, StopIteration, KeyError):
            continue
        keys |= {fingerprint(words) for part in parts.values() for words, _ in part}
    return keys


def raw_sentences(path, column):
    """The sentences of running text, or of a column of a table."""
    with OPENERS.get(path.suffix, open)(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            text = line.rstrip("\n").split("\t")[column] if "\t" in line else line
            for spans in sentences_and_tokens(text):
                yield [text[start:end] for start, end in spans]


def written_text(paths, column, keys, words, train, held_out):
    """Write raw sentences, a line each, until there are enough words; return the counts of what is kept, and not."""
    counts = {"sentences": 0, "words": 0, "held_out": 0, "left_out": 0}
    with train.open("w", encoding="utf-8") as file, held_out.open("w", encoding="utf-8") as other:
        for path in paths:
            for sentence in raw_sentences(path, column):
                if fingerprint(sentence) in keys:
                    counts["left_out"] += 1
                elif 3 <= len(sentence) <= LONGEST:
                    counts["sentences"] += 1
                    counts["words"] += len(sentence)
                    is_held_out = int.from_bytes(fingerprint(sentence)) % HELD_OUT == 0  # the same sentence always
                    counts["held_out"] += is_held_out
                    (other if is_held_out else file).write(" ".join(sentence) + "\n")
                if counts["words"] >= words:
                    return counts
    return counts


def shared(path, keys):
    """How many lines of a file are sentences of the annotated sets."""
    with path.open(encoding="utf-8") as lines:
        return sum(fingerprint(line.split()) in keys for line in lines)


def train_lm(arguments, **sizes):
    """Train a language model on raw text, and save it."""
    keys = annotated_keys(arguments.data)
    folder = arguments.output.parent
    train, held_out = (folder / f"{arguments.output.name}-{name}.txt" for name in ("train", "held-out"))
    paths = [arguments.data / path for path in arguments.text]
    counts = written_text(paths, arguments.column, keys, arguments.words, train, held_out)
    both = shared(train, keys) + shared(held_out, keys)
    print(json.dumps({**counts, "annotated": len(keys), "shared": both}), flush=True)
    assert keys
    assert not both
    model = firth.BidirectionalLM(**{**LM, **sizes}).train(
        str(train),
        tokens="whitespace",
        max_size=arguments.vocabulary,
        min_count=2,
        held_out=str(held_out),
        training=replace(
            firth.BidirectionalLM.training,
            epochs=arguments.epochs,
            minutes=arguments.minutes,
            precision=arguments.precision,
        ),
        seed=arguments.seed,
    )
    model.metadata["text"] = {**counts, "shared": both}
    model.save(arguments.output)
    best = model.metadata["training"]["best"]
    row = {"lm": arguments.output.name, **counts, "seconds": model.metadata["training"]["seconds"]}
    row |= {name: round(best[f"held_out_{name}"], 2) for name in ("forward", "backward", "perplexity")}
    return [recorded(row, arguments)]


# -- taggers


def recorded(row, arguments):
    """Print a row of results and add it to the file."""
    print(json.dumps(row), flush=True)
    with arguments.results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    return row


def shares_of(model):
    """What a model has learned to read of each layer, by place."""
    encoder = model.module.encoder
    contextual = getattr(encoder, "contextual", None) or getattr(getattr(encoder, "embedder", None), "contextual", None)
    if contextual is None:
        return {}
    return {name: [round(share, 3) for share in mix.shares().tolist()] for name, mix in contextual.mixes.items()}


def train_taggers(arguments, **sizes):
    """Train and judge taggers on all labels and on half of them."""
    rows, lm = [], firth.load(arguments.lm)
    for task in arguments.tasks:
        parts = TASKS[task](arguments.data)
        target = "upos" if task == "ewt" else "tag"
        for share in arguments.shares:
            train = random.Random(0).sample(parts["train"], round(share * len(parts["train"])))
            for name in arguments.models:
                options, embed = MODELS[name]
                for seed in arguments.seeds:
                    start = time.perf_counter()
                    training = replace(
                        firth.Tagger.training,
                        minutes=arguments.minutes,
                        epochs=arguments.epochs,
                        lr=arguments.lr,
                        batch_size=16,
                        patience=0,
                    )
                    tagger = firth.Tagger(targets=target, **{**TAGGER, **options, **sizes}).train(
                        train, held_out=parts["select"], embed=embed(lm), training=training, seed=seed
                    )
                    scores = tagger.test(parts["test"])[target]
                    low, high = scores.interval
                    row = {
                        "task": task, "model": name, "labels": share, "seed": seed, "score": round(scores.score, 4),
                        "low": round(low, 4), "high": round(high, 4), "mix": shares_of(tagger),
                        "held_out": round(1 - tagger.metadata["training"]["best"]["held_out_error"], 4),
                        "epochs": tagger.metadata["training"]["best"]["epoch"],
                        "seconds": round(time.perf_counter() - start, 1),
                    }  # fmt: skip
                    rows.append(recorded(row, arguments))
    return rows


# -- CoVe


def train_translator(arguments, **sizes):
    """A translator from English to German, on captions and short sentences."""
    folder, sources, targets = arguments.data / "parallel", [], []
    for side, language in ((sources, "en"), (targets, "de")):
        with gzip.open(folder / f"multi30k/train.{language}.gz", "rt", encoding="utf-8") as lines:
            side += [line.rstrip("\n") for line in lines]
    table = folder / "tatoeba-deu-eng/deu.txt.gz"
    if table.exists():
        with gzip.open(table, "rt", encoding="utf-8") as lines:
            pairs = [line.rstrip("\n").split("\t")[:2] for line in lines]
        sources += [english for english, _ in pairs]
        targets += [german for _, german in pairs]
    options = {"hidden": 256, "dim": 128, "source_units": "words", "target_units": "words", "lowercase": True, **sizes}
    return firth.Translator(**options).train(
        list(zip(sources, targets, strict=True)),
        training=replace(firth.Translator.training, minutes=arguments.minutes, epochs=arguments.epochs),
        seed=arguments.seed,
    )


def train_classifiers(arguments, translator=None, **sizes):
    """Train and judge classifiers over word vectors, over states of a translator, and over both."""
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / "translator"
    if translator is None:
        translator = firth.load(path) if path.exists() else train_translator(arguments)
        translator.save(path)
    rows = []
    for task, (train, select, test) in classified(arguments.data).items():
        texts = [text for text, _ in train]
        vectors = firth.load(arguments.vectors) if arguments.vectors else None
        if vectors is None:
            vectors = firth.Word2Vec(dim=100, epochs=5).train([text.lower().split() for text in texts], min_count=2)
        for name, embed in (("vectors", None), ("vectors-cove", firth.CoVe(translator))):
            for seed in arguments.seeds:
                start = time.perf_counter()
                model = firth.RecurrentClassifier(tokens="whitespace", **sizes).train(
                    train, held_out=select, vectors=vectors, embed=embed, seed=seed
                )
                scores = model.test(test)
                row = {
                    "task": task, "model": name, "labels": 1.0, "seed": seed, "score": round(scores.precision, 4),
                    "seconds": round(time.perf_counter() - start, 1),
                }  # fmt: skip
                rows.append(recorded(row, arguments))
    return rows


# -- tables


def table(rows):
    """The rows as Markdown: means over seeds."""
    groups = {}
    for row in rows:
        if "task" in row:
            groups.setdefault((row["task"], row["model"], row["labels"]), []).append(row)
    lines = ["| data | model | labels | F1 or accuracy | seeds | seconds |", "| --- | --- | --- | --- | --- | --- |"]
    for (task, model, labels), some in groups.items():
        figures = [100 * row["score"] for row in some]
        spread = f" +- {statistics.stdev(figures):.1f}" if len(figures) > 1 else ""
        seconds = statistics.median(row["seconds"] for row in some)
        lines.append(
            f"| {task} | {model} | {labels:.0%} | {statistics.mean(figures):.2f}{spread} | {len(some)} | "
            f"{seconds:,.0f} |"
        )
    return "\n".join(lines) + "\n"


def bars(rows):
    """What the chunker is to reach, and whether it does."""
    mean = {}
    for row in rows:
        if row.get("task") == "chunking":
            mean.setdefault((row["model"], row["labels"]), []).append(100 * row["score"])
    mean = {key: statistics.mean(figures) for key, figures in mean.items()}
    with_lm = {key: figure for key, figure in mean.items() if not key[0].startswith("base")}
    if ("base", 1.0) not in mean or not with_lm:
        return ""
    base = mean["base", 1.0]
    whole = max((figure for (_, share), figure in with_lm.items() if share == 1.0), default=0.0)
    half = max((figure for (_, share), figure in with_lm.items() if share == 0.5), default=0.0)
    said = {
        f"without a language model {base:.2f}, to reach 93.0": base >= 93.0,
        f"with one {whole - base:+.2f}, to gain 0.5": whole >= base + 0.5,
        f"half the labels with one {half:.2f}, to reach {base:.2f}": half >= base,
    }
    return "".join(f"{'reached' if fits else 'MISSED'}: {text}\n" for text, fits in said.items())


# -- a toy


def toy(folder):
    """Write small made-up data in the places of the real ones."""
    chance = random.Random(0)
    names, verbs = [a + b for a in ("Ka", "Lo", "Mi") for b in ("ra", "to", "ven")], ["sings", "sleeps", "reads"]

    def sentence(tagged):
        name, place = chance.sample(names, 2)
        words = [name, chance.choice(verbs), "in", place, str(chance.randrange(1000 if tagged else 9000)), "."]
        return words, ["B-NP", "B-VP", "B-PP", "B-NP", "B-NP", "O"]

    def columns(found):
        return "".join("".join(f"{w} X {t}\n" for w, t in zip(*each, strict=True)) + "\n" for each in found)

    for path in ("entities/conll2000", "corpus", "parallel/multi30k", "sentence/sentclass"):
        (folder / path).mkdir(parents=True)
    train, test = ([sentence(True) for _ in range(count)] for count in (60, 20))
    with zipfile.ZipFile(folder / "entities/conll2000/conll2000.zip", "w") as archive:
        archive.writestr("conll2000/train.txt", columns(train))
        archive.writestr("conll2000/test.txt", columns(test))
    raw = "".join(" ".join(words) + "\n" for words, _ in (*test[:3], *(sentence(False) for _ in range(400))))
    (folder / "corpus/raw.txt").write_text(raw, encoding="utf-8")
    texts = [" ".join(sentence(True)[0]) for _ in range(60)]
    for language, change in (("en", str), ("de", str.upper)):
        with gzip.open(folder / f"parallel/multi30k/train.{language}.gz", "wt", encoding="utf-8") as file:
            file.writelines(change(text) + "\n" for text in texts)
    lines = [f"{int('sings' in text)} {text}\n" for text in texts]
    for name in ("TREC.train.all", "TREC.test.all", *(f"stsa.binary.{part}" for part in ("train", "dev", "test"))):
        (folder / "sentence/sentclass" / name).write_text("".join(lines), encoding="utf-8")


def run_toy(arguments):
    """Everything at once on small data."""
    with tempfile.TemporaryDirectory() as place:
        arguments.data, arguments.output = Path(place, "data"), Path(place, "lm")
        toy(arguments.data)
        arguments.text, arguments.words, arguments.vocabulary, arguments.minutes = (
            [Path("corpus/raw.txt")],
            2000,
            50,
            None,
        )
        arguments.precision, arguments.epochs, arguments.lr = "fp32", 6, 0.03
        arguments.lm, arguments.tasks = arguments.output, ["chunking"]
        rows = train_lm(arguments, dim=8, char_dim=4, highway=1)
        rows += train_taggers(arguments, dim=6, hidden=8, char_width=4)
        arguments.output = Path(place, "cove")
        translator = train_translator(arguments, hidden=8, dim=8)
        return rows + train_classifiers(arguments, translator, hidden=4)


# -- the command line


def parsed(words):
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("do", choices=("lm", "tag", "cove", "toy"))
    parser.add_argument("--data", type=Path, help="folder with entities/, dependencies/, sentence/ and parallel/")
    parser.add_argument("-o", "--output", type=Path, default=Path("lm"))
    parser.add_argument("--text", type=Path, nargs="+", help="raw text, relative to the data: plain, .gz or .xz")
    parser.add_argument("--column", type=int, default=-1, help="of the text in a table")
    parser.add_argument("--words", type=int, default=12_000_000, help="words of raw text that are read at most")
    parser.add_argument("--vocabulary", type=int, default=30_000, help="words that a language model predicts")
    parser.add_argument("--lm", type=Path, help="a language model that lm has trained")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=["chunking"])
    parser.add_argument(
        "--models", nargs="+", choices=MODELS, default=["base", "base-2", "elmo", "elmo-output", "taglm"]
    )
    parser.add_argument("--shares", nargs="+", type=float, default=[1.0, 0.5], help="of the labels")
    parser.add_argument(
        "--vectors", type=Path, help="word vectors of the classifiers; default: skip-gram of their texts"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--lr", type=float, default=0.002, help="of taggers")
    parser.add_argument("--precision", default="bf16")
    parser.add_argument("--results", type=Path, default=Path("contextual_tagging.jsonl"))
    return parser.parse_args(words)


def main(words=None):
    """Do what the command line says; return the rows of results."""
    arguments = parsed(words)
    rows = {"lm": train_lm, "tag": train_taggers, "cove": train_classifiers, "toy": run_toy}[arguments.do](arguments)
    print(table(rows) + bars(rows))
    return rows


if __name__ == "__main__":
    main()
