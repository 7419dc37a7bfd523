"""Contrastive sentence encoders from raw text, beside the encoder that they start from and simpler baselines.

A masked language model learns from Wikipedia and novels; the mean of its outputs is the reference. Each contrastive
model starts from it and reads the same text. Supervised SimCSE reads groups of captions of one picture, or sentences
that entail each other; it starts from the masked language model, or learns averages of word vectors. STS-B's
development pairs select the best model of each run; STS 2012 to 2014 and SICK are read once, at the end, with all pairs
of a year together. Captions and sentences of SNLI that also occur there are left out and counted. Alignment and
uniformity are those of STS-B's development pairs, with scores from 4 on as positives.

    python recipes/contrastive.py DATA --work FOLDER --dim 128 --layers 3 --words 6 --base-minutes 25 --minutes 5
    python recipes/contrastive.py --toy

DATA is a folder with corpus/wiki.txt.xz, books/litbank-novels.tar.gz, sentence/{sts12-14,stsb,sick,snli-part} and
parallel/multi30k-captions. A model that the work folder holds is not trained again.
"""

import argparse
import itertools
import json
import lzma
import math
import random
import re
import tarfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from scipy import sparse

import firth
from firth.evaluation import spearman
from firth.neural import alignment, uniformity
from firth.randomness import generator
from firth.readers import TextGroup, entailed_groups, read_sentence_pairs
from firth.text import fingerprint

ENDS = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(\[]?[A-Z])")  # of sentences
TOP = 4.0  # pairs from this score on are the positives of alignment, as in Gao, Yao and Chen 2021
HELD_OUT = 300  # paragraphs that judge the masked language model


# Text


def paragraphs(data, words, seed):
    """Paragraphs of Wikipedia and of the novels in random order, up to a number of words."""
    with lzma.open(data / "corpus/wiki.txt.xz", "rt", encoding="utf-8") as file:
        found = [line.strip() for line in file]
    with tarfile.open(data / "books/litbank-novels.tar.gz") as archive:
        for member in archive:
            if "original/" in member.name and member.isfile():
                text = archive.extractfile(member).read().decode("utf-8", "replace")
                found += [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if len(part) >= 40]
    order = generator(seed, "paragraphs").permutation(len(found)).tolist()
    counts = itertools.accumulate(len(found[i].split()) for i in order)
    return [found[i] for i, total in zip(order, counts, strict=True) if total <= words]


def sentences(texts, least=5, most=40):
    """Sentences of 5 to 40 words."""
    every = (sentence.strip() for text in texts for sentence in ENDS.split(text))
    return [sentence for sentence in every if least <= len(sentence.split()) <= most]


def plain(caption):
    """A caption in tokens and lower case as people write it: "two dogs , one brown ." is "Two dogs, one brown."."""
    text = re.sub(r"\s+([.,;:!?')]|'\w+)(?=\s|$)", r"\1", caption.strip())
    return text[:1].upper() + text[1:]


def captions(data):
    """Groups of five captions of one picture."""
    with tarfile.open(data / "parallel/multi30k-captions/task2-en-captions.tar.gz") as archive:
        files = [archive.extractfile(f"task2/tok/train.lc.norm.tok.{number}.en") for number in range(1, 6)]
        columns = [[plain(line) for line in file.read().decode().splitlines()] for file in files]
    return [TextGroup(tuple(dict.fromkeys(group))) for group in zip(*columns, strict=True)]


def entailed(data):
    """Groups of a premise and what it entails, with what contradicts it as hard negatives."""
    folder = data / "sentence/snli-part"
    return [group for path in sorted(folder.glob("*.jsonl")) for group in entailed_groups(read_sentence_pairs(path))]


def without(groups, tests):
    """Groups without the texts of tests, and the number of texts left out."""
    known = {fingerprint(text) for pairs in tests.values() for pair in pairs for text in pair[:2]}
    kept, left_out = [], 0
    for group in groups:
        parts = [
            tuple(text for text in part if fingerprint(text) not in known) for part in (group.texts, group.negatives)
        ]
        left_out += len(group.texts) + len(group.negatives) - sum(map(len, parts))
        if len(parts[0]) > 1:
            kept.append(TextGroup(*parts))
    return kept, left_out


# Evaluation


def pairs_of(*paths):
    """(first, second, score) of files, all together."""
    every = [read_sentence_pairs(path) for path in paths]
    return [pair for one in every for pair in zip(one.first, one.second, one.scores.tolist(), strict=True)]


def tests_of(data):
    """Name to pairs: each year of STS, the images of 2014, SICK's test pairs, STS-B's development pairs."""
    folder = data / "sentence"
    found = {
        f"STS{year}": pairs_of(*sorted((folder / f"sts12-14/{year}").glob("*.test.tsv"))) for year in (2012, 2013, 2014)
    }
    found["images"] = pairs_of(folder / "sts12-14/2014/images.test.tsv")
    found["SICK"] = pairs_of(folder / "sick/SICK_test_annotated.txt")
    found["dev"] = pairs_of(folder / "stsb/stsb-en-dev.csv")
    return found


