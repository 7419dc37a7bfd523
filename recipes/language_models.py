"""Compares language models at equal training time: n-grams, windows, recurrent networks, characters, attention.

On Brown (the three parts of `recipes/brown.py`), or on Wikipedia: trained on the first words of a file of paragraphs,
evaluated on the validation and test text of WikiText-2. All models of a table share one vocabulary and predict the same
tokens, including ends of paragraphs.

Both Wikipedia texts are normalised in the same way. Headings are removed, WikiText's `@-@` etc. become plain signs,
and tokens are runs of letters and digits, single characters, and `<unk>` (WikiText's rare words). In the training text
`<unk>` replaces words that occur once, so that a model that reads spellings learns to read it; all other words keep
their spelling. There are therefore more tokens than in WikiText, and perplexities are not comparable with published
ones, whose training text also differs.

    python recipes/language_models.py brown --minutes 10 --results benchmarks/results/language/perplexity-brown.jsonl
    python recipes/language_models.py wiki --text wiki.txt.xz --wikitext FOLDER --minutes 30
    python recipes/language_models.py brown --models lstm transformer --minutes 60 --epochs 10   # nearer to their best
    python recipes/language_models.py brown --share 0.25 --dropout 0.5 --epochs 10 --minutes 20 --models lstm
    python recipes/language_models.py brown --toy               # a fiftieth of the text, seconds
"""

import argparse
import dataclasses
import gzip
import json
import lzma
import re
import statistics
import time
from pathlib import Path

import numpy as np

import firth
from firth.data import path_of
from firth.language import UNK, held_out_text, training_text
from firth.readers import read_brown

WINDOWS = {"optimiser": "adam", "lr": 0.003, "batch_size": 128, "schedule": "linear"}
TREES = {**WINDOWS, "lr": 0.001, "precision": "fp32"}  # their products are too small to gain from half precision
STREAMS = {"optimiser": "adam", "lr": 0.003, "batch_size": 20, "schedule": "linear", "clip_norm": 1.0}
LSTM = {
    "cell": "lstm",
    "dim": 200,
    "hidden": 200,
    "layers": 2,
    "dropout": 0.3,
    "dropout_kind": "variational",
    "tie_weights": True,
}
HLBL = {"order": 6, "dim": 100, "dropout": 0.3}


def lstm(**other):
    """A recurrent model with changed options."""
    return firth.RecurrentLM(**{**LSTM, **other}), STREAMS


MODELS = {  # options of the model, and changed training options
    "feedforward": (firth.FeedForwardLM(order=5, dim=60, hidden=100, dropout=0.15), WINDOWS),
    "log-bilinear": (firth.LogBilinearLM(**HLBL), WINDOWS),
    "hlbl": (firth.LogBilinearLM(**HLBL, output="tree"), TREES),
    "hlbl-balanced": (firth.LogBilinearLM(**HLBL, output="tree:tree=balanced"), TREES),
    "hlbl-random": (firth.LogBilinearLM(**HLBL, output="tree:tree=random"), TREES),
    "hlbl-learned": (firth.LogBilinearLM(**HLBL, output="tree:tree=learned"), TREES),
    "lstm": lstm(),
    "lstm-untied": lstm(tie_weights=False),
    "lstm-narrow": lstm(tie_weights=False, dim=130, hidden=130),  # no more parameters than char-aware
    "lstm-plain-dropout": lstm(dropout_kind="plain"),
    "lstm-no-dropout": lstm(dropout_kind="plain", dropout=0.0),
    "lstm-weight-drop": lstm(dropout_kind="weights"),
    "lstm-adaptive": lstm(tie_weights=False, output="adaptive"),
    "lstm-residual": lstm(connection="residual"),
    "gru": lstm(cell="gru"),
    "rnn": lstm(cell="rnn"),
    "qrnn": lstm(cell="qrnn", dropout_kind="plain"),
    "char-aware": lstm(embedding="char-cnn", tie_weights=False),
    "transformer": (firth.TransformerLM(), {}),
}
OUTPUTS = {  # one small model with each of them; see benchmarks/results/language/outputs-brown.md
    "full": "full",
    "adaptive": "adaptive",
    "importance": "importance:samples=1024",
    "nce-100": "nce:samples=100",
    "nce-1024": "nce:samples=1024",
    "classes": "classes",
}
SMALL = {"layers": 1, "dim": 100, "hidden": 100, "tie_weights": False}
MODELS |= {f"lstm-small-{name}": lstm(**SMALL, output=output) for name, output in OUTPUTS.items()}
TABLE = ["kneser-ney", "feedforward", "hlbl", "lstm", "qrnn", "char-aware", "transformer"]
TOKEN = re.compile(r"<unk>|\w+|[^\w\s]")
RUN = 12  # words; longer common runs of training and held-out text are copies or formulas


