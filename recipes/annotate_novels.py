"""Novels from raw text to who does what: tags, trees, coreference chains, and the verbs of each character.

    python recipes/annotate_novels.py novels/*.txt --treebank UD_English-EWT --out novels.conllu
    python recipes/annotate_novels.py novels/*.txt --tagger T --parser P --coref C --out novels.conllu --processes 2
    python recipes/annotate_novels.py --toy

The tagger and the parser are trained on the treebank (a folder of CoNLL-U whose names hold -train), or are folders of
saved models. With `--coref` a character is a coreference chain, and its verbs count pronouns, too; without it a
character is a run of proper nouns. A killed run goes on where it was: repeat the command. A row per character is
printed: the document, the character, mentions, and verbs whose subject it is, the most frequent first.
"""

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import firth
from firth.readers import DependencySentence, write_conllu

SUBJECTS = ("nsubj", "nsubj:outer")
TOY_TEXT = "Tom saw Ada. Tom left. Ada sang and Ada left."


def models_of(arguments, sizes):
    """Folders of the tagger and the parser; those that are not given are trained and saved beside the output."""
    folders = {"tagger": arguments.tagger, "parser": arguments.parser}
    train = next(iter(sorted(arguments.treebank.glob("*-train*.conllu*"))), None) if arguments.treebank else None
    options = {
        "tagger": firth.Tagger(**{"targets": "upos", **sizes.get("tagger", {})}),
        "parser": firth.TransitionParser(**{"tag": "upos", **sizes.get("parser", {})}),
    }
    for name, folder in folders.items():
        kept = arguments.out.with_suffix(f".{name}")
        if folder is None and not kept.exists():
            if train is None:
                raise SystemExit(f"no {name}: give --{name} FOLDER, or --treebank FOLDER with a file *-train.conllu")
            options[name].train(train, training=sizes.get("training")).save(kept)
        folders[name] = folder or kept
    return folders


def characters_of(document):
    """The spans of each character by its name: chains that have one, or runs of proper nouns."""
    tags = [tag for sentence in document.sentences for tag in sentence.tags]
    if document.clusters:
        for chain in document.clusters:
            names = Counter(" ".join(document.tokens[a:b]) for a, b in chain if tags[b - 1] == "PROPN" and b - a < 4)
            if names:
                yield names.most_common(1)[0][0], chain
        return
    found = defaultdict(list)
    starts, token = {*document.sentence_starts}, 0
    while token < len(document):
        end = token + 1
        if tags[token] == "PROPN":
            while end < len(document) and tags[end] == "PROPN" and end not in starts:
                end += 1
            found[" ".join(document.tokens[token:end])].append((token, end))
        token = end
    yield from found.items()


def verbs_of(document):
    """The verb that each token is the subject of."""
    verbs = {}
    for start, sentence in zip(document.sentence_starts, document.sentences, strict=True):
        for word, (head, relation) in enumerate(zip(sentence.heads, sentence.relations, strict=True)):
            if relation in SUBJECTS and sentence.tags[head - 1] == "VERB":
                verbs[start + word] = sentence.words[head - 1].lower()
    return verbs


def rows_of(document, number):
    """The characters with most mentions."""
    verbs = verbs_of(document)
    characters = sorted(characters_of(document), key=lambda each: -len(each[1]))[:number]
    for name, spans in characters:
        counts = Counter(verbs[token] for start, end in spans for token in range(start, end) if token in verbs)
        shown = [f"{verb} {count}" for verb, count in counts.most_common(8)]
        yield {"document": document.name, "character": name, "mentions": len(spans), "subject_of": shown}


def toy(folder):
    """A treebank of made-up sentences, and a text."""
    tom, ada, saw, left, stop = ("Tom", "PROPN"), ("Ada", "PROPN"), ("saw", "VERB"), ("left", "VERB"), (".", "PUNCT")
    frames = [
        ([tom, saw, ada, stop], [2, 0, 2, 2], ["nsubj", "root", "obj", "punct"]),
        ([ada, left, stop], [2, 0, 2], ["nsubj", "root", "punct"]),
        (
            [ada, ("sang", "VERB"), ("and", "CCONJ"), tom, left, stop],
            [2, 0, 5, 5, 2, 2],
            ["nsubj", "root", "cc", "nsubj", "conj", "punct"],
        ),
    ]
    sentences = [
        DependencySentence.of(word for word, _ in words).annotated(
            tags=[tag for _, tag in words], heads=heads, relations=relations
        )
        for words, heads, relations in frames * 20
    ]
    write_conllu(folder / "toy-train.conllu", sentences)
    (folder / "toy.txt").write_text(TOY_TEXT, encoding="utf-8")


def main(arguments=None):
    """Train what is not given, annotate, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, nargs="*")
    parser.add_argument("--toy", action="store_true", help="made-up sentences, in seconds")
    parser.add_argument("--treebank", type=Path, help="folder of CoNLL-U to train on")
    parser.add_argument("--tagger", type=Path, help="folder of a tagger of universal tags")
    parser.add_argument("--parser", type=Path, help="folder of a parser")
    parser.add_argument("--coref", type=Path, help="folder of a model of coreference")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--characters", type=int, default=5, help="of each text, at most")
    parser.add_argument("--out", type=Path, help="file to write, .conllu or .jsonl")
    options = parser.parse_args(arguments)
    sizes = {}
    with tempfile.TemporaryDirectory() as made:
        if options.toy:
            toy(Path(made))
            options.texts, options.treebank = [Path(made) / "toy.txt"], Path(made)
            options.out = options.out or Path(made) / "toy.conllu"
            sizes = {
                "tagger": {
                    "dim": 8,
                    "hidden": 8,
                    "characters": "none",
                    "min_count": 1,
                    "dropout": 0.0,
                    "word_dropout": 0.0,
                },
                "parser": {"dim": 8, "tag_dim": 8, "hidden": 16, "min_count": 1, "dropout": 0.0},
                "training": firth.TrainingOptions(epochs=15, batch_size=5, lr=0.02),
            }
        if options.out is None:
            parser.error("no file to write to: give --out NAME.conllu")
        folders = models_of(options, sizes)
        found = firth.annotate_files(
            options.texts, options.out, **folders, coref=options.coref, processes=options.processes
        )
        print(f"{found.documents:,} documents, {found.sentences:,} sentences, {found.tokens:,} tokens")
        rows = [row for each in firth.read_documents(options.out) for row in rows_of(each, options.characters)]
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))
    return rows


if __name__ == "__main__":
    main()