class TfIdf:
    """TF-IDF of words: the row to beat. Its vectors are sparse; the width is that of the texts at hand."""

    def __init__(self, texts):
        self.texts = len(texts)
        self.counts = Counter(word for text in texts for word in {*re.findall(r"\w+", text.lower())})

    def encode(self, texts, progress=None):
        words = [Counter(re.findall(r"\w+", text.lower())) for text in texts]
        column = {word: i for i, word in enumerate(dict.fromkeys(itertools.chain.from_iterable(words)))}
        cells = [(i, column[word], n * self.idf(word)) for i, bag in enumerate(words) for word, n in bag.items()]
        rows, columns, values = zip(*cells, strict=True)
        return sparse.csr_array((values, (rows, columns)), shape=(len(texts), len(column))).toarray()

    def idf(self, word):
        return math.log((1 + self.texts) / (1 + self.counts[word])) + 1


def figures(model, tests):
    """Spearman of each test, the mean of the three years, and alignment and uniformity of the development pairs."""
    row = {}
    for name, pairs in tests.items():
        first, second, scores = zip(*pairs, strict=True)
        both = torch.from_numpy(np.asarray(model.encode([*first, *second], progress=False), dtype=np.float32))
        x, y = both.chunk(2)
        row[name] = 100 * spearman(torch.nn.functional.cosine_similarity(x, y).numpy(), np.array(scores))
        if name == "dev":
            top = torch.tensor(scores) >= TOP
            row["alignment"], row["uniformity"] = alignment(x[top], y[top]).item(), uniformity(both).item()
    years = [value for name, value in row.items() if name.startswith("STS2")]
    return {"mean": float(np.mean(years or [row["dev"]])), **row}


# Models


def toy_data(seed):
    """Paragraphs of a small grammar, pairs with the share of words in common as scores, and groups by subject."""
    draw = random.Random(seed).choice
    lists = ["cat dog bird fish boy girl", "eats sees likes finds", "bread milk seeds water", "house garden street"]
    slots = [words.split() for words in lists]

    def sentence():
        words = [draw(slot) for slot in slots]
        return words, "The {} {} {} in the {}.".format(*words)

    texts = [" ".join(sentence()[1] for _ in range(6)) for _ in range(60)]
    pairs = [(sentence(), sentence()) for _ in range(60)]
    scored = [(one, other, 5 * np.mean([a == b for a, b in zip(x, y, strict=True)])) for (x, one), (y, other) in pairs]
    groups = {}
    for words, text in (sentence() for _ in range(200)):
        groups.setdefault(tuple(words[:2]), {})[text] = None
    return (
        texts,
        {"dev": [*scored, (texts[0], texts[0], 5.0)]},
        [TextGroup(tuple(g)) for g in groups.values() if len(g) > 1],
    )


def kept(path, train):
    """The model of a folder, or a new one, which is saved there."""
    if path is not None and path.exists():
        return firth.load(path)
    model = train()
    if path is not None:
        model.save(path)
    return model


def options_of(args, minutes, lr, batch_size, **other):
    """Training options of every model of the recipe."""
    defaults = {"optimiser": "adamw", "schedule": "linear", "clip_norm": 1.0, "evaluate_every": args.evaluate_every}
    return firth.TrainingOptions(
        **{**defaults, "epochs": args.epochs, "minutes": minutes, "lr": lr, "batch_size": batch_size, **other}
    )


def runs(args, base, texts, tests, groups):
    """Name to a function that trains the model: contrastive models, controls among them, from the same start."""
    lines = sentences(texts)[: args.sentences]
    common = {"start": base, "held_out": tests["dev"], "seed": args.seed, "progress": None if args.verbose else False}
    cut, minutes, lr = {"max_length": 40}, args.minutes, args.lr

    def simcse(**options):
        return firth.SimCSE(**cut, **options).train(lines, training=options_of(args, minutes, lr, 64), **common)

    def supervised(name):
        training = options_of(args, minutes, 2 * lr, 32)
        return firth.SupervisedSimCSE(**cut).train(groups[name], training=training, **common)

    def averages(name):
        """Averages of word vectors that are learned from the groups alone, as in Wieting et al. 2016."""
        options = {"encoder": "average", "dim": 50 if args.toy else 300, "temperature": 0.1, **cut}
        training = options_of(args, minutes, 6 * lr, 8 if args.toy else 128)
        common = {"held_out": tests["dev"], "seed": args.seed, "progress": None if args.verbose else False}
        words = {"tokens": "unicode", "sentences": "line", "min_count": 2}
        return firth.SupervisedSimCSE(**options).train(groups[name], training=training, **common, **words)

    spans = {"min_span": 4, "max_span": 12} if args.toy else {}
    found = {
        "SimCSE": simcse,
        "without dropout (control)": lambda: simcse(dropout=0.0),
        "one mask (control)": lambda: simcse(same_mask=True),
        "MoCo": lambda: firth.MoCo(queue=args.queue, **cut).train(
            lines, training=options_of(args, minutes, lr, 64), **common
        ),
        "DeCLUTR": lambda: firth.DeCLUTR(**cut, **spans).train(
            texts, sentences="line", training=options_of(args, minutes, lr, 16), **common
        ),
    }
    for name in groups:
        found[name] = lambda name=name: supervised(name)
        found[f"{name}, averages of words"] = lambda name=name: averages(name)
    return found