def brown(options):
    """The three parts of Brown as texts of one vocabulary; see `recipes/brown.py`."""
    paragraphs = list(read_brown(options.text or path_of("brown")))[:: 50 if options.toy else 1]
    text = training_text(firth.Corpus.build(paragraphs, min_count=1, sentences="text"), {"min_count": 4}, spelled=True)
    train, valid = round(0.67978 * len(text)), round(0.16994 * len(text))  # 800,000 and 200,000 of 1,176,859
    train_part = text.part(round(train * (1 - options.share)), train)
    return train_part, text.part(train, train + valid), text.part(train + valid, len(text))


def wiki(options):
    """The first words of a file of paragraphs, and WikiText's held-out texts, normalised alike."""
    with lzma.open(options.text, "rt", encoding="utf-8") as file:
        train = list(first_words((TOKEN.findall(plain(line)) for line in file), options.words))
    corpus = firth.Corpus.build(train, min_count=2, unknown=UNK, sentences="text")
    text = training_text(corpus, {"min_count": 3, "max_size": options.vocabulary}, spelled=True)
    held_out = []
    for name in ("valid.txt.gz", "test.txt.gz"):
        with gzip.open(options.wikitext / name, "rt", encoding="utf-8") as file:
            lines = [plain(line) for line in file if line.strip() and not line.startswith(" =")]
        held_out.append(text_of([TOKEN.findall(line) for line in lines], text))
    return text, *held_out


def plain(line):
    """A line without WikiText's escapes such as `@-@`, and with one kind of quotation marks."""
    return re.sub(r"@(.)@", r"\1", line).translate(str.maketrans("“”‘’–", "\"\"''-"))


def first_words(paragraphs, words):
    """Paragraphs up to a total number of words."""
    for paragraph in paragraphs:
        words -= len(paragraph)
        if paragraph:
            yield paragraph
        if words <= 0:
            return


def text_of(paragraphs, like):
    """A text from tokenised paragraphs with the vocabulary of another text."""
    corpus = firth.Corpus.build(paragraphs, min_count=1, sentences="text")
    return held_out_text(corpus, like.vocabulary, like.rules)


def overlap(training, text):
    """The number of runs of `RUN` known words in a held-out text, and how many of them training has too."""
    runs = known_runs(text)
    return len(runs), int(np.isin(runs, known_runs(training)).sum())


def known_runs(text):
    """All runs of `RUN` known words within a paragraph, as one value each."""
    if len(text) < RUN:
        return np.zeros(0, f"V{RUN * text.ids.itemsize}")
    windows = np.lib.stride_tricks.sliding_window_view(text.ids, RUN)
    in_vocabulary = np.isin(windows, [text.unk_id, text.eos_id], invert=True).all(axis=1)
    return np.ascontiguousarray(windows[in_vocabulary]).view(f"V{RUN * windows.itemsize}").ravel()


def trained(name, train, valid, seed, options):
    """A trained model; only neural models use the held-out text."""
    if name == "kneser-ney":
        return firth.NgramLM(order=5).train(train)
    model_options, changes = MODELS[name]
    if options.dropout is not None and name != "lstm-no-dropout":
        model_options = dataclasses.replace(model_options, dropout=options.dropout)
    limits = {"epochs": options.epochs, "minutes": options.minutes, "precision": options.precision, "patience": 4}
    training = dataclasses.replace(model_options.training, **{**limits, **changes})
    validation = valid.part(0, min(options.choose or len(valid), len(valid)))
    model = model_options.train(train, held_out=validation, training=training, seed=seed, threads=options.threads)
    if model.metadata["training"]["interrupted"]:
        raise SystemExit(f"{name} was interrupted and gets no row: it trained for less time than the others")
    return model


def told(name, model, valid, test, seed, seconds):
    """One row of the results."""
    facts = model.metadata.get("training", {})
    perplexity = model.perplexity(test)
    neural = name != "kneser-ney"
    return {
        "model": name,
        "seed": seed,
        "valid": round(model.perplexity(valid).value, 2),
        "test": round(perplexity.value, 2),
        "precision": facts["precision"] if neural else None,
        "without_unknown": round(perplexity.without_unknown, 2),
        "tokens": perplexity.tokens,
        "unknown": perplexity.unknown,
        "ends": perplexity.eos,
        "vocabulary": len(model.vocabulary),
        "parameters": sum(p.numel() for p in model.module.parameters()) if neural else None,
        "epochs": facts["rows"][-1]["epoch"] if neural else None,
        "words_per_second": round(facts["predictions"] / facts["seconds"]) if neural else None,
        "seconds": round(facts["seconds"] if neural else seconds, 1),
    }