def table(rows):
    """The rows as text."""
    names = list(rows[0])
    lines = [" ".join(f"{name:>10}" if i else f"{name:28}" for i, name in enumerate(names))]
    lines += [
        " ".join(f"{row[name]:10.3f}" if i else f"{row[name]:28}" for i, name in enumerate(names)) for row in rows
    ]
    return "\n".join(lines)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Contrastive sentence encoders and their baselines.")
    parser.add_argument("data", type=Path, nargs="?", help="folder of texts and tests")
    parser.add_argument("--work", type=Path, help="folder for trained models")
    parser.add_argument("--words", type=float, default=20, help="millions of words to read")
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--subwords", type=int, default=8000)
    parser.add_argument("--base-minutes", type=float, default=75, help="for the masked language model")
    parser.add_argument("--minutes", type=float, default=20, help="for each contrastive model")
    parser.add_argument("--epochs", type=int, default=1, help="at most")
    parser.add_argument("--lr", type=float, default=0.0005, help="of contrastive models")
    parser.add_argument("--sentences", type=int, default=500_000)
    parser.add_argument("--queue", type=int, default=2048)
    parser.add_argument("--evaluate-every", type=int, default=100, help="updates")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", help="names of models")
    parser.add_argument("--results", type=Path, help="JSON lines file to append figures to")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--toy", action="store_true", help="a small grammar, seconds")
    args = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", message=".*have more than .*")  # long test sentences: the rest is not read
    base_options, every = {"dim": args.dim, "layers": args.layers}, []
    if args.toy:
        texts, tests, same = toy_data(args.seed)
        base_options, args.queue, args.evaluate_every, args.epochs = {"dim": 32, "layers": 1, "heads": 2}, 64, 0, 3
        args.base_minutes, args.minutes, args.lr, groups = None, None, 0.002, {"groups": same}
    else:
        texts, tests = paragraphs(args.data, 1e6 * args.words, args.seed), tests_of(args.data)
        groups = {}
        for name, source in (("captions", captions(args.data)), ("entailment", entailed(args.data))):
            groups[name], left_out = without(source, tests)
            print(f"{name}: {len(groups[name]):,} groups; {left_out:,} texts of tests left out")
    if args.work:
        args.work.mkdir(parents=True, exist_ok=True)
    held_out, texts = texts[: min(HELD_OUT, len(texts) // 10)], texts[min(HELD_OUT, len(texts) // 10) :]

    def place(name):
        return args.work and args.work / re.sub(r"\W+", "-", name)

    base = kept(
        place("base"),
        lambda: firth.SentenceMaskedLM(**base_options).train(
            texts,
            held_out=held_out,
            max_size=args.subwords,
            seed=args.seed,
            progress=None if args.verbose else False,
            training=options_of(args, args.base_minutes, 0.002, 32, weight_decay=0.01, warmup=0 if args.toy else 200),
        ),
    )
    lines = sentences(texts)
    vectors = kept(place("vectors"), lambda: firth.Word2Vec(dim=50 if args.toy else 100).train(lines, seed=args.seed))
    models = {
        "TF-IDF": lambda: TfIdf(lines),
        "averaged vectors": lambda: firth.SentenceAverages(vectors, "mean"),
        "masked LM, mean (reference)": lambda: base,
        **runs(args, base, texts, tests, groups),
    }
    for name, train in models.items():
        if args.only and name not in args.only:
            continue
        trained = name not in ("TF-IDF", "averaged vectors", "masked LM, mean (reference)")
        model = kept(place(name), train) if trained else train()
        every.append({"model": name, **{key: round(value, 3) for key, value in figures(model, tests).items()}})
        print(table(every[-1:]) if len(every) == 1 else table(every[-1:]).splitlines()[1], flush=True)
    if args.results:
        args.results.parent.mkdir(parents=True, exist_ok=True)
        facts = {"dim": base.dim, "seed": args.seed, "minutes": args.minutes, "base_minutes": args.base_minutes}
        with args.results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({**row, **facts}) + "\n" for row in every)
    return every


if __name__ == "__main__":
    main()