def table(rows):
    """One line per model: means over seeds and their standard deviation."""
    lines = [
        "| model | parameters | epochs | words/s | seconds | validation | test | without `<unk>` | seeds |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    groups = {name: [row for row in rows if row["model"] == name] for name in {row["model"] for row in rows}}
    for name, runs in sorted(groups.items(), key=lambda item: -statistics.mean(run["test"] for run in item[1])):
        mean = [spread([run[key] for run in runs]) for key in ("valid", "test", "without_unknown")]
        facts = ["", "", ""]
        if name != "kneser-ney":
            facts = [f"{runs[0]['parameters']:,}", middle(runs, "epochs", 1), middle(runs, "words_per_second", 0)]
        cells = [name, *facts, middle(runs, "seconds", 0), *mean, len(runs)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def middle(runs, key, digits):
    """The mean of a value over runs, with so many decimals."""
    return f"{statistics.mean(run[key] for run in runs):,.{digits}f}"


def spread(values):
    """A mean, with the standard deviation where there are several."""
    deviation = f" +- {statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.1f}{deviation}"


def arguments_of(arguments):
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", choices=["brown", "wiki"])
    parser.add_argument("--text", type=Path, help="brown.zip, or paragraphs of Wikipedia (.txt.xz)")
    parser.add_argument("--wikitext", type=Path, help="folder of WikiText-2's valid.txt.gz and test.txt.gz")
    parser.add_argument("--words", type=int, default=2_000_000, help="training words of Wikipedia")
    parser.add_argument("--vocabulary", type=int, default=20_000, help="maximum vocabulary size for Wikipedia")
    parser.add_argument("--models", nargs="+", default=TABLE, choices=["kneser-ney", *MODELS], metavar="MODEL")
    parser.add_argument("--minutes", type=float, default=10.0, help="for each neural model, evaluations included")
    parser.add_argument("--epochs", type=int, default=40, help="maximum number of epochs")
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32", help="of products in training")
    parser.add_argument("--dropout", type=float, help="replaces the models' own dropout")
    parser.add_argument("--share", type=float, default=1.0, help="share of Brown's first part to train on (its end)")
    parser.add_argument("--choose", type=int, help="validation tokens that select the best epoch (default: all)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--threads", type=int)
    parser.add_argument("--toy", action="store_true", help="every fiftieth paragraph of Brown, three seconds per model")
    parser.add_argument("--results", type=Path, help="rows file (.jsonl) to append to; the table goes beside it (.md)")
    options = parser.parse_args(arguments)
    if options.corpus == "wiki" and not (options.text and options.wikitext):
        parser.error("wiki needs --text, a file of paragraphs, and --wikitext, the folder of WikiText-2")
    for path in (options.text, options.wikitext):
        if path and not path.exists():
            parser.error(f"there is no {path}")
    if options.toy:
        options.minutes = 0.05
    return options


def main(arguments=None):
    """Train and evaluate each model; print and save the results."""
    options = arguments_of(arguments)
    train, valid, test = brown(options) if options.corpus == "brown" else wiki(options)
    print(f"{len(train.vocabulary):,} words; {len(train):,} tokens to learn, {len(valid):,} to choose, {len(test):,}")
    for part, text in (("validation", valid), ("test", test)):
        runs, copies = overlap(train, text)
        print(f"{copies:,} of {runs:,} runs of {RUN} known words of the {part} text occur in the training text")
    rows = []
    for name in options.models:
        for seed in options.seeds if name != "kneser-ney" else [0]:
            began = time.monotonic()
            model = trained(name, train, valid, seed, options)
            rows.append(told(name, model, valid, test, seed, time.monotonic() - began))
            print(json.dumps(rows[-1]), flush=True)
            if options.results:
                keep(rows[-1], options)
    print(table(rows))
    return rows


def keep(row, options):
    """Append a row to the results and rewrite the table of all rows."""
    options.results.parent.mkdir(parents=True, exist_ok=True)
    with options.results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    rows = [json.loads(line) for line in options.results.read_text(encoding="utf-8").splitlines()]
    limits = f"--minutes {options.minutes:g} --epochs {options.epochs} --precision {options.precision}"
    if options.corpus == "wiki":
        limits += f" --words {options.words} --vocabulary {options.vocabulary}"
    if options.share < 1:
        limits += f" --share {options.share:g}"
    if options.choose:
        limits += f" --choose {options.choose}"
    if options.dropout is not None:
        limits += f" --dropout {options.dropout:g}"
    head = f"# Language models on {options.corpus}\n\n`python recipes/language_models.py {options.corpus} {limits}`"
    sizes = f"{row['tokens']:,} tokens of test text, {row['vocabulary']:,} words"
    text = f"{head},\nwhich says what is counted; {sizes}.\n\n{table(rows)}\n"
    options.results.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
